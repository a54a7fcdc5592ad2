//! The endpoints of a Service that take connections.

use serde_json::Value;

use crate::store::LookupField;
use crate::{Cluster, json};

/// Where a connection through a Service may end.
pub(super) struct Endpoint<'a> {
    pub(super) address: &'a str,
    pub(super) port: u16,
    pub(super) node: &'a str,
}

impl Cluster {
    /// The endpoints that take connections: the ready ones, or, if there are none, those that still serve while they go.
    pub(super) fn endpoints_of(&self, service: &Value, port_name: &str) -> Vec<Endpoint<'_>> {
        let ready = self.endpoints_that_are("ready", service, port_name);
        if ready.is_empty() { self.endpoints_that_are("serving", service, port_name) } else { ready }
    }

    fn endpoints_that_are(&self, condition: &str, service: &Value, port_name: &str) -> Vec<Endpoint<'_>> {
        let place = format!("{}/{}", json::text(service, "metadata.namespace"), json::text(service, "metadata.name"));
        let mut found = Vec::new();
        for slice in self.store.found("endpointslices.discovery.k8s.io", LookupField::SliceOf, &place) {
            let mut ports = json::list(slice, "ports").iter().filter(|port| json::text(port, "name") == port_name);
            let port = ports.find_map(|port| json::int(port, "port")).and_then(|port| u16::try_from(port).ok());
            let Some(port) = port else { continue };
            for endpoint in json::list(slice, "endpoints") {
                if json::flag(json::at(endpoint, "conditions"), condition) {
                    let address = json::list(endpoint, "addresses").first().and_then(Value::as_str).unwrap_or_default();
                    found.push(Endpoint { address, port, node: json::text(endpoint, "nodeName") });
                }
            }
        }
        found
    }

    /// A pod behind a Service and its port, for requests that the API passes on; the port by number or name.
    pub fn endpoint_of(&self, namespace: &str, service: &str, port: &str) -> Option<(String, u16)> {
        let service = self.store.get("services", namespace, service)?;
        let ports = json::list(service, "spec.ports");
        let is_wanted = |own: &&Value| {
            json::text(own, "name") == port || json::int(own, "port").is_some_and(|number| number.to_string() == port)
        };
        let wanted = ports.iter().find(is_wanted).or_else(|| ports.first().filter(|_| port.is_empty()))?;
        let endpoints = self.endpoints_of(service, json::text(wanted, "name"));
        let endpoint = endpoints.first()?;
        Some((json::text(self.pod_at(endpoint.address)?, "metadata.name").into(), endpoint.port))
    }
}
