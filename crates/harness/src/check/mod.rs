//! Certificates: what must be true of a task before an agent is measured on it.

mod caused;
mod leaks;
mod proofs;
mod secrets;
#[cfg(test)]
mod tests;
mod trivial;

pub(crate) use proofs::{is_clearly_ill, is_ill, shows_evidence};
pub use trivial::KNOWN_HOLES;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use world::Noise;

use crate::agent::AgentKind;
use crate::scenario::Scenario;
use crate::stop::Stop;
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
    /// Exploit agents that pass through a hole which is known, see [`KNOWN_HOLES`].
    pub holes: Vec<&'static str>,
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

/// What a proof found.
struct Found {
    why: String,
    holes: Vec<&'static str>,
}

impl From<String> for Found {
    fn from(why: String) -> Found {
        Found { why, holes: Vec::new() }
    }
}

impl From<trivial::Tried> for Found {
    fn from(tried: trivial::Tried) -> Found {
        let trivial::Tried { remedies, true_fixes, holes } = tried;
        Found { why: format!("{remedies} blind remedies tried: {true_fixes} are the true fix, the others fail"), holes }
    }
}

/// A proof: what was found if it holds, what is wrong if it does not.
type Proof = fn(&Arc<Scenario>, &[&dyn AgentKind]) -> Result<Found, String>;

const PROOFS: &[(&str, Proof)] = &[
    ("healthy", |s, _| proofs::healthy(s).map(Found::from)),
    ("broken", |s, _| proofs::broken(s).map(Found::from)),
    ("caused", |s, _| caused::caused(s).map(Found::from)),
    ("solvable", |s, _| proofs::solvable(s).map(Found::from)),
    ("visible", |s, _| proofs::visible(s).map(Found::from)),
    ("not trivial", |s, exploits| trivial::not_trivial(s, exploits).map(Found::from)),
    ("no leak", |s, _| leaks::no_leak(s).map(Found::from)),
];

/// What is certified, in order.
pub const NAMES: &[&str] = &["paged", "healthy", "broken", "caused", "solvable", "visible", "not trivial", "no leak"];

/// Certifies a task under one seed. None of the exploit agents may pass but through a known hole.
pub fn certify(task: &Arc<Task>, seed: u64, noise: Noise, exploits: &[&dyn AgentKind]) -> Certified {
    let mut certificates = Vec::with_capacity(NAMES.len());
    let mut note = |name, proof: Result<Found, String>| {
        let (ok, found) = proof.map_or_else(|why| (false, Found::from(why)), |found| (true, found));
        certificates.push(Certificate { name, ok, why: found.why, holes: found.holes });
    };
    match Scenario::try_prepare(task, seed, noise) {
        Err(problem) => note("paged", Err(problem)),
        Ok(scenario) => {
            let after = scenario.page().time.since(scenario.onset());
            note(
                "paged",
                Ok(Found::from(format!(
                    "{after} after the onset: {}",
                    scenario.at_page().view().page_text(scenario.page())
                ))),
            );
            let scenario = Arc::new(scenario);
            for (name, proof) in PROOFS {
                note(name, proof(&scenario, exploits));
            }
        }
    }
    Certified { task: task.id.clone(), seed, certificates }
}

/// The cheapest proofs first, and what is said of a candidate that fails one.
const HASTY: &[(Proof, &str)] = &[
    (|s, _| proofs::visible(s).map(Found::from), "its evidence is not shown"),
    (|s, _| proofs::solvable(s).map(Found::from), "its solution falls short"),
    (|s, _| caused::caused(s).map(Found::from), "the symptoms outlast the fault"),
    (|s, _| trivial::not_trivial(s, &[]).map(Found::from), "a blind remedy passes"),
    (|s, _| proofs::broken(s).map(Found::from), "it goes away by itself"),
    (|s, _| proofs::healthy(s).map(Found::from), "the world is not healthy"),
    (|s, _| leaks::no_leak(s).map(Found::from), "something shown gives it away"),
];

/// Whether the symptoms go with the fault, or the fix alone breaks the loop that it left.
pub(crate) fn is_caused(scenario: &Arc<Scenario>) -> bool {
    caused::is_caused(scenario)
}

/// All proofs of an incident; at the first that fails, why in a few words. None is begun once `stop` is asked for.
pub(crate) fn prove(scenario: &Arc<Scenario>, stop: &Stop) -> Result<(), &'static str> {
    HASTY.iter().try_for_each(|(proof, why)| {
        stop.goes_on()?;
        proof(scenario, &[]).map(|_| ()).map_err(|_| *why)
    })
}

/// Certifies tasks under several seeds on several threads. `seen` hears of each as it is done; the
/// result is in the order of tasks and seeds.
pub fn certify_all(
    tasks: &[Arc<Task>],
    seeds: &[u64],
    noise: Noise,
    exploits: &[&dyn AgentKind],
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
                    sender
                        .send((at, certify(task, *seed, noise, exploits)))
                        .expect("the receiver waits for all of them");
                }
            });
        }
        drop(sender);
        results.iter().inspect(|(_, certified)| seen(certified)).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, certified)| certified).collect()
}
