//! Objects by what they say of themselves: an address, a node, the Service of a slice, a port of the nodes.
//!
//! Connections ask for these many times a second, and a scan of all objects would cost what the cluster is large.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::ObjectKey;
use crate::copy_on_write::CopyOnWrite;
use crate::json;

type Places = BTreeMap<Arc<str>, Arc<BTreeSet<ObjectKey>>>;

/// By what an object can be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupField {
    /// The addresses of Services, nodes and pods.
    Address,
    /// The node on which a pod is.
    Node,
    /// `NAMESPACE/NAME` of the Service to which a slice belongs.
    SliceOf,
    /// The port of the nodes that a Service has.
    NodePort,
    /// `NODE/PORT` of a node that a pod holds.
    HostPort,
    /// One of the labels that a Service wants of its pods, as `NAMESPACE LABEL VALUE`.
    Wanted,
}

const FIELDS: usize = 6;

/// The keys of objects by the values of their fields.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldIndex {
    places: [CopyOnWrite<Places>; FIELDS],
}

impl FieldIndex {
    /// The keys of those that have this value there.
    pub(super) fn find(&self, field: LookupField, value: &str) -> impl Iterator<Item = &ObjectKey> {
        self.places[field as usize].get(value).into_iter().flat_map(|keys| keys.iter())
    }

    /// Follows a write.
    pub(super) fn follow(&mut self, key: &ObjectKey, before: Option<&Value>, after: Option<&Value>) {
        if !matches!(&*key.resource, "pods" | "services" | "nodes" | "endpointslices.discovery.k8s.io") {
            return;
        }
        let before = before.map(|before| values(key, before)).unwrap_or_default();
        let after = after.map(|after| values(key, after)).unwrap_or_default();
        if before == after {
            return;
        }
        for (field, value) in before {
            let places = &mut self.places[field as usize];
            if let Some(keys) = places.get_mut(&*value) {
                Arc::make_mut(keys).remove(key);
                if keys.is_empty() {
                    places.remove(&*value);
                }
            }
        }
        for (field, value) in after {
            let keys = self.places[field as usize].entry(value.as_ref().into()).or_default();
            Arc::make_mut(keys).insert(key.clone());
        }
    }
}

type Found<'a> = Vec<(LookupField, std::borrow::Cow<'a, str>)>;

/// All values by which an object can be found.
fn values<'a>(key: &ObjectKey, object: &'a Value) -> Found<'a> {
    let mut found = match &*key.resource {
        "pods" => of_pod(object),
        "services" => of_service(key, object),
        "nodes" => of_node(object),
        _ => of_slice(key, object),
    };
    found.retain(|(_, value)| !value.is_empty());
    found
}

fn of_pod(pod: &Value) -> Found<'_> {
    let node = json::text(pod, "spec.nodeName");
    let mut found: Found<'_> = vec![(LookupField::Node, node.into())];
    // A pod on its node's network has no address of its own.
    if !json::flag(pod, "spec.hostNetwork") {
        found.push((LookupField::Address, json::text(pod, "status.podIP").into()));
    }
    let ports = json::list(pod, "spec.containers").iter().flat_map(|container| json::list(container, "ports"));
    for port in ports.filter_map(|port| json::int(port, "hostPort")).filter(|_| !node.is_empty()) {
        found.push((LookupField::HostPort, format!("{node}/{port}").into()));
    }
    found
}

fn of_service<'a>(key: &ObjectKey, service: &'a Value) -> Found<'a> {
    let outer = json::list(service, "spec.externalIPs").iter().filter_map(Value::as_str);
    let addresses = std::iter::once(json::text(service, "spec.clusterIP")).chain(outer);
    let mut found: Found<'_> = addresses.map(|address| (LookupField::Address, address.into())).collect();
    let ports = json::list(service, "spec.ports").iter().filter_map(|port| json::int(port, "nodePort"));
    found.extend(ports.map(|port| (LookupField::NodePort, port.to_string().into())));
    let wanted = json::entries(service, "spec.selector").find_map(|(label, value)| Some((label, value.as_str()?)));
    found.extend(
        wanted.map(|(label, value)| (LookupField::Wanted, super::label_entry(&key.namespace, label, value).into())),
    );
    found
}

fn of_node(node: &Value) -> Found<'_> {
    let addresses = json::list(node, "status.addresses").iter();
    let mut inner = addresses.filter(|address| json::text(address, "type") == "InternalIP");
    let address = inner.next().map_or("", |address| json::text(address, "address"));
    vec![(LookupField::Address, address.into())]
}

fn of_slice<'a>(key: &ObjectKey, slice: &'a Value) -> Found<'a> {
    let service = json::at(slice, "metadata.labels").get("kubernetes.io/service-name").and_then(Value::as_str);
    service.map(|service| (LookupField::SliceOf, format!("{}/{service}", key.namespace).into())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_found_by_what_they_say_now() {
        let mut index = FieldIndex::default();
        let pod = ObjectKey::new("pods", "shop", "a");
        let service = ObjectKey::new("services", "shop", "a");
        let before = json!({"spec": {"nodeName": "node-0"}});
        let after = json!({"spec": {"nodeName": "node-0"}, "status": {"podIP": "10.244.0.2"}});
        index.follow(&pod, None, Some(&before));
        index.follow(&pod, Some(&before), Some(&after));
        index.follow(
            &service,
            None,
            Some(&json!({"spec": {"clusterIP": "10.96.0.9", "ports": [{"nodePort": 30080}]}})),
        );
        let check = |index: &FieldIndex, field, value: &str, expect: &[&ObjectKey]| {
            assert_eq!(index.find(field, value).collect::<Vec<_>>(), expect, "{field:?} {value}");
        };
        check(&index, LookupField::Address, "10.244.0.2", &[&pod]);
        check(&index, LookupField::Node, "node-0", &[&pod]);
        check(&index, LookupField::NodePort, "30080", &[&service]);
        check(&index, LookupField::Address, "", &[]);
        index.follow(&pod, Some(&after), None);
        check(&index, LookupField::Address, "10.244.0.2", &[]);
        check(&index, LookupField::Node, "node-0", &[]);
    }
}
