//! `generate --world kubernetes`: problems in a cluster without end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::bail;
use harness::write_whole;
use problems::generate::{
    APPLICATIONS, HELD_APPLICATION, ProblemCandidate, ProblemGenerator, ProvedProblem, fault_templates, is_held,
};
use serde_json::json;

use crate::exit::CommandOutcome;
use crate::progress::Progress;
use crate::{say, sheet};

const MANIFEST: &str = "manifest.json";
/// So many candidates are proved before it is looked whether there are enough.
const ROUND: usize = 64;

/// What is known of a candidate that was looked at.
type Proof = (ProblemCandidate, Result<ProvedProblem, &'static str>);

/// Makes so many problems, writes them, and tells what was thrown away. With `every`, all single pairs are proved instead.
pub fn run(count: usize, seed: u64, out: &Path, jobs: usize, every: bool) -> anyhow::Result<CommandOutcome> {
    let began = Instant::now();
    let generator = ProblemGenerator::new(seed, &APPLICATIONS)?;
    let wanted = if every { generator.pairs() } else { count };
    let mut progress = Progress::new("problems", wanted);
    let (mut kept, mut thrown, mut tried): (Vec<(ProblemCandidate, ProvedProblem)>, BTreeMap<&str, usize>, usize) =
        Default::default();
    while kept.len() < wanted && tried < generator.pairs() {
        for (candidate, proof) in round(&generator, tried, jobs, every) {
            match proof {
                Ok(proved) if kept.len() < wanted => {
                    progress.step(true);
                    kept.push((candidate, proved));
                }
                Ok(_) => break,
                Err(why) => *thrown.entry(why).or_default() += 1,
            }
            tried += 1;
        }
    }
    progress.finish();
    if kept.len() < wanted && !every {
        bail!("only {} of {wanted} problems could be proved: there are {} pairs", kept.len(), generator.pairs());
    }
    for (_, proved) in &kept {
        write_whole(&out.join(format!("{}.toml", proved.problem.id)), proved.text.as_bytes())?;
    }
    write_whole(&out.join(MANIFEST), manifest(&generator, seed, &kept, &thrown).as_bytes())?;
    say::print(&told(&generator, &kept, &thrown, out))?;
    say::note(&format!("{:.1} s", began.elapsed().as_secs_f64()));
    Ok(CommandOutcome::Fine)
}

/// Proves the next candidates, in order, whatever the number of jobs.
fn round(generator: &ProblemGenerator, from: usize, jobs: usize, single: bool) -> Vec<Proof> {
    let to = (from + ROUND).min(generator.pairs());
    let (next, found) = (AtomicUsize::new(from), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= to {
                        break;
                    }
                    let drawn = if single { generator.single(number) } else { generator.candidate(number) };
                    let Some(candidate) = drawn else { break };
                    let proof = generator.prove(&candidate);
                    found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, (candidate, proof)));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, proof)| proof).collect()
}

fn told(
    generator: &ProblemGenerator,
    kept: &[(ProblemCandidate, ProvedProblem)],
    thrown: &BTreeMap<&str, usize>,
    out: &Path,
) -> String {
    let rejected: usize = thrown.values().sum();
    let tried = kept.len() + rejected;
    let share = kept.len() as f64 / tried.max(1) as f64;
    let mut text = format!("{} of {tried} candidates certified ({:.0}%)\n", kept.len(), 100.0 * share);
    if rejected > 0 {
        let rows = thrown.iter().map(|(why, n)| [n.to_string(), why.to_string()]);
        text += &sheet::wide(["thrown away", "for want of the certificate"], rows);
    }
    let faults: BTreeSet<&str> = kept.iter().flat_map(|(one, _)| one.faults.iter().map(String::as_str)).collect();
    let applications: BTreeSet<&str> = kept.iter().map(|(one, _)| one.application.as_str()).collect();
    let of = |split: &str| kept.iter().filter(|(one, _)| one.split == split).count();
    let (single, single_kept) = (generator.pairs(), kept.iter().filter(|(one, _)| one.faults.len() == 1).count());
    text += &format!(
        "{} faults over {} applications; {single_kept} with one fault, {} with two or three; split: train {}, test {}\n",
        faults.len(),
        applications.len(),
        kept.len() - single_kept,
        of("train"),
        of("test")
    );
    text += &format!(
        "{single} pairs of a fault and a place where it can strike; at this share about {:.0} of them are certifiable\n",
        single as f64 * share
    );
    text += &format!("In {}: {} problem files, {MANIFEST}\n", out.display(), kept.len());
    text
}

fn manifest(
    generator: &ProblemGenerator,
    seed: u64,
    kept: &[(ProblemCandidate, ProvedProblem)],
    thrown: &BTreeMap<&str, usize>,
) -> String {
    let held: Vec<&str> =
        fault_templates().iter().map(|fault| fault.name.as_str()).filter(|name| is_held(name)).collect();
    let problem = |(one, proved): &(ProblemCandidate, ProvedProblem)| {
        json!({"id": proved.problem.id, "application": one.application, "faults": one.faults, "split": one.split,
               "difficulty": proved.problem.file.difficulty, "digest": proved.problem.digest})
    };
    let value = json!({
        "world": "kubernetes", "seed": seed, "pairs": generator.pairs(), "pairs_by_fault": generator.pairs_by_fault(),
        "thrown_away": thrown, "held_back": {"application": HELD_APPLICATION, "faults": held},
        "problems": kept.iter().map(problem).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}
