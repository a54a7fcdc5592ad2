//! The row of a pod: how far it is, in one word.

use serde_json::Value;

use super::{created, or_none};
use crate::json;
use crate::time::{Stamp, age};

/// Ready, status, restarts, age, and what `-o wide` adds.
pub(super) fn cells(now: Stamp, pod: &Value) -> Vec<Value> {
    let sidecars = json::list(pod, "spec.initContainers").iter().filter(|container| is_sidecar(container)).count();
    let total = json::list(pod, "spec.containers").len() + sidecars;
    let gates: Vec<_> =
        json::list(pod, "spec.readinessGates").iter().map(|gate| json::text(gate, "conditionType")).collect();
    let gates_met = gates.iter().filter(|gate| crate::meta::condition(pod, gate) == "True").count();
    let gates = if gates.is_empty() { String::new() } else { format!("{gates_met}/{}", gates.len()) };
    vec![
        format!("{}/{total}", ready(pod)).into(),
        pod_status(pod).into(),
        restarts(now, pod).into(),
        created(now, pod),
        or_none(json::text(pod, "status.podIP")),
        or_none(json::text(pod, "spec.nodeName")),
        or_none(json::text(pod, "status.nominatedNodeName")),
        or_none(&gates),
    ]
}

fn is_sidecar(container: &Value) -> bool {
    json::text(container, "restartPolicy") == "Always"
}

fn sidecar_names(pod: &Value) -> Vec<&str> {
    let containers = json::list(pod, "spec.initContainers").iter().filter(|container| is_sidecar(container));
    containers.map(|container| json::text(container, "name")).collect()
}

fn ready(pod: &Value) -> usize {
    let sidecars = sidecar_names(pod);
    let init = json::list(pod, "status.initContainerStatuses").iter();
    let init = init.filter(|status| sidecars.contains(&json::text(status, "name")) && json::flag(status, "ready"));
    let runs = |status: &&Value| json::flag(status, "ready") && !json::at(status, "state.running").is_null();
    json::list(pod, "status.containerStatuses").iter().filter(runs).count() + init.count()
}

/// Restarts, with the time of the last one. While it initializes, those of the init containers count.
fn restarts(now: Stamp, pod: &Value) -> String {
    let sidecars = sidecar_names(pod);
    let init = json::list(pod, "status.initContainerStatuses");
    let all = json::list(pod, "status.containerStatuses");
    let counted: Vec<&Value> = match unfinished_init(pod) {
        Some(_) => init.iter().collect(),
        None => init.iter().filter(|status| sidecars.contains(&json::text(status, "name"))).chain(all).collect(),
    };
    let total: i64 = counted.iter().filter_map(|status| json::int(status, "restartCount")).sum();
    let last =
        counted.iter().map(|status| json::text(status, "lastState.terminated.finishedAt")).max().unwrap_or_default();
    if total == 0 || last.is_empty() { total.to_string() } else { format!("{total} ({} ago)", age(now, last)) }
}

/// The first init container that has not done its work, with its number.
fn unfinished_init(pod: &Value) -> Option<(usize, &Value)> {
    let sidecars = sidecar_names(pod);
    json::list(pod, "status.initContainerStatuses").iter().enumerate().find(|(_, status)| {
        let is_done = json::int(status, "state.terminated.exitCode") == Some(0);
        let is_started = sidecars.contains(&json::text(status, "name")) && json::flag(status, "started");
        !is_done && !is_started
    })
}

/// The status of a pod as `kubectl get` prints it: `Running`, `CrashLoopBackOff`, `Init:0/1`, ...
pub fn pod_status(pod: &Value) -> String {
    let mut reason = json::text(pod, "status.phase").to_string();
    let own = json::text(pod, "status.reason");
    if !own.is_empty() {
        reason = own.into();
    }
    let scheduled = json::list(pod, "status.conditions").iter().find(|c| json::text(c, "type") == "PodScheduled");
    if scheduled.is_some_and(|condition| json::text(condition, "reason") == "SchedulingGated") {
        reason = "SchedulingGated".into();
    }
    match unfinished_init(pod) {
        Some((at, status)) => reason = init_status(pod, at, status),
        None => reason = main_status(pod, reason),
    }
    if json::at(pod, "metadata.deletionTimestamp").is_null() {
        return reason;
    }
    match json::text(pod, "status.reason") {
        "NodeLost" => "Unknown".into(),
        _ if matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed") => reason,
        _ => "Terminating".into(),
    }
}

fn init_status(pod: &Value, at: usize, status: &Value) -> String {
    let ended = json::at(status, "state.terminated");
    let waits = json::text(status, "state.waiting.reason");
    if !ended.is_null() {
        return match ended_word(ended) {
            (reason, true) => format!("Init:{reason}"),
            (code, false) => format!("Init:{code}"),
        };
    }
    if !waits.is_empty() && waits != "PodInitializing" {
        return format!("Init:{waits}");
    }
    format!("Init:{at}/{}", json::list(pod, "spec.initContainers").len())
}

fn main_status(pod: &Value, mut reason: String) -> String {
    let mut has_running = false;
    for status in json::list(pod, "status.containerStatuses").iter().rev() {
        let waits = json::text(status, "state.waiting.reason");
        let ended = json::at(status, "state.terminated");
        if !waits.is_empty() {
            reason = waits.into();
        } else if !ended.is_null() {
            reason = ended_word(ended).0;
        } else if json::flag(status, "ready") && !json::at(status, "state.running").is_null() {
            has_running = true;
        }
    }
    if reason == "Completed" && has_running {
        let is_ready = crate::meta::condition(pod, "Ready") == "True";
        return if is_ready { "Running".into() } else { "NotReady".into() };
    }
    reason
}

/// The reason of an end, or its signal or code; and whether it is a reason.
fn ended_word(ended: &Value) -> (String, bool) {
    let number = |field: &str| json::int(ended, field).unwrap_or(0);
    match (json::text(ended, "reason"), number("signal")) {
        ("", 0) => (format!("ExitCode:{}", number("exitCode")), false),
        ("", signal) => (format!("Signal:{signal}"), false),
        (reason, _) => (reason.into(), true),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_is_told_in_one_word() {
        let check = |pod: Value, expect: &str| assert_eq!(pod_status(&pod), expect, "{pod}");
        let main = |state: Value| json!({"status": {"phase": "Running", "containerStatuses": [{"name": "a", "state": state}]}});
        check(json!({"status": {"phase": "Pending"}}), "Pending");
        check(main(json!({"waiting": {"reason": "CrashLoopBackOff"}})), "CrashLoopBackOff");
        check(main(json!({"terminated": {"exitCode": 3}})), "ExitCode:3");
        check(main(json!({"terminated": {"reason": "OOMKilled", "exitCode": 137}})), "OOMKilled");
        check(json!({"status": {"phase": "Failed", "reason": "Evicted"}}), "Evicted");
        check(json!({"metadata": {"deletionTimestamp": "x"}, "status": {"phase": "Running"}}), "Terminating");
        let init = |state: Value| {
            json!({
                "spec": {"initContainers": [{"name": "i"}, {"name": "j"}]},
                "status": {"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": state}]},
            })
        };
        check(init(json!({"running": {}})), "Init:0/2");
        check(init(json!({"waiting": {"reason": "CrashLoopBackOff"}})), "Init:CrashLoopBackOff");
        check(init(json!({"terminated": {"reason": "Error", "exitCode": 1}})), "Init:Error");
    }
}
