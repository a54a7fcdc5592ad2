//! The compiled plan of who calls whom: rebuilt when objects or programs change, and walked every second.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, Quantity, Stamp, json};

use crate::catalogue::AppCatalogue;
use crate::ground::Ground;
use crate::instance::{Instance, InstanceKey, Phase};
use crate::reach::{Instances, Way, host_and_port, ways};
use crate::spec::{
    ApplicationSpec, CallStep, EffectSpec, OperationCall, ProgramKind, TargetSpec, WireProtocol, parse_duration,
};
use crate::stores::StoreAsk;
use crate::words::Trouble;

/// Operations in order, callees before their callers, and the calls between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) stations: Vec<Station>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) asks: Vec<StoreAsk>,
    /// Cores of each node.
    pub(crate) nodes: Vec<(String, f64)>,
}

/// A program that serves.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    pub(crate) key: InstanceKey,
    pub(crate) node: usize,
    pub(crate) operations: Vec<usize>,
    /// Cores that it burns whatever comes, and bytes that stay behind per second.
    pub(crate) burns: f64,
    pub(crate) leaks: f64,
    /// Requests per second that it takes on, and how many may wait.
    pub(crate) most_rate: f64,
    pub(crate) most_queue: f64,
    /// Connections that it may open at once.
    pub(crate) most_ports: f64,
    /// Files that it may open, and connections that others hold to it.
    pub(crate) most_files: f64,
    pub(crate) held: f64,
    /// Whether health checks fail.
    pub(crate) unhealthy: bool,
}

/// What a station does for its callers.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) station: usize,
    pub(crate) name: Arc<str>,
    /// Seconds of a core, and seconds that pass besides.
    pub(crate) cpu: f64,
    pub(crate) wait: f64,
    /// The share that fails by itself, and in which words.
    pub(crate) fails: f64,
    pub(crate) message: Arc<str>,
    /// Edges by step; those of one step are called at once.
    pub(crate) steps: Vec<Vec<usize>>,
    /// What is asked of a store.
    pub(crate) ask: Option<usize>,
    /// The route that a load generator asks for, and its requests per second.
    pub(crate) route: Option<(Arc<ApplicationSpec>, usize)>,
    pub(crate) offered: f64,
    /// How many requests the generator has under way at most.
    pub(crate) most_under_way: f64,
}

/// A call within an operation.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) caller: usize,
    pub(crate) within: Arc<str>,
    pub(crate) call: Arc<OperationCall>,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) wire: WireProtocol,
    pub(crate) deadline: f64,
    pub(crate) attempts: f64,
    pub(crate) backoff: f64,
    pub(crate) times: f64,
    /// The edge whose misses it follows.
    pub(crate) after: Option<usize>,
    pub(crate) ways: Vec<EdgeWay>,
    pub(crate) says: Option<String>,
}

/// One of the ways that calls take.
#[derive(Clone, Debug)]
pub(crate) struct EdgeWay {
    pub(crate) share: f64,
    pub(crate) end: Result<usize, Trouble>,
    pub(crate) delay: f64,
    pub(crate) loss: f64,
}

/// Seconds that a user of a generator that counts users thinks between two requests.
const THINK_SECONDS: f64 = 5.5;

/// Flags that flagd serves: name and value.
pub(crate) type Flags = BTreeMap<String, String>;

struct Builder<'a> {
    cluster: &'a Cluster,
    instances: &'a Instances,
    ground: &'a Ground,
    catalogue: &'a AppCatalogue,
    now: Stamp,
    plan: Plan,
    stations: BTreeMap<InstanceKey, usize>,
    /// Operations by station and name; nothing while they are being built.
    known: BTreeMap<(usize, String), Option<usize>>,
    reached: BTreeMap<(InstanceKey, String, u16), Arc<Vec<Way>>>,
    flags: BTreeMap<InstanceKey, Arc<Flags>>,
}

impl Plan {
    /// The plan for all programs that serve now.
    pub(crate) fn build(
        cluster: &Cluster,
        instances: &Instances,
        ground: &Ground,
        catalogue: &AppCatalogue,
        now: Stamp,
    ) -> Self {
        let mut builder = Builder {
            cluster,
            instances,
            ground,
            catalogue,
            now,
            plan: Self::default(),
            stations: BTreeMap::new(),
            known: BTreeMap::new(),
            reached: BTreeMap::new(),
            flags: BTreeMap::new(),
        };
        builder.lay_stations();
        builder.lay_loads();
        builder.lay_loops();
        builder.plan
    }
}

