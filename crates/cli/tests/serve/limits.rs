//! What the system does not give: a disk that takes nothing, threads, and file handles.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use harness::sweep::read_lines;

use crate::json;
use crate::wire::{Server, Wire};

#[test]
fn nothing_begins_while_nothing_can_be_kept() {
    let server = Server::start(&["--tasks", "cache_crash"]);
    // A file stands where the folder of the records goes, so that every write fails.
    let place = server.out.join("records");
    fs::write(&place, "").expect("there is room");
    play(&server);
    let mut client = Wire::open(&server.address);
    let mut refused = client.post("/episode/reset", "{}");
    while refused.status == 200 {
        refused = client.post("/episode/reset", "{}");
    }
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.body.contains("cannot_keep"), "{refused:?}");
    fs::remove_file(&place).expect("it is there");
    while client.post("/episode/reset", "{}").status == 503 {}
    let kept = read_lines(&server.out).expect("it is written").lines;
    assert_eq!(kept.iter().filter(|line| line.score.steps == 1).count(), 1, "the one that waited is there");
}

#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let program = env!("CARGO_BIN_EXE_sre-zero");
    let out = std::env::temp_dir().join(format!("sre-zero-serve-threads-{}", std::process::id()));
    let run = |what: &str| {
        let line = format!("ulimit -v 1500000; exec {program} {what} --out {}", out.display());
        let output = Command::new("sh").args(["-c", &line]).output().expect("there is a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run("serve --port 0 --threads 3000");
    assert!(code == Some(2) && said.contains("--threads 3000: the system gives only"), "{code:?}: {said}");
    let (code, said) = run("run --tasks cache_crash --agents noop --episodes 2 --jobs 3000");
    assert!(!said.contains("bug at") && code.is_some_and(|code| code != 101), "{code:?}: {said}");
    let _ = fs::remove_dir_all(out);
}

#[test]
fn a_limit_of_handles_below_the_connections_is_told_at_the_start() {
    let program = env!("CARGO_BIN_EXE_sre-zero");
    let out = std::env::temp_dir().join(format!("sre-zero-serve-handles-{}", std::process::id()));
    let first_notes = |handles: u32, connections: u32| -> Vec<String> {
        let line = format!(
            "ulimit -n {handles}; exec {program} serve --port 0 --tasks cache_crash --max-connections {connections} --out {}",
            out.display()
        );
        let mut shell = Command::new("sh");
        let mut server =
            shell.args(["-c", &line]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a shell");
        let mut said = BufReader::new(server.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let mut notes: Vec<String> = said.by_ref().take(1).collect();
        let asked = Command::new("kill").args(["-TERM", &server.id().to_string()]).status();
        assert!(asked.expect("there is `kill`").success());
        notes.extend(said);
        server.wait().expect("it was started");
        notes
    };
    let told =
        "at most 192 connections at a time instead of 300: this process may open 256 files (ulimit -n 364 allows all)";
    assert!(first_notes(256, 300).iter().any(|note| note == told), "{:?}", first_notes(256, 300));
    assert!(first_notes(256, 192).iter().all(|note| !note.contains("connections at a time")));
    let _ = fs::remove_dir_all(out);
}

/// Begins an episode and ends it with its first action.
fn play(server: &Server) {
    let mut client = Wire::open(&server.address);
    let begun = client.post("/episode/reset", "{}");
    let session = json(&begun.body)["session_id"].as_str().expect("a session").to_string();
    let over = client.post("/episode/step", &format!(r#"{{"session_id": "{session}", "action": "escalate(1)"}}"#));
    assert_eq!(over.status, 200, "{over:?}");
}

#[test]
fn what_is_kept_behind_a_line_that_was_cut_off_is_whole_and_counts_as_what_was_begun() {
    let mut server = Server::start(&["--tasks", "cache_crash,db_pool_exhaustion"]);
    play(&server);
    assert_eq!(server.stop(), Some(0));
    let index = server.out.join("episodes.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(index).expect("it has an index");
    file.write_all(b"{\"key\":\"serve/cac").expect("there is room");
    let mut again = Server::on(&server.out, &["--tasks", "cache_crash,db_pool_exhaustion"]);
    play(&again);
    assert_eq!(again.stop(), Some(0));
    let kept = read_lines(&server.out).expect("it can be read");
    assert_eq!((kept.lines.len(), kept.damaged.len()), (2, 0));
    // No more was planned than was begun, so all that was planned counts.
    let report = Command::new(env!("CARGO_BIN_EXE_sre-zero")).arg("report").arg(&server.out).output();
    assert!(report.expect("the program starts").status.success());
    let page = fs::read_to_string(server.out.join("report/index.html")).expect("it is written");
    assert!(page.contains("<dt>planned episodes count</dt><dd>2 of 2</dd>"));
}

#[test]
fn the_viewer_goes_on_when_handles_run_out() {
    let program = env!("CARGO_BIN_EXE_sre-zero");
    let out = std::env::temp_dir().join(format!("sre-zero-view-handles-{}", std::process::id()));
    let mut run = Command::new(program);
    run.args(["run", "--tasks", "cache_crash", "--agents", "noop", "--episodes", "1", "--out"]).arg(&out);
    assert!(run.output().expect("the program starts").status.success());
    let line = format!("ulimit -n 64; exec {program} view {} --port 0", out.display());
    let mut shell = Command::new("sh");
    let mut viewer = shell.args(["-c", &line]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a shell");
    let mut told = String::new();
    let mut said = BufReader::new(viewer.stderr.take().expect("it is piped"));
    said.read_line(&mut told).expect("it says where it is");
    let (address, token) =
        told.trim().rsplit_once("http://").and_then(|(_, at)| at.split_once('/')).expect("an address");
    let held: Vec<TcpStream> = (0..100).map_while(|_| TcpStream::connect(address).ok()).collect();
    assert!(held.len() > 64, "more than there are handles for: {}", held.len());
    drop(held);
    let answer = Wire::open(address).get(&format!("/{token}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    let _ = viewer.kill();
    let _ = viewer.wait();
    let _ = fs::remove_dir_all(out);
}
