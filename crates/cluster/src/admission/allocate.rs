//! Addresses and node ports of Services.

use serde_json::{Value, json};

use crate::json;
use crate::{Cluster, chance::fnv};

/// Gives a Service its cluster address and its node ports; an update keeps those that it has.
pub(super) fn service(cluster: &Cluster, object: &mut Value, old: Option<&Value>) {
    let kind = json::text(object, "spec.type").to_string();
    if kind == "ExternalName" {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            json::remove(object, &format!("spec.{field}"));
        }
        return;
    }
    if let Some(old) = old.filter(|old| json::text(old, "spec.type") != "ExternalName") {
        if json::text(object, "spec.clusterIP").is_empty() {
            json::set(object, "spec.clusterIP", json::text(old, "spec.clusterIP"));
        }
        keep_ports(object, old);
    }
    if json::text(object, "spec.clusterIP").is_empty() {
        let address = free_address(cluster, object);
        json::set(object, "spec.clusterIP", address);
    }
    let address = json::text(object, "spec.clusterIP").to_string();
    json::set_default(object, "spec.clusterIPs", json!([address]));
    if kind == "ClusterIP" {
        for port in json::items_mut(object, "spec.ports") {
            json::remove(port, "nodePort");
        }
        json::remove(object, "spec.externalTrafficPolicy");
        return;
    }
    let seed = format!("{}/{}", json::text(object, "metadata.namespace"), json::text(object, "metadata.name"));
    let mut taken = taken_ports(cluster, object);
    for (at, port) in json::items_mut(object, "spec.ports").enumerate() {
        if json::int(port, "nodePort").unwrap_or(0) == 0 {
            let number = free_port(cluster, &format!("{seed}/{at}"), &taken);
            taken.push(number);
            json::set(port, "nodePort", number);
        }
    }
}

fn keep_ports(object: &mut Value, old: &Value) {
    let before = json::list(old, "spec.ports").to_vec();
    for port in json::items_mut(object, "spec.ports").filter(|port| json::int(port, "nodePort").unwrap_or(0) == 0) {
        let same = |other: &&Value| other["port"] == port["port"] && other["protocol"] == port["protocol"];
        if let Some(number) = before.iter().find(same).and_then(|other| json::int(other, "nodePort")) {
            json::set(port, "nodePort", number);
        }
    }
}

/// An address in 10.96.0.0/16 that no Service has. The upper part of the range, as the real allocator prefers.
fn free_address(cluster: &Cluster, object: &Value) -> String {
    let seed = format!("address/{}/{}", json::text(object, "metadata.namespace"), json::text(object, "metadata.name"));
    let taken: Vec<_> =
        cluster.store.list("services", None).map(|service| json::text(service, "spec.clusterIP")).collect();
    let candidates = (0..).map(|attempt| {
        let bits = cluster.chance.bits(&seed, attempt);
        format!("10.96.{}.{}", 1 + bits % 254, 1 + (bits >> 16) % 254)
    });
    let free = candidates.take(64_000).find(|address| !taken.contains(&address.as_str()));
    free.expect("a cluster has far fewer Services than addresses")
}

fn taken_ports(cluster: &Cluster, object: &Value) -> Vec<i64> {
    let own = json::text(object, "metadata.uid");
    let others = cluster.store.list("services", None).filter(|service| json::text(service, "metadata.uid") != own);
    let ports = others.flat_map(|service| json::list(service, "spec.ports"));
    ports.filter_map(|port| json::int(port, "nodePort")).collect()
}

fn free_port(cluster: &Cluster, seed: &str, taken: &[i64]) -> i64 {
    let start = cluster.chance.bits("port", fnv(seed.as_bytes())) % 2768;
    let candidates = (0..2768).map(|step| 30_000 + ((start + step) % 2768) as i64);
    candidates.clone().find(|port| !taken.contains(port)).unwrap_or(30_000)
}

/// The Service, if any, that has this node port already.
pub(super) fn is_port_taken(cluster: &Cluster, object: &Value, port: i64) -> bool {
    taken_ports(cluster, object).contains(&port)
}

/// Whether another Service has this address.
pub(super) fn is_address_taken(cluster: &Cluster, object: &Value, address: &str) -> bool {
    let own = json::text(object, "metadata.uid");
    let mut others = cluster.store.list("services", None).filter(|service| json::text(service, "metadata.uid") != own);
    others.any(|service| json::text(service, "spec.clusterIP") == address)
}
