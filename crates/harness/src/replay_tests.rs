//! Records come back from files, and replays from records.

use std::path::Path;

use expect_test::{Expect, expect};
use world::Span;

use crate::record::Event;
use crate::record::Record;
use crate::replay::replay;
use crate::test_support::{SOLUTION, play, start, task};

#[test]
fn a_record_replays_to_the_same_digest() {
    let calls: &[&[&str]] =
        &[SOLUTION, &[], &["dance", "update_config(cache, TTL_SECONDS, 60)", "inspect_logs(web_server)"]];
    for calls in calls {
        let stored = play(1, calls);
        let replayed = replay(&stored, &task()).expect("it can be replayed");
        assert!(replayed.is_same(), "{:?}", replayed.difference);
        assert_eq!(replayed.difference, None);
    }
}

/// Seconds that pass before each action, and after the last one.
#[test]
fn a_record_of_a_slow_agent_replays_to_the_same_digest() {
    let slow: &[(&[u64], &[&str])] = &[
        (&[0, 60, 0, 0, 0], SOLUTION),
        (&[3600, 0, 7200, 45, 0], SOLUTION),
        (&[15, 900], &["restart_service(web_server)"]),
        (&[14, 90_000, 15], &["dance", "inspect_logs(cache)"]),
    ];
    let prompt = play(1, SOLUTION).digest();
    for (pauses, calls) in slow {
        let mut episode = start(1);
        for (at, pause) in pauses.iter().enumerate() {
            episode.pass(Span::secs(*pause));
            if let Some(call) = calls.get(at) {
                episode.step(call);
            }
        }
        let stored = episode.finish();
        let replayed = replay(&stored, &task()).expect("it can be replayed");
        assert!(replayed.is_same(), "{:?}", replayed.difference);
        assert_ne!(stored.digest(), prompt);
        assert_eq!(Record::parse(Path::new("x.jsonl"), &stored.text()).expect("it is whole"), stored);
    }
}

#[test]
fn time_passes_in_whole_quanta_and_not_for_ever() {
    let check = |seconds: &[u64], expect: &[u64]| {
        let mut episode = start(1);
        let begin = episode.clock();
        let passed: Vec<u64> = seconds.iter().map(|s| episode.pass(Span::secs(*s)).0 / 1000).collect();
        assert_eq!(passed, expect);
        assert_eq!(episode.clock().since(begin), Span::secs(expect.iter().sum()));
    };
    check(&[0, 14, 15, 29, 30], &[0, 0, 15, 15, 30]);
    check(&[86_000, 1_000, 1_000], &[85_995, 405, 0]);
    let mut over = start(1);
    over.step("escalate(enough)");
    assert_eq!(over.pass(Span::hours(1)), Span::ZERO);
}

/// Time that passes is the same to the incident as time that actions take.
#[test]
fn the_incident_goes_on_while_nobody_acts() {
    let looked = |pause: u64| {
        let mut episode = start(1);
        episode.pass(Span::secs(pause));
        let shown = episode.step("inspect_metrics(cache)").observation.to_string();
        (shown, episode.clock())
    };
    let mut busy = start(1);
    busy.step("check_status(database)");
    let shown = busy.step("inspect_metrics(cache)").observation.to_string();
    assert_eq!(looked(30), (shown, busy.clock()));
    assert_ne!(looked(0), looked(30));
}

#[test]
fn a_record_reads_back_to_the_letter() {
    let record = play(1, SOLUTION);
    let again = Record::parse(Path::new("x.jsonl"), &record.text()).expect("it is whole");
    assert_eq!(again, record);
    assert_eq!(again.digest(), record.digest());
}

#[test]
fn a_replay_finds_the_first_difference() {
    let mut stored = play(1, SOLUTION);
    if let Event::Stepped(step) = &mut stored.events[3] {
        step.observation.push('!');
    }
    let difference = replay(&stored, &task()).expect("it can be replayed").difference.expect("there is one");
    assert_eq!((difference.place.as_str(), difference.field.as_str()), ("step 2", "observation"));
    let mut other = play(1, SOLUTION);
    if let Event::Started(header) = &mut other.events[0] {
        header.task.digest.clear();
    }
    let error = replay(&other, &task()).err().expect("the task is another").to_string();
    assert_eq!(
        error,
        "cannot replay: the file of task `gone` has changed since the record was written; run the episode again"
    );
}

