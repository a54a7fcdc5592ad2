//! A sweep that is killed again and again: no episode lost, none scored twice, no call paid twice.

mod bench;
#[allow(dead_code, reason = "it needs a folder only")]
mod session;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use bench::{FakeProvider, SWEEP, flags, lines, succeed};
use session::Folder;

/// So often it is killed.
const KILLS: u32 = 200;

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
    // Moments are counted in calls that the provider sees and in turns of a loop, so that a kill hits
    // start-up, calls in flight and files being written alike. The numbers come from a fixed generator.
    let mut dice = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: u64| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        dice % below
    };
    let mut kills = 0;
    let mut restarts = 0;
    while kills < KILLS {
        restarts += 1;
        let mut command = provider.run(&out, &sweep);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let calls = size(&provider.log) + draw(4) * 250;
        let mut turns = draw(4_000);
        while matches!(child.try_wait(), Ok(None)) && (size(&provider.log) < calls || turns > 0) {
            turns = turns.saturating_sub(1);
        }
        let was_running = matches!(child.try_wait(), Ok(None));
        let _ = child.kill();
        child.wait().expect("it was started");
        kills += u32::from(was_running);
        if !was_running {
            // It was through: begin anew, with the same answers not yet used.
            assert_same(&whole, &out);
            fs::remove_dir_all(&out).expect("it was there");
        }
    }
    succeed(provider.run(&out, &sweep));
    assert_same(&whole, &out);
    // Each question once for each time that the sweep was played whole, and once more for a kill in flight.
    let rounds = 1 + restarts - KILLS as usize;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in provider.lines() {
        *seen.entry(line.body).or_default() += 1;
    }
    let all: usize = seen.values().sum();
    assert!(all <= rounds * asked + KILLS as usize, "{all} calls for {rounds} x {asked} questions and {KILLS} kills");
    let again = all - (rounds * asked).min(all);
    println!("{KILLS} kills, {rounds} whole sweeps of {asked} calls, {again} calls were in flight and made again");
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

fn assert_same(whole: &Path, out: &Path) {
    assert!(lines(whole).keys().eq(lines(out).keys()), "an episode was lost");
    for file in ["summary.json", "episodes.jsonl", "run.json"] {
        let read = |out: &Path| fs::read_to_string(out.join(file)).expect("the run wrote it");
        assert_eq!(read(out), read(whole), "{file} differs");
    }
}