impl Builder<'_> {
    fn lay_stations(&mut self) {
        let cores = |node: &serde_json::Value| {
            Quantity::parse(json::text(node, "status.allocatable.cpu")).map_or(8.0, |cpu| cpu.milli() as f64 / 1000.0)
        };
        let nodes = self.cluster.objects("nodes", None);
        self.plan.nodes = nodes.map(|node| (json::text(node, "metadata.name").to_string(), cores(node))).collect();
        for (key, instance) in self.instances.iter().filter(|(_, instance)| instance.is_serving()) {
            let node = self.plan.nodes.iter().position(|(name, _)| *name == instance.run.node).unwrap_or(0);
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
        }
        for at in 0..self.plan.stations.len() {
            let key = self.plan.stations[at].key.clone();
            let instance = self.instances[&key].clone();
            for effect in self.effects_of(&key, &instance, None) {
                self.plan.stations[at].burns += effect.0.burns_cores;
                self.plan.stations[at].leaks += effect.0.leak_mb_per_second * f64::from(1 << 20);
                self.plan.stations[at].unhealthy |= effect.0.unhealthy;
            }
        }
    }

    /// Load generators, each with one operation per route of the application in its namespace.
    fn lay_loads(&mut self) {
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
            for (number, route) in app.routes.iter().enumerate() {
                let call =
                    OperationCall::parse(&format!("{target} {}", route.operation)).expect("a route names an operation");
                let edge = self.edge(station, &instance, &route.name, &Arc::new(call));
                if let (0, Some(edge), Some(level)) = (number, edge, level) {
                    self.hold_connections(edge, level.held_connections);
                }
                let mut more = 1.0;
                for (effect, value) in self.effects_of(&key, &instance, Some(&route.name)) {
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
    fn lay_loops(&mut self) {
        for station in 0..self.plan.stations.len() {
            let key = self.plan.stations[station].key.clone();
            let program = self.instances[&key].program.clone();
            for own in program.operations.iter().filter(|own| own.self_rate > 0.0) {
                if let Ok(at) = self.operation(station, &own.name) {
                    self.plan.operations[at].offered = own.self_rate;
                }
            }
        }
    }

    /// The operation of a station by name, built with all that it calls.
    fn operation(&mut self, station: usize, name: &str) -> Result<usize, Trouble> {
        if let Some(known) = self.known.get(&(station, name.to_string())) {
            return known.ok_or_else(|| Trouble::Failed("the request came back to where it came from".into()));
        }
        let key = self.plan.stations[station].key.clone();
        let instance = self.instances[&key].clone();
        let program = instance.program.clone();
        let spec = program.operations.iter().find(|own| own.name == name || own.name == "*");
        if spec.is_none() && program.kind != ProgramKind::Generic {
            return Err(Trouble::Unimplemented);
        }
        self.known.insert((station, name.into()), None);
        let mut operation = Operation {
            station,
            name: name.into(),
            cpu: spec.map_or(0.3, |spec| spec.cpu_ms) / 1000.0,
            wait: spec.map_or(0.0, |spec| spec.wait_ms) / 1000.0,
            fails: 0.0,
            message: "".into(),
            steps: Vec::new(),
            ask: None,
            route: None,
            offered: 0.0,
            most_under_way: f64::INFINITY,
        };
        let mut more_calls: Vec<(Option<String>, f64)> = Vec::new();
        for (effect, value) in self.effects_of(&key, &instance, Some(name)) {
            operation.cpu *= effect.cpu_factor;
            operation.wait += effect.wait_ms * value / 1000.0;
            if effect.calls_factor != 1.0 {
                more_calls.push((effect.target.clone(), effect.calls_factor * value.max(1.0)));
            }
            if effect.fails > 0.0 {
                operation.fails = 1.0 - (1.0 - operation.fails) * (1.0 - effect.fails * value.min(1.0));
                operation.message = effect.message.as_str().into();
            }
        }
        for step in spec.map_or(&[][..], |spec| &spec.calls) {
            let calls = match step {
                CallStep::One(call) => std::slice::from_ref(call),
                CallStep::Together(calls) => calls,
            };
            let mut edges = Vec::new();
            for call in calls {
                let is_meant = |target: &Option<String>| target.as_ref().is_none_or(|own| *own == call.target);
                let more: f64 =
                    more_calls.iter().filter(|(target, _)| is_meant(target)).map(|(_, more)| more).product();
                let call = OperationCall { times: call.times * more, ..call.clone() };
                let earlier: Vec<usize> = operation.steps.iter().flatten().copied().collect();
                let Some(edge) = self.edge(station, &instance, name, &Arc::new(call)) else { continue };
                let on_miss = self.plan.edges[edge].call.on_miss_of.clone();
                let after = on_miss
                    .and_then(|cache| earlier.into_iter().find(|own| self.plan.edges[*own].call.target == cache));
                self.plan.edges[edge].after = after;
                edges.push(edge);
            }
            operation.steps.push(edges);
        }
        let at = self.plan.operations.len();
        self.plan.operations.push(operation);
        self.plan.stations[station].operations.push(at);
        self.known.insert((station, name.into()), Some(at));
        Ok(at)
    }

    /// A call of a program: where its connections lead, and what answers there.
    fn edge(
        &mut self,
        station: usize,
        instance: &Arc<Instance>,
        within: &str,
        call: &Arc<OperationCall>,
    ) -> Option<usize> {
        let target = instance.program.targets.get(&call.target)?.clone();
        let key = self.plan.stations[station].key.clone();
        let settings = &instance.settings;
        let mut address = target.address.fill(settings);
        for (effect, _) in self.effects_of(&key, instance, Some(within)) {
            let moved = effect.address.as_ref().and_then(|address| address.split_once('='));
            if let Some((_, new)) = moved.filter(|(name, _)| *name == call.target) {
                address = new.into();
            }
        }
        let found = host_and_port(&address, default_port(target.wire));
        let (host, port) = found.clone().unwrap_or((address.clone(), 0));
        let ends: Vec<EdgeWay> = match &found {
            None => {
                let trouble = if address.is_empty() { Trouble::NoAddress } else { Trouble::BadAddress };
                vec![EdgeWay { share: 1.0, end: Err(trouble), delay: 0.0, loss: 0.0 }]
            }
            Some((host, port)) => {
                let ways = self.ways(&key, instance, host, *port);
                ways.iter().map(|way| self.end(instance, &target, call, way)).collect()
            }
        };
        let number = |text: String, default: f64| text.parse().unwrap_or(default);
        self.plan.edges.push(Edge {
            caller: station,
            within: within.into(),
            call: call.clone(),
            host,
            port,
            wire: target.wire,
            deadline: parse_duration(&target.deadline.fill(settings), 0.001).unwrap_or(30.0),
            attempts: number(target.attempts.fill(settings), 1.0).max(1.0) + number(target.retries.fill(settings), 0.0),
            backoff: parse_duration(&target.backoff.fill(settings), 0.001).unwrap_or(0.0),
            times: call.times,
            after: None,
            ways: ends,
            says: target.says.clone(),
        });
        Some(self.plan.edges.len() - 1)
    }

    fn ways(&mut self, key: &InstanceKey, instance: &Instance, host: &str, port: u16) -> Arc<Vec<Way>> {
        let (cluster, instances, ground) = (self.cluster, self.instances, self.ground);
        let reached = self.reached.entry((key.clone(), host.to_string(), port));
        reached.or_insert_with(|| Arc::new(ways(cluster, instances, ground, &instance.run, host, port))).clone()
    }

    fn end(&mut self, caller: &Instance, target: &TargetSpec, call: &OperationCall, way: &Way) -> EdgeWay {
        let end = way.end.clone().and_then(|key| {
            let station = *self.stations.get(&key).expect("only what serves listens");
            let callee = self.instances[&key].clone();
            let wire = callee.listens_on(way.port).unwrap_or_default();
            match callee.program.kind {
                ProgramKind::Store => self.store_operation(caller, target, call, station),
                ProgramKind::Generic => self.operation(station, &call.operation),
                _ if wire != target.wire => Err(Trouble::WrongWire),
                _ => self.operation(station, &call.operation),
            }
        });
        EdgeWay { share: way.share, end, delay: way.delay, loss: way.loss }
    }

    /// What is asked of a store, by whom.
    fn store_operation(
        &mut self,
        caller: &Instance,
        target: &TargetSpec,
        call: &OperationCall,
        station: usize,
    ) -> Result<usize, Trouble> {
        let ask = ask_of(caller, target, &call.operation, self.now);
        let name = format!("{}/{}/{}/{}/{}", ask.user, ask.password, ask.database, ask.operation, ask.client);
        if let Some(Some(known)) = self.known.get(&(station, name.clone())) {
            return Ok(*known);
        }
        self.plan.operations.push(Operation {
            station,
            name: ask.operation.as_str().into(),
            cpu: 0.0,
            wait: 0.0,
            fails: 0.0,
            message: "".into(),
            steps: Vec::new(),
            ask: Some(self.plan.asks.len()),
            route: None,
            offered: 0.0,
            most_under_way: f64::INFINITY,
        });
        self.plan.asks.push(ask);
        let at = self.plan.operations.len() - 1;
        self.plan.stations[station].operations.push(at);
        self.known.insert((station, name), Some(at));
        Ok(at)
    }

    /// The effects of a program that are on, for one of its operations or for all, with the value that switched them on.
    fn effects_of(
        &mut self,
        key: &InstanceKey,
        instance: &Arc<Instance>,
        within: Option<&str>,
    ) -> Vec<(EffectSpec, f64)> {
        let program = instance.program.clone();
        let mut on = Vec::new();
        for effect in &program.effects {
            let is_meant = match (&effect.operation, within) {
                (Some(own), Some(name)) => own == name,
                (None, None) => true,
                (None, Some(_)) => {
                    effect.address.is_some()
                        || effect.load_factor > 0.0
                        || effect.fails > 0.0
                        || effect.cpu_factor != 1.0
                        || effect.wait_ms > 0.0
                        || effect.calls_factor != 1.0
                }
                (Some(_), None) => false,
            };
            if !is_meant {
                continue;
            }
            if let Some(value) = self.is_on(key, instance, effect) {
                on.push((effect.clone(), value));
            }
        }
        on
    }

    fn is_on(&mut self, key: &InstanceKey, instance: &Arc<Instance>, effect: &EffectSpec) -> Option<f64> {
        if effect.version.as_ref().is_some_and(|version| *version != instance.version) {
            return None;
        }
        if let Some((name, wanted)) = effect.setting.as_ref().and_then(|setting| setting.split_once('=')) {
            (instance.setting(name) == wanted).then_some(())?;
        }
        let Some(flag) = &effect.flag else { return Some(1.0) };
        let flags = self.flags_for(key, instance);
        match flags.get(flag).map(|value| &**value) {
            None | Some("false" | "0" | "off" | "") => None,
            Some(value) => Some(value.parse().unwrap_or(1.0)),
        }
    }

    /// The flags that a program gets from its flagd, if that is reached.
    fn flags_for(&mut self, key: &InstanceKey, instance: &Arc<Instance>) -> Arc<Flags> {
        if let Some(flags) = self.flags.get(key) {
            return flags.clone();
        }
        let target = instance.program.targets.get("flagd").map(|target| target.address.fill(&instance.settings));
        let found = target.and_then(|address| host_and_port(&address, None));
        let flags = found.map(|(host, port)| self.ways(key, instance, &host, port)).and_then(|ways| {
            let server = ways.first()?.end.as_ref().ok()?;
            Some(self.instances.get(server)?.setting("flags").to_string())
        });
        let flags = Arc::new(flags.map(|text| read_flags(&text)).unwrap_or_default());
        self.flags.insert(key.clone(), flags.clone());
        flags
    }
}

/// What a program asks of a store, with its credentials.
pub(crate) fn ask_of(caller: &Instance, target: &TargetSpec, operation: &str, now: Stamp) -> StoreAsk {
    let fill = |template: &crate::spec::SettingTemplate| template.fill(&caller.settings);
    StoreAsk {
        now,
        user: fill(&target.user),
        password: fill(&target.password),
        tls: fill(&target.tls) == "true",
        database: fill(&target.database),
        operation: operation.into(),
        rate: 0.0,
        client: format!("{}/{}", caller.run.namespace, caller.run.pod),
        address: caller.run.pod_ip.clone(),
        since: match caller.phase {
            Phase::Serving { since } => Some(since),
            _ => None,
        },
    }
}

/// Flags in the format of flagd: the value of the default variant of each.
fn read_flags(text: &str) -> Flags {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return Flags::new() };
    let mut flags = Flags::new();
    for (name, flag) in json::entries(&value, "flags") {
        if json::text(flag, "state") == "DISABLED" {
            continue;
        }
        let chosen = json::at(flag, "variants").get(json::text(flag, "defaultVariant"));
        let text = chosen.map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into));
        flags.insert(name.clone(), text.unwrap_or_default());
    }
    flags
}

/// The port that clients take where an address names none.
pub(crate) fn default_port(wire: WireProtocol) -> Option<u16> {
    match wire {
        WireProtocol::Mongodb => Some(27017),
        WireProtocol::Redis => Some(6379),
        WireProtocol::Postgres => Some(5432),
        WireProtocol::Mysql => Some(3306),
        WireProtocol::Amqp => Some(5672),
        _ => None,
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
