//! `Custom::S3File`: an object with text in it. Finished when its function returns.
//!
//! Shows: a physical name that is generated unless given, replacement when it changes, attributes, deletion.
//! Run it with `cargo run -p formwork-provider --example s3_file`.
#![allow(clippy::print_stdout, reason = "an example prints")]

#[allow(dead_code, reason = "each example uses its part")]
mod folder;

use async_trait::async_trait;
use folder::{Folder, Objects, event, invocation};
use formwork_provider::fakes::Fakes;
use formwork_provider::{
    Context, Create, CustomResource, Delete, Failure, Outcome, Progress, Provider, Update,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::error::Error;

struct S3File<O> {
    objects: O,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
struct Properties {
    bucket_name: String,
    object_key: Option<String>,
    contents: String,
    #[serde(default)]
    public: bool,
}

/// `<bucket>/<key>`: both are part of the id, for a file in another bucket is another file.
struct Location {
    bucket: String,
    key: String,
}

impl Location {
    fn id(&self) -> String {
        format!("{}/{}", self.bucket, self.key)
    }

    fn of_id(id: &str) -> Option<Self> {
        let (bucket, key) = id.split_once('/')?;
        Some(Location {
            bucket: bucket.to_owned(),
            key: key.to_owned(),
        })
    }
}

impl<O: Objects> S3File<O> {
    fn write(&self, at: &Location, properties: &Properties) -> Result<Progress<()>, Failure> {
        let etag = self
            .objects
            .put(&at.bucket, &at.key, &properties.contents, properties.public)?;
        let outcome = Outcome::new()
            .with_id(at.id())
            .with_value("ObjectKey", at.key.as_str())
            .with_value("ETag", etag)
            .with_value(
                "URL",
                format!("https://{}.s3.amazonaws.com/{}", at.bucket, at.key),
            );
        Ok(Progress::Done(outcome))
    }
}

#[async_trait]
impl<O: Objects> CustomResource for S3File<O> {
    type Properties = Properties;
    type State = ();

    async fn create(&self, request: Create<Properties>, _cx: &Context) -> Result<Progress<()>, Failure> {
        let Create { head, properties } = request;
        // The key is the request's, so a Create that comes again writes the same object.
        let generated = || format!("{}-{}.txt", head.logical_resource_id, &head.request_key);
        let key = properties.object_key.clone().unwrap_or_else(generated);
        self.write(
            &Location {
                bucket: properties.bucket_name.clone(),
                key,
            },
            &properties,
        )
    }

    async fn update(&self, request: Update<Properties>, _cx: &Context) -> Result<Progress<()>, Failure> {
        let Update {
            head,
            physical_resource_id,
            properties,
            ..
        } = request;
        let current = Location::of_id(&physical_resource_id);
        let generated = || format!("{}-{}.txt", head.logical_resource_id, &head.request_key);
        // Without a key of its own the file keeps the generated one. Another id tells CloudFormation that this
        // is a replacement: the Delete of the old file follows.
        let key = properties
            .object_key
            .clone()
            .or(current.map(|at| at.key))
            .unwrap_or_else(generated);
        self.write(
            &Location {
                bucket: properties.bucket_name.clone(),
                key,
            },
            &properties,
        )
    }

    async fn delete(&self, request: Delete<Properties>, _cx: &Context) -> Result<Progress<()>, Failure> {
        // An id of another form is none we gave, so there is nothing to delete.
        if let Some(at) = Location::of_id(&request.physical_resource_id) {
            self.objects.delete(&at.bucket, &at.key)?;
        }
        Ok(Progress::Done(Outcome::new()))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let folder = Folder::temporary("s3-file")?;
    let answers = runtime.block_on(life_of_a_file(&folder));
    folder.remove()?;
    for answer in answers? {
        println!("{answer:#}");
    }
    Ok(())
}

/// Create, Update to another name, Delete of the old one and of the new one, as CloudFormation does it.
async fn life_of_a_file(folder: &Folder) -> Result<Vec<Value>, Box<dyn Error>> {
    const TYPE: &str = "Custom::S3File";
    let fakes = Fakes::new();
    let provider = Provider::builder(fakes.ports())
        .resource(
            TYPE,
            S3File {
                objects: folder.clone(),
            },
        )
        .build();

    let created = json!({ "BucketName": "my-bucket", "Contents": "hello!", "Public": "true" });
    provider
        .on_event(event("Create", TYPE, None, created.clone()), invocation(&fakes))
        .await?;
    let generated = last_id(&fakes);

    let renamed =
        json!({ "BucketName": "my-bucket", "ObjectKey": "folder/file1.txt", "Contents": "hello again!" });
    provider
        .on_event(
            event("Update", TYPE, Some(&generated), renamed.clone()),
            invocation(&fakes),
        )
        .await?;
    let named = last_id(&fakes);

    let cleanup = event("Delete", TYPE, Some(&generated), created);
    provider.on_event(cleanup, invocation(&fakes)).await?;
    provider
        .on_event(event("Delete", TYPE, Some(&named), renamed), invocation(&fakes))
        .await?;
    Ok(fakes.sender.bodies())
}

fn last_id(fakes: &Fakes) -> String {
    let id = fakes
        .sender
        .bodies()
        .last()
        .and_then(|body| body.get("PhysicalResourceId")?.as_str().map(str::to_owned));
    id.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn file_is_created_replaced_and_deleted() {
        let folder = Folder::temporary("s3-file-test").unwrap();
        let answers = life_of_a_file(&folder).await.unwrap();
        assert!(
            answers.iter().all(|answer| answer["Status"] == "SUCCESS"),
            "{answers:?}"
        );
        assert_eq!(answers[1]["PhysicalResourceId"], "my-bucket/folder/file1.txt");
        assert_eq!(
            answers[1]["Data"]["URL"],
            "https://my-bucket.s3.amazonaws.com/folder/file1.txt"
        );
        let (_, key) = answers[0]["PhysicalResourceId"]
            .as_str()
            .unwrap()
            .split_once('/')
            .unwrap();
        assert_eq!(folder.get("my-bucket", key).unwrap(), None);
        assert_eq!(folder.get("my-bucket", "folder/file1.txt").unwrap(), None);
        folder.remove().unwrap();
    }
}
