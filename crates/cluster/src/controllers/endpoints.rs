//! Endpoints and EndpointSlices: where a Service leads.

use serde_json::{Value, json};

use super::{is_ready, key_of};
use crate::api::{DeleteOptions, matches_labels};
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SLICES: &str = "endpointslices.discovery.k8s.io";
/// So many endpoints fit into one slice.
const PER_SLICE: usize = 100;

impl Cluster {
    pub(crate) fn sync_endpoints(&mut self, key: &ObjectKey) {
        let Some(service) = self.store.at(key).cloned() else {
            let endpoints = ObjectKey::new("endpoints", &key.namespace, &key.name);
            if self.store.at(&endpoints).is_some() {
                self.unmake(&endpoints, &DeleteOptions::default());
            }
            return;
        };
        let selector = json::at(&service, "spec.selector").clone();
        if json::text(&service, "spec.type") == "ExternalName" || crate::json::is_empty(&selector) {
            return;
        }
        let labelled = self.pods_labelled(&key.namespace, &selector);
        let mut pods = Vec::with_capacity(labelled.len());
        for pod in labelled {
            let status = json::at(pod, "status");
            let is_over = matches!(json::text(status, "phase"), "Succeeded" | "Failed");
            if !is_over && !json::text(status, "podIP").is_empty() {
                pods.extend(ports_of(&service, pod).map(|ports| (pod.clone(), ports)));
            }
        }
        pods.sort_by_cached_key(|(pod, _)| address_order(json::text(pod, "status.podIP")));
        self.write_endpoints(&service, key, &pods);
        self.write_slices(&service, key, &pods);
    }

    /// The pods that carry all pairs of a selector, by name.
    fn pods_labelled<'a>(&'a self, namespace: &'a str, selector: &Value) -> Vec<&'a Stored> {
        let pairs = selector.as_object().into_iter().flatten();
        let named = pairs.filter_map(|(label, value)| Some(self.store.pods_with(namespace, label, value.as_str()?)));
        let fewest = named.min_by_key(|names| names.map_or(0, |names| names.len()));
        let candidates: Vec<_> = match fewest {
            Some(None) => Vec::new(),
            Some(Some(names)) => self.store.pods_named(namespace, names),
            None => self.store.list("pods", Some(namespace)).collect(),
        };
        let is_meant = |pod: &&Stored| matches_labels(selector, json::at(pod, "metadata.labels"));
        candidates.into_iter().filter(is_meant).collect()
    }

    fn write_endpoints(&mut self, service: &Stored, key: &ObjectKey, pods: &[(Stored, Vec<i64>)]) {
        let mut subsets: Vec<(&[i64], Vec<Value>, Vec<Value>)> = Vec::new();
        for (pod, ports) in pods.iter().filter(|(pod, _)| !meta::is_going(pod)) {
            let address = json::object([
                ("ip", json::text(pod, "status.podIP").into()),
                ("nodeName", json::text(pod, "spec.nodeName").into()),
                ("targetRef", target(pod)),
            ]);
            let at = match subsets.iter().position(|(own, ..)| own == ports) {
                Some(at) => at,
                None => {
                    subsets.push((ports, Vec::new(), Vec::new()));
                    subsets.len() - 1
                }
            };
            let is_in = json::flag(service, "spec.publishNotReadyAddresses") || is_ready(pod);
            if is_in { subsets[at].1.push(address) } else { subsets[at].2.push(address) }
        }
        let subsets: Vec<Value> = subsets
            .into_iter()
            .map(|(ports, ready, waiting)| {
                let mut subset = json!({});
                for (field, list) in [("addresses", ready), ("notReadyAddresses", waiting)] {
                    if !list.is_empty() {
                        subset[field] = list.into();
                    }
                }
                if !ports.is_empty() {
                    subset["ports"] = shown_ports(service, ports).into();
                }
                subset
            })
            .collect();
        let endpoints = ObjectKey::new("endpoints", &key.namespace, &key.name);
        let mut labels = json::at(service, "metadata.labels").as_object().cloned().unwrap_or_default();
        if json::text(service, "spec.clusterIP") == "None" {
            labels.insert("service.kubernetes.io/headless".into(), "".into());
        }
        if self.store.at(&endpoints).is_none() {
            let object = json!({"kind": "Endpoints", "apiVersion": "v1", "metadata": {"name": &*key.name}});
            // The namespace may be going; then there is nothing to do.
            if self.make_own("endpoints", &key.namespace, object).is_err() {
                return;
            }
        }
        self.change_without(&endpoints, "subsets", |object| {
            if !subsets.is_empty() {
                json::set(object, "subsets", subsets);
            }
            if !labels.is_empty() {
                json::set(object, "metadata.labels", labels);
            }
        });
    }

