//! Kubelets: the life of pods on their nodes.
//!
//! A kubelet looks at a pod when something changed, when a container ended, when a probe says so, or when a retry is due.
//! What it writes into the status is what it knew when it began to look; so the reason of a failure shows one look later.

mod containers;
mod ephemeral;
mod hollow;
mod images;
mod life;
mod pressure;
mod probes;
mod run;
mod status;
mod stop;
mod volumes;

use std::time::Duration;

use serde_json::Value;

use crate::agenda::Actor;
use crate::events::Told;
use crate::program::{ContainerExit, Programs};
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};
pub(crate) use life::{ContainerPhase, Life, PodWorker};
pub(crate) use run::field as pod_field;

/// How far one look at a pod got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// All that can be done is done.
    Done,
    /// It goes on when something that takes time is over.
    Busy,
    /// Something failed; the next look is in 10 to 15 s.
    Failed,
}

impl Cluster {
    /// A kubelet looks at one of its pods.
    pub(crate) fn sync_pod(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(pod) = self.store.at(key).cloned() else {
            self.workers.remove(key);
            return;
        };
        let node = json::text(&pod, "spec.nodeName").to_string();
        if node.is_empty() || self.is_kubelet_down(&node) || self.store.get("nodes", "", &node).is_none() {
            return;
        }
        let uid = json::text(&pod, "metadata.uid");
        let known = self.workers.remove(key).filter(|worker| worker.uid == uid);
        let is_over = matches!(json::text(&pod, "status.phase"), "Succeeded" | "Failed");
        if is_over && known.as_ref().is_none_or(|worker| !worker.has_running()) {
            if meta::is_going(&pod) {
                self.finish(key);
            }
            return;
        }
        let mut worker = known.unwrap_or_else(|| PodWorker::new(uid, self.now).into());
        if worker.busy_until > self.now && !meta::is_going(&pod) {
            worker.has_news = true;
            // This look came before the one that was planned, and of equal work only the earliest is kept.
            self.plan(Actor::Kubelet, key.clone(), worker.busy_until.since(self.now));
            self.workers.insert(key.clone(), worker);
            return;
        }
        self.observe(&mut worker);
        let look = self.look(programs, key, &pod, &mut worker);
        self.plan_next(key, &worker, look);
        worker.has_news &= look == Look::Busy;
        self.workers.insert(key.clone(), worker);
    }

    fn look(&mut self, programs: &mut dyn Programs, key: &ObjectKey, pod: &Stored, worker: &mut PodWorker) -> Look {
        if meta::is_going(pod) {
            return self.stop_pod(programs, key, pod, worker);
        }
        if self.is_hollow {
            return self.look_hollow(programs, key, pod, worker);
        }
        if self.is_past_deadline(key, pod, worker) {
            worker.over = Some((
                "DeadlineExceeded".into(),
                "Pod was active on the node longer than the specified deadline".into(),
            ));
            self.kill_all(programs, pod, worker, Duration::from_secs(1));
            self.write_status(key, worker);
            return Look::Done;
        }
        if let Some(why) = self.refuses(pod, worker) {
            return self.turn_away(key, pod, worker, why);
        }
        // A look that was interrupted goes on where it was; a new one begins with the status.
        if !worker.is_resumed() && self.write_status(key, worker) {
            // Sidecars outlive what they serve only for a moment.
            self.kill_all(programs, pod, worker, Duration::from_secs(30));
            return Look::Done;
        }
        let Some(pod) = self.store.at(key).cloned() else { return Look::Done };
        match self.prepare(key, &pod, worker) {
            Look::Done => {}
            other => return other,
        }
        let Some(pod) = self.store.at(key).cloned() else { return Look::Done };
        let look = self.start_containers(programs, key, &pod, worker);
        self.start_ephemeral(programs, &pod, worker);
        if look == Look::Done {
            self.write_status(key, worker);
        }
        look
    }

    /// Volumes, then the sandbox with the pod's address.
    fn prepare(&mut self, key: &ObjectKey, pod: &Stored, worker: &mut PodWorker) -> Look {
        if !worker.is_mounted {
            match self.mount(key, pod, worker) {
                Look::Done => worker.is_mounted = true,
                other => return other,
            }
        }
        if worker.has_sandbox {
            return Look::Done;
        }
        if !worker.makes_sandbox {
            worker.makes_sandbox = true;
            worker.busy_until = self.now.after(self.jitter(0.4, 1.2, "sandbox"));
            return Look::Busy;
        }
        worker.makes_sandbox = false;
        worker.address = match self.address_for(key, pod) {
            Ok(address) => address,
            Err(why) => return self.fail_sandbox(pod, &why),
        };
        worker.has_sandbox = true;
        // The new sandbox is seen in the list of containers: a look follows this one at once.
        worker.has_news = true;
        self.write_status(key, worker);
        Look::Done
    }

