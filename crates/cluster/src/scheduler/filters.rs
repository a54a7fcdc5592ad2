//! The filters, in their order: the first that objects speaks for the node.

use serde_json::Value;

use super::load::host_ports;
use super::{NodeLoad, NodeRoom, Obstacle, Requests};
use crate::api::LabelSelector;
use crate::store::Stored;
use crate::{Cluster, json};

/// What a pod wants of nodes, read once and asked of each of them.
pub(super) struct PodWish<'a> {
    pub(super) pod: &'a Value,
    pub(super) requests: Requests,
    pub(super) tolerations: &'a [Value],
    place: NodePlace<'a>,
    ports: Vec<(String, i64, String)>,
    has_claims: bool,
    has_spread: bool,
}

impl<'a> PodWish<'a> {
    pub(super) fn of(pod: &'a Value) -> Self {
        Self {
            pod,
            requests: Requests::of(pod),
            tolerations: json::list(pod, "spec.tolerations"),
            place: NodePlace::of(json::at(pod, "spec")),
            ports: host_ports(pod),
            has_claims: json::list(pod, "spec.volumes").iter().any(|v| v.get("persistentVolumeClaim").is_some()),
            has_spread: !json::list(pod, "spec.topologySpreadConstraints").is_empty(),
        }
    }
}

impl Cluster {
    /// What keeps a node from taking a pod, if the `without` pods were not there.
    pub(super) fn obstacle(&self, wish: &PodWish<'_>, node: &Stored, without: &[Stored]) -> Option<Obstacle> {
        let name = json::text(node, "metadata.name");
        if let Some(obstacle) = plain_obstacle(wish, node) {
            return Some(obstacle);
        }
        let mut load = self.loads.of(name);
        for gone in without {
            let load = load.to_mut();
            load.pods -= 1;
            load.requests.add(&Requests::of(gone), -1);
            for port in host_ports(gone) {
                if let Some(at) = load.ports.iter().position(|own| *own == port) {
                    load.ports.remove(at);
                }
            }
        }
        ports_obstacle(&wish.ports, &load)
            .or_else(|| room_obstacle(&wish.requests, &self.loads.room(name), &load))
            .or_else(|| wish.has_claims.then(|| self.volume_obstacle(wish.pod, node)).flatten())
            .or_else(|| wish.has_spread.then(|| self.spread_obstacle(wish.pod, node, without)).flatten())
            .or_else(|| self.affinity_obstacle(wish.pod, node, without))
    }
}

/// What follows from the pod and the node alone.
fn plain_obstacle(wish: &PodWish<'_>, node: &Value) -> Option<Obstacle> {
    if json::flag(node, "spec.unschedulable") {
        let taint = serde_json::json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
        if !wish.tolerations.iter().any(|toleration| tolerates(toleration, &taint)) {
            return Some(Obstacle::fixed("node(s) were unschedulable"));
        }
    }
    if let Some(taint) = untolerated(wish.tolerations, node) {
        let (key, value) = (json::text(taint, "key"), json::text(taint, "value"));
        return Some(Obstacle::fixed(format!("node(s) had untolerated taint {{{key}: {value}}}")));
    }
    (!wish.place.matches(node)).then(|| Obstacle::fixed("node(s) didn't match Pod's node affinity/selector"))
}

fn untolerated<'a>(tolerations: &[Value], node: &'a Value) -> Option<&'a Value> {
    let taints = json::list(node, "spec.taints").iter();
    let mut hard = taints.filter(|taint| matches!(json::text(taint, "effect"), "NoSchedule" | "NoExecute"));
    hard.find(|taint| !tolerations.iter().any(|toleration| tolerates(toleration, taint)))
}

/// Whether a toleration covers a taint.
pub(crate) fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let effect = json::text(toleration, "effect");
    let key = json::text(toleration, "key");
    if !effect.is_empty() && effect != json::text(taint, "effect") {
        return false;
    }
    if !key.is_empty() && key != json::text(taint, "key") {
        return false;
    }
    match json::text(toleration, "operator") {
        "Exists" => true,
        _ => !key.is_empty() && json::text(toleration, "value") == json::text(taint, "value"),
    }
}

