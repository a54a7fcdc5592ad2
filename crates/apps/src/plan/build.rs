//! How the plan is made: from every program that asks to every program that answers.

mod effects;
mod loads;

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, Stamp};

use super::{Edge, EdgeWay, Operation, Plan, ask_of, default_port};
use crate::catalogue::AppCatalogue;
use crate::ground::Ground;
use crate::ingress;
use crate::instance::{Instance, InstanceKey};
use crate::reach::{Instances, Way, host_and_port, ways};
use crate::spec::{OperationCall, ProgramKind, SettingTemplate, TargetSpec, parse_duration};
use crate::words::Trouble;

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

/// The port on which an ingress speaks TLS.
const HTTPS: u16 = 443;

impl Builder<'_> {
    /// The operation of a station by name, built with all that it calls.
    fn operation(&mut self, station: usize, name: &str) -> Result<usize, Trouble> {
        if let Some(known) = self.known.get(&(station, name.to_string())) {
            return known.ok_or_else(|| Trouble::Failed("the request came back to where it came from".into()));
        }
        let key = self.plan.stations[station].key.clone();
        let instance = self.instances[&key].clone();
        let program = instance.program.clone();
        if program.kind == ProgramKind::Ingress {
            return self.passed_on(station, &instance, name);
        }
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
            let mut edges = Vec::new();
            for call in step.calls() {
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
        Some(self.edge_to(station, instance, within, call, &target))
    }

    /// A call to a target.
    fn edge_to(
        &mut self,
        station: usize,
        instance: &Arc<Instance>,
        within: &str,
        call: &Arc<OperationCall>,
        target: &TargetSpec,
    ) -> usize {
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
                ways.iter().map(|way| self.end(instance, target, call, way)).collect()
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
        self.plan.edges.len() - 1
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
                ProgramKind::Ingress if way.port == HTTPS => {
                    let (host, path) = ingress::asked(&call.operation);
                    let clock = self.ground.clock(&caller.run.node, self.now);
                    match ingress::distrust(self.cluster, host, path, clock) {
                        Some(why) => Err(Trouble::Untrusted(why)),
                        None => self.operation(station, &call.operation),
                    }
                }
                _ if wire != target.wire => Err(Trouble::WrongWire),
                _ if self.distrusts(caller, target, &callee).is_some() => {
                    Err(Trouble::Untrusted(self.distrusts(caller, target, &callee).unwrap_or_default()))
                }
                _ => self.operation(station, &call.operation),
            }
        });
        EdgeWay { share: way.share, end, delay: way.delay, loss: way.loss }
    }

    /// Why a caller that wants TLS does not believe the certificate of whom it calls, by its own clock.
    fn distrusts(&self, caller: &Instance, target: &TargetSpec, callee: &Instance) -> Option<String> {
        if !matches!(&*target.tls.fill(&caller.settings), "true" | "1") {
            return None;
        }
        let (from, until) = callee.certificate?;
        let clock = self.ground.clock(&caller.run.node, self.now);
        let start =
            "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time";
        match clock {
            clock if clock > until => Some(format!("{start} {} is after {}", clock.rfc3339(), until.rfc3339())),
            clock if clock < from => Some(format!("{start} {} is before {}", clock.rfc3339(), from.rfc3339())),
            _ => None,
        }
    }

    /// A request that an ingress passes on to the Service that its host and path lead to.
    fn passed_on(&mut self, station: usize, instance: &Arc<Instance>, name: &str) -> Result<usize, Trouble> {
        let (host, path) = ingress::asked(name);
        let operation = name.split_once('|').map_or(name, |(_, operation)| operation);
        let backend = ingress::backend(self.cluster, host, path).ok_or(Trouble::Unimplemented)?;
        let ingress::IngressBackend { service, port, namespace, path: passed } = backend;
        let verb = operation.rsplit_once(' ').map_or(operation, |(verb, _)| verb);
        let operation = &*format!("{verb} {passed}");
        let target = TargetSpec::http(&format!("{service}.{namespace}.svc.cluster.local:{port}"));
        let call = OperationCall::parse(&format!("{service} {operation}")).map_err(Trouble::Failed)?;
        let edge = self.edge_to(station, instance, operation, &Arc::new(call), &target);
        let at = self.plan.operations.len();
        self.plan.operations.push(Operation {
            station,
            name: operation.into(),
            cpu: 0.000_1,
            wait: 0.0,
            fails: 0.0,
            message: "".into(),
            steps: vec![vec![edge]],
            ask: None,
            route: None,
            offered: 0.0,
            most_under_way: f64::INFINITY,
        });
        self.plan.stations[station].operations.push(at);
        self.known.insert((station, name.into()), Some(at));
        Ok(at)
    }

    /// Whether all is there that a store stands on.
    fn stands(&mut self, station: usize) -> Result<(), Trouble> {
        let key = self.plan.stations[station].key.clone();
        let instance = self.instances[&key].clone();
        for name in &instance.program.stands_on {
            let Some(target) = instance.program.targets.get(name) else { continue };
            let found = host_and_port(&target.address.fill(&instance.settings), None);
            let (host, port) = found.ok_or(Trouble::BadAddress)?;
            if !self.ways(&key, &instance, &host, port).iter().any(|way| way.end.is_ok()) {
                let words = target.says.clone().unwrap_or_else(|| format!("{name} is not available"));
                return Err(Trouble::Denied(words));
            }
        }
        Ok(())
    }

    /// What is asked of a store, by whom.
    fn store_operation(
        &mut self,
        caller: &Instance,
        target: &TargetSpec,
        call: &OperationCall,
        station: usize,
    ) -> Result<usize, Trouble> {
        self.stands(station)?;
        let operation = SettingTemplate::from(&*call.operation).fill(&caller.settings);
        let ask = ask_of(caller, target, &operation, self.now);
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
}