    /// The network plugin refused; the next try is in 10 to 15 s.
    fn fail_sandbox(&mut self, pod: &Stored, why: &str) -> Look {
        let purpose = format!("sandbox/{}", json::text(pod, "metadata.uid"));
        let id = self.chance.hex(64, &purpose, self.now.0.unsigned_abs());
        let start =
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox";
        self.say(pod, "", false, true, "FailedCreatePodSandBox", &format!("{start} \"{id}\": {why}"));
        Look::Failed
    }

    /// An address of the pods' network; the node's own for pods on its network.
    fn address_for(&mut self, key: &ObjectKey, pod: &Value) -> Result<String, String> {
        let node = json::text(pod, "spec.nodeName");
        if json::flag(pod, "spec.hostNetwork") {
            let node = self.store.get("nodes", "", node);
            let address = node.and_then(|node| json::list(node, "status.addresses").first());
            return Ok(address.map_or(String::new(), |address| json::text(address, "address").into()));
        }
        self.pod_address(node, key)
    }

    /// Sees which containers have ended.
    fn observe(&mut self, worker: &mut PodWorker) {
        let now = self.now;
        for life in worker.lives.values_mut() {
            life.observe(now);
        }
    }

    fn plan_next(&mut self, key: &ObjectKey, worker: &PodWorker, look: Look) {
        match look {
            Look::Busy => {
                let wait = worker.busy_until.since(self.now);
                return self.plan(Actor::Kubelet, key.clone(), wait);
            }
            Look::Failed if worker.has_news => self.plan(Actor::Kubelet, key.clone(), Duration::from_millis(50)),
            Look::Failed => {
                let wait = self.jitter(10.0, 15.0, "retry");
                self.plan(Actor::Kubelet, key.clone(), wait);
            }
            Look::Done => {}
        }
        if let Some(end) = worker.next_end() {
            // An end is noticed when the containers are listed, once a second.
            let noticed = self.jitter(0.05, 0.9, "relist");
            self.plan(Actor::Kubelet, key.clone(), end.since(self.now) + noticed);
        }
        if let Some(due) = worker.next_probe() {
            self.plan(Actor::Probe, key.clone(), due.since(self.now));
        }
    }

    fn is_past_deadline(&mut self, key: &ObjectKey, pod: &Value, worker: &PodWorker) -> bool {
        let Some(seconds) = json::int(pod, "spec.activeDeadlineSeconds") else { return false };
        if worker.over.is_some() {
            return false;
        }
        let begun = meta::stamp(pod, "status.startTime").unwrap_or(self.now);
        let due = begun.after_secs(seconds);
        if due > self.now {
            self.plan(Actor::Kubelet, key.clone(), due.since(self.now));
        }
        due <= self.now
    }

    /// Tells something about a container of a pod in the name of its kubelet.
    fn say(&mut self, pod: &Value, container: &str, is_init: bool, is_warning: bool, reason: &str, message: &str) {
        let field = match (container.is_empty(), is_init) {
            (true, _) => String::new(),
            (false, true) => format!("spec.initContainers{{{container}}}"),
            (false, false) => format!("spec.containers{{{container}}}"),
        };
        let host = json::text(pod, "spec.nodeName");
        let told = Told { source: "kubelet", host, is_warning, reason, message, field: &field };
        self.tell(pod, built_in("pods"), &told);
    }

    /// A running container ended by itself: its program, or the kernel, says so.
    ///
    /// The kubelet notices within a second. Nothing happens if the container does not run.
    pub fn container_ended(&mut self, namespace: &str, pod: &str, container: &str, exit: ContainerExit) {
        let key = ObjectKey::new("pods", namespace, pod);
        let now = self.now;
        let Some(life) = self.workers.get_mut(&key).and_then(|worker| worker.lives.get_mut(container)) else { return };
        if let ContainerPhase::Running { ends, .. } = &mut life.phase {
            *ends = Some((now, exit));
            let noticed = self.jitter(0.05, 0.9, "relist");
            self.plan(Actor::Kubelet, key, noticed);
        }
    }
}
