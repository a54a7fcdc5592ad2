//! Which containers are to be started, and how a start goes.

use std::time::Duration;

use serde_json::Value;

use super::life::{ContainerPhase, Ended, Life, ProbeState, go_duration};
use super::{Look, PodWorker};
use crate::program::{ContainerExit, Launch, Programs};
use crate::store::{ObjectKey, Stored};
use crate::time::Stamp;
use crate::{Cluster, json};

impl Cluster {
    /// Starts what is to be started: init containers one after the other, then all others.
    pub(super) fn start_containers(
        &mut self,
        programs: &mut dyn Programs,
        key: &ObjectKey,
        pod: &Stored,
        worker: &mut PodWorker,
    ) -> Look {
        for container in json::list(pod, "spec.initContainers") {
            let name = json::text(container, "name");
            let is_sidecar = json::text(container, "restartPolicy") == "Always";
            let life = worker.lives.entry(name.into()).or_default();
            match &life.phase {
                ContainerPhase::Ended(ended) if ended.exit.code == 0 && !is_sidecar => continue,
                ContainerPhase::Running { .. } if is_sidecar && life.is_started => continue,
                ContainerPhase::Running { .. } => return Look::Done,
                ContainerPhase::Ended(_) if !is_sidecar && json::text(pod, "spec.restartPolicy") == "Never" => {
                    return Look::Done;
                }
                _ => {}
            }
            match self.start(programs, key, pod, container, worker, true) {
                Look::Done if is_sidecar && worker.lives.get(name).is_some_and(|life| life.is_started) => continue,
                look => return look,
            }
        }
        let mut worst = Look::Done;
        for container in json::list(pod, "spec.containers") {
            let life = worker.lives.entry(json::text(container, "name").into()).or_default();
            if !wants_start(life, json::text(pod, "spec.restartPolicy")) {
                continue;
            }
            match self.start(programs, key, pod, container, worker, false) {
                Look::Busy => return Look::Busy,
                Look::Failed => worst = Look::Failed,
                Look::Done => {}
            }
        }
        worst
    }

    fn start(
        &mut self,
        programs: &mut dyn Programs,
        key: &ObjectKey,
        pod: &Stored,
        container: &Value,
        worker: &mut PodWorker,
        is_init: bool,
    ) -> Look {
        let name = json::text(container, "name").to_string();
        let mut life = worker.lives.remove(&name).unwrap_or_default();
        let look = self.start_one(programs, key, pod, container, &mut life, worker, is_init);
        worker.lives.insert(name, life);
        look
    }

    #[expect(clippy::too_many_arguments, reason = "one step of a look, cut out to keep the look readable")]
    fn start_one(
        &mut self,
        programs: &mut dyn Programs,
        key: &ObjectKey,
        pod: &Stored,
        container: &Value,
        life: &mut Life,
        worker: &mut PodWorker,
        is_init: bool,
    ) -> Look {
        let name = json::text(container, "name");
        let uid = json::text(pod, "metadata.uid");
        if life.pulling.is_none()
            && let Some(delay) = life.held_back(self.now)
        {
            let id = format!("{}_{}({uid})", key.name, key.namespace);
            let message = format!("Back-off restarting failed container {name} in pod {id}");
            self.say(pod, name, is_init, true, "BackOff", &message);
            let message = format!("back-off {} restarting failed container={name} pod={id}", go_duration(delay));
            life.note = Some(("CrashLoopBackOff".into(), message));
            return Look::Failed;
        }
        match self.image(programs, pod, container, life, worker, is_init) {
            Look::Done => {}
            other => return other,
        }
        if life.ended().is_some() {
            life.raise_delay(self.now);
        }
        if let Err(why) = self.check_config(pod, container) {
            self.say(pod, name, is_init, true, "Failed", &format!("Error: {why}"));
            life.note = Some(("CreateContainerConfigError".into(), why));
            return Look::Failed;
        }
        self.launch(programs, pod, container, life, worker.since, is_init)
    }

