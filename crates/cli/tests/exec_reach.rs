//! What an agent that is a program can reach, plain and in the sandbox: a table, row by row. What is not prevented without
//! a sandbox is said in `docs/clients/exec.md`; a row that changes its side changes that page.

#![cfg(target_os = "linux")]

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use bench::{has_bubblewrap, lines, program, succeed};
use session::Folder;

/// A task in which a few looks are possible.
const TASK: &str = "cache_crash";
/// A key in the harness's environment and in a file `.env`.
const CANARY: &str = "canary-9f30c1";

/// What is tried, a command that succeeds if it is reached, and whether it is: plain, and in the sandbox.
const ROWS: &[(&str, &str, bool, bool)] = &[
    ("its own environment has the key", "env | grep -q CANARY", false, false),
    ("the harness's environment has the key", "tr '\\0' '\\n' < /proc/$PPID/environ | grep -q CANARY", true, false),
    ("a file .env beside the run", "grep -q CANARY WORK/.env", true, false),
    ("the record of its own episode", "ls WORK/out/records/reach* 2>/dev/null | grep -q .", false, false),
    (
        "the record of another agent on the same incident",
        "grep -q sealed WORK/out/records/scripted/TASK/0.jsonl",
        true,
        false,
    ),
    ("the memory of processes outside", "head -c 1 /proc/PARENT/maps | grep -q .", true, false),
    ("writing into the run's folder", "echo forged >> WORK/out/episodes.jsonl && touch WORK/out/here", true, false),
    ("sending a signal to the harness", "kill -0 PARENT", true, false),
    ("folders beside its own", "ls \"$(dirname \"$HOME\")\" | grep -q beside", true, false),
    ("task files of a checkout", "test -e CHECKOUT/tasks/README.md", true, false),
    ("writing to the system", "touch /etc/sre-zero-was-here", true, false),
    ("its own folder", "touch here && rm here", true, true),
    ("handles that the harness has opened", "test \"$(ls /proc/self/fd | wc -l)\" -gt HANDLES", false, false),
    ("the terminal", "echo x > /dev/tty", false, false),
    ("processes of others", "test \"$(ls /proc | grep -c '^[0-9]')\" -gt 10", true, false),
    ("the network of the machine", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT && echo hello >&3'", true, true),
];

#[test]
fn a_program_reaches_what_the_page_says() {
    check_reach(false);
}

#[test]
fn a_program_in_the_sandbox_reaches_less() {
    if has_bubblewrap() {
        check_reach(true);
    }
}

fn check_reach(sandboxed: bool) {
    let folder = Folder::new(if sandboxed { "reach-sandbox" } else { "reach" });
    let work = folder.path();
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("there is a free port");
    let port = listener.local_addr().expect("it listens").port();
    fs::write(work.join(".env"), format!("CANARY={CANARY}\n")).expect("it can be written");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there");
    let parent = std::process::id().to_string();
    let filled = |command: &str| {
        let names = [("WORK", text(work)), ("CHECKOUT", text(&checkout)), ("TASK", TASK), ("PARENT", &parent)];
        let command = names.iter().fold(command.to_string(), |command, (name, value)| command.replace(name, value));
        command.replace("PORT", &port.to_string()).replace("HANDLES", &inherited())
    };
    let tries: Vec<String> = ROWS
        .iter()
        .enumerate()
        .map(|(at, (_, command, ..))| format!("({}) >/dev/null 2>&1 && echo 'reached {at}.' >&2", filled(command)))
        .collect();
    let mut command = run(work);
    command.env("CANARY", CANARY).args(["--agents", "scripted", "--jobs", "1"]);
    command.args(["--exec", &format!("reach={}; exit 0", tries.join("; "))]);
    if sandboxed {
        command.arg("--exec-sandbox");
    }
    let output = command.output().expect("the program starts");
    let log = fs::read_to_string(work.join("out/run.log")).unwrap_or_else(|e| panic!("{e}: {}", bench::said(&output)));
    let _ = fs::remove_file("/etc/sre-zero-was-here");
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    for (at, (what, _, plain, inside)) in ROWS.iter().enumerate() {
        // Who is not root may be kept from this by the system.
        if !sandboxed && !root && ["the memory of processes outside", "writing to the system"].contains(what) {
            continue;
        }
        let reached = log.contains(&format!("reached {at}."));
        assert_eq!(reached, if sandboxed { *inside } else { *plain }, "{what} (sandbox: {sandboxed}): {log}");
    }
    // What was forged is gone when the run is over: the index is written anew from what was played.
    let lines = lines(&work.join("out"));
    assert_eq!(lines.len(), 2, "{:?}", lines.keys());
    listener.set_nonblocking(true).expect("it listens");
    let mut heard = String::new();
    let (mut stream, _) = listener.accept().expect("the program came by");
    stream.read_to_string(&mut heard).expect("it said something");
    assert_eq!(heard, "hello\n");
}

/// Programs that would take the machine with them: how each ends, and that nothing of it is left.
const MASSES: &[(&str, &str, &str)] = &[
    ("two hundred children", "i=0; while [ $i -lt 200 ]; do sleep SLEEP & i=$((i+1)); done; wait", "timed_out"),
    ("a tree of forks", "f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; sleep SLEEP; }; f 6", "timed_out"),
    ("children that come back", "(setsid sh -c 'while :; do sleep SLEEP; done' &); sleep SLEEP", "timed_out"),
    ("deaf to signals", "trap '' TERM INT HUP; (trap '' TERM; sleep SLEEP) & sleep SLEEP", "timed_out"),
    ("stopped", "sleep SLEEP & kill -STOP $!; kill -STOP $$; sleep SLEEP", "timed_out"),
    (
        "a full folder",
        "mkdir -p a/b/c; i=0; while [ $i -lt 500 ]; do : > a/b/c/$i; i=$((i+1)); done; head -c 30000000 /dev/zero > a/z; chmod 000 a; exit 0",
        "gave_up",
    ),
    ("a link out of its folder", "ln -s PRECIOUS there; ln -s / root; exit 0", "gave_up"),
    ("no folder", "rmdir \"$HOME\"; cd /; exit 0", "gave_up"),
    ("a pipe in its folder", "mkfifo p; (cat p &); exit 0", "gave_up"),
];

#[test]
fn masses_end_with_their_episode() {
    check_masses(false);
}

#[test]
fn masses_in_the_sandbox_end_with_their_episode() {
    if has_bubblewrap() {
        check_masses(true);
    }
}

fn check_masses(sandboxed: bool) {
    let folder = Folder::new(if sandboxed { "masses-sandbox" } else { "masses" });
    let work = folder.path();
    let precious = work.join("precious");
    fs::create_dir_all(&precious).expect("it can be made");
    fs::write(precious.join("kept"), "x").expect("it can be written");
    let sleep = (2_000_000 + 10 * std::process::id() + u32::from(sandboxed)).to_string();
    let mut command = run(work);
    command.args(["--jobs", "4", "--exec-timeout-seconds", "2"]);
    let mut names = BTreeMap::new();
    // In a world of its own a program may end everything that it sees.
    let alone: &[(&str, &str, &str)] =
        if sandboxed { &[("the end of all", "kill -9 -1; sleep SLEEP", "timed_out")] } else { &[] };
    for (at, (what, cmd, ending)) in MASSES.iter().chain(alone).enumerate() {
        let cmd = cmd.replace("SLEEP", &sleep).replace("PRECIOUS", text(&precious));
        command.args(["--exec", &format!("mass-{at}={cmd}")]);
        names.insert(format!("mass-{at}/{TASK}/0"), (*what, *ending));
    }
    if sandboxed {
        command.arg("--exec-sandbox");
    }
    succeed(command);
    let lines = lines(&work.join("out"));
    for (key, (what, ending)) in names {
        assert_eq!(lines[&key].score.ending.word, ending, "{what} (sandbox: {sandboxed})");
        assert!(lines[&key].score.counts(), "{what}");
    }
    let left: Vec<_> = fs::read_dir(work.join("tmp")).expect("it was made").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["beside"], "a folder is left");
    assert!(precious.join("kept").exists(), "a link was followed");
    let mine = format!("sleep\0{sleep}\0").into_bytes();
    let all = fs::read_dir("/proc").expect("this is Linux").flatten();
    let alive = all.filter(|entry| fs::read(entry.path().join("cmdline")).is_ok_and(|words| words == mine)).count();
    assert_eq!(alive, 0, "processes are left");
}

/// The program, about to play the task once, with its temporary files in the folder.
fn run(work: &Path) -> Command {
    let temporary = work.join("tmp");
    fs::create_dir_all(temporary.join("beside")).expect("it can be made");
    let mut command = program();
    command.env("TMPDIR", temporary).current_dir(work);
    command.args(["run", "--tasks", TASK, "--episodes", "1", "--out", "out"]);
    command
}

/// How many handles a program has that this test starts itself: those pass through the harness.
fn inherited() -> String {
    let output = Command::new("sh").args(["-c", "ls /proc/self/fd | wc -l"]).output().expect("there is a shell");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}
