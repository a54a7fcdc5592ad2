//! Ingress: where a request from outside goes, by host and path.

use serde_json::Value;

use super::{Connection, ConnectionOrigin};
use crate::store::Stored;
use crate::{Cluster, json};

const INGRESSES: &str = "ingresses.networking.k8s.io";
const CLASSES: &str = "ingressclasses.networking.k8s.io";

/// The rule that takes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngressRoute {
    /// The namespace of the Ingress.
    pub namespace: String,
    /// The name of the Ingress.
    pub name: String,
    /// The Service behind the path.
    pub service: String,
    /// Its port.
    pub port: u16,
    /// The Secret with the certificate for the host. Without one, clients get the controller's own.
    pub certificate: Option<String>,
}

/// What comes of a request from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IngressEnd {
    /// A rule takes it, and this is where its connection leads.
    Routed(IngressRoute, Connection),
    /// A rule takes it, but its Service has no endpoints or is not there: 503.
    NoEndpoints(IngressRoute),
    /// No rule takes it: 404.
    NoRoute,
}

impl Cluster {
    /// Where a request from outside for a host and a path goes. `nonce` tells requests apart.
    pub fn ingress(&self, host: &str, path: &str, nonce: u64) -> IngressEnd {
        let host = host.split(':').next().unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default();
        let served = self.store.list(INGRESSES, None).filter(|ingress| self.is_served(ingress));
        let best = served.flat_map(|ingress| rules(ingress, host, path)).max_by_key(|(rank, ..)| *rank);
        let Some((_, ingress, backend)) = best else { return IngressEnd::NoRoute };
        let route = self.ingress_route(ingress, backend, host);
        let service = self.store.get("services", &route.namespace, &route.service);
        let has_endpoints = self.endpoint_of(&route.namespace, &route.service, &route.port.to_string()).is_some();
        match service.filter(|_| has_endpoints) {
            None => IngressEnd::NoEndpoints(route),
            Some(service) => {
                let controller = self.ingress_controller();
                let origin = controller
                    .as_ref()
                    .map_or(ConnectionOrigin::Node(""), |(namespace, name)| ConnectionOrigin::Pod(namespace, name));
                let address = json::text(service, "spec.clusterIP");
                let connection = self.connect_to(origin, address, route.port, nonce);
                IngressEnd::Routed(route, connection)
            }
        }
    }

    /// Whether a controller takes an Ingress: its class exists, or it has none and some class takes such.
    fn is_served(&self, ingress: &Value) -> bool {
        let annotated = json::at(ingress, "metadata.annotations").get("kubernetes.io/ingress.class");
        let named = json::text(ingress, "spec.ingressClassName");
        let named = if named.is_empty() { annotated.and_then(Value::as_str).unwrap_or_default() } else { named };
        let mut classes = self.store.list(CLASSES, None).peekable();
        match named {
            "" => {
                let is_default = |class: &Stored| {
                    let annotations = json::at(class, "metadata.annotations");
                    annotations.get("ingressclass.kubernetes.io/is-default-class").is_some_and(|own| own == "true")
                };
                classes.peek().is_none() || classes.any(is_default)
            }
            // An annotation is taken by its name alone, as before there were classes.
            name => annotated.is_some() || classes.any(|class| json::text(class, "metadata.name") == name),
        }
    }

    fn ingress_route(&self, ingress: &Value, backend: &Value, host: &str) -> IngressRoute {
        let namespace = json::text(ingress, "metadata.namespace").to_string();
        let service = json::text(backend, "service.name").to_string();
        let named = json::text(backend, "service.port.name");
        let by_name = || {
            let service = self.store.get("services", &namespace, &service)?;
            let mut ports = json::list(service, "spec.ports").iter();
            json::int(ports.find(|port| json::text(port, "name") == named)?, "port")
        };
        let port = json::int(backend, "service.port.number").or_else(by_name).unwrap_or(0);
        let mut tls = json::list(ingress, "spec.tls").iter();
        let is_own =
            |entry: &&Value| json::list(entry, "hosts").iter().filter_map(Value::as_str).any(|own| fits(own, host));
        let certificate = tls.find(is_own).map(|entry| json::text(entry, "secretName").to_string());
        let certificate = certificate.filter(|name| self.store.get("secrets", &namespace, name).is_some());
        let name = json::text(ingress, "metadata.name").to_string();
        IngressRoute { namespace, name, service, port: u16::try_from(port).unwrap_or(0), certificate }
    }

    /// The pod of the controller, from which connections to backends come.
    fn ingress_controller(&self) -> Option<(String, String)> {
        let mut pods = self.store.list("pods", None).filter(|pod| {
            let labels = json::at(pod, "metadata.labels");
            labels.get("app.kubernetes.io/name").is_some_and(|name| name == "ingress-nginx")
                && labels.get("app.kubernetes.io/component").is_some_and(|part| part == "controller")
        });
        let pod = pods.next()?;
        Some((json::text(pod, "metadata.namespace").into(), json::text(pod, "metadata.name").into()))
    }
}

/// How well a rule fits: the host, then whether the path is exact, then its length.
type Rank = (u8, bool, usize);

/// The backends of an Ingress that fit, each with how well it does.
fn rules<'a>(ingress: &'a Stored, host: &str, path: &str) -> Vec<(Rank, &'a Stored, &'a Value)> {
    let mut found = Vec::new();
    for rule in json::list(ingress, "spec.rules") {
        let own = json::text(rule, "host");
        if !own.is_empty() && !fits(own, host) {
            continue;
        }
        let nearness = if own.is_empty() {
            1
        } else if own.starts_with("*.") {
            2
        } else {
            3
        };
        for item in json::list(rule, "http.paths") {
            let wanted = json::text(item, "path");
            let is_exact = json::text(item, "pathType") == "Exact";
            let is_met = if is_exact { wanted == path } else { is_under(path, wanted) };
            if is_met {
                found.push(((nearness, is_exact, wanted.len()), ingress, json::at(item, "backend")));
            }
        }
    }
    let default = json::at(ingress, "spec.defaultBackend");
    if default.is_object() {
        found.push(((0, false, 0), ingress, default));
    }
    found
}

/// Whether a host is meant: the same, or one label below a wildcard.
fn fits(own: &str, host: &str) -> bool {
    match own.strip_prefix("*.") {
        Some(domain) => host.split_once('.').is_some_and(|(_, rest)| rest == domain),
        None => own == host,
    }
}

/// Whether a path lies under another, element by element.
fn is_under(path: &str, above: &str) -> bool {
    let above = above.trim_end_matches('/');
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_paths_are_compared_by_their_parts() {
        for (own, host, expect) in
            [("a.example", "a.example", true), ("*.example", "a.example", true), ("*.example", "a.b.example", false)]
        {
            assert_eq!(fits(own, host), expect, "{own} {host}");
        }
        for (path, above, expect) in
            [("/api/x", "/api", true), ("/apis", "/api", false), ("/", "/", true), ("/x", "/", true)]
        {
            assert_eq!(is_under(path, above), expect, "{path} {above}");
        }
    }
}
