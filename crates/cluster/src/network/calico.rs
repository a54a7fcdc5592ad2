//! Calico, as far as its objects decide: which addresses pods get, and which nodes know a route to one another.
//!
//! Without its objects, each node has a range of its own and all nodes know one another.

use serde_json::Value;

use super::range::{AddressRange, shown};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json};

const POOLS: &str = "ippools.crd.projectcalico.org";
const IPAM: &str = "ipamconfigs.crd.projectcalico.org";
const BGP: &str = "bgpconfigurations.crd.projectcalico.org";
const PEERS: &str = "bgppeers.crd.projectcalico.org";
const REFLECTOR: &str = "projectcalico.org/RouteReflectorClusterID";
/// Addresses in a block.
const BLOCK: u32 = 64;

impl Cluster {
    /// An address for a new pod on a node, or what the network plugin says where there is none.
    pub(crate) fn pod_address(&mut self, node: &str, key: &ObjectKey) -> Result<String, String> {
        let has_pools = self.store.list(POOLS, None).next().is_some();
        let address = match has_pools {
            true => self.pool_address(node)?,
            false => self.range_address(node)?,
        };
        self.holders.insert(address.clone(), key.clone());
        Ok(address)
    }

    /// An address of the node's own range: the one after the last that was given.
    fn range_address(&mut self, node: &str) -> Result<String, String> {
        let object = self.store.get("nodes", "", node);
        let range = object.map_or("", |node| json::text(node, "spec.podCIDR"));
        let range = AddressRange::parse(range).unwrap_or(AddressRange::parse("10.244.0.0/24").expect("a range"));
        // The first address is the bridge's, the last is everyone's.
        let count = range.size().saturating_sub(2).max(1);
        let start = self.addresses.get(node).copied().unwrap_or(1);
        for step in 1..=count {
            let number = (start + step - 1) % count + 1;
            let address = shown(range.base + number);
            if number > 1 && self.is_address_free(&address) {
                self.addresses.insert(node.into(), number);
                return Ok(address);
            }
        }
        let (first, last) = (shown(range.base + 1), shown(range.base + count));
        let why = format!("failed to allocate for range 0: no IP addresses available in range set: {first}-{last}");
        Err(format!("plugin type=\"ptp\" failed (add): {why}"))
    }

    /// An address of the pools: of a block that the node has, of a free block, or, if that is allowed, of any block.
    fn pool_address(&mut self, node: &str) -> Result<String, String> {
        let failed = |why: String| Err(format!("plugin type=\"calico\" failed (add): {why}"));
        let labels = self.node_labels(node);
        let pools: Vec<AddressRange> = self
            .store
            .list(POOLS, None)
            .filter(|pool| !json::flag(pool, "spec.disabled"))
            .filter(|pool| selects(json::text(pool, "spec.nodeSelector"), &labels))
            .filter_map(|pool| AddressRange::parse(json::text(pool, "spec.cidr")))
            .collect();
        if pools.is_empty() {
            return failed(format!("no configured Calico pools for node {node}"));
        }
        let is_strict = self.store.list(IPAM, None).any(|config| json::flag(config, "spec.strictAffinity"));
        let blocks: Vec<(u32, u32)> = pools.iter().flat_map(AddressRange::blocks).collect();
        let own = blocks.iter().filter(|(base, _)| self.blocks.get(base).is_some_and(|holder| holder == node));
        let free = blocks.iter().filter(|(base, _)| !self.blocks.contains_key(base));
        let others = blocks.iter().filter(|_| !is_strict);
        let mut found = own.chain(free).chain(others).filter_map(|(base, size)| {
            let mut addresses = (*base..base + size).map(shown);
            Some((*base, addresses.find(|address| self.is_address_free(address))?))
        });
        let Some((base, address)) = found.next() else {
            let why = match is_strict {
                true => "No more free affine blocks and strict affinity enabled".to_string(),
                false => {
                    let names: Vec<_> = pools.iter().map(ToString::to_string).collect();
                    format!("No IPs available in pools: [{}]", names.join(" "))
                }
            };
            let start = "failed to request IPv4 addresses: Assigned 0 out of 1 requested IPv4 addresses";
            return failed(format!("{start}; {why}"));
        };
        drop(found);
        self.blocks.entry(base).or_insert_with(|| node.into());
        Ok(address)
    }