#[test]
fn a_damaged_record_says_where() {
    let text = play(1, SOLUTION).text();
    let check = |text: &str, expect: Expect| {
        let error = Record::parse(Path::new("runs/x.jsonl"), text).err();
        expect.assert_eq(&error.map_or("no error".to_string(), |e| e.to_string()));
    };
    check("", expect!["runs/x.jsonl: line 1: the file is empty; run the episode again"]);
    check("hello\n", expect!["runs/x.jsonl: line 1: this is no record: expected value at line 1 column 1"]);
    check(
        "{\"event\":\"paged\",\"record_version\":3}\n",
        expect!["runs/x.jsonl: line 1: a record starts with `started`, this one with `paged`"],
    );
    check(
        &text.replacen("\"record_version\":3", "\"record_version\":9", 1),
        expect![
            "runs/x.jsonl: line 1: a record of version 9; this program reads 1 to 3: use the program that wrote it, or run the episode again"
        ],
    );
    check(&text[..text.len() - 1], expect!["runs/x.jsonl: line 8: the record is cut off here; run the episode again"]);
    check(
        &text.lines().take(3).map(|l| format!("{l}\n")).collect::<String>(),
        expect!["runs/x.jsonl: line 3: the record is cut off here; run the episode again"],
    );
    check(
        &text.replacen("\"event\":\"stepped\"", "\"event\":\"slept\"", 1),
        expect![
            "runs/x.jsonl: line 3: no event of a record: unknown variant `slept`, expected one of `started`, `paged`, `stepped`, `ended`, `sealed` at line 1 column 16; run the episode again"
        ],
    );
}

#[test]
fn what_no_episode_writes_is_named() {
    let text = play(1, SOLUTION).text();
    let lines: Vec<&str> = text.lines().collect();
    let check = |lines: &[&str], expect: &str| {
        let error = Record::parse(Path::new("x.jsonl"), &(lines.join("\n") + "\n")).expect_err("it is wrong");
        assert_eq!(error.to_string(), format!("x.jsonl: {expect}; run the episode again"));
    };
    let with = |at: usize, from: &str, to: &str| -> Vec<String> {
        let changed = |(n, line): (usize, &&str)| if n == at { line.replacen(from, to, 1) } else { line.to_string() };
        lines.iter().enumerate().map(changed).collect()
    };
    let check_with = |at: usize, from: &str, to: &str, expect: &str| {
        let lines = with(at, from, to);
        check(&lines.iter().map(String::as_str).collect::<Vec<_>>(), expect);
    };
    check(&[&lines[..], &lines[2..3]].concat(), "line 9: `stepped` cannot follow `sealed`");
    check(&[&lines[..7], &lines[2..3], &lines[7..]].concat(), "line 8: `stepped` cannot follow `ended`");
    check(&[&lines[..1], &lines[..]].concat(), "line 2: `started` cannot follow `started`");
    check_with(0, "\"noise\":1", "\"noise\":9", "line 1: noise is from 0 to 3, not 9");
    check_with(2, "{", "{\"bonus\":1,", "line 3: unknown key `bonus`");
    check_with(7, "\"impact\":{", "\"impact\":{\"bonus\":1,", "line 8: unknown key `bonus`");
}

#[test]
fn bytes_that_are_no_text_are_placed() {
    let path = std::env::temp_dir().join(format!("sre-zero-bytes-{}.jsonl", std::process::id()));
    std::fs::write(&path, b"one\ntwo\xff\n").expect("it can be written");
    let error = Record::read(&path).expect_err("it is no text").to_string();
    assert!(error.ends_with(".jsonl: line 2: this is not UTF-8 text; run the episode again"), "{error}");
    std::fs::remove_file(path).expect("it was there");
}
