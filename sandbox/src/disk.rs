//! A sandbox kept in a folder: `cloud.json`, `executions.json`, and objects as files.

use crate::cloud::Memory;
use crate::executions::Executions;
use crate::storage::{Condition, Object, Objects};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder. Every file is replaced whole: written beside, then renamed.
#[derive(Debug)]
pub(crate) struct Disk {
    dir: PathBuf,
    writes: AtomicU64,
}

const CLOUD: &str = "cloud.json";
const EXECUTIONS: &str = "executions.json";
const OBJECTS: &str = "objects";

impl Disk {
    pub(crate) fn open(dir: &Path) -> io::Result<Self> {
        fs::create_dir_all(dir.join(OBJECTS))?;
        Ok(Disk {
            dir: dir.to_owned(),
            writes: AtomicU64::new(0),
        })
    }

    pub(crate) fn read_cloud(&self) -> io::Result<Memory> {
        self.read(CLOUD)
    }

    pub(crate) fn write_cloud(&self, memory: &Memory) -> io::Result<()> {
        self.write(&self.dir.join(CLOUD), &json(memory)?)
    }

    pub(crate) fn read_executions(&self) -> io::Result<Executions> {
        self.read(EXECUTIONS)
    }

    pub(crate) fn write_executions(&self, executions: &Executions) -> io::Result<()> {
        self.write(&self.dir.join(EXECUTIONS), &json(executions)?)
    }

    pub(crate) fn read_objects(&self) -> io::Result<Objects> {
        let mut objects = Objects::default();
        for bucket in fs::read_dir(self.dir.join(OBJECTS))? {
            let bucket = bucket?;
            if let Some(name) = decode(&bucket.file_name().to_string_lossy()) {
                read_folder(&bucket.path(), &name, "", &mut objects)?;
            }
        }
        Ok(objects)
    }

    pub(crate) fn write_object(&self, bucket: &str, key: &str, object: &Object) -> io::Result<()> {
        let file = self.file(bucket, key);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        self.write(&file, &object.body)
    }

    pub(crate) fn delete_object(&self, bucket: &str, key: &str) -> io::Result<()> {
        match fs::remove_file(self.file(bucket, key)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// One folder for each part of the key, so that no name gets too long. Folders end in `+`, which no
    /// encoded name has: `a` and `a/b` can both be keys.
    fn file(&self, bucket: &str, key: &str) -> PathBuf {
        let mut path = self.dir.join(OBJECTS).join(encode(bucket));
        let mut parts = key.split('/').peekable();
        while let Some(part) = parts.next() {
            let end = if parts.peek().is_some() { "+" } else { "" };
            path.push(format!("{}{end}", encode(part)));
        }
        path
    }

    fn read<T: DeserializeOwned + Default>(&self, name: &str) -> io::Result<T> {
        match fs::read(self.dir.join(name)) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {error}"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
            Err(error) => Err(error),
        }
    }

    fn write(&self, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        // Beside all files that are read back, on the same file system.
        let beside = self.dir.join(format!(".{}-{number}.part", std::process::id()));
        fs::write(&beside, bytes)?;
        fs::rename(&beside, target)
    }
}

fn read_folder(folder: &Path, bucket: &str, above: &str, objects: &mut Objects) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(part) = name.strip_suffix('+').and_then(decode) {
            read_folder(&entry.path(), bucket, &format!("{above}{part}/"), objects)?;
            continue;
        }
        let Some(part) = decode(&name) else { continue };
        let modified = entry
            .metadata()?
            .modified()
            .ok()
            .and_then(|time| Timestamp::try_from(time).ok());
        let body = fs::read(entry.path())?.into();
        let object = Object::new(body, None, modified.unwrap_or(Timestamp::UNIX_EPOCH));
        // Without a condition there is nothing to refuse.
        let _ = objects.put(bucket, &format!("{above}{part}"), object, &Condition::None);
    }
    Ok(())
}

fn json<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    serde_json::to_vec_pretty(value).map_err(io::Error::other)
}

/// A file name for any text (`%` for none): letters, digits and `.-_` as they are, but no leading dot; the rest as `%XX`.
fn encode(text: &str) -> String {
    if text.is_empty() {
        return "%".into();
    }
    let mut name = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || (byte == b'.' && at > 0);
        if plain {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    name
}

fn decode(name: &str) -> Option<String> {
    if name == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_read_back() {
        for text in [
            "a/b c/ü%2F",
            "..",
            ".hidden",
            "plain-name_1.json",
            "a:b|c",
            "",
            "+",
        ] {
            let name = encode(text);
            assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
            assert_eq!(decode(&name).as_deref(), Some(text));
        }
    }

    #[test]
    fn objects_survive() {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::open(dir.path()).unwrap();
        let object = Object::new("body".into(), None, Timestamp::UNIX_EPOCH);
        disk.write_object("bucket", "a/b", &object).unwrap();
        disk.write_object("bucket", "a", &object).unwrap();
        disk.write_object("bucket", "gone", &object).unwrap();
        disk.delete_object("bucket", "gone").unwrap();
        disk.delete_object("bucket", "never").unwrap();
        let objects = Disk::open(dir.path()).unwrap().read_objects().unwrap();
        let names: Vec<_> = objects
            .all()
            .map(|(bucket, key, object)| (bucket, key, object.etag.clone()))
            .collect();
        assert_eq!(
            names,
            [
                ("bucket", "a", object.etag.clone()),
                ("bucket", "a/b", object.etag)
            ]
        );
    }
}