    /// Creates and starts an instance.
    fn launch(
        &mut self,
        programs: &mut dyn Programs,
        pod: &Stored,
        container: &Value,
        life: &mut Life,
        seen: Stamp,
        is_init: bool,
    ) -> Look {
        let name = json::text(container, "name");
        let now = self.now;
        life.before = life.ended().cloned().or(life.before.take());
        life.was_killed = false;
        life.starts += 1;
        life.id = self.chance.hex(
            64,
            &format!("container/{}/{name}", json::text(pod, "metadata.uid")),
            u64::from(life.starts),
        );
        self.say(pod, name, is_init, false, "Created", &format!("Created container: {name}"));
        let run = self.container_run(pod, name, life.attempt());
        let ends = match programs.start(now, &run) {
            Launch::Fails { message } => {
                self.say(pod, name, is_init, true, "Failed", &format!("Error: {message}"));
                life.note = Some(("RunContainerError".into(), message.clone()));
                let exit = ContainerExit { message, ..ContainerExit::with(128) };
                let id = life.id.clone();
                life.phase = ContainerPhase::Ended(Ended {
                    exit,
                    reason: "StartError".into(),
                    started: Stamp(0),
                    finished: now,
                    id,
                });
                return Look::Failed;
            }
            Launch::Runs => None,
            Launch::Ends { after, exit } => Some((now.after(after), exit)),
        };
        self.say(pod, name, is_init, false, "Started", &format!("Started container {name}"));
        life.note = None;
        life.phase = ContainerPhase::Running { since: now, ends };
        life.is_started = container.get("startupProbe").is_none();
        life.is_ready = container.get("readinessProbe").is_none() && life.is_started;
        life.checks = checks(container, seen, now);
        Look::Done
    }

    /// What is wrong with the settings of a container, as its kubelet says.
    fn check_config(&self, pod: &Value, container: &Value) -> Result<(), String> {
        self.environment(pod, container)?;
        let own = |field: &str| {
            let of = |value: &Value| json::at(value, "securityContext").get(field).cloned();
            of(container).or_else(|| of(json::at(pod, "spec")))
        };
        let is_root = own("runAsUser").and_then(|user| user.as_i64()) == Some(0);
        if is_root && own("runAsNonRoot").and_then(|flag| flag.as_bool()) == Some(true) {
            let text = |path: &str| json::text(pod, path).to_string();
            let id = format!("{}_{}({})", text("metadata.name"), text("metadata.namespace"), text("metadata.uid"));
            let name = json::text(container, "name");
            return Err(format!("container's runAsUser breaks non-root policy (pod: \"{id}\", container: {name})"));
        }
        Ok(())
    }
}

/// Whether a main container is to be started.
fn wants_start(life: &Life, policy: &str) -> bool {
    match (&life.phase, policy) {
        (ContainerPhase::New, _) => true,
        (ContainerPhase::Running { .. }, _) => false,
        (ContainerPhase::Ended(_), "Always") => true,
        (ContainerPhase::Ended(ended), "OnFailure") => ended.exit.code != 0,
        (ContainerPhase::Ended(_), _) => false,
    }
}

/// The probes of a container, each with the time of its first question. Probes tick from when the pod was seen; readiness
/// is asked at once besides.
fn checks(container: &Value, seen: Stamp, now: Stamp) -> std::collections::BTreeMap<&'static str, ProbeState> {
    let mut checks = std::collections::BTreeMap::new();
    for (kind, is_good) in [("startupProbe", false), ("livenessProbe", true), ("readinessProbe", false)] {
        if let Some(probe) = container.get(kind) {
            let delay = json::int(probe, "initialDelaySeconds").unwrap_or(0).max(0);
            let period = json::int(probe, "periodSeconds").unwrap_or(10).max(1);
            let earliest = now.after_secs(delay);
            let ticks = earliest.since(seen).as_micros().div_ceil(period as u128 * 1_000_000);
            let tick = seen.after_secs(ticks as i64 * period);
            let soon = now.after(Duration::from_secs(1));
            let next = if kind == "readinessProbe" && delay == 0 { soon } else { tick.max(soon) };
            checks.insert(kind, ProbeState { next, good: 0, bad: 0, is_good });
        }
    }
    checks
}