    fn is_address_free(&self, address: &str) -> bool {
        let holder = self.holders.get(address).and_then(|holder| self.workers.get(holder));
        holder.is_none_or(|worker| worker.address != address)
    }

    /// Whether a node knows the way to the pods of another.
    pub(super) fn has_route(&self, from: &str, to: &str) -> bool {
        if from == to || from.is_empty() {
            return true;
        }
        if !self.tells_apart() {
            return true;
        }
        if self.have_session(from, to) {
            return true;
        }
        let nodes = self.store.list("nodes", None);
        let mut reflectors = nodes.filter(|node| json::at(node, "metadata.annotations").get(REFLECTOR).is_some());
        reflectors.any(|node| {
            let name = json::text(node, "metadata.name");
            self.have_session(from, name) && self.have_session(name, to)
        })
    }

    /// Whether nodes know the way to some others only.
    pub(super) fn tells_apart(&self) -> bool {
        let is_off = |config: &Stored| json::at(config, "spec.nodeToNodeMeshEnabled") == &Value::Bool(false);
        self.store.list(BGP, None).any(is_off)
    }

    /// Whether a peering makes two nodes talk.
    fn have_session(&self, one: &str, other: &str) -> bool {
        let (one, other) = (self.node_labels(one), self.node_labels(other));
        self.store.list(PEERS, None).any(|peer| {
            let (here, there) = (json::text(peer, "spec.nodeSelector"), json::text(peer, "spec.peerSelector"));
            let meets = |a: &Value, b: &Value| selects(here, a) && !there.is_empty() && selects(there, b);
            meets(&one, &other) || meets(&other, &one)
        })
    }

    fn node_labels(&self, node: &str) -> Value {
        let node = self.store.get("nodes", "", node);
        node.map(|node| json::at(node, "metadata.labels").clone()).unwrap_or_default()
    }
}

/// Whether labels meet a selector of Calico's: `all()`, `has(x)`, `x == 'y'`, joined by `&&` and `||`.
fn selects(selector: &str, labels: &Value) -> bool {
    selector.trim().is_empty()
        || selector.split("||").any(|part| part.split("&&").all(|term| meets(term.trim(), labels)))
}

fn meets(term: &str, labels: &Value) -> bool {
    let label = |name: &str| labels.get(name.trim()).and_then(Value::as_str);
    let plain = |text: &str| text.trim().trim_matches(['\'', '"']).to_string();
    let has = |text: &str| {
        text.strip_prefix("has(").and_then(|rest| rest.strip_suffix(')')).map(|name| label(name).is_some())
    };
    if let Some(rest) = term.strip_prefix('!').filter(|rest| !rest.starts_with('=')) {
        return !meets(rest.trim(), labels);
    }
    if term == "all()" {
        return true;
    }
    if let Some(found) = has(term) {
        return found;
    }
    match (term.split_once("!="), term.split_once("==")) {
        (Some((name, value)), _) => label(name) != Some(plain(value).as_str()),
        (_, Some((name, value))) => label(name) == Some(plain(value).as_str()),
        _ => false,
    }
}

impl AddressRange {
    /// The blocks of a pool: first address and size.
    fn blocks(&self) -> Vec<(u32, u32)> {
        let size = self.size().min(BLOCK);
        // A pool of more than a thousand blocks is never filled here.
        (0..(self.size() / size).min(1024)).map(|number| (self.base + number * size, size)).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_are_calicos() {
        let labels = json!({"zone": "a", "route-reflector": "true"});
        for (selector, expect) in [
            ("", true),
            ("all()", true),
            ("has(route-reflector)", true),
            ("!has(route-reflector)", false),
            ("has(node-role.kubernetes.io/master)", false),
            ("zone == 'a' && has(route-reflector)", true),
            ("zone == 'b' || zone == 'a'", true),
            ("zone != 'a'", false),
            ("nonsense", false),
        ] {
            assert_eq!(selects(selector, &labels), expect, "{selector}");
        }
    }
}
