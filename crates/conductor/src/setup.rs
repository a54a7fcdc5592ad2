//! Setting a problem up so that it pages now, by the clock of this machine.

use std::sync::Arc;
use std::time::Instant;

use cluster::Stamp;
use kubeapi::ServedClock;
use problems::{ClusterProblem, LiveStaging, ProblemScene, SceneError};

/// Applications are deployed this many minutes before what is remembered of them begins.
const DEPLOYMENT: i64 = 10;

/// A problem under a seed with so many minutes of history, at its page, which is about now. It is tried once to learn how
/// long it takes from the fault to the page, and how long that takes here.
pub fn set_up(problem: &Arc<ClusterProblem>, seed: u64, history: i64) -> Result<ProblemScene, SceneError> {
    let start = Stamp(ServedClock::wall().0 - (history + DEPLOYMENT) * 60_000_000);
    let mut staging = LiveStaging::deploy(problem, seed, start)?;
    let begin = Instant::now();
    let tried = staging.clone().page()?;
    let (trial, lead) = (begin.elapsed(), tried.broken.cluster.now().since(tried.onset));
    // What stands before the fault (a rest after preparations) is part of the way to the page.
    let lead = lead + tried.onset.since(staging.now());
    let mut due = ServedClock::wall().after(trial);
    while Stamp(due.0 - lead.as_micros() as i64) > staging.now() {
        staging.advance(Stamp(due.0 - lead.as_micros() as i64));
        // Time has passed here meanwhile; what is missing is less each time.
        let next = ServedClock::wall().after(trial);
        if next.since(due).as_secs() < 1 {
            break;
        }
        due = next;
    }
    staging.page()
}
