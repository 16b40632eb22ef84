//! Finds the Lambda binaries, and builds them when what lies there is older than its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

/// The workspace's root folder.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the workspace")
}

/// The path of a function's binary, of the profile this test was built with.
///
/// Cargo builds binaries for the tests of their own package only, so this asks Cargo for it: once per
/// process, and not at all when it is newer than everything it was built from.
///
/// # Panics
/// When the build fails.
#[must_use]
pub fn handler(name: &'static str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<&str, bool>> = Mutex::new(BTreeMap::new());
    let folder = artifacts();
    let path = folder.join(name);
    // Held while building: who comes second waits, and finds it built, or failed, once.
    let mut built = BUILT.lock().unwrap();
    let is_built = *built
        .entry(name)
        .or_insert_with(|| is_fresh(&path) == Some(true) || build(&folder, name));
    drop(built);
    assert!(is_built, "`{name}` could not be built: see Cargo's messages");
    path
}

/// `target/<profile>`: this executable lies in `deps/` or `examples/` below it.
fn artifacts() -> PathBuf {
    let executable = std::env::current_exe().expect("a test knows its own path");
    executable
        .ancestors()
        .nth(2)
        .expect("a test lies below target/<profile>")
        .to_owned()
}

fn build(folder: &Path, name: &str) -> bool {
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--package",
            "formwork-handlers",
            "--bin",
            name,
            "--profile",
            profile,
        ])
        .arg("--target-dir")
        .arg(folder.parent().expect("target/ is above the profile's folder"))
        .current_dir(workspace())
        .status()
        .expect("cargo starts");
    status.success()
}

/// Whether a binary is newer than its sources, as listed in the dependency file that Cargo writes
/// beside it, and than the manifests of the packages these lie in. `None` when that cannot be told.
fn is_fresh(binary: &Path) -> Option<bool> {
    let built = modified(binary)?;
    let rule = std::fs::read_to_string(binary.with_extension("d")).ok()?;
    let sources = dependencies(&rule)?;
    let manifests: BTreeSet<PathBuf> = sources
        .iter()
        .flat_map(|source| source.ancestors().map(|folder| folder.join("Cargo.toml")))
        .chain([workspace().join("Cargo.lock")])
        .filter(|manifest| manifest.starts_with(workspace()) && manifest.is_file())
        .collect();
    Some(
        sources
            .iter()
            .chain(&manifests)
            .all(|source| modified(source).is_some_and(|time| time <= built)),
    )
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}

/// The prerequisites of a Makefile rule, in which a space inside a path is written `\ `.
fn dependencies(rule: &str) -> Option<Vec<PathBuf>> {
    let (_, sources) = rule.lines().next()?.split_once(": ")?;
    let sources = sources.replace("\\ ", "\0");
    Some(
        sources
            .split_ascii_whitespace()
            .map(|path| PathBuf::from(path.replace('\0', " ")))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_lists_its_sources() {
        let rule = "/t/debug/on_event: /w/a\\ b/src/lib.rs /w/c.rs\n";
        assert_eq!(
            dependencies(rule),
            Some(vec!["/w/a b/src/lib.rs".into(), "/w/c.rs".into()])
        );
        assert_eq!(dependencies("no rule"), None);
    }

    #[test]
    fn what_is_not_there_is_not_fresh() {
        assert_ne!(is_fresh(Path::new("/nowhere/on_event")), Some(true));
    }
}
