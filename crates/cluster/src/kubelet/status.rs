//! The status that a kubelet writes: phase, conditions, containers.

use serde_json::{Value, json};

use super::life::{ContainerPhase, Ended, Life, PodWorker, ToldStatus};
use crate::store::{ObjectKey, Stored};
use crate::time::Stamp;
use crate::{Cluster, json, meta};

impl Cluster {
    /// Writes what is known of a pod; says whether the pod is over.
    pub(super) fn write_status(&mut self, key: &ObjectKey, worker: &mut PodWorker) -> bool {
        let Some(pod) = self.store.at(key).cloned() else { return true };
        let node = self.store.get("nodes", "", json::text(&pod, "spec.nodeName"));
        let address = node.and_then(|node| json::list(node, "status.addresses").first());
        let host = address.map_or("", |address| json::text(address, "address"));
        if let Some(told) = worker.told.as_ref()
            && told.pod.is_same(&pod)
            && told.host == host
            && told.worker.shows_like(worker)
        {
            return told.is_over;
        }
        let host = host.to_string();
        let (status, is_over) = self.status_of(&pod, worker, &host);
        let pod = if status != *json::at(&pod, "status") {
            let mut new = json::without(&pod, "status");
            json::set(&mut new, "status", status);
            self.put(key.clone(), new)
        } else {
            pod
        };
        worker.told = None;
        worker.told = Some(ToldStatus { pod, host, is_over, worker: worker.clone() }.into());
        is_over
    }

    /// The status as it is to be written, and whether the pod is over.
    fn status_of(&self, pod: &Stored, worker: &PodWorker, host: &str) -> (Value, bool) {
        // Only the status is made anew: mostly nothing differs, and then nothing else is copied.
        let mut new = json::object([("kind", "Pod".into()), ("status", json::at(pod, "status").clone())]);
        let now = self.now;
        let addresses = |ip: &str| Value::Array(vec![json::object([("ip", ip.into())])]);
        json::set_default(&mut new, "status.startTime", now.rfc3339());
        json::set(&mut new, "status.hostIP", host);
        json::set(&mut new, "status.hostIPs", addresses(host));
        if !worker.address.is_empty() {
            json::set(&mut new, "status.podIP", worker.address.clone());
            json::set(&mut new, "status.podIPs", addresses(&worker.address));
        }
        let phase = phase(pod, worker);
        containers(&mut new, pod, worker);
        if let Some((reason, message)) = worker.over.as_ref() {
            json::set(&mut new, "status.reason", reason.clone());
            json::set(&mut new, "status.message", message.clone());
        }
        conditions(&mut new, pod, worker, phase, now);
        if self.is_hollow {
            scheduled_first(&mut new);
        }
        json::set(&mut new, "status.phase", phase);
        let status = json::remove(&mut new, "status").expect("its phase was set just above");
        (status, matches!(phase, "Succeeded" | "Failed"))
    }
}

fn names<'a>(pod: &'a Value, list: &str) -> Vec<(&'a str, bool)> {
    let containers = json::list(pod, list).iter();
    containers.map(|c| (json::text(c, "name"), json::text(c, "restartPolicy") == "Always")).collect()
}

fn life<'a>(worker: &'a PodWorker, name: &str) -> Option<&'a Life> {
    worker.lives.get(name).map(|life| &**life)
}

/// Whether all init containers have done their work.
fn is_initialized(pod: &Value, worker: &PodWorker) -> bool {
    names(pod, "spec.initContainers").iter().all(|(name, is_sidecar)| {
        let life = life(worker, name);
        match is_sidecar {
            true => life.is_some_and(|life| life.is_started && life.is_running()),
            false => life.and_then(Life::ended).is_some_and(|ended| ended.exit.code == 0),
        }
    })
}

fn phase(pod: &Value, worker: &PodWorker) -> &'static str {
    if worker.over.is_some() {
        return "Failed";
    }
    let policy = json::text(pod, "spec.restartPolicy");
    let init_failed = names(pod, "spec.initContainers").iter().any(|(name, is_sidecar)| {
        !is_sidecar && life(worker, name).and_then(Life::ended).is_some_and(|ended| ended.exit.code != 0)
    });
    if init_failed && policy == "Never" {
        return "Failed";
    }
    let lives: Vec<_> = names(pod, "spec.containers").iter().map(|(name, _)| life(worker, name)).collect();
    let has_started = |life: &Option<&Life>| life.is_some_and(|life| life.starts > 0);
    if !is_initialized(pod, worker) && !lives.iter().any(has_started) {
        return if worker.is_stopping && !worker.has_running() { "Failed" } else { "Pending" };
    }
    if lives.iter().any(|life| !has_started(life)) {
        return if worker.is_stopping && !worker.has_running() { "Failed" } else { "Pending" };
    }
    if lives.iter().flatten().any(|life| life.is_running()) {
        return "Running";
    }
    let has_failed = lives.iter().flatten().filter_map(|life| life.ended()).any(|ended| ended.exit.code != 0);
    match policy {
        _ if worker.is_stopping => {
            if has_failed {
                "Failed"
            } else {
                "Succeeded"
            }
        }
        "Always" => "Running",
        _ if !has_failed => "Succeeded",
        "Never" => "Failed",
        _ => "Running",
    }
}

