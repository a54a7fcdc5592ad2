//! The list behind the suite `generated-1k`.

use std::path::Path;
use std::sync::Arc;

use agents::runbook::Runbook;
use harness::generate::{Generator, GeneratorOptions, TriedBy, thousand};
use harness::{Noise, Task, check};

/// So many parts does the suite have; each is certified every so many days.
const PARTS: u64 = 50;
/// Names the part to be certified instead of today's.
const PART: &str = "SRE_ZERO_PART";

/// The part that is due: another one each day, so that all of the suite is certified again and again.
fn due() -> u64 {
    if let Ok(part) = std::env::var(PART) {
        return part.parse().expect("the number of a part");
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    now.as_secs() / 86_400 % PARTS + 1
}

#[test]
fn the_numbers_still_make_fair_incidents() {
    let part = due();
    println!("part {part}/{PARTS} is due; {PART}={part} certifies the same");
    let number = |at: u64| thousand::find(&format!("gen_{}_{at:06}", thousand::SEED));
    let some: Vec<Arc<Task>> = (part - 1..1000).step_by(PARTS as usize).map(number).map(made).collect();
    for certified in check::certify_all(&some, &[0], Noise(0), agents::exploits::ALL, 2, |_| {}) {
        let failed: Vec<_> = certified.certificates.iter().filter(|c| !c.ok).collect();
        assert!(
            failed.is_empty(),
            "{} ({PART}={part}): {failed:?}; see below how the list is written anew",
            certified.task
        );
    }
}

fn made<E: std::fmt::Display>(found: Option<Result<Arc<Task>, E>>) -> Arc<Task> {
    match found.expect("the list has a thousand entries") {
        Ok(task) => task,
        Err(e) => panic!("{e}; see below how the list is written anew"),
    }
}

/// Writes the list anew after a change of the world or of the generator:
/// `cargo test --release -p sre-zero --test thousand -- --ignored`
#[test]
#[ignore = "takes minutes and writes a file of the sources"]
fn write_the_list() {
    let generator = Generator::new(thousand::SEED, GeneratorOptions::default());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let by = TriedBy { responder: &Runbook, blind: agents::blind::WITH_MEMORY };
    let batch = generator.batch(1000, jobs, by, &harness::Stop::default(), |_| {}).expect("there are fair incidents");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../harness/src/generate/thousand.txt");
    std::fs::write(path, thousand::list(&batch.made)).expect("the sources can be written");
}
