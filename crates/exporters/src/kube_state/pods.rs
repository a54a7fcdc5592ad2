//! Series of a pod.

use serde_json::Value;

use crate::samples::Samples;
use crate::usage::{list, seconds, text};

use super::containers;

const PHASES: [&str; 5] = ["Pending", "Succeeded", "Failed", "Unknown", "Running"];
const QOS: [&str; 3] = ["BestEffort", "Burstable", "Guaranteed"];

pub(super) fn pod(out: &mut Samples, pod: &Value) {
    let own = [
        ("namespace", text(pod, "/metadata/namespace")),
        ("pod", text(pod, "/metadata/name")),
        ("uid", text(pod, "/metadata/uid")),
    ];
    let with = |more: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        own.iter().chain(more).map(|(n, v)| (*n, (*v).to_owned())).collect()
    };
    let mut add = |name: &str, more: &[(&'static str, &str)], value: f64| {
        let labels = with(more);
        let borrowed: Vec<(&str, &str)> = labels.iter().map(|(n, v)| (*n, v.as_str())).collect();
        out.add(name, &borrowed, value);
    };
    let owner = list(pod, "/metadata/ownerReferences").next();
    let owner_text = |pointer: &str| owner.map_or("", |o| text(o, pointer));
    add(
        "kube_pod_info",
        &[
            ("host_ip", text(pod, "/status/hostIP")),
            ("pod_ip", text(pod, "/status/podIP")),
            ("node", text(pod, "/spec/nodeName")),
            ("created_by_kind", owner_text("/kind")),
            ("created_by_name", owner_text("/name")),
            ("priority_class", text(pod, "/spec/priorityClassName")),
            ("host_network", if pod["spec"]["hostNetwork"] == true { "true" } else { "false" }),
        ],
        1.0,
    );
    add(
        "kube_pod_owner",
        &[
            ("owner_kind", owner_text("/kind")),
            ("owner_name", owner_text("/name")),
            ("owner_is_controller", if owner.is_some_and(|o| o["controller"] == true) { "true" } else { "" }),
        ],
        1.0,
    );
    let phase = text(pod, "/status/phase");
    for known in PHASES {
        add("kube_pod_status_phase", &[("phase", known)], f64::from(u8::from(known == phase)));
    }
    for (metric, kind) in [("kube_pod_status_ready", "Ready"), ("kube_pod_status_scheduled", "PodScheduled")] {
        let found = list(pod, "/status/conditions").find(|c| c["type"] == kind);
        if let Some(condition) = found {
            let status = text(condition, "/status").to_lowercase();
            for known in ["true", "false", "unknown"] {
                add(metric, &[("condition", known)], f64::from(u8::from(known == status)));
            }
        }
    }
    let unschedulable = list(pod, "/status/conditions")
        .any(|c| c["type"] == "PodScheduled" && c["status"] == "False" && c["reason"] == "Unschedulable");
    if unschedulable {
        add("kube_pod_status_unschedulable", &[], 1.0);
    }
    let reason = text(pod, "/status/reason");
    if !reason.is_empty() {
        add("kube_pod_status_reason", &[("reason", reason)], 1.0);
    }
    let class = text(pod, "/status/qosClass");
    for known in QOS.iter().filter(|_| !class.is_empty()) {
        add("kube_pod_status_qos_class", &[("qos_class", *known)], f64::from(u8::from(*known == class)));
    }
    for (metric, pointer) in [
        ("kube_pod_created", "/metadata/creationTimestamp"),
        ("kube_pod_start_time", "/status/startTime"),
        ("kube_pod_deletion_timestamp", "/metadata/deletionTimestamp"),
    ] {
        if let Some(time) = seconds(pod, pointer) {
            add(metric, &[], time);
        }
    }
    add("kube_pod_restart_policy", &[("type", text(pod, "/spec/restartPolicy"))], 1.0);
    containers::containers(out, pod, &own);
}
