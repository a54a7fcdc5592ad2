//! Runs that are killed again and again: no episode lost, none scored twice, no call paid twice. Every kind of run
//! has its turn: models, noise, generated tasks, a folder of tasks, programs, questions; a server has a file of its own.

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bench::{FakeProvider, SWEEP, files, flags, lines, program, succeed};
use session::Folder;

/// So often a sweep with models is killed.
const KILLS: usize = 200;
/// So often each of the other kinds is killed.
const FEWER_KILLS: usize = 20;

/// Numbers from a fixed generator.
struct Dice(u64);

impl Dice {
    fn draw(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Starts a run, kills it and starts it again, so often; begins anew when it was through. Gives how often it was started.
///
/// Moments are counted in bytes of a file that grows with the work and in turns of a loop, so that a kill hits start-up,
/// calls in flight and files being written alike.
fn kill(kills: usize, begin: &dyn Fn() -> Command, grows: &Path, out: &Path, whole: &Path) -> usize {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let (mut killed, mut started) = (0, 0);
    while killed < kills {
        started += 1;
        let mut child = begin().stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let far = size(grows) + dice.draw(4) * 250;
        let mut turns = dice.draw(4_000);
        while matches!(child.try_wait(), Ok(None)) && (size(grows) < far || turns > 0) {
            turns = turns.saturating_sub(1);
        }
        let was_running = matches!(child.try_wait(), Ok(None));
        let _ = child.kill();
        child.wait().expect("it was started");
        killed += usize::from(was_running);
        if !was_running {
            assert_same(whole, out);
            fs::remove_dir_all(out).expect("it was there");
        }
    }
    succeed(begin());
    assert_same(whole, out);
    started
}

#[test]
fn two_hundred_kills_change_nothing() {
    let folder = Folder::new("killed");
    let reference = Folder::new("killed-reference");
    let sweep = flags(&[SWEEP, &["--jobs", "1"]]);
    let whole = reference.path().join("out");
    let quiet = FakeProvider::start(reference.path(), &[]);
    succeed(quiet.run(&whole, &sweep));
    let asked = quiet.lines().len();

    let provider = FakeProvider::start(folder.path(), &[]);
    let out = folder.path().join("out");
    let started = kill(KILLS, &|| provider.run(&out, &sweep), &provider.log, &out, &whole);
    // Each question once for each time that the sweep was played whole, and once more for a kill in flight.
    let rounds = 1 + started - KILLS;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in provider.lines() {
        *seen.entry(line.body).or_default() += 1;
    }
    let all: usize = seen.values().sum();
    assert!(all <= rounds * asked + KILLS, "{all} calls for {rounds} x {asked} questions and {KILLS} kills");
    let again = all - (rounds * asked).min(all);
    println!("{KILLS} kills, {rounds} whole sweeps of {asked} calls, {again} calls were in flight and made again");
}

#[test]
fn questions_that_a_model_is_asked_outlive_kills() {
    let folder = Folder::new("killed-questions");
    let provider = FakeProvider::start(folder.path(), &[]);
    let asked = [
        "--suite",
        "skills",
        "--models",
        "rehearsal/random",
        "--episodes",
        "1",
        "--policy",
        "none",
        "--jobs",
        "1",
        "--tasks",
    ];
    let listed = succeed(listing("skills"));
    let names = words(&listed.stdout).into_iter().step_by(13).collect::<Vec<_>>().join(",");
    let asked = flags(&[&asked, &[&names]]);
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    succeed(provider.run(&whole, &asked));
    kill(FEWER_KILLS, &|| provider.run(&out, &asked), &provider.log, &out, &whole);
    // Replayed without a provider, to the same bytes.
    let again = folder.path().join("again");
    let mut offline = program();
    offline.arg("run").args(&asked).arg("--replay").arg(&out).arg("--out").arg(&again);
    succeed(offline);
    assert_same(&whole, &again);
}

#[test]
fn runs_with_noise_outlive_kills() {
    plain("noisy", |_| strings(&["--suite", "srezero-40-noisy", "--agents", "random,runbook", "--episodes", "1"]));
}

#[test]
fn runs_of_generated_tasks_outlive_kills() {
    plain("generated", |folder| {
        let mut generate = program();
        generate.args(["generate", "--count", "4", "--seed", "7", "--out"]).arg(folder.join("tasks"));
        succeed(generate);
        let mut args = strings(&["--agents", "random,runbook,noop", "--episodes", "4", "--task-dir"]);
        args.push(folder.join("tasks").to_string_lossy().into_owned());
        args
    });
}

#[test]
fn runs_of_a_folder_of_tasks_outlive_kills() {
    plain("own", |folder| {
        let (from, to) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks"), folder.join("mine"));
        fs::create_dir_all(&to).expect("there is room");
        let mut tasks: Vec<PathBuf> = files(&from);
        tasks.retain(|path| path.extension().is_some_and(|end| end == "toml") && text(path).contains("[grading]"));
        tasks.sort();
        for path in tasks.iter().step_by(tasks.len() / 12) {
            fs::copy(path, to.join(path.file_name().expect("a file has a name"))).expect("there is room");
        }
        let mut args = strings(&["--agents", "random,runbook", "--episodes", "3", "--task-dir"]);
        args.push(to.to_string_lossy().into_owned());
        args
    });
}

#[test]
fn runs_of_programs_outlive_kills() {
    plain("exec", |folder| {
        let agent = folder.join("agent.sh");
        fs::write(&agent, AGENT).expect("there is room");
        let program = format!("mine=sh {}", agent.display());
        strings(&["--suite", "easy", "--episodes", "3", "--exec", &program])
    });
}

/// A program that looks twice and gives up.
const AGENT: &str = r#"
read -r brief
echo 'check_status(cache)'
read -r seen
echo 'inspect_logs(cache)'
read -r seen
echo 'escalate("I am lost")'
"#;

/// Kills a run that calls no provider; `args` makes what it needs in the folder and says how it is started.
fn plain(name: &str, args: impl FnOnce(&Path) -> Vec<String>) {
    let folder = Folder::new(&format!("killed-{name}"));
    let args = args(folder.path());
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let run = |out: &Path| {
        let mut command = program();
        command.arg("run").args(&args).args(["--jobs", "2", "--out"]).arg(out);
        command
    };
    succeed(run(&whole));
    kill(FEWER_KILLS, &|| run(&out), &out.join("episodes.jsonl"), &out, &whole);
    let mut replay = program();
    let own = args.iter().position(|word| word == "--task-dir").map_or(&[][..], |at| &args[at..at + 2]);
    replay.arg("replay").arg(&out).args(own);
    succeed(replay);
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

fn listing(suite: &str) -> Command {
    let mut command = program();
    command.args(["tasks", "--suite", suite]);
    command
}

/// The first word of every line but the first.
fn words(table: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(table).into_owned();
    text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(ToString::to_string).collect()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

fn assert_same(whole: &Path, out: &Path) {
    assert!(lines(whole).keys().eq(lines(out).keys()), "an episode was lost");
    for file in ["summary.json", "episodes.jsonl", "run.json"] {
        assert_eq!(text(&out.join(file)), text(&whole.join(file)), "{file} differs");
    }
    let records = |out: &Path| {
        let mut found = files(&out.join("records"));
        found.sort();
        found.iter().map(|path| (path.strip_prefix(out).expect("it is in it").to_path_buf(), text(path))).collect()
    };
    let (theirs, ours): (BTreeMap<PathBuf, String>, BTreeMap<PathBuf, String>) = (records(out), records(whole));
    assert_eq!(theirs, ours, "the records differ");
}
