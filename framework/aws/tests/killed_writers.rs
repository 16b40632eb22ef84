//! Writers of a folder's documents are killed (SIGKILL) at whatever they are doing, again and again: what is read after
//! that is a whole document, no version is lost that a writer was told of, and nobody is locked out.
//!
//! Without the usual harness, because this very program is the writer, too.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests"
)]

use formwork_aws::{Connection, Credentials, Http, ObjectStates, open_store};
use formwork_engine::ports::{StateStore, StoreError};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

const NAME: &str = "stack/Blueprint/one";
/// Large enough that a write takes a while.
const FILL: usize = 1 << 16;
const KILLS: u64 = 60;
const WRITER: &str = "--write-into";
const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != WRITER).skip(1);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    match arguments.next() {
        Some(folder) => runtime.block_on(write(Path::new(&folder))),
        None => runtime.block_on(kill_writers()),
    }
}

fn states(folder: &Path) -> ObjectStates {
    let connection = Connection::new("none", Credentials::keys("", "", None));
    let url = format!("file://{}", folder.display());
    ObjectStates::new(open_store(&url, &connection, &Http::new().unwrap()).unwrap())
}

/// A document that shows whether it is whole: its number, filling, its number.
fn document(number: u64) -> Vec<u8> {
    let filling = char::from(b'a' + u8::try_from(number % 26).unwrap());
    let filling: String = std::iter::repeat_n(filling, FILL).collect();
    format!("{number} {filling} {number}").into_bytes()
}

fn number_of(bytes: &[u8]) -> u64 {
    let text = std::str::from_utf8(bytes).unwrap();
    let number = text.split(' ').next().unwrap().parse().unwrap();
    assert!(
        bytes == document(number),
        "half a document, or two: {} bytes",
        bytes.len()
    );
    number
}

/// Counts up for ever, and says which number is stored.
async fn write(folder: &Path) {
    let states = states(folder);
    loop {
        let (number, version) = match states.load(NAME).await.unwrap() {
            Some((bytes, version)) => (number_of(&bytes), Some(version)),
            None => (0, None),
        };
        match states.save(NAME, document(number + 1), version.as_ref()).await {
            Ok(_) => {
                println!("{}", number + 1);
                std::io::stdout().flush().unwrap();
            }
            Err(StoreError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// A writer that has begun to write, and the last number that it will have told.
fn start(folder: &Path) -> (Child, JoinHandle<u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(WRITER)
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (begun, has_begun) = mpsc::channel();
    let last = std::thread::spawn(move || {
        let numbers = lines.map_while(Result::ok).filter_map(|line| line.parse().ok());
        let told = numbers.inspect(|_| {
            // Only the first one is awaited.
            let _ = begun.send(());
        });
        told.last().unwrap_or(0)
    });
    has_begun.recv_timeout(PATIENCE).expect("a writer gets to write");
    (child, last)
}

async fn kill_writers() {
    let folder = tempfile::tempdir().unwrap();
    let states = states(folder.path());
    let half = folder.path().join("instances/stack/Blueprint/one.json.new");
    let (mut stored, mut cut_off) = (0, 0);
    let pause = |round: u64| Duration::from_micros((round * 7_919) % 12_000);
    let (mut steady, _) = start(folder.path());
    for round in 0..KILLS {
        let (mut writer, told) = start(folder.path());
        std::thread::sleep(pause(round));
        // Every third round nobody else is there to clear up.
        if round % 3 == 0 {
            steady.kill().unwrap();
            steady.wait().unwrap();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let told = told.join().unwrap();
        cut_off += u32::from(half.exists());
        if let Some((bytes, _)) = states.load(NAME).await.unwrap() {
            let found = number_of(&bytes);
            assert!(
                found >= stored && found >= told,
                "{found} is stored, after {stored} and {told}"
            );
            stored = found;
        }
        assert!(
            states.list("stack").await.unwrap().len() <= 1,
            "a temporary file is listed"
        );
        if round % 3 == 0 {
            // The lock of the dead is free, and their version counts.
            let known = states.load(NAME).await.unwrap();
            let version = known.as_ref().map(|(_, version)| version);
            let saved = states.save(NAME, document(stored + 1), version);
            tokio::time::timeout(PATIENCE, saved)
                .await
                .expect("locked out")
                .unwrap();
            stored += 1;
            (steady, _) = start(folder.path());
        }
    }
    steady.kill().unwrap();
    steady.wait().unwrap();
    assert!(stored >= KILLS, "the writers did write: {stored}");
    println!(
        "{KILLS} writers killed, {cut_off} of them in the middle of a write; {stored} versions, all whole"
    );
    println!("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
