//! The one cluster that all connections talk to, and the task that lets its time pass.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cluster::api::{ApiRequest, ApiResponse};
use cluster::{Cluster, Programs, Stamp};
use exporters::ObservabilityServer;
use telemetry::{TelemetryRequest, TelemetryResponse};
use tokio::sync::{Notify, watch};

use crate::clock::ServedClock;
use crate::served::{ServedCluster, WatchedCluster};

/// A cluster with its programs and its clock.
pub struct ClusterHost {
    running: Mutex<Box<dyn ServedCluster>>,
    /// The latest revision: watches wait here for changes.
    revision: watch::Sender<u64>,
    /// Wakes the task that lets time pass.
    kick: Notify,
    pub(crate) clock: ServedClock,
    pub(crate) token: String,
}

/// Clients wait no longer than about this while time passes; what is not done by then, the clock gives up.
const LONGEST_CATCH_UP: Duration = Duration::from_millis(500);
/// How much of the cluster's time passes before it is asked again whether that takes too long.
const STEP: Duration = Duration::from_secs(1);

/// Time passes at least this often, so that what a program does by itself is seen.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

impl ClusterHost {
    /// A host for a cluster that has reached the present. Who shows the token is its administrator.
    pub fn new(cluster: Cluster, programs: Box<dyn Programs + Send>, clock: ServedClock, token: String) -> Self {
        Self::of(Box::new(WatchedCluster::new(cluster, programs, None)), clock, token)
    }

    /// A host for whatever is served.
    pub fn of(served: Box<dyn ServedCluster>, clock: ServedClock, token: String) -> Self {
        let revision = watch::Sender::new(served.cluster().revision());
        Self { running: Mutex::new(served), revision, kick: Notify::new(), clock, token }
    }

    /// Answers a request to one of the servers that watch the cluster; nothing if it is not watched.
    pub(crate) fn observe(&self, server: ObservabilityServer, request: &TelemetryRequest) -> Option<TelemetryResponse> {
        self.with(|served| served.observe(server, request))
    }

    /// Answers one request at the present time.
    pub fn call(&self, request: &ApiRequest) -> ApiResponse {
        self.with(|served| served.call(request))
    }

    /// Does something with the cluster at the present time, and wakes those who wait if it changed.
    pub fn with<T>(&self, work: impl FnOnce(&mut dyn ServedCluster) -> T) -> T {
        let mut served = self.lock();
        self.catch_up(&mut **served);
        let before = served.cluster().revision();
        let result = work(&mut **served);
        let after = served.cluster().revision();
        drop(served);
        if before != after {
            self.kick.notify_one();
        }
        result
    }

    /// Lets time pass for ever.
    pub async fn run(&self) {
        loop {
            let due = {
                let mut served = self.lock();
                self.catch_up(&mut **served);
                served.next_due()
            };
            let wait = due.map_or(LONGEST_SLEEP, |due| self.clock.until(due)).min(LONGEST_SLEEP);
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.kick.notified() => {}
            }
        }
    }

    /// Who wants to hear of changes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    fn catch_up(&self, served: &mut dyn ServedCluster) {
        let (begun, from) = (Instant::now(), served.cluster().now());
        let pass = |to: Stamp| {
            served.advance(to);
            served.cluster().now()
        };
        let left = advance_within(pass, from, self.clock.simulated(), || begun.elapsed() < LONGEST_CATCH_UP);
        if !left.is_zero() {
            self.clock.fall_behind(left);
        }
        let revision = served.cluster().revision();
        self.revision.send_if_modified(|known| std::mem::replace(known, revision) != revision);
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn ServedCluster>> {
        // A panic in one request leaves a cluster that still answers the others.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets time pass from one moment to another, step by step as long as it may, and at least one step. `pass` says which
/// moment it reached. Gives what is left to do: nothing where time stands still, as it does after the end of an episode
/// and for less than it is counted in.
fn advance_within(
    mut pass: impl FnMut(Stamp) -> Stamp,
    from: Stamp,
    to: Stamp,
    mut may_go_on: impl FnMut() -> bool,
) -> Duration {
    let mut now = from;
    while now < to {
        let reached = pass(now.after(STEP).min(to));
        if reached <= now {
            break;
        }
        now = reached;
        if !may_go_on() {
            return to.since(now);
        }
    }
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_that_is_too_slow_falls_behind() {
        let check = |steps: usize, asked: i64, left: u64| {
            let from = Stamp(0);
            let mut done = 0;
            let may_go_on = || {
                done += 1;
                done < steps
            };
            let left_over = advance_within(|to| to, from, from.after_secs(asked), may_go_on);
            assert_eq!(left_over, Duration::from_secs(left), "{steps} of {asked}");
        };
        check(100, 10, 0);
        check(4, 10, 6);
        check(1, 200, 199);
        check(3, 0, 0);
    }

    #[test]
    fn time_that_stands_still_is_asked_once() {
        let (from, mut asked) = (Stamp(0), 0);
        let stands = |_| {
            asked += 1;
            from
        };
        assert_eq!(advance_within(stands, from, from.after_secs(60), || true), Duration::ZERO);
        assert_eq!(asked, 1);
    }
}
