//! The guard of the floors: which package may know which, and what only some may do.
//!
//! The rules are those of ARCHITECTURE.md; a change here is a change of the architecture.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use formwork_tests::binaries::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every package, its floor, and the packages it may build on.
const FLOORS: [(&str, u8, &[&str]); 12] = [
    ("formwork-protocol", 0, &[]),
    ("formwork-blueprint", 0, &[]),
    ("formwork-schema", 0, &[]),
    ("formwork-provider", 1, &["formwork-protocol"]),
    ("formwork-engine", 1, &["formwork-blueprint", "formwork-schema"]),
    ("formwork-smithy", 1, &["formwork-schema"]),
    (
        "formwork-aws",
        2,
        &[
            "formwork-protocol",
            "formwork-blueprint",
            "formwork-schema",
            "formwork-provider",
            "formwork-engine",
        ],
    ),
    ("formwork-sandbox", 2, &["formwork-schema"]),
    (
        "formwork-handlers",
        3,
        &[
            "formwork-protocol",
            "formwork-blueprint",
            "formwork-schema",
            "formwork-provider",
            "formwork-engine",
            "formwork-aws",
        ],
    ),
    (
        "formwork",
        4,
        &[
            "formwork-protocol",
            "formwork-blueprint",
            "formwork-schema",
            "formwork-provider",
            "formwork-engine",
            "formwork-smithy",
            "formwork-aws",
            "formwork-sandbox",
            "formwork-handlers",
        ],
    ),
    (
        "formwork-simulator",
        4,
        &[
            "formwork-protocol",
            "formwork-provider",
            "formwork-engine",
            "formwork-sandbox",
            "formwork-handlers",
        ],
    ),
    (
        "formwork-tests",
        4,
        &[
            "formwork-handlers",
            "formwork-protocol",
            "formwork-sandbox",
            "formwork-schema",
        ],
    ),
];

/// Crates that reach the network, by the beginning of their name.
const NETWORK: [&str; 8] = [
    "aws-",
    "axum",
    "h2",
    "hyper",
    "lambda_runtime",
    "object_store",
    "reqwest",
    "rustls",
];

/// The floor from which the network may be used.
const NETWORK_FLOOR: u8 = 2;

#[test]
fn every_package_stands_on_a_floor() {
    let metadata = metadata();
    for package in metadata.workspace_packages() {
        assert!(
            floor(&package.name).is_some(),
            "`{}` is new: give it a floor here and in ARCHITECTURE.md",
            package.name
        );
    }
}

#[test]
fn arrows_point_down() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let Some((_, own, allowed)) = FLOORS.iter().find(|(name, ..)| *name == package.name.as_str()) else {
            continue;
        };
        for dependency in &package.dependencies {
            let Some(floor) = floor(&dependency.name) else {
                continue;
            };
            let fine = match dependency.kind {
                // Tests may look sideways, never up.
                DependencyKind::Development => floor <= *own,
                _ => allowed.contains(&dependency.name.as_str()),
            };
            if !fine {
                wrong.push(format!("{} -> {}", package.name, dependency.name));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "arrows that ARCHITECTURE.md does not have: {wrong:?}"
    );
}

#[test]
fn no_network_below_its_floor() {
    let metadata = metadata();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        if floor(&package.name).is_some_and(|floor| floor < NETWORK_FLOOR) {
            let reached = everything_below(&metadata, package);
            let network = reached
                .iter()
                .filter(|name| NETWORK.iter().any(|start| name.starts_with(start)));
            wrong.extend(network.map(|name| format!("{} -> {name}", package.name)));
        }
    }
    assert!(
        wrong.is_empty(),
        "the network is reached from below floor {NETWORK_FLOOR}: {wrong:?}"
    );
}

