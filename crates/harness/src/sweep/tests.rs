use std::path::PathBuf;

use world::Noise;

use super::*;
use crate::challenge::Incident;
use crate::remember::MemorySource;
use crate::test_support::{ListedActions, SOLUTION, task};

const GOOD: ListedActions = ListedActions("good", SOLUTION);
const IDLE: ListedActions = ListedActions("idle", &["check_status(cache)"]);
const BROKEN: ListedActions = ListedActions("broken", &["check_status(cache)", "panic"]);

fn plan<'a>(agents: &[&'a dyn AgentKind], jobs: usize, out: Option<PathBuf>) -> Plan<'a> {
    let (challenges, suite) = (Incident::on_simulator(&[task()]), "srezero-40".to_string());
    Plan {
        agents: agents.to_vec(),
        challenges,
        suite,
        seeds: vec![5, 6],
        repeats: 1,
        noise: Noise(0),
        tools: faces::ToolSet::CLASSIC,
        memory: MemorySource::default(),
        how: How { jobs, out, ..How::default() },
    }
}

/// A folder of the test's own, empty at first.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("sre-zero-sweep-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[derive(Default)]
struct Count(usize, usize, usize, usize, Vec<String>);

impl Observer for Count {
    fn on_sweep_started(&mut self, _: usize, skipped: usize) {
        self.0 += skipped;
    }
    fn on_doubts(&mut self, doubts: &[Doubt]) {
        self.4.extend(doubts.iter().map(|doubt| format!("{}: {}", doubt.key, doubt.why)));
    }
    fn on_episode_started(&mut self, _: &str) {
        self.1 += 1;
    }
    fn on_episode_finished(&mut self, _: &EpisodeLine, _: &Record) {
        self.2 += 1;
    }
    fn on_episode_failed(&mut self, _: &Failure) {
        self.3 += 1;
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let one = run(&plan(&[&GOOD, &IDLE], 1, None), &mut []).expect("it runs");
    let two = run(&plan(&[&GOOD, &IDLE], 2, None), &mut []).expect("it runs");
    assert_eq!(one.digest, two.digest);
    assert_eq!(one.lines, two.lines);
    let keys: Vec<&str> = one.lines.iter().map(|l| l.key.as_str()).collect();
    assert_eq!(keys, ["good/gone/5", "good/gone/6", "idle/gone/5", "idle/gone/6"]);
    assert!(one.lines[0].score.success && !one.lines[2].score.success);
}

#[test]
fn finished_episodes_are_not_run_again() {
    let out = folder("resume");
    let first = run(&plan(&[&IDLE], 1, Some(out.clone())), &mut []).expect("it runs");
    // A line that was cut off in the middle is as if it had not been written.
    let path = out.join(EPISODES);
    let text = std::fs::read_to_string(&path).expect("it was written");
    std::fs::write(&path, &text[..text.len() - 20]).expect("it can be written");
    let mut count = Count::default();
    let again = run(&plan(&[&IDLE], 2, Some(out.clone())), &mut [&mut count]).expect("it runs");
    assert_eq!((count.0, count.1, count.2, again.skipped), (1, 1, 1, 1));
    assert_eq!(again.digest, first.digest);
    assert_eq!(std::fs::read_to_string(&path).expect("it was written"), text);
    let record = Record::read(&record_path(&out, "idle/gone/5")).expect("it is whole");
    assert_eq!(record.digest(), first.lines[0].digest);
    std::fs::remove_dir_all(out).expect("it was there");
}

#[test]
fn a_panic_is_kept_apart() {
    let out = folder("panic");
    let mut count = Count::default();
    let outcome = run(&plan(&[&BROKEN, &IDLE], 2, Some(out.clone())), &mut [&mut count]).expect("it runs");
    assert_eq!((outcome.lines.len(), outcome.failures.len(), count.3), (2, 2, 2));
    let failure = &outcome.failures[0];
    assert!(failure.problem.contains("told to"), "{failure:?}");
    assert!(
        failure.replay.starts_with("sre-zero run --tasks gone --agents broken --seed 5 --episodes 1"),
        "{failure:?}"
    );
    std::fs::remove_dir_all(out).expect("it was there");
}

#[test]
fn results_of_another_run_are_left_alone() {
    let out = folder("other");
    run(&plan(&[&IDLE], 1, Some(out.clone())), &mut []).expect("it runs");
    let check = |other: Plan<'_>, expect: &str| {
        let error = run(&other, &mut []).expect_err("it is another run").to_string();
        assert!(error.contains(expect) && error.contains("choose another folder"), "{error}");
    };
    let same = || plan(&[&IDLE], 1, Some(out.clone()));
    check(Plan { noise: Noise(2), ..same() }, "idle/gone/5: its noise is 0, not 2");
    check(Plan { seeds: vec![4, 6], ..same() }, "idle/gone/5: its seed is 5, not 4");
    check(Plan { suite: "easy".to_string(), ..same() }, "idle/gone/5: its suite is srezero-40, not easy");
    check(Plan { agents: vec![&GOOD], ..same() }, "idle/gone/5: the run has no agent `idle`");
    check(Plan { seeds: vec![5], ..same() }, "idle/gone/6: its seed is 6, not none of the run");
    std::fs::remove_dir_all(out).expect("it was there");
}

