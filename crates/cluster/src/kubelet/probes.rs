//! Probes: whether containers are well, asked again and again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{Life, PodWorker};
use crate::agenda::Actor;
use crate::program::{ContainerRun, ProbeAnswer, ProbeCheck, Programs};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

impl Cluster {
    /// Asks what is due of the containers of a pod.
    pub(crate) fn probe_pod(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(pod) = self.store.at(key).cloned() else { return };
        if self.is_kubelet_down(json::text(&pod, "spec.nodeName")) {
            return;
        }
        let Some(mut worker) = self.workers.remove(key) else { return };
        let mut has_news = false;
        if !meta::is_going(&pod) {
            let names: Vec<_> =
                worker.lives.iter().filter(|(_, life)| life.is_running()).map(|(name, _)| name.clone()).collect();
            for name in names {
                has_news |= self.probe_container(programs, &pod, &mut worker, &name);
            }
        }
        // A pod that is going is asked no more: its checks stay due, and planning them again would never end.
        if let Some(due) = worker.next_probe().filter(|_| !meta::is_going(&pod)) {
            self.plan(Actor::Probe, key.clone(), due.since(self.now));
        }
        if has_news {
            self.plan(Actor::Kubelet, key.clone(), Duration::from_millis(20));
        }
        self.workers.insert(key.clone(), worker);
    }

    fn probe_container(
        &mut self,
        programs: &mut dyn Programs,
        pod: &Stored,
        worker: &mut PodWorker,
        name: &str,
    ) -> bool {
        let lists = ["spec.containers", "spec.initContainers"];
        let found = lists.iter().flat_map(|path| json::list(pod, path)).find(|c| json::text(c, "name") == name);
        let Some(container) = found else { return false };
        let mut has_news = false;
        for kind in ["startupProbe", "livenessProbe", "readinessProbe"] {
            let now = self.now;
            let Some(life) = worker.lives.get_mut(name) else { continue };
            let waits = kind != "startupProbe" && !life.is_started;
            let Some(check) = life.checks.get_mut(kind).filter(|check| check.next <= now) else { continue };
            let probe = &container[kind];
            let period = json::int(probe, "periodSeconds").unwrap_or(10).max(1);
            while check.next <= now {
                check.next = check.next.after_secs(period);
            }
            if waits {
                continue;
            }
            let run = self.asked_run(pod, container, life);
            let answer = programs.probe(now, &run, &question(probe, container, &run));
            has_news |= self.judge(programs, pod, worker, name, kind, probe, answer);
        }
        has_news
    }

    /// The container that is asked: the same as last time, unless its pod changed or it takes settings from elsewhere.
    fn asked_run(&self, pod: &Stored, container: &Value, life: &mut Life) -> Arc<ContainerRun> {
        let attempt = life.attempt();
        if let Some((asked, run)) = &life.asked
            && asked.is_same(pod)
            && run.attempt == attempt
        {
            return run.clone();
        }
        let run = Arc::new(self.container_run(pod, json::text(container, "name"), attempt));
        let is_elsewhere = |variable: &Value| {
            let from = json::at(variable, "valueFrom");
            from.get("configMapKeyRef").is_some() || from.get("secretKeyRef").is_some()
        };
        let depends = container.get("envFrom").is_some() || json::list(container, "env").iter().any(is_elsewhere);
        life.asked = (!depends).then(|| (pod.clone(), run.clone()));
        run
    }

    #[expect(clippy::too_many_arguments, reason = "all that an answer is about")]
    fn judge(
        &mut self,
        programs: &mut dyn Programs,
        pod: &Stored,
        worker: &mut PodWorker,
        name: &str,
        kind: &'static str,
        probe: &Value,
        answer: ProbeAnswer,
    ) -> bool {
        let limit = |field: &str, default: i64| json::int(probe, field).unwrap_or(default).max(1) as u32;
        let is_init = json::list(pod, "spec.initContainers").iter().any(|c| json::text(c, "name") == name);
        let word = match kind {
            "startupProbe" => "Startup",
            "livenessProbe" => "Liveness",
            _ => "Readiness",
        };
        let is_good = answer == ProbeAnswer::Good;
        if let ProbeAnswer::Bad(why) = &answer {
            self.say(pod, name, is_init, true, "Unhealthy", &format!("{word} probe failed: {why}"));
        }
        let Some(life) = worker.lives.get_mut(name) else { return false };
        let Some(check) = life.checks.get_mut(kind) else { return false };
        (check.good, check.bad) = if is_good { (check.good + 1, 0) } else { (0, check.bad + 1) };
        let is_turned = match is_good {
            true => check.good >= limit("successThreshold", 1) && !check.is_good,
            false => check.bad >= limit("failureThreshold", 3) && (check.is_good || kind != "readinessProbe"),
        };
        if !is_turned {
            return false;
        }
        check.is_good = is_good;
        match (kind, is_good) {
            ("readinessProbe", ready) => life.is_ready = ready,
            ("startupProbe", true) => {
                life.is_started = true;
                life.is_ready = !life.checks.contains_key("readinessProbe");
                let first = self.now.after(Duration::from_millis(100));
                life.checks.remove("startupProbe");
                if let Some(check) = life.checks.get_mut("readinessProbe") {
                    check.next = check.next.min(first);
                }
            }
            ("livenessProbe", true) => {}
            _ => {
                let what = if is_init { "Init container" } else { "Container" };
                let message = format!("{what} {name} failed {} probe, will be restarted", word.to_lowercase());
                self.say(pod, name, is_init, false, "Killing", &message);
                let own = json::int(probe, "terminationGracePeriodSeconds");
                let grace = own.or_else(|| json::int(pod, "spec.terminationGracePeriodSeconds")).unwrap_or(30);
                self.kill(programs, pod, worker, name, Duration::from_secs(grace.max(0) as u64));
                if let Some(life) = worker.lives.get_mut(name) {
                    life.was_killed = true;
                }
            }
        }
        true
    }
}

/// What a probe asks.
fn question(probe: &Value, container: &Value, run: &ContainerRun) -> ProbeCheck {
    let timeout = Duration::from_secs(json::int(probe, "timeoutSeconds").unwrap_or(1).max(1) as u64);
    let host = |handler: &Value| match json::text(handler, "host") {
        "" => run.pod_ip.clone(),
        host => host.into(),
    };
    let port = |handler: &Value| port(json::at(handler, "port"), container);
    if let Some(get) = probe.get("httpGet") {
        let (scheme, path) = (json::text(get, "scheme").into(), json::text(get, "path").into());
        return ProbeCheck::Http { scheme, host: host(get), port: port(get), path, timeout };
    }
    if let Some(socket) = probe.get("tcpSocket") {
        return ProbeCheck::Tcp { host: host(socket), port: port(socket), timeout };
    }
    if let Some(grpc) = probe.get("grpc") {
        return ProbeCheck::Grpc { port: port(grpc), service: json::text(grpc, "service").into(), timeout };
    }
    let command = json::list(probe, "exec.command").iter().filter_map(Value::as_str).map(Into::into).collect();
    ProbeCheck::Exec { command, timeout }
}

/// A number, or the port of that name.
fn port(wanted: &Value, container: &Value) -> u16 {
    let named = || {
        let own = json::list(container, "ports").iter().find(|own| Some(json::text(own, "name")) == wanted.as_str());
        own.and_then(|own| json::int(own, "containerPort"))
    };
    wanted.as_i64().or_else(named).and_then(|port| u16::try_from(port).ok()).unwrap_or(0)
}
