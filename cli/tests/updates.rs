//! The README's example of an update is what the command says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test stops at the first thing that is wrong, in its helpers as well"
)]

use std::path::Path;
use std::process::Command;

/// The commands of a section's console blocks, and what each is said to print.
fn sessions(section: &str) -> Vec<(String, String)> {
    let blocks = section.split("```console\n").skip(1);
    blocks
        .map(|block| {
            let block = block.split("```").next().unwrap();
            let command_ends = block
                .match_indices('\n')
                .find(|(at, _)| !block[..*at].ends_with('\\'))
                .map(|(at, _)| at)
                .unwrap();
            let (command, printed) = block.split_at(command_ends);
            (command.replace("\\\n", " "), printed.trim_start().to_owned())
        })
        .collect()
}

#[test]
fn the_readmes_updates_are_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let section = readme.split("## Updates").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let sessions = sessions(section);
    assert_eq!(sessions.len(), 2, "{section}");
    for (command, printed) in sessions {
        let arguments: Vec<&str> = command
            .strip_prefix("$ formwork ")
            .unwrap()
            .split_whitespace()
            .collect();
        let output = Command::new(env!("CARGO_BIN_EXE_formwork"))
            .args(&arguments)
            .current_dir(root)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed, "{command}");
        // Nothing else is said that a reader would have to know.
        assert!(
            output.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
