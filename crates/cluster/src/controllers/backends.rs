//! The pods behind a Service, and how Endpoints and EndpointSlices write them.
//!
//! A Service of many pods is looked at whenever one of them changed. So what is known of a pod is kept from look to look, and
//! the lists are written out only when they are read.

use std::sync::Arc;

use serde_json::{Value, json};

use super::is_ready;
use crate::store::{LongList, Stored};
use crate::{json, meta};

/// The pods behind a Service, by address.
#[derive(Debug)]
pub(super) struct Backends {
    pub(super) service: Stored,
    pub(super) pods: Vec<Arc<Backend>>,
}

/// A pod behind a Service.
#[derive(Debug)]
pub(super) struct Backend {
    pod: Stored,
    /// Its ports, in the order of the Service's.
    pub(super) ports: Vec<i64>,
    /// Its address as a number.
    order: u64,
    is_ready: bool,
    is_going: bool,
}

impl Backends {
    /// Those of these pods that have an address and the ports. What was known before of the same pods is used again.
    pub(super) fn of(service: &Stored, pods: &[&Stored], before: Option<&Self>) -> Self {
        let before = before.filter(|before| before.service.is_same(service)).map_or(&[][..], |before| &before.pods);
        let mut known: Vec<(usize, &Arc<Backend>)> = before.iter().map(|known| (known.pod.identity(), known)).collect();
        known.sort_unstable_by_key(|(identity, _)| *identity);
        let mut found = Vec::with_capacity(pods.len());
        for pod in pods {
            let identity = pod.identity();
            match known.binary_search_by_key(&identity, |(identity, _)| *identity) {
                Ok(at) => found.push(known[at].1.clone()),
                Err(_) => found.extend(Backend::of(service, pod).map(Arc::new)),
            }
        }
        found.sort_by_key(|backend| backend.order);
        Self { service: service.clone(), pods: found }
    }

    /// Whether all pods are published, ready or not.
    fn publishes_all(&self) -> bool {
        json::flag(&self.service, "spec.publishNotReadyAddresses")
    }
}

impl Backend {
    fn of(service: &Value, pod: &Stored) -> Option<Self> {
        let status = json::at(pod, "status");
        let address = json::text(status, "podIP");
        if matches!(json::text(status, "phase"), "Succeeded" | "Failed") || address.is_empty() {
            return None;
        }
        let ports = ports_of(service, pod)?;
        let (is_ready, is_going) = (is_ready(pod), meta::is_going(pod));
        Some(Self { pod: pod.clone(), ports, order: address_order(address), is_ready, is_going })
    }

    /// What both lists tell of it.
    fn place(&self) -> [&str; 5] {
        let text = |path: &str| json::text(&self.pod, path);
        ["status.podIP", "spec.nodeName", "metadata.name", "metadata.namespace", "metadata.uid"].map(text)
    }
}

/// The list of an Endpoints object: all pods that are not going.
#[derive(Debug)]
pub(super) struct Subsets(pub(super) Arc<Backends>);

/// The list of an EndpointSlice.
#[derive(Debug)]
pub(super) struct SliceList(pub(super) Arc<Backends>);

impl Subsets {
    /// Whether both would be written alike.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let is_one_service = self.0.service.is_same(&other.0.service);
        let (all, other_all) = (self.0.publishes_all(), other.0.publishes_all());
        let alike = |one: &Backend, two: &Backend| {
            let same_ports = || shown_ports(&self.0.service, &one.ports) == shown_ports(&other.0.service, &two.ports);
            (is_one_service && one.pod.is_same(&two.pod))
                || ((all || one.is_ready) == (other_all || two.is_ready) && one.place() == two.place() && same_ports())
        };
        let (mut ours, mut theirs) = (self.stay(), other.stay());
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return true,
                (Some(one), Some(two)) if alike(one, two) => {}
                _ => return false,
            }
        }
    }

    fn stay(&self) -> impl Iterator<Item = &Backend> {
        self.0.pods.iter().map(|backend| &**backend).filter(|backend| !backend.is_going)
    }
}

