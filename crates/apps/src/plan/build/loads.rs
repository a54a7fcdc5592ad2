//! Where requests begin: stations, load generators, and what programs do without being asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, Quantity, json};

use super::Builder;
use crate::instance::Instance;
use crate::plan::{Operation, Station};
use crate::spec::{OperationCall, ProgramKind};

/// Seconds that a user of a generator that counts users thinks between two requests.
const THINK_SECONDS: f64 = 5.5;

impl Builder<'_> {
    pub(super) fn lay_stations(&mut self) {
        let cores = |node: &serde_json::Value| {
            Quantity::parse(json::text(node, "status.allocatable.cpu")).map_or(8.0, |cpu| cpu.milli() as f64 / 1000.0)
        };
        let nodes = self.cluster.objects("nodes", None);
        self.plan.nodes = nodes.map(|node| (json::text(node, "metadata.name").to_string(), cores(node))).collect();
        let numbers: BTreeMap<String, usize> =
            self.plan.nodes.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
        let is_even = self.ground.is_even();
        for (key, instance) in self.instances.iter().filter(|(_, instance)| instance.is_serving()) {
            let node = numbers.get(&instance.run.node).copied().unwrap_or(0);
            let program = &instance.program;
            let number = |name: &Option<String>| name.as_ref().and_then(|name| instance.setting(name).parse().ok());
            let kernel = self.ground.kernel(&instance.run.node);
            let range = pod_ports(self.cluster, instance).unwrap_or(kernel.ports);
            let station = Station {
                key: key.clone(),
                node,
                operations: Vec::new(),
                burns: 0.0,
                leaks: 0.0,
                most_rate: number(&program.rate_setting).filter(|rate| *rate > 0.0).unwrap_or(f64::INFINITY),
                most_queue: number(&program.queue_setting).unwrap_or(program.queue),
                most_ports: f64::from(range.1.saturating_sub(range.0)) + 1.0,
                most_files: file_limit(instance).unwrap_or(kernel.file_limit as f64),
                held: 0.0,
                unhealthy: false,
            };
            self.stations.insert(key.clone(), self.plan.stations.len());
            self.plan.stations.push(station);
            self.programs.push(instance);
            self.known.push(Vec::new());
            let standing = self.cluster.standing(&instance.run.namespace, &instance.run.pod);
            self.fans.stand(standing.filter(|_| is_even));
        }
        for at in 0..self.plan.stations.len() {
            for effect in self.effects_of(at, self.programs[at], None) {
                self.plan.stations[at].burns += effect.0.burns_cores;
                self.plan.stations[at].leaks += effect.0.leak_mb_per_second * f64::from(1 << 20);
                self.plan.stations[at].unhealthy |= effect.0.unhealthy;
            }
        }
    }

    /// Load generators, each with one operation per route of the application in its namespace.
    pub(super) fn lay_loads(&mut self) {
        let loads: Vec<_> = self
            .instances
            .iter()
            .filter(|(_, instance)| instance.is_serving() && instance.program.kind == ProgramKind::Load)
            .map(|(key, instance)| (key.clone(), instance.clone()))
            .collect();
        for (key, instance) in loads {
            let Some(app) = self.catalogue.app_in(&key.0).cloned() else { continue };
            let station = self.stations[&key];
            let level = self.ground.loads.get(&app.name).copied();
            let own = instance.setting("rate").parse().ok().filter(|rate| *rate >= 0.0).unwrap_or(app.load.rate);
            let users: Option<f64> = instance.setting("users").parse().ok();
            let own = users.map_or(own, |users| users / THINK_SECONDS);
            let factor = level.map_or(1.0, |level| level.factor);
            let rate = level.and_then(|level| level.rate).unwrap_or(own) * factor;
            let factor = if own > 0.0 { rate / own } else { factor };
            let connections: f64 = instance.setting("connections").parse().unwrap_or(f64::INFINITY);
            let connections = users.map_or(connections, |users| users * factor.max(1.0));
            let target = instance.program.targets.keys().next().cloned().unwrap_or_default();
            let entry = instance.program.targets.get(&target).map(|own| own.address.fill(&instance.settings));
            let folder = entry.map(|entry| path_of(&entry)).unwrap_or_default();
            for (number, route) in app.routes.iter().enumerate() {
                let host = if app.load.host.is_empty() { String::new() } else { format!("{}|", app.load.host) };
                let call = OperationCall::parse(&format!("{target} {host}{}", below(&folder, &route.operation)))
                    .expect("a route names an operation");
                let effects = self.effects_of(station, &instance, Some(&route.name));
                let edge = self.edge(station, &instance, (&route.name, &effects), &Arc::new(call));
                if let (0, Some(edge), Some(level)) = (number, edge, level) {
                    self.hold_connections(edge, level.held_connections);
                }
                let mut more = 1.0;
                for (effect, value) in effects {
                    more += effect.load_factor * value.max(1.0);
                }
                self.plan.operations.push(Operation {
                    station,
                    name: route.name.as_str().into(),
                    cpu: 0.000_05,
                    wait: 0.0,
                    fails: 0.0,
                    message: "".into(),
                    steps: vec![edge.into_iter().collect()],
                    ask: None,
                    route: Some((app.clone(), number)),
                    offered: rate * route.share * more,
                    // A generator shares its connections among all routes as requests come.
                    most_under_way: connections.max(1.0) * more,
                });
                let at = self.plan.operations.len() - 1;
                self.plan.stations[station].operations.push(at);
            }
        }
    }

    /// Connections that users hold to whatever answers them.
    fn hold_connections(&mut self, edge: usize, count: f64) {
        let ends: Vec<(usize, f64)> =
            self.plan.edges[edge].ways.iter().filter_map(|way| Some((*way.end.as_ref().ok()?, way.share))).collect();
        for (operation, share) in ends {
            let station = self.plan.operations[operation].station;
            self.plan.stations[station].held += count * share;
        }
    }

    /// Operations that programs do without being asked.
    pub(super) fn lay_loops(&mut self) {
        for station in 0..self.plan.stations.len() {
            let instance = self.programs[station];
            for own in instance.program.operations.iter().filter(|own| own.self_rate > 0.0) {
                if let Ok(at) = self.operation(station, &own.name) {
                    let times = own.self_rate_setting.as_ref().and_then(|name| instance.setting(name).parse().ok());
                    self.plan.operations[at].offered = own.self_rate * times.unwrap_or(1.0);
                    // One after the other, in each thread.
                    self.plan.operations[at].most_under_way = times.unwrap_or(1.0);
                }
            }
        }
    }
}

