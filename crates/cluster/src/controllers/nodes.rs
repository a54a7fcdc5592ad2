//! Nodes: leases that tell they are alive, and what happens to those that fall silent.

use std::time::Duration;

use serde_json::{Value, json};

use super::key_of;
use crate::agenda::Actor;
use crate::api::DeleteOptions;
use crate::events::Told;
use crate::resource::built_in;
use crate::store::ObjectKey;
use crate::{Cluster, json, meta};

const LEASES: &str = "leases.coordination.k8s.io";
const RENEW_SECONDS: u64 = 10;
const GRACE_SECONDS: i64 = 50;
/// A kubelet writes the status of its node when something in it changes, and otherwise this often.
const REPORT_SECONDS: i64 = 300;
const MONITOR_SECONDS: u64 = 5;
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

impl Cluster {
    /// Stops or starts the kubelet of a node. What runs there goes on running without being looked after.
    pub fn set_kubelet(&mut self, node: &str, is_running: bool) {
        let key = ObjectKey::new("nodes", "", node);
        if is_running {
            self.dead_kubelets.remove(node);
            self.plan(Actor::Lease, key, Duration::ZERO);
            for pod in self.pods_on(node) {
                self.wake(Actor::Kubelet, pod.clone());
                self.plan(Actor::Probe, pod, Duration::from_secs(1));
            }
        } else {
            self.dead_kubelets.insert(node.into());
        }
    }

    /// A kubelet says that it is alive, and that its node is ready.
    pub(crate) fn renew_lease(&mut self, key: &ObjectKey) {
        if self.store.at(key).is_none() || self.is_kubelet_down(&key.name) {
            return;
        }
        let lease = ObjectKey::new(LEASES, "kube-node-lease", &key.name);
        let now = self.now;
        if self.store.at(&lease).is_none() {
            let lease = json!({"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata": {"name": &*key.name},
                "spec": {"holderIdentity": &*key.name, "leaseDurationSeconds": 40}});
            // Without its namespace there is no lease; the node falls silent.
            let _ = self.make_own(LEASES, "kube-node-lease", lease);
        }
        self.change(&lease, |lease| json::set(lease, "spec.renewTime", now.rfc3339_micro()));
        self.plan(Actor::Lease, key.clone(), Duration::from_secs(RENEW_SECONDS));
        self.plan(Actor::NodeMonitor, key.clone(), Duration::from_secs(GRACE_SECONDS as u64));
        let is_back = self.store.at(key).is_some_and(|node| meta::condition(node, "Ready") != "True");
        match is_back {
            true => self.welcome(key),
            false => self.report_status(key),
        }
    }

    /// A kubelet tells from time to time that what its node's status says still holds.
    fn report_status(&mut self, key: &ObjectKey) {
        let now = self.now;
        let heard = |node: &Value| {
            let conditions = json::list(node, "status.conditions").iter();
            conditions.filter_map(|own| meta::stamp(own, "lastHeartbeatTime")).max()
        };
        let is_due = |heard: crate::time::Stamp| heard.after_secs(REPORT_SECONDS) <= now;
        if self.store.at(key).and_then(|node| heard(node)).is_some_and(is_due) {
            self.change(key, |node| {
                for own in json::list_mut(node, "status.conditions") {
                    json::set(own, "lastHeartbeatTime", now.rfc3339());
                }
            });
        }
    }

    fn welcome(&mut self, key: &ObjectKey) {
        let now = self.now;
        let Some(node) = self.store.at(key).cloned() else { return };
        for (reason, message) in [
            ("Starting", "Starting kubelet.".to_string()),
            ("NodeHasSufficientMemory", format!("Node {} status is now: NodeHasSufficientMemory", key.name)),
            ("NodeHasNoDiskPressure", format!("Node {} status is now: NodeHasNoDiskPressure", key.name)),
            ("NodeHasSufficientPID", format!("Node {} status is now: NodeHasSufficientPID", key.name)),
            ("NodeAllocatableEnforced", "Updated Node Allocatable limit across pods".into()),
            ("NodeReady", format!("Node {} status is now: NodeReady", key.name)),
        ] {
            let told = Told { host: &key.name, ..Told::normal("kubelet", reason, &message) };
            self.tell(&node, built_in("nodes"), &told);
        }
        self.change(key, |node| {
            for (kind, status, reason, message) in [
                ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ] {
                note(node, kind, status, reason, message, now);
            }
            json::list_mut(node, "spec.taints")
                .retain(|taint| !json::text(taint, "key").starts_with("node.kubernetes.io/un"));
            if json::list(node, "spec.taints").is_empty() {
                json::remove(node, "spec.taints");
            }
        });
    }

    /// Looks at the lease of a node; one that is too old makes the node unknown.
    pub(crate) fn monitor_node(&mut self, key: &ObjectKey) {
        let Some(node) = self.store.at(key).cloned() else { return };
        let lease = self.store.get(LEASES, "kube-node-lease", &key.name);
        let renewed = lease.and_then(|lease| meta::stamp(lease, "spec.renewTime"));
        let silent = renewed.map_or(i64::MAX, |at| (self.now.0 - at.0) / 1_000_000);
        if silent < GRACE_SECONDS {
            let due = Duration::from_secs((GRACE_SECONDS - silent).max(1) as u64);
            return self.plan(Actor::NodeMonitor, key.clone(), due);
        }
        if meta::condition(&node, "Ready") != "Unknown" {
            self.lose_node(key);
        }
        self.taint_silent(key);
    }