/// Node selector and required node affinity of a pod's specification.
struct NodePlace<'a> {
    selector: &'a Value,
    required: &'a Value,
}

impl<'a> NodePlace<'a> {
    fn of(spec: &'a Value) -> Self {
        let required = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
        Self { selector: json::at(spec, "nodeSelector"), required: json::at(spec, required) }
    }

    fn matches(&self, node: &Value) -> bool {
        let is_selected = self.selector.as_object().is_none_or(|wanted| {
            let labels = json::at(node, "metadata.labels");
            wanted.iter().all(|(key, value)| labels.get(key) == Some(value))
        });
        let terms = || json::list(self.required, "nodeSelectorTerms");
        is_selected && (self.required.is_null() || matches_terms(terms(), node))
    }
}

/// Whether node selector and required node affinity of a pod's specification match.
pub(super) fn matches_node(spec: &Value, node: &Value) -> bool {
    NodePlace::of(spec).matches(node)
}

/// Whether one of the terms matches.
pub(super) fn matches_terms(terms: &[Value], node: &Value) -> bool {
    terms.iter().any(|term| {
        let (labels, fields) = (json::list(term, "matchExpressions"), json::list(term, "matchFields"));
        if labels.is_empty() && fields.is_empty() {
            return false;
        }
        let selector = LabelSelector::of(term);
        let by_name = serde_json::json!({"matchExpressions": fields});
        let name = serde_json::json!({"metadata.name": json::text(node, "metadata.name")});
        selector.matches(json::at(node, "metadata.labels")) && LabelSelector::of(&by_name).matches(&name)
    })
}

/// Whether a daemon belongs on a node: only taints and affinity count, not room.
pub(crate) fn fits_daemon(spec: &Value, node: &Value) -> bool {
    keeps_daemon(spec, node) && untolerated(json::list(spec, "tolerations"), node).is_none()
}

/// Whether a daemon that is on a node stays there: a taint that only keeps pods from coming does not drive it away.
pub(crate) fn keeps_daemon(spec: &Value, node: &Value) -> bool {
    let wanted = json::text(spec, "nodeName");
    let is_named = wanted.is_empty() || wanted == json::text(node, "metadata.name");
    let tolerations = json::list(spec, "tolerations");
    let mut taints = json::list(node, "spec.taints").iter().filter(|taint| json::text(taint, "effect") == "NoExecute");
    let is_driven = taints.any(|taint| !tolerations.iter().any(|toleration| tolerates(toleration, taint)));
    is_named && !is_driven && matches_node(spec, node)
}

fn ports_obstacle(ports: &[(String, i64, String)], load: &NodeLoad) -> Option<Obstacle> {
    let clash = |wanted: &(String, i64, String)| {
        load.ports.iter().any(|own| {
            let is_any = |address: &str| address.is_empty() || address == "0.0.0.0";
            own.1 == wanted.1 && own.2 == wanted.2 && (own.0 == wanted.0 || is_any(&own.0) || is_any(&wanted.0))
        })
    };
    let taken = ports.iter().any(clash);
    taken.then(|| Obstacle::clearable("node(s) didn't have free ports for the requested pod ports"))
}

fn room_obstacle(wanted: &Requests, room: &NodeRoom, load: &NodeLoad) -> Option<Obstacle> {
    let mut reasons = Vec::new();
    if load.pods + 1 > room.pods {
        reasons.push("Too many pods".to_string());
    }
    let parts = [
        ("cpu", wanted.cpu, load.requests.cpu, room.cpu),
        ("memory", wanted.memory, load.requests.memory, room.memory),
        ("ephemeral-storage", wanted.storage, load.requests.storage, room.storage),
    ];
    for (name, wanted, used, all) in parts {
        if wanted > 0 && wanted > all - used {
            reasons.push(format!("Insufficient {name}"));
        }
    }
    for (name, wanted) in &wanted.others {
        let used = load.requests.others.get(name).copied().unwrap_or(0);
        if *wanted > room.other(name) - used {
            reasons.push(format!("Insufficient {name}"));
        }
    }
    (!reasons.is_empty()).then_some(Obstacle { reasons, may_be_cleared: true })
}
