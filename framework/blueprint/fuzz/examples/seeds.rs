//! Turns the kept inputs, `seeds/TARGET.txt`, into the files that libFuzzer works on, and back.

use formwork_blueprint_fuzz::kept;
use std::io::{Error, Result};
use std::path::Path;
use std::{env, fs};

const TARGETS: [&str; 3] = ["document", "substitution", "evaluation"];

fn main() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let each = match env::args().nth(1).as_deref() {
        Some("unpack") => unpack,
        Some("pack") => pack,
        _ => return Err(Error::other("say `unpack` or `pack`")),
    };
    TARGETS.iter().try_for_each(|target| {
        let (file, folder) = (
            here.join(format!("seeds/{target}.txt")),
            here.join(format!("corpus/{target}")),
        );
        each(&file, &folder)
    })
}

/// Adds the inputs of a file to a folder.
fn unpack(file: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let inputs = kept::read(&fs::read_to_string(file)?);
    for (index, input) in inputs.iter().enumerate() {
        fs::write(folder.join(format!("kept-{index}")), input)?;
    }
    Ok(())
}

/// Replaces a file by the inputs of a folder, short ones first.
fn pack(file: &Path, folder: &Path) -> Result<()> {
    let mut inputs = fs::read_dir(folder)?
        .map(|entry| fs::read(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    inputs.sort_by(|left, right| (left.len(), left).cmp(&(right.len(), right)));
    inputs.dedup();
    fs::write(
        file,
        inputs.iter().map(|input| kept::line(input)).collect::<String>(),
    )
}
