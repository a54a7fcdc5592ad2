//! Series of the containers of a pod.

use cluster::Quantity;
use serde_json::Value;

use crate::samples::Samples;
use crate::usage::{list, number, seconds, text};

type Own<'o> = [(&'static str, &'o str); 3];

pub(super) fn containers(out: &mut Samples, pod: &Value, own: &Own<'_>) {
    for (prefix, statuses, specs) in [
        ("kube_pod_container", "/status/containerStatuses", "/spec/containers"),
        ("kube_pod_init_container", "/status/initContainerStatuses", "/spec/initContainers"),
    ] {
        for status in list(pod, statuses) {
            container_status(out, prefix, status, own);
        }
        for spec in list(pod, specs) {
            resources(out, prefix, pod, spec, own);
        }
    }
}

fn container_status(out: &mut Samples, prefix: &str, status: &Value, own: &Own<'_>) {
    let name = text(status, "/name");
    let mut add = |suffix: &str, more: &[(&str, &str)], value: f64| {
        let mut labels: Vec<(&str, &str)> = own.to_vec();
        labels.push(("container", name));
        labels.extend_from_slice(more);
        out.add(&format!("{prefix}_{suffix}"), &labels, value);
    };
    add(
        "info",
        &[
            ("image", text(status, "/image")),
            ("image_spec", text(status, "/image")),
            ("image_id", text(status, "/imageID")),
            ("container_id", text(status, "/containerID")),
        ],
        1.0,
    );
    let flag = |holds: bool| f64::from(u8::from(holds));
    for state in ["waiting", "running", "terminated"] {
        add(&format!("status_{state}"), &[], flag(status["state"][state].is_object()));
    }
    add("status_ready", &[], flag(status["ready"] == true));
    add("status_restarts_total", &[], number(status, "/restartCount"));
    for (suffix, pointer) in [
        ("status_waiting_reason", "/state/waiting/reason"),
        ("status_terminated_reason", "/state/terminated/reason"),
        ("status_last_terminated_reason", "/lastState/terminated/reason"),
    ] {
        let reason = text(status, pointer);
        if !reason.is_empty() {
            add(suffix, &[("reason", reason)], 1.0);
        }
    }
    if status["lastState"]["terminated"].is_object() {
        add("status_last_terminated_exitcode", &[], number(status, "/lastState/terminated/exitCode"));
        if let Some(time) = seconds(status, "/lastState/terminated/finishedAt") {
            add("status_last_terminated_timestamp", &[], time);
        }
    }
    if let Some(time) = seconds(status, "/state/running/startedAt") {
        add("state_started", &[], time);
    }
}

fn resources(out: &mut Samples, prefix: &str, pod: &Value, spec: &Value, own: &Own<'_>) {
    for (suffix, key) in [("resource_requests", "requests"), ("resource_limits", "limits")] {
        let Some(amounts) = spec["resources"][key].as_object() else { continue };
        for (resource, amount) in amounts {
            let Some(quantity) = amount.as_str().and_then(Quantity::parse) else { continue };
            let (unit, value) = measured(resource, quantity);
            let named = resource.replace(['-', '.', '/'], "_");
            let mut labels: Vec<(&str, &str)> = own.to_vec();
            labels.extend([
                ("container", text(spec, "/name")),
                ("node", text(pod, "/spec/nodeName")),
                ("resource", named.as_str()),
                ("unit", unit),
            ]);
            out.add(&format!("{prefix}_{suffix}"), &labels, value);
        }
    }
}

/// The unit and the value of an amount: cores, bytes or a plain number.
pub(super) fn measured(resource: &str, quantity: Quantity) -> (&'static str, f64) {
    match resource {
        "cpu" => ("core", quantity.milli() as f64 / 1000.0),
        "memory" | "ephemeral-storage" | "storage" => ("byte", quantity.whole() as f64),
        _ => ("integer", quantity.whole() as f64),
    }
}
