//! NetworkPolicies: who may talk to whom.

use serde_json::Value;

use super::ConnectionOrigin;
use crate::api::LabelSelector;
use crate::store::Stored;
use crate::{Cluster, json};

const POLICIES: &str = "networkpolicies.networking.k8s.io";

impl Cluster {
    /// Whether policies let a connection through: out of its pod, and into the other. What a node opens to its own pods
    /// is let in: probes go on under a policy that denies all.
    pub(super) fn is_allowed(&self, origin: ConnectionOrigin<'_>, target: &Stored, port: u16) -> bool {
        let source = match origin {
            ConnectionOrigin::Pod(namespace, name) => self.store.get("pods", namespace, name),
            ConnectionOrigin::Node(node) if node == json::text(target, "spec.nodeName") => return true,
            ConnectionOrigin::Node(_) => None,
        };
        let same =
            source.is_some_and(|source| json::text(source, "metadata.uid") == json::text(target, "metadata.uid"));
        if same {
            return true;
        }
        let goes_out = source.is_none_or(|source| self.passes(source, "Egress", Some(target), port, target));
        goes_out && self.passes(target, "Ingress", source, port, target)
    }

    /// Whether the policies that select a pod let a connection with a peer pass, in one direction.
    fn passes(&self, pod: &Stored, direction: &str, peer: Option<&Stored>, port: u16, listener: &Stored) -> bool {
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

    fn is_peer(&self, item: &Value, peer: Option<&Stored>, namespace: &str) -> bool {
        let Some(peer) = peer else { return item.get("ipBlock").is_some() };
        if let Some(block) = item.get("ipBlock") {
            let address = json::text(peer, "status.podIP");
            let is_excepted =
                json::list(block, "except").iter().filter_map(Value::as_str).any(|range| is_in(address, range));
            return is_in(address, json::text(block, "cidr")) && !is_excepted;
        }
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

/// Whether an address lies in a range such as `10.0.0.0/8`.
fn is_in(address: &str, range: &str) -> bool {
    let number = |text: &str| -> Option<u32> {
        let parts: Vec<u32> =
            text.split('.').map(|part| part.parse::<u8>().map(u32::from)).collect::<Result<_, _>>().ok()?;
        (parts.len() == 4).then(|| parts.iter().fold(0, |sum, part| sum << 8 | part))
    };
    let (base, bits) = range.split_once('/').unwrap_or((range, "32"));
    let (Some(address), Some(base), Ok(bits)) = (number(address), number(base), bits.parse::<u32>()) else {
        return false;
    };
    bits == 0 || (bits <= 32 && (address ^ base) >> (32 - bits) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lie_in_ranges() {
        let check =
            |address: &str, range: &str, expect: bool| assert_eq!(is_in(address, range), expect, "{address} {range}");
        check("10.244.1.5", "10.0.0.0/8", true);
        check("11.0.0.1", "10.0.0.0/8", false);
        check("10.1.2.3", "0.0.0.0/0", true);
        check("10.1.2.3", "10.1.2.3/32", true);
        check("10.1.2.3", "nonsense", false);
        check("x", "10.0.0.0/8", false);
    }
}
