//! The certificates of problems in a cluster.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use problems::{CERTIFICATES, ClusterProblem, SiteShelf, certify};
use record::Check;
use serde_json::{Value, json};

use super::counted;
use crate::exit::CommandOutcome;
use crate::{say, sheet};

/// The width of the table of what failed.
const WIDTH: u16 = 120;
/// So many characters of a reason are shown in it.
const SHOWN: usize = 200;

/// A problem under a seed, with what was found.
struct CertifiedProblem {
    problem: Arc<ClusterProblem>,
    seed: u64,
    checks: Vec<Check>,
}

/// Certifies problems under so many seeds; fails if one certificate is missing.
pub fn check(
    problems: &[Arc<ClusterProblem>],
    seeds: &[u64],
    jobs: usize,
    as_json: bool,
) -> anyhow::Result<CommandOutcome> {
    let began = Instant::now();
    let all = certify_all(problems, seeds, jobs);
    let fine = |one: &CertifiedProblem| one.checks.iter().all(|check| check.ok);
    if as_json {
        let object = |one: &CertifiedProblem| {
            let checks: Vec<Value> =
                one.checks.iter().map(|c| json!({"name": c.name, "ok": c.ok, "why": c.found})).collect();
            json!({"problem": one.problem.id, "seed": one.seed, "ok": fine(one), "certificates": checks})
        };
        say::print(&(serde_json::to_string_pretty(&all.iter().map(object).collect::<Vec<_>>())? + "\n"))?;
    } else {
        say::print(&table(problems, &all, seeds))?;
    }
    say::note(&format!("checked in {:.1} s", began.elapsed().as_secs_f64()));
    Ok(if all.iter().all(fine) { CommandOutcome::Fine } else { CommandOutcome::Failed })
}

fn certify_all(problems: &[Arc<ClusterProblem>], seeds: &[u64], jobs: usize) -> Vec<CertifiedProblem> {
    let work: Vec<(Arc<ClusterProblem>, u64)> =
        seeds.iter().flat_map(|seed| problems.iter().map(move |problem| (problem.clone(), *seed))).collect();
    let (shelf, next, found) = (SiteShelf::default(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..jobs.min(work.len()) {
            scope.spawn(|| {
                while let Some((problem, seed)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = one(&shelf, problem, *seed);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push(one);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by(|a, b| (&a.problem.id, a.seed).cmp(&(&b.problem.id, b.seed)));
    found
}

fn one(shelf: &SiteShelf, problem: &Arc<ClusterProblem>, seed: u64) -> CertifiedProblem {
    let checks = match shelf.scene(problem, seed) {
        Ok(scene) => certify(&scene),
        Err(error) => vec![Check { name: "set up".to_string(), ok: false, found: error.to_string() }],
    };
    CertifiedProblem { problem: problem.clone(), seed, checks }
}

fn table(problems: &[Arc<ClusterProblem>], all: &[CertifiedProblem], seeds: &[u64]) -> String {
    let failed = all.iter().flat_map(|one| {
        let own = one.checks.iter().filter(|check| !check.ok);
        own.map(|c| {
            [one.problem.id.clone(), one.seed.to_string(), c.name.clone(), c.found.chars().take(SHOWN).collect()]
        })
    });
    let failed: Vec<[String; 4]> = failed.collect();
    let mut applications: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for problem in problems {
        let fine =
            all.iter().filter(|one| one.problem.id == problem.id).all(|one| one.checks.iter().all(|check| check.ok));
        let (certified, of) = applications.entry(problem.file.applications.join("+")).or_default();
        *certified += usize::from(fine);
        *of += 1;
    }
    let certified: usize = applications.values().map(|(fine, _)| fine).sum();
    let rows = applications.into_iter().map(|(name, (fine, of))| [name, format!("{fine} of {of}")]);
    let mut text = sheet::wide(["applications", "certified"], rows);
    if !failed.is_empty() {
        text = format!("{}\n{text}", sheet::within(WIDTH, ["problem", "seed", "failed", "why"], failed));
    }
    format!(
        "{text}{certified} of {} certified under {} ({})\n",
        problems.len(),
        counted(seeds),
        CERTIFICATES.join(", ")
    )
}