/// The folder of a URL, without a slash at its end.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split_once('/')
        .map_or(String::new(), |(_, path)| format!("/{}", path.trim_end_matches('/')))
        .trim_end_matches('/')
        .into()
}

/// A request for a path below a folder: `HTTP GET /hotels` below `/api` is `HTTP GET /api/hotels`.
fn below(folder: &str, operation: &str) -> String {
    match operation.rsplit_once(' ') {
        Some((verb, path)) if !folder.is_empty() && path.starts_with('/') => format!("{verb} {folder}{path}"),
        _ => operation.into(),
    }
}

/// The files that a container's command lets its program open: `ulimit -n 1024 && frontend`.
fn file_limit(instance: &Instance) -> Option<f64> {
    let words = instance.run.command.iter().chain(&instance.run.args);
    let script = words.map(|word| &**word).collect::<Vec<_>>().join(" ");
    script.split_once("ulimit -n ")?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The range of ports to connect from that a pod sets for itself.
fn pod_ports(cluster: &Cluster, instance: &Instance) -> Option<(u16, u16)> {
    let pod = cluster.object("pods", &instance.run.namespace, &instance.run.pod)?;
    let sysctls = json::list(pod, "spec.securityContext.sysctls").iter();
    let mut own = sysctls.filter(|own| json::text(own, "name") == "net.ipv4.ip_local_port_range");
    let (first, last) = json::text(own.next()?, "value").trim().split_once([' ', '\t'])?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}
