//! All connections from one place to another at once: who draws up who calls whom asks for them by the thousand.

use super::policy::POLICIES;
use super::{Connection, ConnectionOrigin, DnsAnswer, PodEnd, chosen, is_local, is_sticky, service_port};
use crate::Cluster;
use crate::store::{LookupField, Stored};

impl Cluster {
    /// What comes of connections `0`, `1`, `2` and so on: as many as there are addresses or endpoints to choose among, and at
    /// most so many. Each is what `connect` says, but names none of the others; names and endpoints are looked up once.
    pub fn connections(&self, origin: ConnectionOrigin<'_>, host: &str, port: u16, most: u64) -> Vec<Connection> {
        let addresses = match self.resolve(origin, host) {
            DnsAnswer::Addresses(addresses) if !addresses.is_empty() => addresses,
            DnsAnswer::Addresses(_) => return vec![Connection::Unresolved(DnsAnswer::NoSuchName)],
            DnsAnswer::Outside(name) => return vec![Connection::Outside { host: name, port }],
            answer => return vec![Connection::Unresolved(answer)],
        };
        if let [address] = &addresses[..]
            && let Some(service) = self.store.found("services", LookupField::Address, address).next()
        {
            return self.all_through_service(origin, service, address, port, most);
        }
        let first = self.connect_to(origin, &addresses[0], port, 0);
        let choices = if let Connection::Pod(end) = &first { end.choices.len() } else { 0 };
        let count = (addresses.len().max(choices) as u64).clamp(1, most.max(1));
        let later = (1..count).map(|nonce| {
            let address = &addresses[(nonce % addresses.len() as u64) as usize];
            self.connect_to(origin, address, port, nonce)
        });
        std::iter::once(first).chain(later).collect()
    }

    /// What decides where a pod's connections lead, as text: of two pods with the same, each connects to what the other does
    /// wherever [`leads_all_alike`](Self::leads_all_alike). Nothing where it matters which pod it is, or on which node.
    pub fn standing(&self, namespace: &str, pod: &str) -> Option<String> {
        if self.tells_apart() || !self.dead_resolvers.is_empty() || self.store.list(POLICIES, None).next().is_some() {
            return None;
        }
        let pod = self.store.get("pods", namespace, pod)?;
        let own = ["dnsPolicy", "hostNetwork", "dnsConfig", "hostAliases"].map(|field| &pod["spec"][field]);
        Some(format!("{namespace} {} {} {} {}", own[0], own[1], own[2], own[3]))
    }

    /// Whether connections to a name or address go the same ways from all pods that stand alike.
    pub fn leads_all_alike(&self, origin: ConnectionOrigin<'_>, host: &str) -> bool {
        let DnsAnswer::Addresses(addresses) = self.resolve(origin, host) else { return true };
        addresses.iter().all(|address| {
            let sticks = |service: &Stored| is_local(service) || is_sticky(service);
            !address.starts_with("127.")
                && !self.store.found("services", LookupField::Address, address).any(sticks)
                && self.store.found("nodes", LookupField::Address, address).next().is_none()
        })
    }

    fn all_through_service(
        &self,
        origin: ConnectionOrigin<'_>,
        service: &Stored,
        address: &str,
        port: u16,
        most: u64,
    ) -> Vec<Connection> {
        let first = self.through_service(origin, service, address, port, 0);
        let Connection::Pod(PodEnd { choices, .. }) = &first else { return vec![first] };
        let count = (choices.len() as u64).clamp(1, most.max(1));
        let mut all = vec![first];
        let near = match service_port(service, port) {
            Some(wanted) => self.near(origin, service, wanted, is_local(service)),
            None => Vec::new(),
        };
        for nonce in 1..count {
            let target = &near[chosen(origin, service, nonce, near.len())];
            all.push(match self.pod_at(target.address) {
                Some(pod) => self.to_pod(origin, pod, target.port, address, Vec::new()),
                None => Connection::TimedOut(format!("{address}:{port}")),
            });
        }
        all
    }
}
