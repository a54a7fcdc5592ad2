//! The one cluster that all connections talk to, and the task that lets its time pass.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cluster::api::{ApiRequest, ApiResponse};
use cluster::{Cluster, Programs, Stamp};
use exporters::{ObservabilityServer, Observatory};
use telemetry::{TelemetryRequest, TelemetryResponse};
use tokio::sync::{Notify, watch};

use crate::clock::ServedClock;

/// A cluster with its programs and its clock.
pub struct ClusterHost {
    running: Mutex<RunningCluster>,
    /// The latest revision: watches wait here for changes.
    revision: watch::Sender<u64>,
    /// Wakes the task that lets time pass.
    kick: Notify,
    pub(crate) clock: ServedClock,
    pub(crate) token: String,
}

/// What a connection may touch while it holds the lock.
pub(crate) struct RunningCluster {
    pub(crate) cluster: Cluster,
    pub(crate) programs: Box<dyn Programs + Send>,
    /// What watches it, if anything does.
    observatory: Option<Observatory>,
}

/// Time passes at least this often, so that what a program does by itself is seen.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

impl ClusterHost {
    /// A host for a cluster that has reached the present. Who shows the token is its administrator.
    pub fn new(cluster: Cluster, programs: Box<dyn Programs + Send>, clock: ServedClock, token: String) -> Self {
        let revision = watch::Sender::new(cluster.revision());
        Self {
            running: Mutex::new(RunningCluster { cluster, programs, observatory: None }),
            revision,
            kick: Notify::new(),
            clock,
            token,
        }
    }

    /// The same host, watched by Prometheus, Loki, Jaeger and Alertmanager.
    pub fn watched_by(mut self, observatory: Observatory) -> Self {
        self.running.get_mut().unwrap_or_else(PoisonError::into_inner).observatory = Some(observatory);
        self
    }

    /// Answers a request to one of the servers that watch the cluster; nothing if it is not watched.
    pub(crate) fn observe(&self, server: ObservabilityServer, request: &TelemetryRequest) -> Option<TelemetryResponse> {
        self.with(|running| Some(running.observatory.as_mut()?.answer(server, request)))
    }

    /// Answers one request at the present time.
    pub fn call(&self, request: &ApiRequest) -> ApiResponse {
        self.with(|running| running.cluster.call(&mut *running.programs, request))
    }

    /// Does something with the cluster at the present time, and wakes those who wait if it changed.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut RunningCluster) -> T) -> T {
        let mut running = self.lock();
        self.catch_up(&mut running);
        let before = running.cluster.revision();
        let result = work(&mut running);
        let after = running.cluster.revision();
        drop(running);
        if before != after {
            self.kick.notify_one();
        }
        result
    }

    /// Lets time pass for ever.
    pub async fn run(&self) {
        loop {
            let due = {
                let mut running = self.lock();
                self.catch_up(&mut running);
                let look = running.observatory.as_ref().map(Observatory::next_look);
                running.cluster.next_due().into_iter().chain(look).min()
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

    fn catch_up(&self, running: &mut RunningCluster) {
        let now: Stamp = self.clock.simulated();
        if now > running.cluster.now() {
            let RunningCluster { cluster, programs, observatory } = running;
            match observatory {
                Some(observatory) => observatory.advance(cluster, &mut **programs, now),
                None => cluster.advance(&mut **programs, now),
            }
        }
        let revision = running.cluster.revision();
        self.revision.send_if_modified(|known| std::mem::replace(known, revision) != revision);
    }

    fn lock(&self) -> MutexGuard<'_, RunningCluster> {
        // A panic in one request leaves a cluster that still answers the others.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
