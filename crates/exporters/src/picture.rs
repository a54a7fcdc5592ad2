//! A cluster as a person looks at it: nodes with their pods, and who calls whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{CallFigures, Cluster, Stored, json};
use serde::Serialize;

/// The cluster at a moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClusterPicture {
    /// Its nodes, by name.
    pub nodes: Arc<Vec<NodePicture>>,
    /// Its pods, by namespace and name.
    pub pods: Vec<Arc<PodPicture>>,
    /// Who calls whom.
    pub calls: Vec<CallPicture>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodePicture {
    /// Its name.
    pub name: String,
    /// Whether its kubelet says that it is ready.
    pub ready: bool,
    /// What else is to be known: cordoned, pressures, taints that keep pods off.
    pub notes: Vec<String>,
}

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PodPicture {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Where it runs; empty while it is not scheduled.
    pub node: String,
    /// As `kubectl get pods` prints it.
    pub status: String,
    /// How many of its containers are ready.
    pub ready: usize,
    /// How many containers it has.
    pub containers: usize,
    /// How often these were started again.
    pub restarts: i64,
    /// Whether all is well with it.
    pub ok: bool,
}

/// Calls from one service to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallPicture {
    /// Who calls.
    pub from: String,
    /// Who is called.
    pub to: String,
    /// Calls per second.
    pub rate: f64,
    /// The share of them that fail.
    pub failing: f64,
    /// Why most of those fail; empty if none does.
    pub reason: String,
    /// Milliseconds that 95 of 100 calls take at most.
    pub p95: f64,
}

impl ClusterPicture {
    /// The cluster as it is, with the calls between its programs. What is as it was in the picture before is shared with it.
    pub fn of(cluster: &Cluster, calls: &[CallFigures], before: Option<&ClusterPicture>) -> ClusterPicture {
        let nodes: Vec<NodePicture> = cluster.objects("nodes", None).map(node_of).collect();
        let nodes = match before.filter(|before| *before.nodes == nodes) {
            Some(before) => before.nodes.clone(),
            None => Arc::new(nodes),
        };
        let old = before.map(|before| before.pods.as_slice()).unwrap_or_default();
        let pods = cluster.objects("pods", None).map(|pod| {
            let pod = pod_of(pod);
            let place = |old: &Arc<PodPicture>| (&old.namespace, &old.name).cmp(&(&pod.namespace, &pod.name));
            match old.binary_search_by(place) {
                Ok(at) if *old[at] == pod => old[at].clone(),
                _ => Arc::new(pod),
            }
        });
        let mut pods: Vec<Arc<PodPicture>> = pods.collect();
        pods.sort_by(|one, other| (&one.namespace, &one.name).cmp(&(&other.namespace, &other.name)));
        ClusterPicture { nodes, pods, calls: calls_of(calls) }
    }

    /// How many pods are not well.
    pub fn troubled(&self) -> usize {
        self.pods.iter().filter(|pod| !pod.ok).count()
    }

    /// The share of all calls that fail.
    pub fn failing(&self) -> f64 {
        let all: f64 = self.calls.iter().map(|call| call.rate).sum();
        let failed: f64 = self.calls.iter().map(|call| call.rate * call.failing).sum();
        if all > 0.0 { failed / all } else { 0.0 }
    }
}

fn node_of(node: &Stored) -> NodePicture {
    let conditions = json::list(node, "status.conditions");
    let is_true = |kind: &str| {
        let own = conditions.iter().find(|condition| json::text(condition, "type") == kind);
        own.is_some_and(|condition| json::text(condition, "status") == "True")
    };
    let mut notes: Vec<String> = Vec::new();
    if json::flag(node, "spec.unschedulable") {
        notes.push("cordoned".into());
    }
    let pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"];
    notes.extend(pressures.iter().filter(|kind| is_true(kind)).map(|kind| (*kind).to_string()));
    let is_own_taint = |taint: &&serde_json::Value| !json::text(taint, "key").starts_with("node.kubernetes.io/");
    let taints = json::list(node, "spec.taints").iter().filter(is_own_taint);
    notes.extend(taints.map(|taint| format!("{}:{}", json::text(taint, "key"), json::text(taint, "effect"))));
    NodePicture { name: json::text(node, "metadata.name").into(), ready: is_true("Ready"), notes }
}

fn pod_of(pod: &Stored) -> PodPicture {
    let status = cluster::api::pod_status(pod);
    let containers = json::list(pod, "status.containerStatuses");
    let ready = containers.iter().filter(|container| json::flag(container, "ready")).count();
    let wanted = json::list(pod, "spec.containers").len();
    PodPicture {
        namespace: json::text(pod, "metadata.namespace").into(),
        name: json::text(pod, "metadata.name").into(),
        node: json::text(pod, "spec.nodeName").into(),
        ok: (status == "Running" && ready == wanted) || matches!(status.as_str(), "Completed" | "Succeeded"),
        status,
        ready,
        containers: wanted,
        restarts: containers.iter().filter_map(|container| json::int(container, "restartCount")).sum(),
    }
}

/// Calls of all operations together, by caller and target.
fn calls_of(calls: &[CallFigures]) -> Vec<CallPicture> {
    let mut edges: BTreeMap<(&str, &str), (CallPicture, f64)> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.rate > 0.0) {
        let none = || CallPicture {
            from: call.caller.clone(),
            to: call.target.clone(),
            rate: 0.0,
            failing: 0.0,
            reason: String::new(),
            p95: 0.0,
        };
        let (edge, worst) = edges.entry((&call.caller, &call.target)).or_insert_with(|| (none(), 0.0));
        let failed = call.rate * call.failing;
        if failed > *worst {
            *worst = failed;
            edge.reason = call.reason.clone();
        }
        edge.failing = (edge.rate * edge.failing + failed) / (edge.rate + call.rate);
        edge.rate += call.rate;
        edge.p95 = edge.p95.max(call.latency_ms.1);
    }
    edges.into_values().map(|(edge, _)| edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_between_the_same_two_are_one_edge() {
        let call = |target: &str, rate: f64, failing: f64, reason: &str| CallFigures {
            caller: "frontend".into(),
            within: "GET /".into(),
            target: target.into(),
            operation: "Get".into(),
            rate,
            failing,
            reason: reason.into(),
            latency_ms: (1.0, rate, 3.0),
        };
        let calls = [call("cart", 3.0, 0.0, ""), call("cart", 1.0, 1.0, "refused"), call("geo", 0.0, 1.0, "idle")];
        let edges = calls_of(&calls);
        assert_eq!(edges.len(), 1, "what is not called has no edge: {edges:?}");
        let edge = &edges[0];
        assert_eq!((edge.rate, edge.failing, edge.reason.as_str(), edge.p95), (4.0, 0.25, "refused", 3.0));
    }
}
