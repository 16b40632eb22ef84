//! Documents as files, with the guarantees of a bucket: no lost update between processes, no half a
//! document after a crash.

use super::{Documents, StorageError};
use async_trait::async_trait;
use object_store::path::Path;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path as FilePath, PathBuf};

/// One file per document below a folder.
///
/// # Flow
/// A writer locks `.lock` in the folder, compares the version, writes `<file>.new`, syncs it, renames it
/// over the file, and syncs the directory, and those above it that it has made. Readers need no lock: a rename is all
/// or nothing.
///
/// # Guarantees
/// The system drops the lock of a process that dies. What it leaves behind is at most a `.new` file, which
/// nobody reads and the next writer of that document overwrites. A version is the hash of the content, as
/// an ETag is in S3.
///
/// # Assumptions
/// All writers are on one machine: advisory locks are not to be trusted on network file systems.
#[derive(Debug, Clone)]
pub(super) struct Files {
    root: PathBuf,
}

impl Files {
    pub(super) fn new(root: PathBuf) -> Self {
        Files { root }
    }

    fn path(&self, key: &Path) -> PathBuf {
        // A key has no empty segment, `.` or `..`, so it stays below the root.
        key.as_ref()
            .split('/')
            .fold(self.root.clone(), |path, segment| path.join(segment))
    }

    /// Runs blocking work off the runtime's thread: a lock can be held by another process.
    async fn run<T: Send + 'static>(
        &self,
        doing: &'static str,
        key: &Path,
        work: impl FnOnce(&Files, &FilePath) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, StorageError> {
        let files = self.clone();
        let path = self.path(key);
        let unavailable = |problem: String| {
            StorageError::Unavailable(format!("{doing} `{key}` in `{}`: {problem}", self.root.display()))
        };
        match tokio::task::spawn_blocking(move || work(&files, &path)).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Refusal::Conflict)) => Err(StorageError::Conflict),
            Ok(Err(Refusal::Io(error))) => Err(unavailable(error.to_string())),
            Err(_) => Err(unavailable("the work was interrupted".into())),
        }
    }

    /// The lock lasts as long as the file that is returned.
    fn lock(&self) -> io::Result<File> {
        make_folder(&self.root)?;
        let file = private(OpenOptions::new().write(true).create(true).truncate(false))
            .open(self.root.join(".lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn replace(&self, path: &FilePath, document: &[u8], expected: Option<&str>) -> Result<String, Refusal> {
        let _lock = self.lock()?;
        let found = read(path)?.map(|bytes| version(&bytes));
        if found.as_deref() != expected {
            return Err(Refusal::Conflict);
        }
        let folder = path.parent().unwrap_or(&self.root);
        let is_new = !folder.is_dir();
        make_folder(folder)?;
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let fresh = PathBuf::from(name);
        let mut file = private(OpenOptions::new().write(true).create(true).truncate(true)).open(&fresh)?;
        file.write_all(document)?;
        file.sync_all()?;
        fs::rename(&fresh, path)?;
        sync_folder(folder)?;
        if is_new {
            // A folder is on disk only when the one above it is.
            for above in folder
                .ancestors()
                .skip(1)
                .take_while(|above| above.starts_with(&self.root))
            {
                sync_folder(above)?;
            }
        }
        Ok(version(document))
    }

    fn delete(&self, path: &FilePath, expected: &str) -> Result<(), Refusal> {
        let _lock = self.lock()?;
        if read(path)?.is_some_and(|found| version(&found) != expected) {
            return Err(Refusal::Conflict);
        }
        match fs::remove_file(path) {
            Err(error) if is_absent(&error) => return Ok(()),
            removed => removed?,
        }
        // Empty folders go too, under the lock, so that no writer loses the one it has just made.
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            if fs::remove_dir(folder).is_err() {
                return Ok(sync_folder(folder)?);
            }
        }
        Ok(sync_folder(&self.root)?)
    }
}

enum Refusal {
    Conflict,
    Io(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}

#[async_trait]
impl Documents for Files {
    async fn load(&self, key: &Path) -> Result<Option<(Vec<u8>, String)>, StorageError> {
        self.run("reading", key, |_, path| {
            Ok(read(path)?.map(|bytes| {
                let version = version(&bytes);
                (bytes, version)
            }))
        })
        .await
    }

    async fn save(
        &self,
        key: &Path,
        document: Vec<u8>,
        expected: Option<&str>,
    ) -> Result<String, StorageError> {
        let expected = expected.map(str::to_owned);
        self.run("writing", key, move |files, path| {
            files.replace(path, &document, expected.as_deref())
        })
        .await
    }

    async fn remove(&self, key: &Path, expected: &str) -> Result<(), StorageError> {
        let expected = expected.to_owned();
        self.run("removing", key, move |files, path| files.delete(path, &expected))
            .await
    }

    async fn list(&self, folder: &Path) -> Result<Vec<Path>, StorageError> {
        let prefix = folder.as_ref().to_owned();
        let mut keys = self
            .run("listing", folder, move |_, path| {
                let mut keys = Vec::new();
                collect(path, &prefix, &mut keys)?;
                Ok(keys)
            })
            .await?;
        keys.sort();
        Ok(keys)
    }
}

fn collect(folder: &FilePath, prefix: &str, keys: &mut Vec<Path>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        // Nothing was written below it yet, or it was removed a moment ago.
        Err(error) if is_absent(&error) => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        // Whatever is not UTF-8 was not written by us.
        let Some(name) = name.to_str() else { continue };
        let key = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}/{name}")
        };
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &key, keys)?;
        } else if name != ".lock" && !name.ends_with(".new") {
            keys.extend(Path::parse(&key));
        }
    }
    Ok(())
}

fn read(path: &FilePath) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if is_absent(&error) => Ok(None),
        bytes => bytes.map(Some),
    }
}

/// A file is as absent when its folder is.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn version(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Documents may hold secrets: nobody but the owner reads them.
#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn make_folder(folder: &FilePath) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &FilePath) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

/// A rename is on disk only when its directory is.
#[cfg(unix)]
fn sync_folder(folder: &FilePath) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &FilePath) -> io::Result<()> {
    Ok(())
}
