//! The network: from a pod, what happens to a connection to `host:port`?

mod dns;
mod policy;

use serde_json::Value;

use crate::program::{ContainerRun, PortAnswer, Programs};
use crate::store::Stored;
use crate::{Cluster, json, meta};
pub use dns::{Corefile, DnsAnswer};

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

    fn connect_to(&self, origin: ConnectionOrigin<'_>, address: &str, port: u16, nonce: u64) -> Connection {
        let service = self.store.list("services", None).find(|service| {
            json::text(service, "spec.clusterIP") == address
                || json::list(service, "spec.externalIPs").iter().any(|ip| ip == address)
        });
        if let Some(service) = service.cloned() {
            return self.through_service(origin, &service, address, port, nonce);
        }
        if address.starts_with("10.96.") {
            // An address of the range that no Service has goes nowhere.
            return Connection::TimedOut(format!("{address}:{port}"));
        }
        let node = self.store.list("nodes", None).find(|node| node_address(node) == address).cloned();
        if let Some(node) = node {
            return self.to_node(origin, &node, port, nonce);
        }
        match self.pod_at(address) {
            Some(pod) => self.to_pod(origin, &pod, port, address, vec![json::text(&pod, "metadata.name").into()]),
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
        let ports = json::list(service, "spec.ports");
        let Some(wanted) = ports.iter().find(|own| json::int(own, "port") == Some(port.into())) else {
            return Connection::TimedOut(shown);
        };
        let is_local = json::text(service, "spec.internalTrafficPolicy") == "Local";
        self.to_endpoints(origin, service, wanted, address, port, nonce, is_local)
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
        let shown = format!("{address}:{port}");
        let all = self.endpoints_of(service, json::text(wanted, "name"));
        if all.is_empty() {
            return Connection::Refused(shown);
        }
        let here = self.node_of(origin);
        let near: Vec<_> = all.iter().filter(|(_, _, node)| !is_local || *node == here).cloned().collect();
        if near.is_empty() {
            return Connection::TimedOut(shown);
        }
        let sticks = json::text(service, "spec.sessionAffinity") == "ClientIP";
        let number = if sticks { crate::chance::fnv(format!("{origin:?}").as_bytes()) } else { nonce };
        let (target, target_port, _) = &near[(number % near.len() as u64) as usize];
        let Some(pod) = self.pod_at(target) else { return Connection::TimedOut(shown) };
        let names = near.iter().filter_map(|(target, ..)| self.pod_at(target));
        let names = names.map(|pod| json::text(&pod, "metadata.name").to_string()).collect();
        self.to_pod(origin, &pod, *target_port, address, names)
    }

    /// Address, port and node of the endpoints that take connections: the ready ones, or, if there are none, those that
    /// still serve while they go.
    fn endpoints_of(&self, service: &Value, port_name: &str) -> Vec<(String, u16, String)> {
        let namespace = json::text(service, "metadata.namespace");
        let name = json::text(service, "metadata.name");
        let is_own = |slice: &&Stored| {
            json::at(slice, "metadata.labels").get("kubernetes.io/service-name").is_some_and(|own| own == name)
        };
        let slices: Vec<_> =
            self.store.list("endpointslices.discovery.k8s.io", Some(namespace)).filter(is_own).collect();
        let pick = |field: &str| {
            let mut found = Vec::new();
            for slice in &slices {
                let ports = json::list(slice, "ports").iter();
                let port =
                    ports.filter(|port| json::text(port, "name") == port_name).find_map(|port| json::int(port, "port"));
                let Some(port) = port.and_then(|port| u16::try_from(port).ok()) else { continue };
                for endpoint in
                    json::list(slice, "endpoints").iter().filter(|e| json::flag(e, &format!("conditions.{field}")))
                {
                    let address = json::list(endpoint, "addresses").first().and_then(Value::as_str).unwrap_or_default();
                    found.push((address.to_string(), port, json::text(endpoint, "nodeName").to_string()));
                }
            }
            found
        };
        let ready = pick("ready");
        if ready.is_empty() { pick("serving") } else { ready }
    }

    fn to_node(&self, origin: ConnectionOrigin<'_>, node: &Stored, port: u16, nonce: u64) -> Connection {
        let address = node_address(node).to_string();
        let by_port = self.store.list("services", None).find_map(|service| {
            let mut ports = json::list(service, "spec.ports").iter();
            let wanted = ports.find(|own| json::int(own, "nodePort") == Some(port.into()))?;
            Some((service.clone(), wanted.clone()))
        });
        let name = json::text(node, "metadata.name").to_string();
        let Some((service, wanted)) = by_port else {
            let on_host = self.store.list("pods", None).find(|pod| {
                let ports =
                    json::list(pod, "spec.containers").iter().flat_map(|container| json::list(container, "ports"));
                json::text(pod, "spec.nodeName") == name
                    && ports.filter_map(|own| json::int(own, "hostPort")).any(|own| own == i64::from(port))
            });
            return match on_host {
                Some(pod) => self.to_pod(origin, pod, port, &address, vec![json::text(pod, "metadata.name").into()]),
                None => Connection::Node { node: name, port },
            };
        };
        let is_local = json::text(&service, "spec.externalTrafficPolicy") == "Local";
        // Through a node's port, the node itself is where the connection comes from.
        let from = if is_local { ConnectionOrigin::Node(&name) } else { origin };
        self.to_endpoints(from, &service, &wanted, &address, port, nonce, is_local)
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
        if !self.is_allowed(origin, pod, port) {
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

    pub(crate) fn pod_at(&self, address: &str) -> Option<Stored> {
        let pods = self.store.list("pods", None).filter(|pod| json::text(pod, "status.podIP") == address);
        let mut alive = pods.filter(|pod| !matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed"));
        alive.find(|pod| !json::flag(pod, "spec.hostNetwork")).cloned()
    }

    /// Hands bytes to whatever listens on a port of a pod; nothing if nothing does.
    pub fn talk_to(
        &self,
        programs: &mut dyn Programs,
        namespace: &str,
        pod: &str,
        port: u16,
        bytes: &[u8],
    ) -> Option<PortAnswer> {
        let run = self.listener(programs, namespace, pod, port)?;
        Some(programs.answer(self.now, &run, port, bytes))
    }

    /// The running container of a pod in which something listens on a port.
    pub fn listener(&self, programs: &mut dyn Programs, namespace: &str, pod: &str, port: u16) -> Option<ContainerRun> {
        let pod = self.store.get("pods", namespace, pod)?;
        let lists = ["status.containerStatuses", "status.initContainerStatuses", "status.ephemeralContainerStatuses"];
        let running = lists
            .iter()
            .flat_map(|path| json::list(pod, path))
            .filter(|status| !json::at(status, "state.running").is_null());
        running
            .map(|status| {
                let attempt = json::int(status, "restartCount").unwrap_or(0) as u32;
                self.container_run(pod, json::text(status, "name"), attempt)
            })
            .find(|run| programs.listens(self.now, run, port))
    }

    /// A pod behind a Service and its port, for requests that the API passes on; the port by number or name.
    pub fn endpoint_of(&self, namespace: &str, service: &str, port: &str) -> Option<(String, u16)> {
        let service = self.store.get("services", namespace, service)?.clone();
        let ports = json::list(&service, "spec.ports");
        let is_wanted = |own: &&Value| {
            json::text(own, "name") == port || json::int(own, "port").is_some_and(|number| number.to_string() == port)
        };
        let wanted = ports.iter().find(is_wanted).or_else(|| ports.first().filter(|_| port.is_empty()))?;
        let endpoints = self.endpoints_of(&service, json::text(wanted, "name"));
        let (address, port, _) = endpoints.first()?;
        Some((json::text(&*self.pod_at(address)?, "metadata.name").into(), *port))
    }

    /// The node from which a connection comes.
    fn node_of(&self, origin: ConnectionOrigin<'_>) -> String {
        match origin {
            ConnectionOrigin::Node(node) => node.into(),
            ConnectionOrigin::Pod(namespace, name) => self
                .store
                .get("pods", namespace, name)
                .map(|pod| json::text(pod, "spec.nodeName").to_string())
                .unwrap_or_default(),
        }
    }

    /// Whether an endpoint of a pod takes connections now: ready, and not going.
    pub fn is_serving(&self, namespace: &str, pod: &str) -> bool {
        self.store
            .get("pods", namespace, pod)
            .is_some_and(|pod| meta::condition(pod, "Ready") == "True" && !meta::is_going(pod))
    }
}

/// The address of a node.
fn node_address(node: &Value) -> &str {
    let addresses = json::list(node, "status.addresses").iter();
    let mut internal = addresses.filter(|address| json::text(address, "type") == "InternalIP");
    internal.next().map_or("", |address| json::text(address, "address"))
}
