//! The network: from a pod, what happens to a connection to `host:port`?

mod calico;
mod connections;
mod dns;
mod endpoints;
mod ingress;
mod listeners;
mod policy;
mod range;

use serde_json::Value;

use crate::store::{LookupField, Stored};
use crate::{Cluster, json};
pub use dns::{Corefile, DnsAnswer};
use endpoints::Endpoint;
pub use ingress::{IngressEnd, IngressRoute};

/// Who opens a connection.
#[derive(Clone, Copy, Debug)]
pub enum ConnectionOrigin<'a> {
    /// A pod, by namespace and name.
    Pod(&'a str, &'a str),
    /// A node itself: its kubelet, or the API server.
    Node(&'a str),
}

/// What comes of opening a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It leads to a port of a pod. Of several that would do, the caller draws one: see `choices`.
    Pod(PodEnd),
    /// It leads to a port of a node that no Service has: what listens there is the node's own.
    Node {
        /// The node.
        node: String,
        /// The port.
        port: u16,
    },
    /// It leads out of the cluster.
    Outside {
        /// The address or name.
        host: String,
        /// The port.
        port: u16,
    },
    /// There is no name to connect to.
    Unresolved(DnsAnswer),
    /// Refused at once. With the address, as messages tell it.
    Refused(String),
    /// Nothing answers: the connection times out. With the address.
    TimedOut(String),
}

/// The end of a connection: a port of a pod, and all pods among which it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodEnd {
    /// The namespace of the pod.
    pub namespace: String,
    /// The name of the pod.
    pub pod: String,
    /// The port in the pod. Whether something listens there is the program's to say.
    pub port: u16,
    /// The address that was connected to: a cluster address, or the pod's own.
    pub address: String,
    /// The names of all pods that share these connections, in order.
    pub choices: Vec<String>,
}

impl Cluster {
    /// Where a connection leads. `nonce` tells connections apart: it chooses among several endpoints.
    pub fn connect(&self, origin: ConnectionOrigin<'_>, host: &str, port: u16, nonce: u64) -> Connection {
        match self.resolve(origin, host) {
            DnsAnswer::Addresses(addresses) => {
                let Some(address) = addresses.get((nonce % addresses.len().max(1) as u64) as usize) else {
                    return Connection::Unresolved(DnsAnswer::NoSuchName);
                };
                self.connect_to(origin, address, port, nonce)
            }
            DnsAnswer::Outside(name) => Connection::Outside { host: name, port },
            answer => Connection::Unresolved(answer),
        }
    }

    pub(super) fn connect_to(&self, origin: ConnectionOrigin<'_>, address: &str, port: u16, nonce: u64) -> Connection {
        if let Some(service) = self.store.found("services", LookupField::Address, address).next() {
            return self.through_service(origin, service, address, port, nonce);
        }
        if address.starts_with("10.96.") {
            // An address of the range that no Service has goes nowhere.
            return Connection::TimedOut(format!("{address}:{port}"));
        }
        if let Some(node) = self.store.found("nodes", LookupField::Address, address).next() {
            return self.to_node(origin, node, address, port, nonce);
        }
        match self.pod_at(address) {
            Some(pod) => self.to_pod(origin, pod, port, address, vec![json::text(pod, "metadata.name").into()]),
            None if address.starts_with("10.244.") => Connection::TimedOut(format!("{address}:{port}")),
            None if address.starts_with("127.") => self.to_itself(origin, address, port),
            None => Connection::Outside { host: address.into(), port },
        }
    }

    /// Through the address of a Service to one of its endpoints.
    fn through_service(
        &self,
        origin: ConnectionOrigin<'_>,
        service: &Stored,
        address: &str,
        port: u16,
        nonce: u64,
    ) -> Connection {
        let shown = format!("{address}:{port}");
        let Some(wanted) = service_port(service, port) else { return Connection::TimedOut(shown) };
        self.to_endpoints(origin, service, wanted, address, port, nonce, is_local(service))
    }

