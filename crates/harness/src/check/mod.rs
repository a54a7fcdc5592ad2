//! Certificates: what must be true of a task before anybody is measured on it.

mod exploits;
mod leaks;
mod proofs;
#[cfg(test)]
mod tests;

pub(crate) use proofs::symptom;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use world::Noise;

use crate::scenario::Scenario;
use crate::task::Task;

/// One thing that was proved of a task, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What was to be proved.
    pub name: &'static str,
    /// Whether it was.
    pub ok: bool,
    /// Why, or why not.
    pub why: String,
    /// How long it took.
    pub took: Duration,
}

/// All certificates of one task under one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    /// The task.
    pub task: String,
    /// The seed.
    pub seed: u64,
    /// The certificates, in the order of [`NAMES`].
    pub certificates: Vec<Certificate>,
}

impl Certified {
    /// Whether all of them were proved.
    pub fn is_ok(&self) -> bool {
        self.certificates.iter().all(|c| c.ok)
    }
}

/// A proof: what was found if it holds, what is wrong if it does not.
type Proof = fn(&Arc<Scenario>) -> Result<String, String>;

const PROOFS: &[(&str, Proof)] = &[
    ("healthy", proofs::healthy),
    ("broken", proofs::broken),
    ("caused", proofs::caused),
    ("solvable", proofs::solvable),
    ("visible", proofs::visible),
    ("not trivial", exploits::not_trivial),
    ("no leak", leaks::no_leak),
];

/// What is certified, in order.
pub const NAMES: &[&str] = &["paged", "healthy", "broken", "caused", "solvable", "visible", "not trivial", "no leak"];

/// Certifies a task under one seed.
pub fn certify(task: &Arc<Task>, seed: u64, noise: Noise) -> Certified {
    let mut certificates = Vec::with_capacity(NAMES.len());
    let mut note = |name, began: Instant, proof: Result<String, String>| {
        let (ok, why) = proof.map_or_else(|why| (false, why), |why| (true, why));
        certificates.push(Certificate { name, ok, why, took: began.elapsed() });
    };
    let began = Instant::now();
    match Scenario::try_prepare(task, seed, noise) {
        Err(problem) => note("paged", began, Err(problem)),
        Ok(scenario) => {
            let after = scenario.page().time.since(scenario.onset());
            note(
                "paged",
                began,
                Ok(format!("{after} after the onset: {}", scenario.at_page().view().page_text(scenario.page()))),
            );
            let scenario = Arc::new(scenario);
            for (name, proof) in PROOFS {
                note(name, Instant::now(), proof(&scenario));
            }
        }
    }
    Certified { task: task.id.clone(), seed, certificates }
}

/// The cheapest proofs first, and what is said of a candidate that fails one.
const HASTY: &[(Proof, &str)] = &[
    (proofs::visible, "its evidence is not shown"),
    (proofs::solvable, "its solution falls short"),
    (proofs::caused, "the fix does not heal it"),
    (exploits::not_trivial, "a blind remedy passes"),
    (proofs::broken, "it goes away by itself"),
    (proofs::healthy, "the world is not healthy"),
    (leaks::no_leak, "something shown gives it away"),
];

/// All proofs of an incident; at the first that fails, why in a few words.
pub(crate) fn prove(scenario: &Arc<Scenario>) -> Result<(), &'static str> {
    HASTY.iter().try_for_each(|(proof, why)| proof(scenario).map(|_| ()).map_err(|_| *why))
}

/// Certifies tasks under several seeds on several threads. `seen` hears of each as it is done; the
/// result is in the order of tasks and seeds.
pub fn certify_all(
    tasks: &[Arc<Task>],
    seeds: &[u64],
    noise: Noise,
    jobs: usize,
    mut seen: impl FnMut(&Certified),
) -> Vec<Certified> {
    let work: Vec<(&Arc<Task>, u64)> = tasks.iter().flat_map(|t| seeds.iter().map(move |s| (t, *s))).collect();
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let mut done: Vec<(usize, Certified)> = std::thread::scope(|threads| {
        for _ in 0..jobs.clamp(1, work.len().max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            threads.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((task, seed)) = work.get(at) else { return };
                    sender.send((at, certify(task, *seed, noise))).expect("the receiver waits for all of them");
                }
            });
        }
        drop(sender);
        results.iter().inspect(|(_, certified)| seen(certified)).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, certified)| certified).collect()
}
