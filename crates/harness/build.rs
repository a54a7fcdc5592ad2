//! Lists the task files of the repository, so that the program carries them and works from anywhere.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Problems in a cluster are files of another kind, which their own crate carries.
const ELSEWHERE: &str = "sregym";

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../tasks");
    let mut files = Vec::new();
    walk(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("found below it").to_string_lossy().replace('\\', "/");
        let full = fs::canonicalize(file)?;
        writeln!(table, "    ({name:?}, include_str!({:?})),", full.to_string_lossy())
            .expect("a string takes everything");
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("tasks.rs"), table)
}

/// All task files below a folder; the build runs again when a folder or a file changes.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.ends_with(ELSEWHERE) {
            continue;
        }
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            println!("cargo:rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
