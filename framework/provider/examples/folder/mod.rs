//! What both examples stand on: objects in a local folder, and events as CloudFormation sends them.

use formwork_provider::fakes::Fakes;
use formwork_provider::ports::Clock;
use formwork_provider::{Failure, Invocation};
use serde_json::{Value, json};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The part of an object store that the examples need.
pub(crate) trait Objects: Send + Sync + 'static {
    /// Writes an object; returns its ETag.
    fn put(&self, bucket: &str, key: &str, contents: &str, public: bool) -> Result<String, Failure>;
    /// Reads it.
    fn get(&self, bucket: &str, key: &str) -> Result<Option<String>, Failure>;
    /// Removes it. What is gone already is fine.
    fn delete(&self, bucket: &str, key: &str) -> Result<(), Failure>;
}

/// Objects as files: `<root>/<bucket>/<public or private>/<key>`.
#[derive(Clone)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// An empty folder of this process.
    pub(crate) fn temporary(name: &str) -> std::io::Result<Self> {
        let root = std::env::temp_dir().join(format!("formwork-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&root)?;
        Ok(Folder { root })
    }

    /// Removes it with all objects.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        std::fs::remove_dir_all(&self.root)
    }

    fn path(&self, bucket: &str, access: &str, key: &str) -> Result<PathBuf, Failure> {
        let inside =
            |part: &str| !part.is_empty() && part.split('/').all(|name| !matches!(name, "" | "." | ".."));
        if !inside(bucket) || !inside(key) {
            return Err(Failure::new(
                "`BucketName` and `ObjectKey` must be relative paths without `..`",
            ));
        }
        Ok(self.root.join(bucket).join(access).join(Path::new(key)))
    }
}

impl Objects for Folder {
    fn put(&self, bucket: &str, key: &str, contents: &str, public: bool) -> Result<String, Failure> {
        self.delete(bucket, key)?;
        let path = self.path(bucket, if public { "public" } else { "private" }, key)?;
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, contents))
            .map_err(failure)?;
        let mut hasher = DefaultHasher::new();
        contents.hash(&mut hasher);
        Ok(format!("{:016x}", hasher.finish()))
    }

    fn get(&self, bucket: &str, key: &str) -> Result<Option<String>, Failure> {
        for access in ["private", "public"] {
            match std::fs::read_to_string(self.path(bucket, access, key)?) {
                Ok(contents) => return Ok(Some(contents)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failure(error)),
            }
        }
        Ok(None)
    }

    fn delete(&self, bucket: &str, key: &str) -> Result<(), Failure> {
        for access in ["private", "public"] {
            match std::fs::remove_file(self.path(bucket, access, key)?) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failure(error)),
            }
        }
        Ok(())
    }
}

fn failure(error: std::io::Error) -> Failure {
    Failure::of_error(&error)
}

/// An event as CloudFormation sends it: every scalar is text.
pub(crate) fn event(request_type: &str, resource_type: &str, id: Option<&str>, properties: Value) -> Value {
    let mut event = json!({
        "RequestType": request_type,
        "ResponseURL": format!("https://bucket.s3.amazonaws.com/answer-to-{request_type}?signature"),
        "StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/5b918d10-cd98-11ea-90d5-0a9cd3354c10",
        "RequestId": format!("request-{request_type}{}", id.map(|id| format!("-of-{id}")).unwrap_or_default()),
        "LogicalResourceId": "MyFile",
        "ResourceType": resource_type,
        "ResourceProperties": properties,
    });
    if let (Some(id), Some(fields)) = (id, event.as_object_mut()) {
        fields.insert("PhysicalResourceId".into(), id.into());
    }
    event
}

/// An invocation with a minute to go.
pub(crate) fn invocation(fakes: &Fakes) -> Invocation {
    Invocation {
        deadline: fakes.clock.now() + Duration::from_secs(60),
        log_stream: None,
    }
}