impl LongList for Subsets {
    fn write_out(&self, object: &mut Value) {
        let mut subsets: Vec<(&[i64], Vec<Value>, Vec<Value>)> = Vec::new();
        let publishes_all = self.0.publishes_all();
        for backend in self.stay() {
            let address = json::object([
                ("ip", json::text(&backend.pod, "status.podIP").into()),
                ("nodeName", json::text(&backend.pod, "spec.nodeName").into()),
                ("targetRef", target(&backend.pod)),
            ]);
            let at = match subsets.iter().position(|(own, ..)| *own == backend.ports) {
                Some(at) => at,
                None => {
                    subsets.push((&backend.ports, Vec::new(), Vec::new()));
                    subsets.len() - 1
                }
            };
            let is_in = publishes_all || backend.is_ready;
            if is_in { subsets[at].1.push(address) } else { subsets[at].2.push(address) }
        }
        let subset = |(ports, ready, waiting): (&[i64], Vec<Value>, Vec<Value>)| {
            let mut subset = json!({});
            for (field, list) in [("addresses", ready), ("notReadyAddresses", waiting)] {
                if !list.is_empty() {
                    subset[field] = list.into();
                }
            }
            if !ports.is_empty() {
                subset["ports"] = shown_ports(&self.0.service, ports).into();
            }
            subset
        };
        if !subsets.is_empty() {
            json::set(object, "subsets", subsets.into_iter().map(subset).collect::<Vec<_>>());
        }
    }
}

impl SliceList {
    /// Whether both would be written alike; ports are not part of the list.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let is_one_service = self.0.service.is_same(&other.0.service);
        let alike = |(one, two): (&Arc<Backend>, &Arc<Backend>)| {
            (is_one_service && one.pod.is_same(&two.pod))
                || (one.is_ready, one.is_going) == (two.is_ready, two.is_going)
                    && one.place() == two.place()
                    && host(&self.0.service, &one.pod) == host(&other.0.service, &two.pod)
        };
        (is_one_service || self.0.publishes_all() == other.0.publishes_all())
            && self.0.pods.len() == other.0.pods.len()
            && self.0.pods.iter().zip(&other.0.pods).all(alike)
    }

    /// The list as it is written.
    pub(super) fn endpoints(&self) -> Vec<Value> {
        let publishes_all = self.0.publishes_all();
        self.0.pods.iter().map(|backend| endpoint(&self.0.service, backend, publishes_all)).collect()
    }
}

impl LongList for SliceList {
    fn write_out(&self, object: &mut Value) {
        json::set(object, "endpoints", self.endpoints());
    }
}

fn endpoint(service: &Value, backend: &Backend, publishes_all: bool) -> Value {
    let (ready, going) = (backend.is_ready, backend.is_going);
    let conditions = json::object([
        ("ready", (publishes_all || (ready && !going)).into()),
        ("serving", ready.into()),
        ("terminating", going.into()),
    ]);
    let mut endpoint = json::object([
        ("addresses", Value::Array(vec![json::text(&backend.pod, "status.podIP").into()])),
        ("conditions", conditions),
        ("nodeName", json::text(&backend.pod, "spec.nodeName").into()),
        ("targetRef", target(&backend.pod)),
    ]);
    if let Some(host) = host(service, &backend.pod) {
        endpoint["hostname"] = host.into();
    }
    endpoint
}

/// The name under which a pod is found behind a Service.
fn host<'a>(service: &Value, pod: &'a Value) -> Option<&'a str> {
    let host = json::text(pod, "spec.hostname");
    let is_here = || json::text(pod, "spec.subdomain") == json::text(service, "metadata.name");
    (!host.is_empty() && is_here()).then_some(host)
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
pub(super) fn shown_ports(service: &Value, numbers: &[i64]) -> Vec<Value> {
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
