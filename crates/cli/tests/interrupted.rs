//! A run that is killed in its middle loses nothing that was finished.

#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use session::Folder;

#[test]
fn a_killed_run_goes_on_where_it_stopped() {
    let folder = Folder::new("interrupted");
    let (killed, whole) = (folder.path().join("killed"), folder.path().join("whole"));
    let mut child = start(&killed);
    wait_for_lines(&killed, 5, &mut child);
    // It may be through already: then the second run finds everything, which must be right as well.
    let _ = child.kill();
    child.wait().expect("it was started");
    for out in [&killed, &whole] {
        assert!(start(out).wait().expect("it was started").success());
    }
    for file in ["summary.json", "episodes.jsonl", "run.json"] {
        let read = |out: &Path| fs::read_to_string(out.join(file)).expect("the run wrote it");
        assert_eq!(read(&killed), read(&whole), "{file} differs");
    }
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = Folder::new("locked");
    let out = folder.path().join("out");
    fs::create_dir(&out).expect("it can be made");
    let lock = fs::File::create(out.join(".lock")).expect("it can be made");
    lock.lock().expect("it is free");
    let mut run = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
    let output = run.args(["run", "--fresh", "--out"]).arg(&out).output().expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.starts_with("error: another run is writing to "), "{told}");
    assert_eq!((output.status.code(), fs::read_dir(&out).expect("it is there").count()), (Some(2), 1));
    drop(lock);
    assert!(start(&out).wait().expect("it was started").success());
}

fn start(out: &Path) -> Child {
    let mut run = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
    run.args([
        "run",
        "--suite",
        "srezero-25",
        "--agents",
        "random,scripted",
        "--episodes",
        "2",
        "--jobs",
        "1",
        "--out",
    ]);
    run.arg(out).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// Waits until so many episodes are finished, or the run is over.
fn wait_for_lines(out: &Path, lines: usize, child: &mut Child) {
    let written = || fs::read_to_string(out.join("episodes.jsonl")).map_or(0, |text| text.lines().count());
    while written() < lines && matches!(child.try_wait(), Ok(None)) {
        std::thread::yield_now();
    }
}