#[test]
fn what_was_changed_since_is_played_again() {
    let out = folder("doubt");
    let first = run(&plan(&[&IDLE], 1, Some(out.clone())), &mut []).expect("it runs");
    let (index, record) = (out.join(EPISODES), record_path(&out, "idle/gone/5"));
    let check = |path: &PathBuf, from: &str, to: &str, expect: &str| {
        let text = std::fs::read_to_string(path).expect("it was written");
        assert!(text.contains(from), "no {from} in {text}");
        std::fs::write(path, text.replacen(from, to, 1)).expect("it can be written");
        let mut count = Count::default();
        let again = run(&plan(&[&IDLE], 1, Some(out.clone())), &mut [&mut count]).expect("it runs");
        assert_eq!((again.skipped, count.4.join("|")), (1, format!("idle/gone/5: {expect}")), "{from} -> {to}");
        assert_eq!(std::fs::read_to_string(path).expect("it was written"), text);
        assert_eq!(again.digest, first.digest);
    };
    let line = "its line does not say what its record says";
    let wrote = "its record is not the one that the run wrote";
    check(&index, "\"success\":false", "\"success\":true", line);
    check(&index, "\"steps\":1", "\"steps\":2", line);
    check(&index, "\"noise\":0", "\"noise\":2", line);
    check(&index, &first.lines[0].digest, &first.lines[1].digest, wrote);
    check(&record, "\"mitigated\":false", "\"mitigated\":true", wrote);
    check(&record, "\"agent\":\"idle\"", "\"agent\":\"good\"", "its record is that of good/gone/5");
    check(
        &record,
        "\"record_version\":3",
        "\"record_version\":99",
        "line 1 of its record: a record of version 99; this program reads 1 to 3: use the program that wrote it, or \
         run the episode again",
    );
    let cut = "line 5 of its record: no event of a record: EOF while parsing a value at line 1 column 0";
    check(&record, "{\"event\":\"sealed\"", "\n", cut);
    std::fs::remove_dir_all(out).expect("it was there");
}

#[test]
fn half_written_files_are_swept_up() {
    let out = folder("half");
    let half = out.join("records/idle/gone/9.jsonl.tmp");
    std::fs::create_dir_all(half.parent().expect("it is in the folder")).expect("it can be made");
    std::fs::write(&half, "{").expect("it can be written");
    run(&plan(&[&IDLE], 1, Some(out.clone())), &mut []).expect("it runs");
    assert!(!half.exists());
    std::fs::remove_dir_all(out).expect("it was there");
}