fn containers(new: &mut Value, pod: &Value, worker: &PodWorker) {
    let is_ready_for_main = is_initialized(pod, worker);
    let has_init = !json::list(pod, "spec.initContainers").is_empty();
    for (list, field) in LISTS {
        let is_init = list == "spec.initContainers";
        let statuses: Vec<Value> = json::list(pod, list)
            .iter()
            .map(|container| {
                let name = json::text(container, "name");
                let default = Life::default();
                let life = life(worker, name).unwrap_or(&default);
                let waits =
                    if has_init && (is_init || !is_ready_for_main) { "PodInitializing" } else { "ContainerCreating" };
                status(container, life, pod, waits, is_init)
            })
            .collect();
        if !statuses.is_empty() {
            json::set(new, field, statuses);
        }
    }
}

/// The lists of containers, and where their statuses stand.
const LISTS: [(&str, &str); 3] = [
    ("spec.initContainers", "status.initContainerStatuses"),
    ("spec.containers", "status.containerStatuses"),
    ("spec.ephemeralContainers", "status.ephemeralContainerStatuses"),
];

fn status(container: &Value, life: &Life, pod: &Value, waits: &str, is_init: bool) -> Value {
    let image = json::text(container, "image");
    let is_sidecar = json::text(container, "restartPolicy") == "Always";
    let has_run = life.starts > 0;
    let image_id = if has_run { image_id(image) } else { String::new() };
    let (state, last) = states(life, pod, waits, is_init && !is_sidecar);
    let is_done = is_init && !is_sidecar && life.ended().is_some_and(|ended| ended.exit.code == 0);
    let mut status = json::object([
        ("name", json::text(container, "name").into()),
        ("image", image.into()),
        ("imageID", image_id.into()),
        ("state", state),
        ("lastState", last),
        ("ready", (life.is_running() && life.is_ready || is_done).into()),
        ("started", (life.is_running() && life.is_started).into()),
        ("restartCount", life.attempt().into()),
    ]);
    if has_run {
        status["containerID"] = format!("containerd://{}", life.id).into();
    }
    status
}

/// What a runtime calls an image: its full name, and the digest to which its tag leads.
fn image_id(image: &str) -> String {
    let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
    let (name, tag) = match name.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, tag),
        _ => (name, "latest"),
    };
    let first = name.split('/').next().unwrap_or_default();
    let full = match name.contains('/') {
        false => format!("docker.io/library/{name}"),
        true if first.contains(['.', ':']) || first == "localhost" => name.to_string(),
        true => format!("docker.io/{name}"),
    };
    if let Some(digest) = digest {
        return format!("{full}@{digest}");
    }
    let part =
        |salt: u8| crate::chance::mix(crate::chance::fnv(&[full.as_bytes(), b":", tag.as_bytes(), &[salt]].concat()));
    format!("{full}@sha256:{:016x}{:016x}{:016x}{:016x}", part(1), part(2), part(3), part(4))
}

/// The present and the last state. A container that waits to be started again shows its end as the last state.
fn states(life: &Life, pod: &Value, waits: &str, is_init: bool) -> (Value, Value) {
    let waiting = |default: &str| match &life.note {
        Some((reason, message)) => json!({"waiting": {"reason": reason, "message": message}}),
        None => json!({"waiting": {"reason": default}}),
    };
    let before = || life.before.as_ref().map_or(json!({}), |ended| json!({"terminated": terminated(ended)}));
    match &life.phase {
        ContainerPhase::New => (waiting(waits), json!({})),
        ContainerPhase::Running { since, .. } => (json!({"running": {"startedAt": since.rfc3339()}}), before()),
        ContainerPhase::Ended(ended) => {
            let policy = json::text(pod, "spec.restartPolicy");
            let restarts = match policy {
                "Always" => !is_init || ended.exit.code != 0,
                "OnFailure" => ended.exit.code != 0,
                _ => false,
            };
            match &life.note {
                Some(_) if restarts && !meta::is_going(pod) => {
                    (waiting("CrashLoopBackOff"), json!({"terminated": terminated(ended)}))
                }
                _ => (json!({"terminated": terminated(ended)}), before()),
            }
        }
    }
}

