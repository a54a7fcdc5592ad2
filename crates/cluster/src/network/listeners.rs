//! What listens on the ports of pods.

use crate::program::{ContainerRun, PortAnswer, Programs};
use crate::{Cluster, json, meta};

const STATUSES: [&str; 3] =
    ["status.containerStatuses", "status.initContainerStatuses", "status.ephemeralContainerStatuses"];

impl Cluster {
    /// Hands bytes to whatever listens on a port of a pod; nothing if nothing does.
    pub fn talk_to(
        &self,
        programs: &mut dyn Programs,
        namespace: &str,
        pod: &str,
        port: u16,
        bytes: &[u8],
    ) -> Option<PortAnswer> {
        let run = self.listener(programs, namespace, pod, port)?;
        Some(programs.answer(self.now, &run, port, bytes))
    }

    /// The running container of a pod in which something listens on a port.
    pub fn listener(&self, programs: &mut dyn Programs, namespace: &str, pod: &str, port: u16) -> Option<ContainerRun> {
        let pod = self.store.get("pods", namespace, pod)?;
        let running = STATUSES
            .iter()
            .flat_map(|path| json::list(pod, path))
            .filter(|status| !json::at(status, "state.running").is_null());
        running
            .map(|status| {
                let attempt = json::int(status, "restartCount").unwrap_or(0) as u32;
                self.container_run(pod, json::text(status, "name"), attempt)
            })
            .find(|run| programs.listens(self.now, run, port))
    }

    /// Whether an endpoint of a pod takes connections now: ready, and not going.
    pub fn is_serving(&self, namespace: &str, pod: &str) -> bool {
        self.store
            .get("pods", namespace, pod)
            .is_some_and(|pod| meta::condition(pod, "Ready") == "True" && !meta::is_going(pod))
    }
}
