//! Lists the problem files of the repository, so that the program carries them and works from anywhere.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a build script reads the repository; the crate does not"
)]

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../tasks/sregym");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut table = String::from("&[\n");
    let mut files = fs::read_dir(&root)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let full = fs::canonicalize(file)?;
        writeln!(table, "    ({name:?}, include_str!({:?})),", full.to_string_lossy()).expect("a string takes it");
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("problems.rs"), table)
}