#[test]
fn what_reaches_the_network_is_recognised() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let aws = packages
        .iter()
        .find(|package| package.name.as_str() == "formwork-aws")
        .unwrap();
    let reached = everything_below(&metadata, aws);
    assert!(
        reached.contains("reqwest") && reached.contains("aws-sdk-sfn"),
        "the search finds nothing: {reached:?}"
    );
}

#[test]
fn only_handlers_and_cli_read_the_environment() {
    let reads = [
        "env::var(",
        "env::var_os(",
        "env::vars(",
        "env::vars_os(",
        "env::home_dir(",
        "option_env!(",
    ];
    assert_eq!(uses(&reads, &["cli", "handlers"]), Vec::<String>::new());
}

#[test]
fn only_the_cli_and_the_simulator_print() {
    let prints = [
        "println!(",
        "print!(",
        "eprintln!(",
        "eprint!(",
        "dbg!(",
        "io::stderr(",
    ];
    assert_eq!(uses(&prints, &["cli", "simulator"]), Vec::<String>::new());
    // A function's log is its standard output.
    assert_eq!(uses(&["io::stdout("], &["cli", "handlers"]), Vec::<String>::new());
}

/// Lines of library code outside `allowed` folders, tests and comments that contain one of the texts.
fn uses(texts: &[&str], allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for folder in source_folders()
        .into_iter()
        .filter(|folder| !allowed.iter().any(|name| folder.starts_with(name)))
    {
        for file in rust_files(&workspace().join(&folder)) {
            let path = file.strip_prefix(workspace()).unwrap().to_owned();
            let text = std::fs::read_to_string(&file).unwrap();
            // Unit tests stand at the end of a file.
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            for (number, line) in code
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.trim_start().starts_with("//"))
            {
                if texts.iter().any(|text| calls(line, text)) {
                    found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
                }
            }
        }
    }
    found
}

/// Whether `line` has `text` as a word of its own: `eprint!(` is not a use of `print!(`.
fn calls(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|character| character.is_alphanumeric() || character == '_')
    })
}

#[test]
fn a_use_is_told_from_a_longer_word() {
    assert!(calls("    print!(\"x\")", "print!("));
    assert!(calls("let x = std::env::var(\"X\")", "env::var("));
    assert!(!calls("eprint!(\"x\")", "print!("));
    assert!(!calls("// nothing", "print!("));
}

/// The `src` folder of every package but the tests' own.
fn source_folders() -> Vec<PathBuf> {
    let metadata = metadata();
    let folders = metadata.workspace_packages().into_iter().filter_map(|package| {
        let folder = package.manifest_path.parent()?.strip_prefix(workspace()).ok()?;
        Some(folder.join("src").into_std_path_buf())
    });
    folders.filter(|folder| !folder.starts_with("tests")).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn floor(name: &str) -> Option<u8> {
    FLOORS
        .iter()
        .find(|(package, ..)| *package == name)
        .map(|(_, floor, _)| *floor)
}

/// The names of all crates a package is built from, for this machine, without those of tests.
fn everything_below(metadata: &Metadata, package: &Package) -> BTreeSet<String> {
    let nodes: BTreeMap<&PackageId, _> = metadata
        .resolve
        .iter()
        .flat_map(|resolve| &resolve.nodes)
        .map(|node| (&node.id, node))
        .collect();
    let mut reached = BTreeSet::new();
    let mut open = vec![&package.id];
    while let Some(id) = open.pop() {
        for dependency in nodes.get(id).into_iter().flat_map(|node| &node.deps) {
            let built = dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind != DependencyKind::Development);
            if built && reached.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    reached
        .into_iter()
        .map(|id| metadata[id].name.to_string())
        .collect()
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .cargo_path(env!("CARGO"))
        .current_dir(workspace())
        // Crates of other platforms need not be on this machine.
        .other_options(["--offline".into(), "--filter-platform".into(), host()])
        .exec()
        .unwrap()
}

fn host() -> String {
    let output = Command::new(env!("CARGO")).arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap()
        .to_owned()
}
