//! From a program, what happens to connections to `host:port`: where they lead, or why they do not.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::network::{Connection, ConnectionOrigin, DnsAnswer};
use cluster::{Cluster, ContainerRun};

use crate::ground::Ground;
use crate::instance::{Instance, InstanceKey};
use crate::words::Trouble;

/// All programs, by namespace, pod and container.
pub(crate) type Instances = BTreeMap<InstanceKey, Arc<Instance>>;

/// One of the ways that connections take.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The share of connections that take it.
    pub(crate) share: f64,
    pub(crate) end: Result<InstanceKey, Trouble>,
    /// The port in the pod.
    pub(crate) port: u16,
    /// Seconds that the link takes there and back, and the share of packets that it loses.
    pub(crate) delay: f64,
    pub(crate) loss: f64,
}

/// How many endpoints are told apart.
const MOST_WAYS: u64 = 64;

/// All ways of connections from a container to an address, with shares that sum to 1.
pub(crate) fn ways(
    cluster: &Cluster,
    instances: &Instances,
    ground: &Ground,
    from: &ContainerRun,
    host: &str,
    port: u16,
) -> Vec<Way> {
    let origin = ConnectionOrigin::Pod(&from.namespace, &from.pod);
    let all = cluster.connections(origin, host, port, MOST_WAYS);
    let share = 1.0 / all.len() as f64;
    all.into_iter().map(|connection| way(instances, ground, from, connection, share)).collect()
}

fn way(instances: &Instances, ground: &Ground, from: &ContainerRun, connection: Connection, share: f64) -> Way {
    let none = |trouble| Way { share, end: Err(trouble), port: 0, delay: 0.0, loss: 0.0 };
    let end = match connection {
        Connection::Pod(end) => end,
        Connection::Node { node, port } => return none(Trouble::Refused(format!("{node}:{port}"))),
        Connection::Outside { host, port } => return none(Trouble::TimedOut(format!("{host}:{port}"))),
        Connection::Refused(address) => return none(Trouble::Refused(address)),
        Connection::TimedOut(address) => return none(Trouble::TimedOut(address)),
        Connection::Unresolved(DnsAnswer::ServerFailure) => return none(Trouble::DnsFails),
        Connection::Unresolved(DnsAnswer::NoAnswer) => return none(Trouble::DnsSilent),
        Connection::Unresolved(_) => return none(Trouble::NoSuchName),
    };
    let shown = format!("{}:{}", end.address, end.port);
    let Some((key, to)) = listener(instances, &end.namespace, &end.pod, end.port) else {
        return none(Trouble::Refused(shown));
    };
    let is_full = |node: &str| ground.tracked(node) >= ground.kernel(node).conntrack_max;
    let link = ground.between(from, &to.run);
    if link.is_cut || is_full(&from.node) || is_full(&to.run.node) {
        return none(Trouble::TimedOut(shown));
    }
    let delay = 2.0 * (link.delay_ms + 0.5 * link.jitter_ms) / 1000.0;
    Way { share, end: Ok(key.clone()), port: end.port, delay, loss: link.loss }
}

/// The program in a pod that listens on a port.
fn listener<'a>(
    instances: &'a Instances,
    namespace: &str,
    pod: &str,
    port: u16,
) -> Option<(&'a InstanceKey, &'a Instance)> {
    let first: InstanceKey = (namespace.into(), pod.into(), "".into());
    let own = instances.range(first..).take_while(|((space, name, _), _)| &**space == namespace && &**name == pod);
    own.map(|(key, instance)| (key, &**instance)).find(|(_, instance)| instance.listens_on(port).is_some())
}

/// Host and port of an address, with or without a scheme and a path.
pub(crate) fn host_and_port(address: &str, default: Option<u16>) -> Option<(String, u16)> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let rest = rest.split(['/', '?', ',']).next().unwrap_or_default();
    let default = default.or(match scheme {
        "http" | "ws" => Some(80),
        "https" => Some(443),
        "mongodb" => Some(27017),
        "redis" => Some(6379),
        "postgres" | "postgresql" => Some(5432),
        "amqp" => Some(5672),
        _ => None,
    });
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (rest, default?),
    };
    (!host.is_empty()).then(|| (host.to_string(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let check = |text: &str, expect: Option<(&str, u16)>| {
            assert_eq!(host_and_port(text, None), expect.map(|(host, port)| (host.into(), port)), "{text}");
        };
        check("geo:8083", Some(("geo", 8083)));
        check("http://frontend:5000/path", Some(("frontend", 5000)));
        check("http://frontend/", Some(("frontend", 80)));
        check("postgres://otelu:otelp@postgresql/otel?sslmode=disable", Some(("postgresql", 5432)));
        check("geo", None);
        check(":80", None);
        check("", None);
    }
}
