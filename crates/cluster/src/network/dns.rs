//! Names: the pod's resolver, and the cluster's DNS with its Corefile.

mod corefile;

use serde_json::Value;

use super::ConnectionOrigin;
use crate::store::LookupField;
use crate::{Cluster, json};
pub use corefile::Corefile;

/// What comes of asking for a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DnsAnswer {
    /// Addresses, at least one.
    Addresses(Vec<String>),
    /// A name outside the cluster, which has no say in it.
    Outside(String),
    /// There is no such name.
    NoSuchName,
    /// The server answers that it failed.
    ServerFailure,
    /// No server answers.
    NoAnswer,
}

const DOMAIN: &str = "cluster.local";

impl Cluster {
    /// What a name leads to, as a pod's resolver finds out: search paths first if the name has few dots.
    pub fn resolve(&self, origin: ConnectionOrigin<'_>, name: &str) -> DnsAnswer {
        if is_address(name) {
            return DnsAnswer::Addresses(vec![name.into()]);
        }
        if name == "localhost" {
            return DnsAnswer::Addresses(vec!["127.0.0.1".into()]);
        }
        let ConnectionOrigin::Pod(namespace, pod_name) = origin else {
            return DnsAnswer::Outside(name.trim_end_matches('.').into());
        };
        let Some(pod) = self.store.get("pods", namespace, pod_name) else { return DnsAnswer::NoAnswer };
        if let Some(address) = host_alias(pod, name) {
            return DnsAnswer::Addresses(vec![address]);
        }
        if self.dead_resolvers.contains(json::text(pod, "spec.nodeName")) {
            return DnsAnswer::ServerFailure;
        }
        let resolver = resolver(pod);
        let mut last = DnsAnswer::NoSuchName;
        for candidate in resolver.candidates(name) {
            last = match resolver.asks_cluster {
                true => self.ask_cluster_dns(origin, &candidate),
                false => outside(&candidate),
            };
            if !matches!(last, DnsAnswer::NoSuchName) {
                return last;
            }
        }
        last
    }

    /// Says whether lookups on a node get anywhere. Addresses and the pods' own tables of hosts need none.
    pub fn set_resolver(&mut self, node: &str, works: bool) {
        match works {
            true => self.dead_resolvers.remove(node),
            false => self.dead_resolvers.insert(node.into()),
        };
    }

    /// Whether lookups on a node get anywhere.
    pub fn has_resolver(&self, node: &str) -> bool {
        !self.dead_resolvers.contains(node)
    }

    /// Asks the cluster's DNS: its Service must lead to a pod, its Corefile must let the question through.
    fn ask_cluster_dns(&self, origin: ConnectionOrigin<'_>, name: &str) -> DnsAnswer {
        if let Some(service) = self.store.get("services", "kube-system", "kube-dns") {
            let address = json::text(service, "spec.clusterIP");
            if !matches!(self.connect_to(origin, address, 53, 0), super::Connection::Pod(_)) {
                return DnsAnswer::NoAnswer;
            }
        }
        match self.corefile.as_deref() {
            Some(corefile) => match corefile.overrides(name) {
                Some(answer) => answer,
                None if !corefile.serves(name) => self.forwarded(corefile, name),
                None => self.cluster_name(name),
            },
            // A cluster without the usual map has a server with the usual settings.
            None => self.cluster_name(name),
        }
    }

    /// Reads the settings of the cluster's DNS again, after a write of their map.
    pub(crate) fn learn_names(&mut self) {
        let map = self.store.get("configmaps", "kube-system", "coredns");
        self.corefile = map.map(|map| {
            let text = json::at(map, "data").get("Corefile").and_then(Value::as_str).unwrap_or_default();
            Corefile::parse(text).into()
        });
    }

    fn forwarded(&self, corefile: &Corefile, name: &str) -> DnsAnswer {
        if corefile.forwards() { outside(name) } else { DnsAnswer::ServerFailure }
    }

    /// A name of the cluster, or one outside.
    fn cluster_name(&self, name: &str) -> DnsAnswer {
        let name = name.trim_end_matches('.');
        let Some(inside) = name.strip_suffix(DOMAIN).and_then(|rest| rest.strip_suffix('.')) else {
            return outside(name);
        };
        let parts: Vec<&str> = inside.split('.').collect();
        match parts.as_slice() {
            [service, namespace, "svc"] => self.service_name(namespace, service, None),
            [host, service, namespace, "svc"] => self.service_name(namespace, service, Some(host)),
            [address, _, "pod"] if is_address(&address.replace('-', ".")) => {
                DnsAnswer::Addresses(vec![address.replace('-', ".")])
            }
            _ => DnsAnswer::NoSuchName,
        }
    }

