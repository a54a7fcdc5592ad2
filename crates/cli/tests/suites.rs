//! A run of every suite, and of a folder of generated tasks, can be stopped, resumed, spread over machines, merged and
//! rescored, and always comes to the same bytes: tasks that raise noise or tools are no exception.

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::fs;
use std::path::Path;
use std::process::Command;

use bench::{program, succeed};
use harness::suites;
use session::Folder;

/// Whole it has a thousand tasks; the folder of generated ones stands for it.
const TOO_LARGE: &str = "generated-1k";

fn command(what: &[&str], out: &Path) -> Command {
    let mut command = program();
    command.args(["run", "--agents", "noop", "--episodes", "1"]).args(what).arg("--out").arg(out);
    command
}

fn summary(out: &Path) -> String {
    fs::read_to_string(out.join("summary.json")).expect("the run is whole")
}

/// Stops, resumes, shards, merges and rescores a run of this.
fn walk(folder: &Path, name: &str, what: &[&str]) {
    let place = |part: &str| folder.join(format!("{name}-{part}"));
    let whole = place("whole");
    succeed(command(what, &whole));
    let expect = summary(&whole);
    // A stopped run: half of its episodes are there, and no summary.
    let index = whole.join("episodes.jsonl");
    let text = fs::read_to_string(&index).expect("it has an index");
    let half: Vec<&str> = text.lines().take(text.lines().count() / 2).collect();
    fs::write(&index, half.join("\n") + "\n").expect("it can be written");
    fs::remove_file(whole.join("summary.json")).expect("it was there");
    succeed(command(what, &whole));
    assert_eq!(summary(&whole), expect, "{name}: resumed");
    succeed(command(&[what, &["--retry-failed"]].concat(), &whole));
    assert_eq!(summary(&whole), expect, "{name}: retried");
    for shard in ["1/2", "2/2"] {
        succeed(command(&[what, &["--shard", shard]].concat(), &place(&shard[..1])));
    }
    let mut merge = program();
    merge.arg("merge").arg(place("1")).arg(place("2")).arg("--out").arg(place("merged"));
    succeed(merge);
    assert_eq!(summary(&place("merged")), expect, "{name}: merged");
    let mut rescore = program();
    rescore.arg("rescore").arg(place("merged"));
    succeed(rescore);
    assert_eq!(summary(&place("merged")), expect, "{name}: rescored");
}

#[test]
fn every_suite_is_resumed_merged_and_rescored() {
    let folder = Folder::new("suites");
    for (suite, _) in suites::ALL.iter().filter(|(suite, _)| *suite != TOO_LARGE) {
        walk(folder.path(), suite, &["--suite", suite]);
    }
}

#[test]
fn a_folder_of_generated_tasks_is_resumed_merged_and_rescored() {
    let folder = Folder::new("suites-generated");
    let tasks = folder.path().join("tasks");
    let mut generate = program();
    generate.args(["generate", "--count", "3", "--seed", "5", "--out"]).arg(&tasks);
    succeed(generate);
    walk(folder.path(), "generated", &["--task-dir", tasks.to_str().expect("the folder's name is text")]);
}