fn terminated(ended: &Ended) -> Value {
    let mut state = json!({
        "exitCode": ended.exit.code,
        "reason": ended.reason,
        "startedAt": ended.started.rfc3339(),
        "finishedAt": ended.finished.rfc3339(),
        "containerID": format!("containerd://{}", ended.id),
    });
    if !ended.exit.message.is_empty() {
        state["message"] = ended.exit.message.clone().into();
    }
    state
}

fn conditions(new: &mut Value, pod: &Value, worker: &PodWorker, phase: &str, now: Stamp) {
    let others: Vec<Value> = json::list(pod, "status.conditions")
        .iter()
        .filter(|c| !KINDS.contains(&json::text(c, "type")))
        .cloned()
        .collect();
    let unready: Vec<_> = names(pod, "spec.containers")
        .iter()
        .filter(|(name, _)| !life(worker, name).is_some_and(|life| life.is_running() && life.is_ready))
        .map(|(name, _)| *name)
        .collect();
    let undone: Vec<_> = names(pod, "spec.initContainers")
        .iter()
        .filter(|(name, is_sidecar)| {
            let life = life(worker, name);
            match is_sidecar {
                true => !life.is_some_and(|life| life.is_started && life.is_running()),
                false => life.and_then(Life::ended).is_none_or(|ended| ended.exit.code != 0),
            }
        })
        .map(|(name, _)| *name)
        .collect();
    let gates: Vec<_> =
        json::list(pod, "spec.readinessGates").iter().map(|gate| json::text(gate, "conditionType")).collect();
    let has_gates = gates.iter().all(|gate| meta::condition(pod, gate) == "True");
    let sandbox = worker.has_sandbox && !matches!(phase, "Succeeded" | "Failed");
    set(new, "PodReadyToStartContainers", sandbox, "", "", now);
    let message = format!("containers with incomplete status: [{}]", undone.join(" "));
    match phase {
        "Succeeded" => set(new, "Initialized", true, "PodCompleted", "", now),
        _ => set(new, "Initialized", undone.is_empty(), "ContainersNotInitialized", &message, now),
    }
    let message = format!("containers with unready status: [{}]", unready.join(" "));
    let (reason, message) = match phase {
        "Succeeded" => ("PodCompleted", String::new()),
        "Failed" => ("PodFailed", String::new()),
        _ => ("ContainersNotReady", message),
    };
    let is_well = unready.is_empty() && phase == "Running";
    match is_well && !has_gates {
        true => set(
            new,
            "Ready",
            false,
            "ReadinessGatesNotReady",
            "corresponding condition of pod readiness gate does not exist.",
            now,
        ),
        false => set(new, "Ready", is_well, reason, &message, now),
    }
    set(new, "ContainersReady", is_well, reason, &message, now);
    set(new, "PodScheduled", true, "", "", now);
    // The order is that of the real kubelet; what others wrote comes after.
    let mut written = std::mem::take(json::list_mut(new, "status.conditions"));
    let mut ordered = Vec::with_capacity(written.len());
    for kind in KINDS {
        if let Some(at) = written.iter().position(|c| json::text(c, "type") == kind) {
            ordered.push(written.remove(at));
        }
    }
    ordered.extend(others);
    json::set(new, "status.conditions", ordered);
}

/// Hollow kubelets add to what the scheduler wrote.
fn scheduled_first(pod: &mut Value) {
    let conditions = json::list_mut(pod, "status.conditions");
    conditions.sort_by_key(|condition| json::text(condition, "type") != "PodScheduled");
}

const KINDS: [&str; 5] = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/// A condition; reason and message are told only where it does not hold, or the pod is over.
fn set(pod: &mut Value, kind: &str, holds: bool, reason: &str, message: &str, now: Stamp) {
    let (reason, message) = if holds && reason != "PodCompleted" { ("", "") } else { (reason, message) };
    meta::set_condition(pod, kind, if holds { "True" } else { "False" }, reason, message, now);
}

#[cfg(test)]
mod tests {
    use super::image_id;

    #[test]
    fn images_have_full_names_and_digests() {
        let check = |image: &str, start: &str| {
            let id = image_id(image);
            let (name, digest) = id.split_once("@sha256:").expect("a digest");
            assert_eq!((name, digest.len()), (start, 64), "{image}");
        };
        check("busybox", "docker.io/library/busybox");
        check("grafana/loki:3.1.0", "docker.io/grafana/loki");
        check("localhost:5000/shop/cart", "localhost:5000/shop/cart");
        check("registry.k8s.io/coredns/coredns:v1.11.3", "registry.k8s.io/coredns/coredns");
        assert_eq!(image_id("busybox"), image_id("docker.io/library/busybox:latest"));
        assert_ne!(image_id("busybox"), image_id("busybox:1.36"));
        assert_eq!(image_id("nginx@sha256:ab"), "docker.io/library/nginx@sha256:ab");
    }
}
