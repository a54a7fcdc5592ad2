//! Hollow kubelets: they run nothing, and a pod is ready as soon as it is on a node.
//!
//! Kubernetes tests itself with such nodes, and so were the cases recorded that clients are compared with. Programs are
//! asked once how they start: what runs is shown as running, what ends well as completed, what fails as a crash loop.

use std::time::Duration;

use serde_json::Value;

use super::life::{ContainerPhase, Ended, Life};
use super::{Look, PodWorker};
use crate::program::{Launch, Programs, Pull};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json};

/// How often a container that fails is said to have been restarted.
const RESTARTS: u32 = 3;

impl Cluster {
    /// Looks at a pod: everything happens at the first look.
    pub(super) fn look_hollow(
        &mut self,
        programs: &mut dyn Programs,
        key: &ObjectKey,
        pod: &Stored,
        worker: &mut PodWorker,
    ) -> Look {
        if !worker.has_sandbox {
            worker.has_sandbox = true;
            worker.is_mounted = true;
            worker.address = self.address_for(key, pod).unwrap_or_default();
        }
        for container in json::list(pod, "spec.initContainers") {
            let is_sidecar = json::text(container, "restartPolicy") == "Always";
            let life = self.hollow_life(pod, container, 1);
            let life = if is_sidecar { running(life, self) } else { ended(life, self, 0) };
            worker.lives.entry(json::text(container, "name").into()).or_insert_with(|| life.into());
        }
        for container in json::list(pod, "spec.containers") {
            let name = json::text(container, "name");
            if !worker.lives.contains_key(name) {
                let life = self.begin(programs, pod, container);
                worker.lives.insert(name.into(), life.into());
            }
        }
        self.start_ephemeral(programs, pod, worker);
        self.write_status(key, worker);
        Look::Done
    }

    fn hollow_life(&self, pod: &Value, container: &Value, starts: u32) -> Life {
        let label = format!("container/{}/{}", json::text(pod, "metadata.uid"), json::text(container, "name"));
        Life { starts, id: self.chance.hex(64, &label, u64::from(starts)), ..Life::default() }
    }

    fn begin(&mut self, programs: &mut dyn Programs, pod: &Stored, container: &Value) -> Life {
        let (name, image) = (json::text(container, "name"), json::text(container, "image"));
        let node = json::text(pod, "spec.nodeName");
        if let Pull::Failed { message, .. } = programs.pull(self.now, node, image) {
            self.say(pod, name, false, false, "Pulling", &format!("Pulling image {image:?}"));
            self.say(pod, name, false, true, "Failed", &format!("Failed to pull image {image:?}: {message}"));
            self.say(pod, name, false, true, "Failed", "Error: ErrImagePull");
            let note = format!("Back-off pulling image {image:?}");
            return Life { note: Some(("ImagePullBackOff".into(), note)), ..Life::default() };
        }
        let present = format!("Container image {image:?} already present on machine");
        self.say(pod, name, false, false, "Pulled", &present);
        self.say(pod, name, false, false, "Created", &format!("Created container: {name}"));
        self.say(pod, name, false, false, "Started", &format!("Started container {name}"));
        let run = self.container_run(pod, name, 0);
        let life = self.hollow_life(pod, container, 1);
        match programs.start(self.now, &run) {
            Launch::Runs => running(life, self),
            Launch::Ends { exit, .. } if exit.code == 0 => match json::text(pod, "spec.restartPolicy") {
                "Always" => running(life, self),
                _ => ended(life, self, 0),
            },
            Launch::Ends { exit, .. } => match json::text(pod, "spec.restartPolicy") {
                "Never" => ended(life, self, exit.code),
                _ => self.crash_loop(pod, container, exit.code),
            },
            Launch::Fails { .. } => self.crash_loop(pod, container, 128),
        }
    }

    fn crash_loop(&mut self, pod: &Stored, container: &Value, code: i32) -> Life {
        let name = json::text(container, "name");
        let text = |path: &str| json::text(pod, path).to_string();
        let id = format!("{}_{}({})", text("metadata.name"), text("metadata.namespace"), text("metadata.uid"));
        let told = format!("Back-off restarting failed container {name} in pod {id}");
        self.say(pod, name, false, true, "BackOff", &told);
        let note = format!("back-off 40s restarting failed container={name} pod={id}");
        let mut life = ended(self.hollow_life(pod, container, RESTARTS + 1), self, code);
        life.note = Some(("CrashLoopBackOff".into(), note));
        life
    }
}

fn running(life: Life, cluster: &Cluster) -> Life {
    let phase = ContainerPhase::Running { since: cluster.now, ends: None };
    Life { phase, is_ready: true, is_started: true, ..life }
}

fn ended(life: Life, cluster: &Cluster, code: i32) -> Life {
    let reason = if code == 0 { "Completed" } else { "Error" };
    let exit = crate::program::ContainerExit::with(code);
    let id = life.id.clone();
    let started = cluster.now.after(Duration::ZERO);
    Life { phase: ContainerPhase::Ended(Ended { exit, reason: reason.into(), started, finished: started, id }), ..life }
}
