//! Records come back from files, and replays from records.

use std::path::Path;

use expect_test::{Expect, expect};

use crate::record::Event;
use crate::record_io::Record;
use crate::rehearsal::{SOLUTION, play, task};
use crate::replay::replay;

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
        "{\"event\":\"paged\",\"record_version\":1}\n",
        expect!["runs/x.jsonl: line 1: a record starts with `started`, this one with `paged`"],
    );
    check(
        &text.replacen("\"record_version\":1", "\"record_version\":2", 1),
        expect![
            "runs/x.jsonl: line 1: a record of version 2; this program reads 1: use the program that wrote it, or run the episode again"
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
