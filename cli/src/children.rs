//! Blueprints that a blueprint in a file includes: files beside it, or in the working directory.

use formwork_blueprint::{Children, Include, Source};
use std::path::{Component, Path, PathBuf};

/// Reads children from the file system. What has metadata is somewhere else, such as in a bucket: nothing is
/// known of it here.
pub struct Folders;

impl Children for Folders {
    fn working_dir(&self) -> Option<String> {
        std::env::current_dir()
            .ok()
            .map(|folder| folder.display().to_string())
    }

    fn read(&self, parent: &Source, include: &Include<'_>) -> Result<Option<Source>, String> {
        let elsewhere = include.metadata.to_json();
        if elsewhere.as_object().is_some_and(|metadata| !metadata.is_empty()) {
            return Ok(None);
        }
        let folder = Path::new(parent.name()).parent().unwrap_or(Path::new(""));
        let path = shortest(&folder.join(include.path));
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(Source::from_bytes(path.display().to_string(), bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(format!("there is no file `{}`", path.display()))
            }
            Err(error) => Err(format!("`{}`: {error}", path.display())),
        }
    }
}

/// The path without detours, and from the working directory if it lies in there: one file has one name.
fn shortest(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for component in path.components() {
        match (component, straight.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                straight.pop();
            }
            _ => straight.push(component),
        }
    }
    match std::env::current_dir() {
        Ok(here) => straight
            .strip_prefix(here)
            .map(Path::to_path_buf)
            .unwrap_or(straight),
        Err(_) => straight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formwork_blueprint::{Checked, Checker};

    /// Checks `app/main.yaml` of a folder with some files.
    fn check(files: &[(&str, &str)]) -> (Source, Checked) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let main = folder.path().join("app/main.yaml");
        let source = Source::from_bytes(main.display().to_string(), std::fs::read(&main).unwrap());
        let checked = Checker::new().children(&Folders).check(&source);
        (source, checked)
    }

    const MAIN: &str = "
version: 2023-04-20
include:
  core: {path: ../core/core.yaml}
exports:
  topic: {type: string, field: children.core.topic}
";
    const CORE: &str = "
version: 2023-04-20
include:
  names: {path: ./names.yaml}
resources: {topic: {type: aws/sns/topic}}
exports: {topic: {type: string, field: topic.state.topicArn}}
";
    const NAMES: &str = "version: 2023-04-20\nresources: {queue: {type: aws/sqs/queue}}\n";

    #[test]
    fn children_stand_relative_to_their_parents() {
        let (_, checked) = check(&[
            ("app/main.yaml", MAIN),
            ("core/core.yaml", CORE),
            ("core/names.yaml", NAMES),
        ]);
        let blueprint = checked.blueprint.expect("a valid blueprint");
        let core = blueprint.children["core"]
            .interface
            .as_ref()
            .expect("it was read");
        assert!(core.exports.contains_key("topic"));
    }

    #[test]
    fn a_file_reached_by_a_detour_is_the_same_file() {
        let back = "version: 2023-04-20\ninclude: {main: {path: ../app/../app/main.yaml}}\n";
        let (source, checked) = check(&[("app/main.yaml", MAIN), ("core/core.yaml", back)]);
        let finding = checked.diagnostics.first().expect("a finding");
        assert_eq!(finding.code, "inclusion-cycle");
        let named = format!("`{}` includes itself", source.name());
        assert!(finding.message.starts_with(&named), "{}", finding.message);
    }

    #[test]
    fn what_is_not_there_is_told_and_what_is_elsewhere_is_not_looked_at() {
        let (_, checked) = check(&[("app/main.yaml", MAIN)]);
        let finding = checked.diagnostics.first().expect("a finding");
        assert_eq!(finding.code, "unreadable-child");
        assert!(
            finding.message.contains("there is no file `"),
            "{}",
            finding.message
        );
        assert!(finding.message.contains("core.yaml`"), "{}", finding.message);
        let remote = MAIN.replace(
            "core.yaml}",
            "core.yaml, metadata: {sourceType: aws/s3, bucket: b}}",
        );
        let (_, checked) = check(&[("app/main.yaml", &remote)]);
        assert!(checked.blueprint.is_some(), "{:?}", checked.diagnostics);
    }

    #[test]
    fn paths_lose_their_detours() {
        for (path, expected) in [
            ("a/../b.yaml", "b.yaml"),
            ("./a/./b.yaml", "a/b.yaml"),
            ("../a.yaml", "../a.yaml"),
            ("../../a.yaml", "../../a.yaml"),
            ("a/../../b.yaml", "../b.yaml"),
        ] {
            assert_eq!(shortest(Path::new(path)), Path::new(expected), "{path}");
        }
        let inside = std::env::current_dir().unwrap().join("a/../b.yaml");
        assert_eq!(shortest(&inside), Path::new("b.yaml"));
    }
}
