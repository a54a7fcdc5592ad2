//! One stored run of each version of the record, read for ever. None of these folders is ever written again: a new version
//! adds one, made by the program before.

use std::path::{Path, PathBuf};

use record::folder::{read_episodes, record_files};
use record::{RECORD_VERSION, Record};

/// The stored runs: folder, record version, episodes.
const RUNS: [(&str, u32, usize); 3] = [("v1", 1, 4), ("v2", 2, 6), ("v2-full", 2, 1)];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs").join(name)
}

#[test]
fn every_older_version_has_a_stored_run() {
    let versions: Vec<u32> = RUNS.iter().map(|(_, version, _)| *version).collect();
    assert!((1..RECORD_VERSION).all(|version| versions.contains(&version)), "{versions:?}");
}

#[test]
fn stored_runs_are_read_and_lifted() {
    for (name, version, episodes) in RUNS {
        let found = read_episodes(&folder(name), &mut |_, _| {}, |record, _| Some(record.clone())).expect(name);
        assert_eq!((found.left_out.clone(), found.unproven), (vec![], 0), "{name}");
        assert_eq!(found.lines.len(), episodes, "{name}");
        let settings = found.settings.expect("it has settings");
        for (line, record) in found.lines.iter().zip(found.found) {
            assert_eq!(settings.excludes(line), None, "{name}: {}", line.key);
            let record = record.expect("it has a record");
            let header = record.header().expect("it has a header");
            assert_eq!((header.lifted_from, header.record_version), (Some(version), RECORD_VERSION), "{name}");
            assert_eq!(header.services.len(), 5, "{name}");
            let tools = if header.tools == "full" { 17 } else { 8 };
            assert_eq!((header.toolbox.len(), &*header.backend, header.rewards), (tools, "simulator", false), "{name}");
        }
    }
}

#[test]
fn a_lifted_record_is_one_of_today() {
    for (name, ..) in RUNS {
        for file in record_files(&folder(name)).expect(name) {
            let lifted = Record::read(&file.path).expect(name);
            let again = Record::parse(&file.path, &lifted.text()).expect("its text is of today's version");
            assert_eq!(again.text(), lifted.text(), "{}", file.place);
            assert_eq!(again.header().expect("it has one").lifted_from, None);
            assert_eq!(again.score(), lifted.score());
        }
    }
}

#[test]
fn a_version_of_the_future_is_refused_with_its_number() {
    let file = record_files(&folder("v2")).expect("it can be read").remove(0);
    let text = std::fs::read_to_string(&file.path).expect("it is text");
    let text = text.replacen("\"record_version\":2", "\"record_version\":99", 1);
    let error = Record::parse(&file.path, &text).expect_err("it is of the future").to_string();
    assert!(error.contains("a record of version 99; this program reads 1 to"), "{error}");
}
