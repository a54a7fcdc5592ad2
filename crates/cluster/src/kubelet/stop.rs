//! The end of a pod: asked to stop, given its time, then gone.

use std::time::Duration;

use serde_json::Value;

use super::{ContainerPhase, Look, PodWorker};
use crate::api::DeleteOptions;
use crate::program::{ContainerExit, Programs};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

impl Cluster {
    /// Stops the containers of a pod that is being deleted; when all are over, the pod goes.
    pub(super) fn stop_pod(
        &mut self,
        programs: &mut dyn Programs,
        key: &ObjectKey,
        pod: &Stored,
        worker: &mut PodWorker,
    ) -> Look {
        if !worker.is_stopping {
            worker.is_stopping = true;
            let grace = json::int(pod, "metadata.deletionGracePeriodSeconds").unwrap_or(30).max(0) as u64;
            self.kill_all(programs, pod, worker, Duration::from_secs(grace));
        } else {
            self.hurry(pod, worker);
        }
        self.observe(worker);
        if worker.has_running() {
            self.write_status(key, worker);
            return Look::Done;
        }
        self.write_status(key, worker);
        self.finish(key);
        Look::Done
    }

    /// Asks all running containers to stop.
    pub(super) fn kill_all(
        &mut self,
        programs: &mut dyn Programs,
        pod: &Stored,
        worker: &mut PodWorker,
        grace: Duration,
    ) {
        let names: Vec<_> =
            worker.lives.iter().filter(|(_, life)| life.runs_on()).map(|(name, _)| name.clone()).collect();
        for name in names {
            let is_init = json::list(pod, "spec.initContainers").iter().any(|c| json::text(c, "name") == name);
            self.say(pod, &name, is_init, false, "Killing", &format!("Stopping container {name}"));
            self.kill(programs, pod, worker, &name, grace);
        }
    }

    /// Asks one container to stop: its hook first, then its program.
    pub(super) fn kill(
        &mut self,
        programs: &mut dyn Programs,
        pod: &Value,
        worker: &mut PodWorker,
        name: &str,
        grace: Duration,
    ) {
        let now = self.now;
        let Some(life) = worker.lives.get_mut(name) else { return };
        let run = self.container_run(pod, name, life.attempt());
        let lists = ["spec.containers", "spec.initContainers"];
        let container = lists.iter().flat_map(|path| json::list(pod, path)).find(|c| json::text(c, "name") == name);
        let hook = container.and_then(|c| json::int(c, "lifecycle.preStop.sleep.seconds")).unwrap_or(0).max(0) as u64;
        let hook = Duration::from_secs(hook).min(grace);
        // Even without grace a program has two seconds.
        let left = (grace - hook).max(Duration::from_secs(2));
        let (after, code) = programs.stop(now, &run, left);
        let end = now.after(hook + after.min(left));
        if let ContainerPhase::Running { ends, .. } = &mut life.phase {
            let is_sooner = ends.as_ref().is_none_or(|(at, _)| *at > end);
            if is_sooner {
                *ends = Some((end, ContainerExit::with(code)));
            }
        }
        life.is_ready = false;
        life.checks.clear();
    }

    /// A shorter grace than before ends what still runs.
    fn hurry(&mut self, pod: &Value, worker: &mut PodWorker) {
        let Some(deadline) = meta::stamp(pod, "metadata.deletionTimestamp") else { return };
        let latest = deadline.max(self.now).after_secs(2);
        for life in worker.lives.values_mut() {
            if let ContainerPhase::Running { ends: Some((at, exit)), .. } = &mut life.phase
                && *at > latest
            {
                *at = latest;
                *exit = ContainerExit::with(137);
            }
        }
    }

    /// Takes a pod that is over and being deleted out of the store.
    pub(super) fn finish(&mut self, key: &ObjectKey) {
        self.unmake(key, &DeleteOptions::now());
    }
}