    /// The endpoints that a connection may take.
    fn near(
        &self,
        origin: ConnectionOrigin<'_>,
        service: &Stored,
        wanted: &Value,
        is_local: bool,
    ) -> Vec<Endpoint<'_>> {
        let mut near = self.endpoints_of(service, json::text(wanted, "name"));
        if is_local {
            let here = self.node_of(origin);
            near.retain(|endpoint| endpoint.node == here);
        }
        near
    }

    #[expect(clippy::too_many_arguments, reason = "all that a connection is about")]
    fn to_endpoints(
        &self,
        origin: ConnectionOrigin<'_>,
        service: &Stored,
        wanted: &Value,
        address: &str,
        port: u16,
        nonce: u64,
        is_local: bool,
    ) -> Connection {
        let shown = || format!("{address}:{port}");
        let near = self.near(origin, service, wanted, is_local);
        if near.is_empty() {
            // What has endpoints elsewhere swallows connections; what has none refuses them.
            let elsewhere = is_local && !self.endpoints_of(service, json::text(wanted, "name")).is_empty();
            return if elsewhere { Connection::TimedOut(shown()) } else { Connection::Refused(shown()) };
        }
        let target = &near[chosen(origin, service, nonce, near.len())];
        let Some(pod) = self.pod_at(target.address) else { return Connection::TimedOut(shown()) };
        let pods = near.iter().filter_map(|endpoint| self.pod_at(endpoint.address));
        let names = pods.map(|pod| json::text(pod, "metadata.name").to_string()).collect();
        self.to_pod(origin, pod, target.port, address, names)
    }

    fn to_node(&self, origin: ConnectionOrigin<'_>, node: &Stored, address: &str, port: u16, nonce: u64) -> Connection {
        let name = json::text(node, "metadata.name");
        let Some(service) = self.store.found("services", LookupField::NodePort, &port.to_string()).next() else {
            let place = format!("{name}/{port}");
            let on_host = self.store.found("pods", LookupField::HostPort, &place).next();
            return match on_host {
                Some(pod) => self.to_pod(origin, pod, port, address, vec![json::text(pod, "metadata.name").into()]),
                None => Connection::Node { node: name.into(), port },
            };
        };
        let mut ports = json::list(service, "spec.ports").iter();
        let wanted = ports.find(|own| json::int(own, "nodePort") == Some(port.into())).expect("found by this port");
        let is_local = json::text(service, "spec.externalTrafficPolicy") == "Local";
        // Through a node's port, the node itself is where the connection comes from.
        let from = if is_local { ConnectionOrigin::Node(name) } else { origin };
        self.to_endpoints(from, service, wanted, address, port, nonce, is_local)
    }

    fn to_pod(
        &self,
        origin: ConnectionOrigin<'_>,
        pod: &Stored,
        port: u16,
        address: &str,
        choices: Vec<String>,
    ) -> Connection {
        let shown = format!("{address}:{port}");
        if matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed") {
            return Connection::TimedOut(shown);
        }
        let has_route = self.has_route(self.node_of(origin), json::text(pod, "spec.nodeName"));
        if !has_route || !self.is_allowed(origin, pod, port) {
            return Connection::TimedOut(shown);
        }
        Connection::Pod(PodEnd {
            namespace: json::text(pod, "metadata.namespace").into(),
            pod: json::text(pod, "metadata.name").into(),
            port,
            address: address.into(),
            choices,
        })
    }

    fn to_itself(&self, origin: ConnectionOrigin<'_>, address: &str, port: u16) -> Connection {
        match origin {
            ConnectionOrigin::Pod(namespace, name) => match self.store.get("pods", namespace, name) {
                Some(pod) => self.to_pod(origin, pod, port, address, vec![name.into()]),
                None => Connection::Refused(format!("{address}:{port}")),
            },
            ConnectionOrigin::Node(node) => Connection::Node { node: node.into(), port },
        }
    }

    /// The pod that has an address of the pods' network.
    pub(crate) fn pod_at(&self, address: &str) -> Option<&Stored> {
        let mut pods = self.store.found("pods", LookupField::Address, address);
        pods.find(|pod| !matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed"))
    }

    /// The node from which a connection comes.
    fn node_of<'a>(&'a self, origin: ConnectionOrigin<'a>) -> &'a str {
        match origin {
            ConnectionOrigin::Node(node) => node,
            ConnectionOrigin::Pod(namespace, name) => {
                self.store.get("pods", namespace, name).map_or("", |pod| json::text(pod, "spec.nodeName"))
            }
        }
    }
}

/// The port of a Service by its number.
fn service_port(service: &Value, port: u16) -> Option<&Value> {
    json::list(service, "spec.ports").iter().find(|own| json::int(own, "port") == Some(port.into()))
}

/// Whether connections from within the cluster stay on their node.
fn is_local(service: &Value) -> bool {
    json::text(service, "spec.internalTrafficPolicy") == "Local"
}

/// Whether each client keeps to one of its endpoints.
fn is_sticky(service: &Value) -> bool {
    json::text(service, "spec.sessionAffinity") == "ClientIP"
}

/// Which of several endpoints a connection takes.
fn chosen(origin: ConnectionOrigin<'_>, service: &Value, nonce: u64, count: usize) -> usize {
    let number = if is_sticky(service) { crate::chance::fnv(format!("{origin:?}").as_bytes()) } else { nonce };
    (number % count as u64) as usize
}

/// The address of a node.
fn node_address(node: &Value) -> &str {
    let addresses = json::list(node, "status.addresses").iter();
    let mut internal = addresses.filter(|address| json::text(address, "type") == "InternalIP");
    internal.next().map_or("", |address| json::text(address, "address"))
}