    fn service_name(&self, namespace: &str, name: &str, host: Option<&str>) -> DnsAnswer {
        let Some(service) = self.store.get("services", namespace, name) else { return DnsAnswer::NoSuchName };
        let outside_name = json::text(service, "spec.externalName");
        if json::text(service, "spec.type") == "ExternalName" && !outside_name.is_empty() {
            return self.cluster_name(outside_name);
        }
        let address = json::text(service, "spec.clusterIP");
        if address != "None" {
            return match host {
                None => DnsAnswer::Addresses(vec![address.into()]),
                Some(_) => DnsAnswer::NoSuchName,
            };
        }
        let place = format!("{namespace}/{name}");
        let slices = self.store.found("endpointslices.discovery.k8s.io", LookupField::SliceOf, &place);
        let endpoints = slices.flat_map(|slice| json::list(slice, "endpoints"));
        let ready = endpoints.filter(|endpoint| json::flag(endpoint, "conditions.ready"));
        let wanted = ready.filter(|endpoint| host.is_none_or(|host| json::text(endpoint, "hostname") == host));
        let addresses: Vec<String> = wanted
            .filter_map(|endpoint| json::list(endpoint, "addresses").first())
            .filter_map(Value::as_str)
            .map(Into::into)
            .collect();
        if addresses.is_empty() { DnsAnswer::NoSuchName } else { DnsAnswer::Addresses(addresses) }
    }
}

/// A pod's `/etc/resolv.conf`, as far as it decides.
struct Resolver {
    asks_cluster: bool,
    search: Vec<String>,
    dots: usize,
}

impl Resolver {
    /// The names that are asked for, in order.
    fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(full) = name.strip_suffix('.') {
            return vec![full.into()];
        }
        let searched = self.search.iter().map(|domain| format!("{name}.{domain}"));
        match name.matches('.').count() >= self.dots {
            true => std::iter::once(name.to_string()).chain(searched).collect(),
            false => searched.chain([name.to_string()]).collect(),
        }
    }
}

fn resolver(pod: &Value) -> Resolver {
    let namespace = json::text(pod, "metadata.namespace");
    let policy = match json::text(pod, "spec.dnsPolicy") {
        "ClusterFirst" if json::flag(pod, "spec.hostNetwork") => "Default",
        policy => policy,
    };
    let asks_cluster = matches!(policy, "ClusterFirst" | "ClusterFirstWithHostNet" | "");
    let mut search = match asks_cluster {
        true => vec![format!("{namespace}.svc.{DOMAIN}"), format!("svc.{DOMAIN}"), DOMAIN.to_string()],
        false => Vec::new(),
    };
    let own = json::at(pod, "spec.dnsConfig");
    search.extend(json::list(own, "searches").iter().filter_map(Value::as_str).map(ToString::to_string));
    let servers: Vec<_> = json::list(own, "nameservers").iter().filter_map(Value::as_str).collect();
    let options = json::list(own, "options").iter();
    let dots = options
        .filter(|option| json::text(option, "name") == "ndots")
        .find_map(|option| json::text(option, "value").parse().ok());
    let default = if asks_cluster { 5 } else { 1 };
    // With a policy of its own, a pod may still name the cluster's server.
    let asks_cluster = asks_cluster || servers.first() == Some(&"10.96.0.10");
    Resolver { asks_cluster, search, dots: dots.unwrap_or(default) }
}

fn host_alias(pod: &Value, name: &str) -> Option<String> {
    let aliases = json::list(pod, "spec.hostAliases").iter();
    let mut own = aliases.filter(|alias| json::list(alias, "hostnames").iter().any(|host| host == name));
    own.next().map(|alias| json::text(alias, "ip").into())
}

/// A name that the cluster does not serve: those of its own domain are nowhere, all others are the world's.
fn outside(name: &str) -> DnsAnswer {
    let name = name.trim_end_matches('.');
    let is_inner = name.ends_with(DOMAIN) || !name.contains('.');
    if is_inner { DnsAnswer::NoSuchName } else { DnsAnswer::Outside(name.into()) }
}

fn is_address(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').collect();
    parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok())
}
