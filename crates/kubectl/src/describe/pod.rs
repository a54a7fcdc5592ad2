//! Pods.

use cluster::{Stamp, human};
use serde_json::Value;

use super::{Page, containers, events, long_time, volumes};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn pod(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let pod = &found.object;
    let text = |path: &str| json::text(pod, path);
    page.entry("Name", text("metadata.name"));
    page.entry("Namespace", text("metadata.namespace"));
    if let Some(priority) = json::int(pod, "spec.priority") {
        page.entry("Priority", priority.to_string());
    }
    for (name, path) in [
        ("Priority Class Name", "spec.priorityClassName"),
        ("Runtime Class Name", "spec.runtimeClassName"),
        ("Service Account", "spec.serviceAccountName"),
    ] {
        if !text(path).is_empty() {
            page.entry(name, text(path));
        }
    }
    match text("spec.nodeName") {
        "" => page.entry("Node", "<none>"),
        node => page.entry("Node", format!("{node}/{}", text("status.hostIP"))),
    }
    if !text("status.startTime").is_empty() {
        page.entry("Start Time", long_time(pod, "status.startTime"));
    }
    page.labels("Labels", json::at(pod, "metadata.labels"), "");
    page.annotations("Annotations", json::at(pod, "metadata.annotations"), "");
    match Stamp::parse(text("metadata.deletionTimestamp")) {
        Some(going) => {
            page.entry("Status", format!("Terminating (lasts {})", human(call.desk.cluster.now().since(going))));
            if let Some(grace) = json::int(pod, "metadata.deletionGracePeriodSeconds") {
                page.entry("Termination Grace Period", format!("{grace}s"));
            }
        }
        None => page.entry("Status", text("status.phase")),
    }
    for (name, path) in [("Reason", "status.reason"), ("Message", "status.message")] {
        if !text(path).is_empty() {
            page.entry(name, text(path));
        }
    }
    let profile = json::at(pod, "spec.securityContext.seccompProfile");
    if profile.is_object() {
        page.entry("SeccompProfile", json::text(profile, "type"));
    }
    page.entry("IP", text("status.podIP"));
    let addresses = json::list(pod, "status.podIPs");
    if addresses.is_empty() {
        page.entry("IPs", "<none>");
    } else {
        page.line(0, "IPs:");
        addresses.iter().for_each(|address| page.line(1, format!("IP:\t{}", json::text(address, "ip"))));
    }
    if let Some(owner) = controller(pod) {
        page.entry("Controlled By", owner);
    }
    if !text("status.nominatedNodeName").is_empty() {
        page.entry("Nominated Node Name", text("status.nominatedNodeName"));
    }
    let lists = [
        ("Init Containers", "spec.initContainers", "status.initContainerStatuses"),
        ("Containers", "spec.containers", "status.containerStatuses"),
        ("Ephemeral Containers", "spec.ephemeralContainers", "status.ephemeralContainerStatuses"),
    ];
    for (title, list, statuses) in lists {
        containers::containers(title, json::list(pod, list), json::list(pod, statuses), Some(pod), page);
    }
    gates(pod, page);
    let conditions = json::list(pod, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus");
        conditions
            .iter()
            .for_each(|c| page.line(1, format!("{} \t{} ", json::text(c, "type"), json::text(c, "status"))));
    }
    volumes::volumes(json::list(pod, "spec.volumes"), "", page);
    page.entry("QoS Class", text("status.qosClass"));
    page.labels("Node-Selectors", json::at(pod, "spec.nodeSelector"), "");
    tolerations(json::list(pod, "spec.tolerations"), "", page);
    spread(json::list(pod, "spec.topologySpreadConstraints"), "", page);
    events(call, found, page)
}

fn gates(pod: &Value, page: &mut Page) {
    let gates = json::list(pod, "spec.readinessGates");
    if gates.is_empty() {
        return;
    }
    page.line(0, "Readiness Gates:\n  Type\tStatus");
    for gate in gates {
        let name = json::text(gate, "conditionType");
        let status = json::list(pod, "status.conditions")
            .iter()
            .find(|c| json::text(c, "type") == name)
            .map_or("<none>", |c| json::text(c, "status"));
        page.line(1, format!("{name} \t{status} "));
    }
}

/// `ReplicaSet/web-5d8` of what made an object.
pub(super) fn controller(object: &Value) -> Option<String> {
    let owner = json::list(object, "metadata.ownerReferences").iter().find(|owner| json::flag(owner, "controller"))?;
    Some(format!("{}/{}", json::text(owner, "kind"), json::text(owner, "name")))
}

/// Tolerations, one a line.
pub(super) fn tolerations(list: &[Value], indent: &str, page: &mut Page) {
    if list.is_empty() {
        page.line(0, format!("{indent}Tolerations:\t<none>"));
    }
    let mut sorted: Vec<&Value> = list.iter().collect();
    sorted.sort_by_key(|toleration| json::text(toleration, "key"));
    for (at, toleration) in sorted.into_iter().enumerate() {
        let (key, value, effect) =
            (json::text(toleration, "key"), json::text(toleration, "value"), json::text(toleration, "effect"));
        let mut line = key.to_string();
        if !value.is_empty() {
            line.push_str(&format!("={value}"));
        }
        if !effect.is_empty() {
            line.push_str(&format!(":{effect}"));
        }
        if json::text(toleration, "operator") == "Exists" && value.is_empty() {
            line.push_str(if key.is_empty() && effect.is_empty() { "op=Exists" } else { " op=Exists" });
        }
        if let Some(seconds) = json::int(toleration, "tolerationSeconds") {
            line.push_str(&format!(" for {seconds}s"));
        }
        let head = if at == 0 { "Tolerations:" } else { "" };
        page.line(0, format!("{indent}{head}\t{line}"));
    }
}

/// How pods are to be spread.
pub(super) fn spread(list: &[Value], indent: &str, page: &mut Page) {
    let mut sorted: Vec<&Value> = list.iter().collect();
    sorted.sort_by_key(|rule| json::text(rule, "topologyKey"));
    for (at, rule) in sorted.into_iter().enumerate() {
        let head = if at == 0 { "Topology Spread Constraints:" } else { "" };
        let key = json::text(rule, "topologyKey");
        let mut line = format!(
            "{key}:{} when max skew {} is exceeded",
            json::text(rule, "whenUnsatisfiable"),
            json::int(rule, "maxSkew").unwrap_or(0)
        );
        let selector = super::selector(json::at(rule, "labelSelector"));
        if !selector.is_empty() {
            line.push_str(&format!(" for selector {selector}"));
        }
        page.line(0, format!("{indent}{head}\t{line}"));
    }
}
