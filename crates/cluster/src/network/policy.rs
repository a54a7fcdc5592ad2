//! NetworkPolicies: who may talk to whom.

use serde_json::Value;

use super::ConnectionOrigin;
use super::range::AddressRange;
use crate::select::LabelSelector;
use crate::store::Stored;
use crate::{Cluster, json};

/// The other end of a connection: a pod, or something with nothing but an address.
#[derive(Clone, Copy)]
enum Peer<'a> {
    Pod(&'a Stored),
    Host(&'a str),
}

pub(super) const POLICIES: &str = "networkpolicies.networking.k8s.io";

impl Cluster {
    /// Whether policies let a connection through: out of its pod, and into the other. What a node opens to its own pods
    /// is let in: probes go on under a policy that denies all.
    pub(super) fn is_allowed(&self, origin: ConnectionOrigin<'_>, target: &Stored, port: u16) -> bool {
        let peer = match origin {
            ConnectionOrigin::Pod(namespace, name) => match self.store.get("pods", namespace, name) {
                Some(pod) => Peer::Pod(pod),
                None => Peer::Host(""),
            },
            ConnectionOrigin::Node(node) => {
                let node = self.host(node);
                let name = node.map_or("", |node| json::text(node, "metadata.name"));
                if name == json::text(target, "spec.nodeName") {
                    return true;
                }
                Peer::Host(node.map_or("", |node| super::node_address(node)))
            }
        };
        let goes_out = match peer {
            Peer::Pod(pod) if json::text(pod, "metadata.uid") == json::text(target, "metadata.uid") => return true,
            Peer::Pod(pod) => self.passes(pod, "Egress", Peer::Pod(target), port, target),
            Peer::Host(_) => true,
        };
        goes_out && self.passes(target, "Ingress", peer, port, target)
    }

    /// A node by name; without one, the node on which the API server runs.
    fn host(&self, name: &str) -> Option<&Stored> {
        if !name.is_empty() {
            return self.store.get("nodes", "", name);
        }
        let is_control =
            |node: &&Stored| json::at(node, "metadata.labels").get("node-role.kubernetes.io/control-plane").is_some();
        self.store.list("nodes", None).find(is_control)
    }

    /// Whether the policies that select a pod let a connection with a peer pass, in one direction.
    fn passes(&self, pod: &Stored, direction: &str, peer: Peer<'_>, port: u16, listener: &Stored) -> bool {
        let namespace = json::text(pod, "metadata.namespace");
        let policies = self.store.list(POLICIES, Some(namespace)).filter(|policy| {
            let selector = LabelSelector::of(json::at(policy, "spec.podSelector"));
            let types = json::list(policy, "spec.policyTypes");
            selector.matches(json::at(pod, "metadata.labels")) && types.iter().any(|own| own == direction)
        });
        let (rules, peers) = if direction == "Ingress" { ("spec.ingress", "from") } else { ("spec.egress", "to") };
        let mut is_selected = false;
        for policy in policies {
            is_selected = true;
            let passes = json::list(policy, rules).iter().any(|rule| {
                let ports = json::list(rule, "ports");
                let has_port = ports.is_empty() || ports.iter().any(|own| is_port(own, port, listener));
                let list = json::list(rule, peers);
                has_port && (list.is_empty() || list.iter().any(|item| self.is_peer(item, peer, namespace)))
            });
            if passes {
                return true;
            }
        }
        !is_selected
    }

    fn is_peer(&self, item: &Value, peer: Peer<'_>, namespace: &str) -> bool {
        if let Some(block) = item.get("ipBlock") {
            let address = match peer {
                Peer::Pod(pod) => json::text(pod, "status.podIP"),
                Peer::Host(address) => address,
            };
            let is_in = |range: &str| AddressRange::parse(range).is_some_and(|range| range.has(address));
            let is_excepted = json::list(block, "except").iter().filter_map(Value::as_str).any(is_in);
            return is_in(json::text(block, "cidr")) && !is_excepted;
        }
        let Peer::Pod(peer) = peer else { return false };
        let own = json::text(peer, "metadata.namespace");
        let in_namespace = match item.get("namespaceSelector") {
            None => own == namespace,
            Some(selector) => {
                let space = self.store.get("namespaces", "", own);
                space.is_some_and(|space| LabelSelector::of(selector).matches(json::at(space, "metadata.labels")))
            }
        };
        let pods = item.get("podSelector").map(LabelSelector::of);
        in_namespace && pods.is_none_or(|selector| selector.matches(json::at(peer, "metadata.labels")))
    }
}

fn is_port(wanted: &Value, port: u16, listener: &Value) -> bool {
    let port = i64::from(port);
    match json::at(wanted, "port") {
        Value::Null => true,
        Value::String(name) => {
            let mut ports =
                json::list(listener, "spec.containers").iter().flat_map(|container| json::list(container, "ports"));
            ports.any(|own| json::text(own, "name") == name && json::int(own, "containerPort") == Some(port))
        }
        number => match (number.as_i64(), json::int(wanted, "endPort")) {
            (Some(first), Some(last)) => (first..=last).contains(&port),
            (first, None) => first == Some(port),
            _ => false,
        },
    }
}
