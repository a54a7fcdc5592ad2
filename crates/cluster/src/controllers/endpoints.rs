//! Endpoints and EndpointSlices: where a Service leads.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::backends::{Backend, Backends, SliceList, Subsets, shown_ports};
use super::key_of;
use crate::api::{DeleteOptions, matches_labels};
use crate::store::{LongList, ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SLICES: &str = "endpointslices.discovery.k8s.io";
/// So many endpoints fit into one slice.
const PER_SLICE: usize = 100;

impl Cluster {
    pub(crate) fn sync_endpoints(&mut self, key: &ObjectKey) {
        let endpoints = ObjectKey::new("endpoints", &key.namespace, &key.name);
        let Some(service) = self.store.at(key).cloned() else {
            if self.store.at(&endpoints).is_some() {
                self.unmake(&endpoints, &DeleteOptions::default());
            }
            return;
        };
        let selector = json::at(&service, "spec.selector");
        if json::text(&service, "spec.type") == "ExternalName" || json::is_empty(selector) {
            return;
        }
        let before = self.store.at(&endpoints).and_then(|endpoints| endpoints.list::<Subsets>());
        let pods = self.pods_labelled(&key.namespace, selector);
        let backends = Arc::new(Backends::of(&service, &pods, before.map(|before| &*before.0)));
        self.write_endpoints(&endpoints, &backends);
        self.write_slices(key, &backends);
    }

    /// The pods that carry all pairs of a selector, by name.
    fn pods_labelled<'a>(&'a self, namespace: &'a str, selector: &Value) -> Vec<&'a Stored> {
        let pairs = || selector.as_object().into_iter().flatten();
        let named = pairs().filter_map(|(label, value)| Some(self.store.pods_with(namespace, label, value.as_str()?)));
        let fewest = named.min_by_key(|names| names.map_or(0, |names| names.len()));
        let candidates: Vec<_> = match fewest {
            Some(None) => return Vec::new(),
            // They were looked up by the only label that is wanted.
            Some(Some(names)) if pairs().count() == 1 => return self.store.pods_named(namespace, names),
            Some(Some(names)) => self.store.pods_named(namespace, names),
            None => self.store.list("pods", Some(namespace)).collect(),
        };
        let is_meant = |pod: &&Stored| matches_labels(selector, json::at(pod, "metadata.labels"));
        candidates.into_iter().filter(is_meant).collect()
    }

    fn write_endpoints(&mut self, key: &ObjectKey, backends: &Arc<Backends>) {
        if self.store.at(key).is_none() {
            let object = json!({"kind": "Endpoints", "apiVersion": "v1", "metadata": {"name": &*key.name}});
            // The namespace may be going; then there is nothing to do.
            if self.make_own("endpoints", &key.namespace, object).is_err() {
                return;
            }
        }
        let Some(old) = self.store.at(key).cloned() else { return };
        let list = Subsets(backends.clone());
        let bare = json::without(old.head(), "subsets");
        let mut head = bare.clone();
        let labels = labels_of(&backends.service);
        if !labels.is_empty() {
            json::set(&mut head, "metadata.labels", labels);
        }
        let is_told = match old.list::<Subsets>() {
            Some(told) => told.is_like(&list),
            None => {
                let mut whole = bare.clone();
                list.write_out(&mut whole);
                whole == *old
            }
        };
        if !is_told || head != bare {
            self.put_short_or_finish(key, head, list);
        }
    }

    fn write_slices(&mut self, key: &ObjectKey, backends: &Arc<Backends>) {
        let service = &backends.service;
        let groups = grouped(backends);
        let existing = self.children(service, SLICES);
        let mut labels = labels_of(service);
        labels.insert("endpointslice.kubernetes.io/managed-by".into(), "endpointslice-controller.k8s.io".into());
        labels.insert("kubernetes.io/service-name".into(), (*key.name).into());
        let count = groups.len();
        for (at, (ports, pods)) in groups.into_iter().enumerate() {
            let list = SliceList(pods);
            // A slice says so even where a port has no name.
            let mut ports = shown_ports(service, ports);
            for port in &mut ports {
                json::set_default(port, "name", "");
            }
            match existing.get(at) {
                Some(slice) => self.rewrite_slice(&key_of(SLICES, slice.head()), ports, labels.clone(), list),
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
                        "endpoints": list.endpoints(),
                        "ports": ports,
                    });
                    if self.make_own(SLICES, &key.namespace, slice).is_err() {
                        return;
                    }
                }
            }
        }
        for slice in existing.iter().skip(count) {
            self.unmake(&key_of(SLICES, slice.head()), &DeleteOptions::default());
        }
    }

    fn rewrite_slice(&mut self, slice: &ObjectKey, ports: Vec<Value>, labels: Map<String, Value>, list: SliceList) {
        let Some(old) = self.store.at(slice) else { return };
        let has_changed = match old.list::<SliceList>() {
            Some(told) => !told.is_like(&list),
            None => json::at(old, "endpoints").as_array() != Some(&list.endpoints()),
        };
        let bare = json::without(old.head(), "endpoints");
        let mut head = bare.clone();
        json::set(&mut head, "ports", ports);
        json::set(&mut head, "metadata.labels", labels);
        if has_changed {
            let generation = json::int(&head, "metadata.generation").unwrap_or(1);
            json::set(&mut head, "metadata.generation", generation + 1);
        }
        if has_changed || head != bare {
            self.put_short_or_finish(slice, head, list);
        }
    }
}

/// The labels that both kinds of lists take over from their Service.
fn labels_of(service: &Value) -> Map<String, Value> {
    let mut labels = json::at(service, "metadata.labels").as_object().cloned().unwrap_or_default();
    if json::text(service, "spec.clusterIP") == "None" {
        labels.insert("service.kubernetes.io/headless".into(), "".into());
    }
    labels
}

/// The pods of each slice: those with the same ports, up to as many as fit. There is always one slice.
fn grouped(backends: &Arc<Backends>) -> Vec<(&[i64], Arc<Backends>)> {
    let first = backends.pods.first().map_or(&[][..], |backend| &backend.ports);
    if backends.pods.len() <= PER_SLICE && backends.pods.iter().all(|backend| backend.ports == first) {
        return vec![(first, backends.clone())];
    }
    let mut groups: Vec<(&[i64], Vec<Arc<Backend>>)> = Vec::new();
    for backend in &backends.pods {
        match groups.iter_mut().find(|(own, list)| *own == backend.ports && list.len() < PER_SLICE) {
            Some((_, list)) => list.push(backend.clone()),
            None => groups.push((&backend.ports, vec![backend.clone()])),
        }
    }
    let service = &backends.service;
    groups.into_iter().map(|(ports, pods)| (ports, Backends { service: service.clone(), pods }.into())).collect()
}
