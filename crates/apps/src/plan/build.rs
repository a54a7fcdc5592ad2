//! How the plan is made: from every program that asks to every program that answers.

mod effects;
mod fans;
mod loads;

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, Stamp};

use super::{Edge, EdgeWay, Operation, Plan, ask_of, default_port};
use crate::catalogue::AppCatalogue;
use crate::ground::Ground;
use crate::ingress;
use crate::instance::{Instance, InstanceKey};
use crate::reach::{Instances, Way, host_and_port};
use crate::spec::{EffectSpec, OperationCall, ProgramKind, SettingTemplate, TargetSpec, parse_duration};
use crate::words::Trouble;

use fans::Fans;

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
    /// The programs of the stations.
    programs: Vec<&'a Arc<Instance>>,
    /// Operations by station, with their names; nothing while they are being built.
    known: Vec<Vec<(String, Option<usize>)>>,
    fans: Fans,
    /// Flags by station, and by the server that serves them.
    flags: BTreeMap<usize, Arc<Flags>>,
    served_flags: BTreeMap<InstanceKey, Arc<Flags>>,
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
            programs: Vec::new(),
            known: Vec::new(),
            fans: Fans::default(),
            flags: BTreeMap::new(),
            served_flags: BTreeMap::new(),
        };
        builder.lay_stations();
        builder.lay_loads();
        builder.lay_loops();
        builder.plan
    }
}

/// The port on which an ingress speaks TLS.
const HTTPS: u16 = 443;

impl<'a> Builder<'a> {
    /// The operation of a station by name, built with all that it calls.
    fn operation(&mut self, station: usize, name: &str) -> Result<usize, Trouble> {
        if let Some(known) = self.known_operation(station, name) {
            return known.ok_or_else(|| Trouble::Failed("the request came back to where it came from".into()));
        }
        let instance = self.programs[station];
        let program = &instance.program;
        if program.kind == ProgramKind::Ingress {
            return self.passed_on(station, instance, name);
        }
        let spec = program.operations.iter().find(|own| own.name == name || own.name == "*");
        if spec.is_none() && program.kind != ProgramKind::Generic {
            return Err(Trouble::Unimplemented);
        }
        self.known[station].push((name.into(), None));
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
        let mut more_calls: Vec<(&Option<String>, f64)> = Vec::new();
        let effects = self.effects_of(station, instance, Some(name));
        for (effect, value) in &effects {
            operation.cpu *= effect.cpu_factor;
            operation.wait += effect.wait_ms * *value / 1000.0;
            if effect.calls_factor != 1.0 {
                more_calls.push((&effect.target, effect.calls_factor * value.max(1.0)));
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
                let Some(edge) = self.edge(station, instance, (name, &effects), &Arc::new(call)) else { continue };
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
        self.know(station, name, at);
        Ok(at)
    }

    fn known_operation(&self, station: usize, name: &str) -> Option<Option<usize>> {
        self.known[station].iter().find(|(own, _)| own == name).map(|(_, at)| *at)
    }

    fn know(&mut self, station: usize, name: &str, at: usize) {
        match self.known[station].iter_mut().find(|(own, _)| own == name) {
            Some((_, known)) => *known = Some(at),
            None => self.known[station].push((name.into(), Some(at))),
        }
    }

    /// A call of a program: where its connections lead, and what answers there.
    fn edge(
        &mut self,
        station: usize,
        instance: &Arc<Instance>,
        within: (&str, &[(&EffectSpec, f64)]),
        call: &Arc<OperationCall>,
    ) -> Option<usize> {
        let target = instance.program.targets.get(&call.target)?;
        Some(self.edge_to(station, instance, within, call, target))
    }

    /// A call to a target, within an operation and under the effects that are on there.
    fn edge_to(
        &mut self,
        station: usize,
        instance: &Arc<Instance>,
        (within, effects): (&str, &[(&EffectSpec, f64)]),
        call: &Arc<OperationCall>,
        target: &TargetSpec,
    ) -> usize {
        let settings = &instance.settings;
        let mut address = target.address.fill(settings);
        for (effect, _) in effects {
            let moved = effect.address.as_ref().and_then(|address| address.split_once('='));
            if let Some((_, new)) = moved.filter(|(name, _)| *name == call.target) {
                address = new.into();
            }
        }
        let found = host_and_port(&address, default_port(target.wire));
        let (host, port) = found.clone().unwrap_or((address.clone(), 0));
        let (ends, is_shared) = match &found {
            None => {
                let trouble = if address.is_empty() { Trouble::NoAddress } else { Trouble::BadAddress };
                (Arc::new(vec![EdgeWay { share: 1.0, end: Err(trouble), delay: 0.0, loss: 0.0 }]), false)
            }
            Some((host, port)) => self.ends(station, instance, target, call, (host, *port)),
        };
        let deadline = parse_duration(&target.deadline.fill(settings), 0.001).unwrap_or(30.0);
        let fan = is_shared.then(|| self.fans.number(&ends, deadline, target.wire));
        self.plan.fans = self.fans.count();
        let number = |text: String, default: f64| text.parse().unwrap_or(default);
        self.plan.edges.push(Edge {
            caller: station,
            within: within.into(),
            call: call.clone(),
            host,
            port,
            wire: target.wire,
            deadline,
            attempts: number(target.attempts.fill(settings), 1.0).max(1.0) + number(target.retries.fill(settings), 0.0),
            backoff: parse_duration(&target.backoff.fill(settings), 0.001).unwrap_or(0.0),
            times: call.times,
            after: None,
            ways: ends,
            fan,
            says: target.says.clone(),
        });
        self.plan.edges.len() - 1
    }

    fn end(&mut self, caller: &Instance, target: &TargetSpec, call: &OperationCall, way: &Way) -> EdgeWay {
        let end = way.end.clone().and_then(|key| {
            let station = *self.stations.get(&key).expect("only what serves listens");
            let callee = self.programs[station];
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
                _ if self.distrusts(caller, target, callee).is_some() => {
                    Err(Trouble::Untrusted(self.distrusts(caller, target, callee).unwrap_or_default()))
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
        let mut target = TargetSpec::http(&format!("{service}.{namespace}.svc.cluster.local:{port}"));
        target.says = Some(ingress::trouble(host));
        let call = OperationCall::parse(&format!("{service} {operation}")).map_err(Trouble::Failed)?;
        let effects = self.effects_of(station, instance, Some(operation));
        let edge = self.edge_to(station, instance, (operation, &effects), &Arc::new(call), &target);
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
        self.know(station, name, at);
        Ok(at)
    }

    /// Whether all is there that a store stands on.
    fn stands(&mut self, station: usize) -> Result<(), Trouble> {
        let instance = self.programs[station];
        for name in &instance.program.stands_on {
            let Some(target) = instance.program.targets.get(name) else { continue };
            let found = host_and_port(&target.address.fill(&instance.settings), None);
            let (host, port) = found.ok_or(Trouble::BadAddress)?;
            if !self.ways(station, instance, &host, port).0.iter().any(|way| way.end.is_ok()) {
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
        if let Some(Some(known)) = self.known_operation(station, &name) {
            return Ok(known);
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
        self.know(station, &name, at);
        Ok(at)
    }
}