    fn write_slices(&mut self, service: &Stored, key: &ObjectKey, pods: &[(Stored, Vec<i64>)]) {
        let mut groups: Vec<(&[i64], Vec<Value>)> = Vec::new();
        for (pod, ports) in pods {
            let endpoint = endpoint(service, pod);
            match groups.iter_mut().find(|(own, list)| own == ports && list.len() < PER_SLICE) {
                Some((_, list)) => list.push(endpoint),
                None => groups.push((ports, vec![endpoint])),
            }
        }
        if groups.is_empty() {
            groups.push((&[], Vec::new()));
        }
        let existing = self.children(service, SLICES);
        let mut labels = json::at(service, "metadata.labels").as_object().cloned().unwrap_or_default();
        labels.insert("endpointslice.kubernetes.io/managed-by".into(), "endpointslice-controller.k8s.io".into());
        labels.insert("kubernetes.io/service-name".into(), (*key.name).into());
        if json::text(service, "spec.clusterIP") == "None" {
            labels.insert("service.kubernetes.io/headless".into(), "".into());
        }
        let count = groups.len();
        for (at, (ports, endpoints)) in groups.into_iter().enumerate() {
            // A slice says so even where a port has no name.
            let mut ports = shown_ports(service, ports);
            for port in &mut ports {
                json::set_default(port, "name", "");
            }
            match existing.get(at) {
                Some(slice) => {
                    let slice = key_of(SLICES, slice);
                    let Some(old) = self.store.at(&slice).cloned() else { continue };
                    let has_changed = json::at(&old, "endpoints").as_array() != Some(&endpoints);
                    // A long list need not be copied first.
                    let mut new = json::without(&old, "endpoints");
                    json::set(&mut new, "endpoints", endpoints);
                    json::set(&mut new, "ports", ports);
                    json::set(&mut new, "metadata.labels", labels.clone());
                    if has_changed {
                        let generation = json::int(&new, "metadata.generation").unwrap_or(1);
                        json::set(&mut new, "metadata.generation", generation + 1);
                    }
                    if has_changed || new != *old {
                        self.put_or_finish(&slice, new);
                    }
                }
                None => {
                    let slice = json!({
                        "kind": "EndpointSlice",
                        "apiVersion": "discovery.k8s.io/v1",
                        "metadata": {
                            "generateName": format!("{}-", key.name),
                            "labels": labels,
                            "ownerReferences": [meta::controlled_by(service)],
                        },
                        "addressType": "IPv4",
                        "endpoints": endpoints,
                        "ports": ports,
                    });
                    if self.make_own(SLICES, &key.namespace, slice).is_err() {
                        return;
                    }
                }
            }
        }
        for slice in existing.iter().skip(count) {
            self.unmake(&key_of(SLICES, slice), &DeleteOptions::default());
        }
    }
}

fn endpoint(service: &Value, pod: &Value) -> Value {
    let (ready, going) = (is_ready(pod), meta::is_going(pod));
    let publishes = json::flag(service, "spec.publishNotReadyAddresses");
    let conditions = json::object([
        ("ready", (publishes || (ready && !going)).into()),
        ("serving", ready.into()),
        ("terminating", going.into()),
    ]);
    let mut endpoint = json::object([
        ("addresses", Value::Array(vec![json::text(pod, "status.podIP").into()])),
        ("conditions", conditions),
        ("nodeName", json::text(pod, "spec.nodeName").into()),
        ("targetRef", target(pod)),
    ]);
    let host = json::text(pod, "spec.hostname");
    if !host.is_empty() && json::text(pod, "spec.subdomain") == json::text(service, "metadata.name") {
        endpoint["hostname"] = host.into();
    }
    endpoint
}

fn target(pod: &Value) -> Value {
    let metadata = json::at(pod, "metadata");
    json::object([
        ("kind", "Pod".into()),
        ("name", json::text(metadata, "name").into()),
        ("namespace", json::text(metadata, "namespace").into()),
        ("uid", json::text(metadata, "uid").into()),
    ])
}

/// The ports of a pod behind a Service, in the order of the Service's. Nothing if it lacks one that is named; a number
/// is never checked.
fn ports_of(service: &Value, pod: &Value) -> Option<Vec<i64>> {
    let number = |port: &Value| match json::at(port, "targetPort") {
        Value::String(name) => {
            let containers = json::list(pod, "spec.containers").iter().chain(json::list(pod, "spec.initContainers"));
            let mut own = containers.flat_map(|container| json::list(container, "ports"));
            own.find(|own| json::text(own, "name") == name).and_then(|own| json::int(own, "containerPort"))
        }
        value => value.as_i64().or_else(|| json::int(port, "port")),
    };
    json::list(service, "spec.ports").iter().map(number).collect()
}

/// The ports as they are written, all but their numbers taken from the Service.
fn shown_ports(service: &Value, numbers: &[i64]) -> Vec<Value> {
    let mut ports = Vec::new();
    for (port, number) in json::list(service, "spec.ports").iter().zip(numbers) {
        let mut shown = json!({"port": number, "protocol": json::text(port, "protocol")});
        for field in ["name", "appProtocol"] {
            if let Some(value) = port.get(field) {
                shown[field] = value.clone();
            }
        }
        ports.push(shown);
    }
    ports
}

/// Addresses in the order of their numbers.
fn address_order(address: &str) -> u64 {
    address.split('.').filter_map(|part| part.parse::<u64>().ok()).fold(0, |sum, part| sum << 8 | part & 0xff)
}
