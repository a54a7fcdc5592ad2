//! Ephemeral containers: what `kubectl debug` puts beside the containers of a running pod.

use serde_json::Value;

use super::PodWorker;
use super::life::{ContainerPhase, Ended};
use crate::program::{ContainerExit, Launch, Programs};
use crate::store::Stored;
use crate::{Cluster, json};

impl Cluster {
    /// Starts those that were added since the last look; they are never restarted.
    pub(super) fn start_ephemeral(&mut self, programs: &mut dyn Programs, pod: &Stored, worker: &mut PodWorker) {
        for container in json::list(pod, "spec.ephemeralContainers") {
            let name = json::text(container, "name");
            if worker.lives.get(name).is_some_and(|life| life.starts != 0) {
                continue;
            }
            self.tell_start(pod, container);
            let life = worker.lives.entry(name.into()).or_default();
            let uid = json::text(pod, "metadata.uid");
            life.starts = 1;
            life.id = self.chance.hex(64, &format!("container/{uid}/{name}"), 1);
            let run = self.container_run(pod, name, 0);
            life.phase = match programs.start(self.now, &run) {
                Launch::Runs => ContainerPhase::Running { since: self.now, ends: None },
                Launch::Ends { after, exit } => {
                    ContainerPhase::Running { since: self.now, ends: Some((self.now.after(after), exit)) }
                }
                Launch::Fails { message } => ContainerPhase::Ended(Ended {
                    exit: ContainerExit { message, ..ContainerExit::with(128) },
                    reason: "StartError".into(),
                    started: self.now,
                    finished: self.now,
                    id: life.id.clone(),
                }),
            };
            life.is_started = true;
            worker.has_news = true;
        }
    }

    fn tell_start(&mut self, pod: &Stored, container: &Value) {
        let (name, image) = (json::text(container, "name"), json::text(container, "image"));
        let field = format!("spec.ephemeralContainers{{{name}}}");
        let host = json::text(pod, "spec.nodeName");
        let texts = [
            ("Pulled", format!("Container image {image:?} already present on machine")),
            ("Created", format!("Created container: {name}")),
            ("Started", format!("Started container {name}")),
        ];
        for (reason, message) in &texts {
            let told =
                crate::events::Told { source: "kubelet", host, is_warning: false, reason, message, field: &field };
            self.tell(pod, crate::resource::built_in("pods"), &told);
        }
    }
}