    fn lose_node(&mut self, key: &ObjectKey) {
        let now = self.now;
        self.change(key, |node| {
            for kind in ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] {
                note(node, kind, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", now);
            }
            taint(node, UNREACHABLE, "NoSchedule", now);
        });
        let Some(node) = self.store.at(key).cloned() else { return };
        let message = format!("Node {} status is now: NodeNotReady", key.name);
        self.tell(&node, built_in("nodes"), &Told::normal("node-controller", "NodeNotReady", &message));
        for pod_key in self.pods_on(&key.name) {
            let Some(pod) = self.store.at(&pod_key).cloned() else { continue };
            if meta::condition(&pod, "Ready") == "True" {
                self.change(&pod_key, |pod| {
                    meta::set_condition(pod, "Ready", "False", "", "", now);
                });
            }
            let told = Told::warning("node-controller", "NodeNotReady", "Node is not ready");
            self.tell(&pod, built_in("pods"), &told);
        }
    }

    /// Drives pods from a silent node, unless so many are silent that the fault is likely elsewhere.
    fn taint_silent(&mut self, key: &ObjectKey) {
        let nodes: Vec<_> = self.store.list("nodes", None).cloned().collect();
        let silent = nodes.iter().filter(|node| meta::condition(node, "Ready") != "True").count();
        let (total, now) = (nodes.len(), self.now);
        if silent == total {
            for node in &nodes {
                self.change(&key_of("nodes", node), |node| {
                    json::list_mut(node, "spec.taints").retain(|taint| {
                        json::text(taint, "effect") != "NoExecute" || json::text(taint, "key") != UNREACHABLE
                    });
                });
            }
            return self.plan(Actor::NodeMonitor, key.clone(), Duration::from_secs(MONITOR_SECONDS));
        }
        if silent > 2 && silent * 100 >= total * 55 && total <= 50 {
            return self.plan(Actor::NodeMonitor, key.clone(), Duration::from_secs(MONITOR_SECONDS));
        }
        self.change(key, |node| taint(node, UNREACHABLE, "NoExecute", now));
    }

    /// Deletes a pod that does not tolerate its node any longer, when its patience is over.
    pub(crate) fn evict_tainted(&mut self, key: &ObjectKey) {
        let Some(pod) = self.store.at(key).cloned() else { return };
        let Some(node) = self.store.get("nodes", "", json::text(&pod, "spec.nodeName")).cloned() else { return };
        if meta::is_going(&pod) {
            return;
        }
        let mut due = None;
        for taint in json::list(&node, "spec.taints").iter().filter(|taint| json::text(taint, "effect") == "NoExecute")
        {
            let tolerations =
                json::list(&pod, "spec.tolerations").iter().filter(|t| crate::scheduler::tolerates(t, taint));
            let patience: Vec<_> = tolerations.map(|toleration| json::int(toleration, "tolerationSeconds")).collect();
            let added = meta::stamp(taint, "timeAdded").unwrap_or(self.now);
            let own = match patience.iter().flatten().min() {
                _ if patience.is_empty() => added,
                Some(seconds) => added.after_secs((*seconds).max(0)),
                None => continue,
            };
            due = Some(due.map_or(own, |due: crate::time::Stamp| due.min(own)));
        }
        let Some(due) = due else { return };
        if due > self.now {
            return self.plan(Actor::Eviction, key.clone(), due.since(self.now));
        }
        let now = self.now;
        let message = format!("Marking for deletion Pod {}/{}", key.namespace, key.name);
        self.tell(&pod, built_in("pods"), &Told::normal("taint-eviction-controller", "TaintManagerEviction", &message));
        self.change(key, |pod| {
            let message = "Taint manager: deleting due to NoExecute taint";
            meta::set_condition(pod, "DisruptionTarget", "True", "DeletionByTaintManager", message, now);
        });
        self.unmake(key, &DeleteOptions::default());
    }
}

fn note(node: &mut Value, kind: &str, status: &str, reason: &str, message: &str, now: crate::time::Stamp) {
    let list = json::list_mut(node, "status.conditions");
    let old = list.iter().find(|c| json::text(c, "type") == kind).cloned().unwrap_or_default();
    let since = if json::text(&old, "status") == status {
        json::text(&old, "lastTransitionTime").to_string()
    } else {
        now.rfc3339()
    };
    let beat = if status == "Unknown" { json::text(&old, "lastHeartbeatTime").to_string() } else { now.rfc3339() };
    let new = json!({"type": kind, "status": status, "reason": reason, "message": message,
        "lastHeartbeatTime": beat, "lastTransitionTime": since});
    match list.iter_mut().find(|c| json::text(c, "type") == kind) {
        Some(own) => *own = new,
        None => list.push(new),
    }
}

fn taint(node: &mut Value, key: &str, effect: &str, now: crate::time::Stamp) {
    let taints = json::list_mut(node, "spec.taints");
    if !taints.iter().any(|taint| json::text(taint, "key") == key && json::text(taint, "effect") == effect) {
        taints.push(json!({"key": key, "effect": effect, "timeAdded": now.rfc3339()}));
    }
}
