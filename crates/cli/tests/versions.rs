//! Runs that older programs stored: every command that reads takes them.

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::fs;
use std::path::{Path, PathBuf};

use bench::{files, program, said, succeed};
use session::Folder;

const RUNS: [&str; 3] = ["v1", "v2", "v2-full"];

/// A copy of a stored run: reading must not depend on writing to it, but `rescore` writes.
fn copied(name: &str, folder: &Folder) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record/tests/runs").join(name);
    let to = folder.path().join(name);
    for file in files(&from) {
        let place = to.join(file.strip_prefix(&from).expect("it is inside"));
        fs::create_dir_all(place.parent().expect("it is in a folder")).expect("it can be made");
        fs::copy(&file, &place).expect("it can be copied");
    }
    to
}

#[test]
fn they_are_reported_rescored_exported_and_replayed() {
    let folder = Folder::new("versions");
    for name in RUNS {
        let run = copied(name, &folder);
        let command = |args: &[&str]| {
            let mut command = program();
            command.args(args).arg(&run);
            command
        };
        // Grading may have changed since; then the records count, and rescoring says so.
        succeed(command(&["rescore"]));
        succeed(command(&["report", "--no-png"]));
        succeed(command(&["export", "--format", "chat", "--split", "all"]));
        let replayed = command(&["replay"]).output().expect("the program starts");
        let told = said(&replayed);
        let older = told.contains("replay it with a program that has");
        assert!(replayed.status.success() || older, "{name}: {told}");
    }
}
