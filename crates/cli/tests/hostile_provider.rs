//! A provider that does everything wrong, mode by mode: nothing panics or hangs, no fault is scored, no try is missing in
//! the books, and the program says what was wrong. The modes are a table, in `hostile/`.

mod bench;
mod hostile;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bench::{files, lines, program, said};
use harness::ProviderFault;
use harness::exchanges::{ExchangeEntry, ExchangeReply, read_exchanges};
use harness::sweep::EpisodeLine;
use hostile::{Dialect, HostileProvider, Means, Mode};
use serde_json::Value;
use session::Folder;

/// The key that is sent with every request and may be found in no file.
const CANARY: &str = "canary-51e07f3d9a";
/// One try more.
const RETRIES: u32 = 1;

#[test]
fn names_are_different_and_there_are_enough_of_them() {
    let modes = hostile::all();
    let names: std::collections::BTreeSet<&str> = modes.iter().map(|mode| mode.name).collect();
    assert_eq!(names.len(), modes.len(), "a name is there twice");
    assert!(modes.len() >= 137, "only {} modes", modes.len());
    for dialect in Dialect::ALL {
        assert!(modes.iter().filter(|mode| mode.dialect == dialect).count() >= 9, "{dialect:?} has too few modes");
    }
}

#[test]
fn every_mode_ends_with_its_cause_and_without_a_wrong_score() {
    let stage = Stage::set("hostile-alone");
    let clean = Clean::play(&stage);
    let (modes, next, wrong) = (hostile::all(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(mode) = modes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = alone(mode, &stage, &clean);
            wrong.lock().expect("no thread panics while it holds this").extend(found);
        }
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("no thread panics while it holds this");
    assert!(wrong.is_empty(), "{} of {} modes:\n{}", wrong.len(), modes.len(), wrong.join("\n"));
    no_key_in(stage.folder.path());
}

#[test]
fn what_passes_leaves_no_trace_in_scores() {
    let stage = Stage::set("hostile-once");
    let clean = Clean::play(&stage);
    for (name, modes) in sweeps(|mode| matches!(mode.means, Means::Fault(..))) {
        let out = stage.folder.path().join(&name);
        let targets: Vec<String> = modes.iter().map(|mode| format!("{}.once", mode.target())).collect();
        let output = stage.command(&out, modes[0], &targets, 4).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
        let found = lines(&out);
        assert_eq!(found.len(), modes.len());
        for (key, line) in &found {
            let mode = modes.iter().find(|mode| key.contains(&format!("/{}.once/", mode.name))).expect("it was played");
            assert_eq!(facts(line), clean.of(mode), "{key}");
            let tries = Tries::of(&out, key);
            assert!(!tries.failed.is_empty(), "{key} was not struck");
            assert_eq!(tries.all(), stage.asked(&format!("{}.once", mode.name)), "{key}: tries and requests");
        }
    }
}

#[test]
fn a_run_of_faults_alone_measures_nothing() {
    let stage = Stage::set("hostile-all");
    let fault = |mode: &Mode| matches!(mode.means, Means::Fault(..) | Means::ForGood(..));
    for (name, modes) in sweeps(fault) {
        let out = stage.folder.path().join(&name);
        let targets: Vec<String> = modes.iter().map(|mode| mode.target()).collect();
        let output = stage.command(&out, modes[0], &targets, RETRIES).arg("--keep-going").output().expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", said(&output));
        let found = lines(&out);
        assert_eq!(found.len(), modes.len());
        for (key, line) in &found {
            let mode = modes.iter().find(|mode| key.contains(&format!("/{}/", mode.name))).expect("it was played");
            let (Means::Fault(fault, _) | Means::ForGood(fault, _)) = mode.means else { unreachable!() };
            assert!(!line.score.counts(), "{key} counts");
            assert_eq!(line.score.ending.word, fault.name(), "{key}");
        }
        let summary = bench::json(&out.join("summary.json"));
        for agent in summary["agents"].as_array().expect("there are agents") {
            assert_eq!((&agent["episodes"], &agent["attempted"]), (&0.into(), &1.into()), "{agent}");
        }
    }
    no_key_in(stage.folder.path());
}

/// Modes that can be met in one sweep: those of one agent, the patient and the impatient apart.
fn sweeps(which: fn(&Mode) -> bool) -> Vec<(String, Vec<&'static Mode>)> {
    let mut sweeps: BTreeMap<String, Vec<&'static Mode>> = BTreeMap::new();
    for mode in hostile::all().into_iter().filter(|mode| which(mode)) {
        sweeps.entry(format!("{}-{}", mode.agent(), mode.hangs())).or_default().push(mode);
    }
    sweeps.into_iter().collect()
}

/// What is wrong with how a run ends that meets this mode alone.
fn alone(mode: &Mode, stage: &Stage, clean: &Clean) -> Vec<String> {
    let out = stage.folder.path().join(mode.name);
    let output = stage.command(&out, mode, &[mode.target()], RETRIES).output().expect("the program starts");
    let (told, code) = (said(&output), output.status.code());
    let found = if out.join("episodes.jsonl").exists() { lines(&out) } else { BTreeMap::new() };
    let counted: Vec<&EpisodeLine> = found.values().filter(|line| line.score.counts()).collect();
    let mut wrong = Vec::new();
    let mut check = |fine: bool, what: &str| {
        if !fine {
            wrong.push(format!("{}: {what}; exit {code:?}: {told}", mode.name));
        }
    };
    check(!told.contains("bug at") && !told.contains("panicked"), "a panic");
    let key = format!("{}@{}/cache_crash/0", mode.agent(), mode.target());
    let (tries, asked) = (Tries::of(&out, &key), stage.asked(mode.name));
    check(mode.agrees(tries.all(), asked), &format!("{} tries, {asked} asked", tries.all()));
    match mode.means {
        Means::Answer => {
            check(code == Some(0), "it is no failure");
            check(counted.len() == 1 && facts(counted[0]) == clean.of(mode), "not the score of a clean answer");
        }
        Means::Own => {
            check(code == Some(0), "it is no failure");
            check(counted.len() == 1 && !counted[0].score.success, "not counted, or counted as success");
        }
        Means::Fault(fault, words) | Means::ForGood(fault, words) => {
            check(code == Some(if is_shut(fault) { 3 } else { 1 }), "another exit code");
            check(counted.is_empty(), "a fault is scored");
            let says = told.contains(fault.name()) && told.to_lowercase().contains(&words.to_lowercase());
            check(says, &format!("it does not say `{fault}`, `{words}`"));
            let once = matches!(mode.means, Means::ForGood(..));
            check(
                tries.failed.len() as u32 == if once { 1 } else { 1 + RETRIES },
                &format!("{} tries", tries.failed.len()),
            );
        }
    }
    wrong
}

/// Faults that stop a run whose model has never answered.
fn is_shut(fault: ProviderFault) -> bool {
    use ProviderFault::{Authentication, MalformedReply, Network, Refused};
    matches!(fault, Authentication | MalformedReply | Network | Refused)
}

/// A hostile provider of the test's own, and a folder.
struct Stage {
    provider: HostileProvider,
    folder: Folder,
}

impl Stage {
    fn set(name: &str) -> Stage {
        Stage { provider: HostileProvider::start(&hostile::all()), folder: Folder::new(name) }
    }

    fn asked(&self, model: &str) -> u64 {
        self.provider.asked().get(model).copied().unwrap_or(0)
    }

    /// The program, pointed at the hostile provider in every dialect.
    fn command(&self, out: &Path, mode: &Mode, targets: &[String], retries: u32) -> Command {
        let mut command = program();
        for name in ["SRE_ZERO_BASE_URL", "OPENAI_BASE_URL"] {
            command.env(name, self.provider.url("/v1"));
        }
        for name in ["ANTHROPIC_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] {
            command.env(name, self.provider.url(""));
        }
        command.env("GEMINI_BASE_URL", self.provider.url("/v1beta"));
        let keys = ["SRE_ZERO_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"];
        command.envs(keys.iter().chain(&["AWS_BEARER_TOKEN_BEDROCK"]).map(|name| (name, CANARY)));
        let timeout = if mode.hangs() { "0.5" } else { "20" };
        let retries = retries.to_string();
        command.args(["run", "--agents", mode.agent(), "--models", &targets.join(","), "--tasks", "cache_crash"]);
        command.args(["--episodes", "1", "--policy", "none", "--llm-backoff-seconds", "0", "--jobs", "16"]);
        command.args(["--timeout-seconds", timeout, "--llm-max-retries", &retries]).arg("--out").arg(out);
        command
    }
}

/// Scores of a provider without faults.
struct Clean(BTreeMap<(Dialect, &'static str), Value>);

impl Clean {
    fn play(stage: &Stage) -> Clean {
        let mut all = BTreeMap::new();
        for mode in hostile::all() {
            let key = (mode.dialect, mode.agent());
            if all.contains_key(&key) {
                continue;
            }
            let out = stage.folder.path().join(format!("clean-{}-{}", mode.dialect.provider(), mode.agent()));
            let target = format!("{}/clean", mode.dialect.provider());
            bench::succeed(stage.command(&out, mode, &[target], RETRIES));
            let line = lines(&out).into_values().next().expect("it was played");
            assert!(line.score.counts() && line.score.success, "{}", line.key);
            all.insert(key, facts(&line));
        }
        Clean(all)
    }

    fn of(&self, mode: &Mode) -> Value {
        self.0[&(mode.dialect, mode.agent())].clone()
    }
}

/// What was measured, without who was measured and what was used for it.
fn facts(line: &EpisodeLine) -> Value {
    let mut facts = serde_json::to_value(&line.score).expect("a score is plain data");
    for name in ["agent", "model", "usage", "cost_usd"] {
        facts.as_object_mut().expect("a score has fields").remove(name);
    }
    facts
}

/// What the books say of an episode.
struct Tries {
    failed: Vec<ProviderFault>,
    answered: usize,
}

impl Tries {
    fn of(out: &Path, key: &str) -> Tries {
        let path = harness::sweep::exchange_path(out, key);
        let entries = if path.exists() { read_exchanges(&path).expect("it can be read") } else { Vec::new() };
        let mut tries = Tries { failed: Vec::new(), answered: 0 };
        for entry in entries {
            match entry {
                ExchangeEntry::Attempt(attempt) => tries.failed.push(attempt.fault),
                ExchangeEntry::Exchange(exchange) => {
                    tries.answered += usize::from(matches!(exchange.reply, ExchangeReply::Answered { .. }));
                }
            }
        }
        tries
    }

    fn all(&self) -> u64 {
        (self.failed.len() + self.answered) as u64
    }
}

fn no_key_in(folder: &Path) {
    for path in files(folder) {
        let bytes = fs::read(&path).expect("it can be read");
        let found = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        assert!(!found, "the key is in {}", path.display());
    }
}
