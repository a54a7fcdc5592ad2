//! One second of all requests: rates flow from callers to callees, outcomes flow back.
//!
//! Requests are a fluid. What a callee did in the last second decides how often its callers try again in this one, so a
//! storm of retries feeds itself, and a queue whose head is older than any deadline is worked off in vain.

mod collector;
mod latency;

use std::sync::Arc;

use cluster::Stamp;

use crate::ground::Ground;
use crate::instance::Instance;
use crate::plan::{Edge, EdgeWay, Operation, Plan, Station};
use crate::reach::Instances;
use crate::spec::{ContainerProgram, Language, WireProtocol};
use crate::stores::{StoreAnswer, StoreAsk};
use crate::words::{Callee, Trouble, passed_on, said};
use collector::collector_factor;
pub(crate) use latency::Latency;

/// What the last second came to, by the numbers of the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) operations: Vec<OperationFlow>,
    pub(crate) edges: Vec<EdgeFlow>,
    pub(crate) asks: Vec<StoreAsk>,
    answers: Vec<StoreAnswer>,
    /// What became of calls that many callers make alike, within one second.
    settled: Vec<Option<Settled>>,
}

/// What became of the tries of a call, over all its ways.
#[derive(Clone, Copy, Debug, Default)]
struct Settled {
    fails: f64,
    hits: f64,
    latency: Latency,
    /// The way on which most of them fail.
    worst: Option<usize>,
}

/// An operation's last second.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationFlow {
    pub(crate) rate: f64,
    pub(crate) fails: f64,
    pub(crate) latency: Latency,
    /// Why it fails, in its program's words.
    pub(crate) why: Option<Arc<str>>,
    pub(crate) reason: &'static str,
    /// The share of questions that a cache answers.
    hits: f64,
    /// Since the program started.
    pub(crate) requests: f64,
    pub(crate) errors: f64,
    pub(crate) seconds: f64,
}

/// An edge's last second.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeFlow {
    /// Tries per second.
    pub(crate) rate: f64,
    /// The share of tries that fail, and of calls that fail after all tries.
    pub(crate) try_fails: f64,
    pub(crate) fails: f64,
    pub(crate) latency: Latency,
    pub(crate) hits: f64,
    pub(crate) why: Option<Arc<str>>,
    pub(crate) reason: &'static str,
    /// Lines that are due and not yet printed.
    pub(crate) debt: f64,
    pub(crate) calls: f64,
    pub(crate) errors: f64,
    /// Calls that no cache answered; of questions to a broker, those that found something.
    pub(crate) missed: f64,
}

/// Something to print: the station, and the message.
pub(crate) type Outcry = (usize, String);

/// What a store says to an operation, asked by the number of its station.
pub(crate) type StoreDesk<'a> = dyn FnMut(usize, &StoreAsk) -> StoreAnswer + 'a;

impl Flow {
    /// The flow of a new plan: what is the same as in the old one goes on.
    pub(crate) fn carried(plan: &Plan, old_plan: &Plan, old: &Self) -> Self {
        let old_stations = same_stations(plan, old_plan);
        let mut old_edges: Vec<Vec<usize>> = vec![Vec::new(); old_plan.stations.len()];
        for (at, edge) in old_plan.edges.iter().enumerate() {
            old_edges[edge.caller].push(at);
        }
        // Of several that are the same, the last one goes on in all.
        let operation_flow = |own: &Operation| {
            let before = &old_plan.stations[old_stations[own.station]?].operations;
            let is_it = |at: &&usize| {
                let other = &old_plan.operations[**at];
                other.name == own.name && other.ask.is_some() == own.ask.is_some()
            };
            before.iter().rev().find(is_it).map(|at| old.operations[*at].clone())
        };
        let edge_flow = |own: &Edge| {
            let before = &old_edges[old_stations[own.caller]?];
            let is_it = |at: &&usize| {
                let other = &old_plan.edges[**at];
                other.within == own.within
                    && other.call.target == own.call.target
                    && other.call.operation == own.call.operation
            };
            before.iter().rev().find(is_it).map(|at| old.edges[*at].clone())
        };
        Self {
            operations: plan.operations.iter().map(|own| operation_flow(own).unwrap_or_default()).collect(),
            edges: plan.edges.iter().map(|edge| edge_flow(edge).unwrap_or_default()).collect(),
            asks: plan.asks.clone(),
            answers: vec![StoreAnswer::Hangs; plan.asks.len()],
            settled: Vec::new(),
        }
    }

    /// Lets one second pass.
    pub(crate) fn step(
        &mut self,
        plan: &Plan,
        instances: &mut Instances,
        ground: &Ground,
        now: Stamp,
        stores: &mut StoreDesk<'_>,
    ) -> Vec<Outcry> {
        self.flow_down(plan, now);
        self.ask_stores(plan, now, stores);
        let mut programs = serving(plan, instances);
        let factors: Vec<f64> = programs.iter().map(|program| collector_factor(program)).collect();
        self.load_stations(plan, &mut programs, &factors, ground);
        self.settled.resize(plan.fans, None);
        let mut outcries = Vec::new();
        for (at, operation) in plan.operations.iter().enumerate() {
            let (program, factor) = (&*programs[operation.station], factors[operation.station]);
            self.flow_up(plan, at, program, factor, &mut outcries);
        }
        self.settled.clear();
        outcries
    }

    /// Rates, from callers to callees.
    fn flow_down(&mut self, plan: &Plan, now: Stamp) {
        for (at, operation) in plan.operations.iter().enumerate() {
            let p50 = self.operations[at].latency.p50.max(0.001);
            let wobble = 1.0 + 0.04 * (noise(now, at as u64) - 0.5);
            self.operations[at].rate = (operation.offered * wobble).min(operation.most_under_way / p50);
        }
        for at in (0..plan.operations.len()).rev() {
            let rate = self.operations[at].rate;
            let mut reach = rate;
            for step in &plan.operations[at].steps {
                let mut goes_on = 1.0;
                for edge_at in step {
                    let edge = &plan.edges[*edge_at];
                    let asked = edge.after.map_or(1.0, |cache| 1.0 - self.edges[cache].hits);
                    let flow = &mut self.edges[*edge_at];
                    let tries = tries(flow.try_fails, edge.attempts);
                    flow.rate = reach * asked * edge.times * tries;
                    if !edge.call.is_async && !edge.call.is_optional {
                        goes_on *= 1.0 - flow.fails * (asked * edge.times).min(1.0);
                    }
                    let flow_rate = flow.rate;
                    for way in edge.ways.iter() {
                        if let Ok(callee) = way.end {
                            self.operations[callee].rate += flow_rate * way.share;
                        }
                    }
                }
                reach *= goes_on;
            }
        }
    }

    fn ask_stores(&mut self, plan: &Plan, now: Stamp, stores: &mut StoreDesk<'_>) {
        for (at, operation) in plan.operations.iter().enumerate() {
            let Some(number) = operation.ask else { continue };
            let ask = &mut self.asks[number];
            (ask.now, ask.rate) = (now, self.operations[at].rate);
            self.answers[number] = stores(operation.station, ask);
        }
    }

    /// Processors, queues and memory of every station.
    fn load_stations(&mut self, plan: &Plan, programs: &mut [&mut Instance], factors: &[f64], ground: &Ground) {
        let mut used = vec![0.0; plan.nodes.len()];
        for (station, instance) in plan.stations.iter().zip(&*programs) {
            // A program may outlive its node's object.
            if let Some(used) = used.get_mut(station.node) {
                *used += instance.cpu;
            }
        }
        let squeeze: Vec<f64> = plan
            .nodes
            .iter()
            .zip(&used)
            .map(|((name, cores), used)| {
                let all = used + ground.kernels.get(name).map_or(0.0, |kernel| kernel.stress);
                if all > *cores { cores / all } else { 1.0 }
            })
            .collect();
        for ((station, instance), factor) in plan.stations.iter().zip(programs).zip(factors) {
            instance.unhealthy = station.unhealthy;
            let (mut rate, mut work, mut under_way) = (0.0, 0.0, 0.0);
            for at in &station.operations {
                let flow = &self.operations[*at];
                rate += flow.rate;
                work += flow.rate * self.cpu_of(&plan.operations[*at]) * factor;
                under_way += flow.rate * flow.latency.p50.min(60.0);
            }
            let cores = plan.nodes.get(station.node).map_or(8.0, |(_, cores)| *cores);
            let share = squeeze.get(station.node).copied().unwrap_or(1.0);
            let limit = instance.cpu_limit.unwrap_or(cores).min(cores).min(most_cores(instance)) * share;
            instance.crowding = if station.burns > 0.0 { ((station.burns + 1.0) / limit).max(1.0) } else { 1.0 };
            let idle = instance.program.idle_milli / 1000.0 + station.burns;
            let room = (limit - idle.min(limit * 0.95)).max(limit * 0.05);
            let mean = if rate > 0.0 { work / rate } else { 0.0 };
            let by_cpu = if mean > 0.0 { room / mean } else { f64::INFINITY };
            let most = by_cpu.min(station.most_rate);
            instance.queue = (instance.queue + rate - most).clamp(0.0, station.most_queue);
            instance.wait = if instance.queue > 0.0 { instance.queue / most.max(0.001) } else { 0.0 };
            let busy = (work + idle).min(limit);
            instance.cpu = busy;
            instance.throttled = match instance.cpu_limit {
                Some(_) => ((busy / limit.max(0.001) - 0.6) / 0.4).clamp(0.0, 1.0),
                None => 0.0,
            };
            let open = station.held + 2.0 * under_way + 16.0;
            instance.turned_away = if open > station.most_files { 1.0 - station.most_files / open } else { 0.0 };
            let requests = rate.min(most);
            instance.leaked += requests * instance.program.leak_mb_per_thousand * 1048.576 + station.leaks;
            let held = (under_way + instance.queue) * instance.program.memory_per_request_mb * f64::from(1 << 20);
            instance.memory = instance.program.memory_mb * f64::from(1 << 20) + held + instance.leaked;
            instance.warmth += (1.0 - instance.warmth) * (rate / 2000.0).min(0.2);
        }
    }

    /// Seconds of a core that a request takes.
    fn cpu_of(&self, operation: &Operation) -> f64 {
        match operation.ask.map(|ask| &self.answers[ask]) {
            Some(StoreAnswer::Done { cpu_ms, .. }) => cpu_ms / 1000.0,
            Some(_) => 0.000_1,
            None => operation.cpu,
        }
    }

    /// What became of an operation's requests, once all that it calls is known.
    fn flow_up(&mut self, plan: &Plan, at: usize, instance: &Instance, factor: f64, outcries: &mut Vec<Outcry>) {
        let operation = &plan.operations[at];
        let station = &plan.stations[operation.station];
        let own = self.cpu_of(operation) * factor * instance.crowding;
        let mut latency = Latency::of_station(own, operation.wait, instance.wait, instance.cpu, instance.cpu_limit);
        let mut fails = operation.fails;
        let mut why = (fails > 0.0).then(|| operation.message.clone());
        let mut reason = if fails > 0.0 { "error" } else { "" };
        match operation.ask.map(|ask| &self.answers[ask]) {
            Some(StoreAnswer::Refused(words)) => {
                (fails, why, reason) = (1.0, Some(words.as_str().into()), "denied");
            }
            Some(StoreAnswer::Hangs) => latency = Latency::forever(),
            Some(StoreAnswer::Done { wait_ms, hits, .. }) => {
                latency.add_fixed(wait_ms / 1000.0);
                self.operations[at].hits = hits * instance.warmth;
            }
            None => {}
        }
        if instance.queue >= station.most_queue && station.most_queue > 0.0 {
            // Of those who come to a full queue, as many are turned away as there are too many.
            let rate: f64 = station.operations.iter().map(|own| self.operations[*own].rate).sum();
            let most = instance.queue / instance.wait.max(0.001);
            let turned_away = (1.0 - most / rate.max(0.001)).clamp(0.0, 1.0);
            if turned_away > fails {
                (why, reason) = (Some("request queue is full".into()), "overloaded");
            }
            fails = 1.0 - (1.0 - fails) * (1.0 - turned_away);
        }
        if instance.turned_away > 0.0 {
            fails = 1.0 - (1.0 - fails) * (1.0 - instance.turned_away);
            let told = Trouble::NoFiles;
            let port = instance.ports.first().map_or(0, |(port, _)| *port);
            let words =
                format!("http: Accept error: accept tcp [::]:{port}: accept4: too many open files; retrying in 1s");
            outcries.push((operation.station, words));
            (why, reason) = (Some("connection reset by peer".into()), told.reason());
        }
        let mut worst = fails;
        for step in &operation.steps {
            let mut together = Latency::default();
            for edge_at in step {
                self.settle_edge(plan, *edge_at, &instance.program, outcries);
                let edge = &plan.edges[*edge_at];
                let flow = &self.edges[*edge_at];
                let asked = edge.after.map_or(1.0, |cache| 1.0 - self.edges[cache].hits);
                let weight = (asked * edge.times).min(1.0);
                if edge.call.is_async {
                    continue;
                }
                together.at_least(&flow.latency.scaled((asked * edge.times).max(weight)));
                if edge.call.is_optional {
                    continue;
                }
                let failed = flow.fails * weight;
                if failed > worst {
                    (worst, why, reason) = (failed, flow.why.clone(), flow.reason);
                }
                fails = 1.0 - (1.0 - fails) * (1.0 - failed);
            }
            latency.add(&together);
        }
        let flow = &mut self.operations[at];
        (flow.fails, flow.latency, flow.why, flow.reason) = (fails, latency, why, reason);
        flow.requests += flow.rate;
        flow.errors += flow.rate * fails;
        flow.seconds += flow.rate * latency.p50;
    }

    /// What became of the calls of an edge.
    fn settle_edge(&mut self, plan: &Plan, at: usize, program: &ContainerProgram, outcries: &mut Vec<Outcry>) {
        let edge = &plan.edges[at];
        let Settled { mut fails, hits, mut latency, worst } = self.settle_ways(edge);
        let mut lacks_ports = false;
        let ports = plan.stations[edge.caller].most_ports;
        let rate = self.edges[at].rate;
        // Clients of caches and stores open and close connections all the time, and a port rests for a minute after that.
        let is_short = !matches!(edge.wire, WireProtocol::Http | WireProtocol::Grpc | WireProtocol::Thrift);
        let open = rate * latency.p50.min(edge.deadline) + if is_short { 0.02 * 60.0 * rate } else { 0.0 };
        if ports < 1000.0 && open > ports {
            let left_out = 1.0 - ports / open;
            fails = 1.0 - (1.0 - fails) * (1.0 - left_out);
            lacks_ports = true;
        }
        latency.cut(edge.deadline);
        let extra = tries(fails, edge.attempts) - 1.0;
        latency.add_fixed(extra * (latency.p50.min(edge.deadline) + edge.backoff));
        let flow = &mut self.edges[at];
        flow.try_fails = fails;
        flow.fails = libm::pow(fails, edge.attempts);
        (flow.hits, flow.latency) = (hits, latency);
        flow.calls += rate;
        flow.errors += rate * fails;
        flow.missed += rate * (1.0 - hits);
        if fails < 1e-4 {
            (flow.why, flow.reason, flow.debt) = (None, "", 0.0);
            return;
        }
        let trouble = match worst {
            _ if lacks_ports => Trouble::NoPorts(format!("{}:{}", edge.host, edge.port)),
            Some(way) => self.trouble(edge, &edge.ways[way]),
            None => Trouble::Late,
        };
        let callee = Callee { host: &edge.host, port: edge.port, wire: edge.wire, operation: &edge.call.operation };
        let told = trouble.told(program.language, &callee);
        let flow = &mut self.edges[at];
        flow.reason = trouble.reason();
        // One line stands for many: no program prints more than two a second of one kind here.
        let due = if trouble.is_noted_by(program, edge.wire) { (rate * fails).min(2.0) } else { 0.0 };
        flow.debt = (flow.debt + due).min(4.0);
        while flow.debt >= 1.0 {
            flow.debt -= 1.0;
            let words = edge.says.as_deref().unwrap_or("{why}");
            outcries.push((edge.caller, said((program.language, &edge.within), words, &told, &trouble, &callee)));
        }
        // Behind a proxy, its clients see what it answers.
        let answer = passed_on(program.language, &trouble).filter(|_| edge.wire == WireProtocol::Http);
        flow.why = Some(answer.unwrap_or(told).into());
    }

    /// What becomes of tries over all ways of an edge. Callers that are alike share the answer: all that they call has
    /// been settled before the first of them.
    fn settle_ways(&mut self, edge: &Edge) -> Settled {
        if let Some(known) = edge.fan.and_then(|fan| self.settled[fan]) {
            return known;
        }
        let mut all = Settled::default();
        let mut most = 0.0;
        for (number, way) in edge.ways.iter().enumerate() {
            let (failed, took, hit) = self.settle_way(edge, way);
            all.fails += way.share * failed;
            all.hits += way.share * hit;
            all.latency.blend(&took, way.share);
            if way.share * failed > most {
                (most, all.worst) = (way.share * failed, Some(number));
            }
        }
        if let Some(fan) = edge.fan {
            self.settled[fan] = Some(all);
        }
        all
    }

    /// The share of tries that fail on a way, how long they take, and the share that a cache answers.
    fn settle_way(&self, edge: &Edge, way: &EdgeWay) -> (f64, Latency, f64) {
        let callee = match &way.end {
            Err(trouble) => return (1.0, Latency::fixed(trouble.takes().min(edge.deadline)), 0.0),
            Ok(callee) => &self.operations[*callee],
        };
        let latency = reached_in(callee, way);
        let fails = 1.0 - (1.0 - callee.fails) * (1.0 - lateness(&latency, edge, way));
        (fails, latency, callee.hits)
    }

    /// Why tries fail on a way.
    fn trouble(&self, edge: &Edge, way: &EdgeWay) -> Trouble {
        let callee = match &way.end {
            Err(trouble) => return trouble.clone(),
            Ok(callee) => &self.operations[*callee],
        };
        match lateness(&reached_in(callee, way), edge, way) > callee.fails {
            true => Trouble::Late,
            false if callee.reason == "overloaded" => Trouble::Full,
            false if callee.reason == "denied" && edge.wire != WireProtocol::Grpc => {
                Trouble::Denied(callee.why.as_deref().unwrap_or_default().into())
            }
            false => Trouble::Failed(callee.why.as_deref().unwrap_or("internal error").into()),
        }
    }
}

/// How long a callee takes at the end of a way.
fn reached_in(callee: &OperationFlow, way: &EdgeWay) -> Latency {
    let mut latency = callee.latency;
    latency.add_fixed(0.000_3 + way.delay + 0.2 * way.loss);
    latency.p99 += 1.0 * way.loss;
    latency
}

/// The share of tries that get no answer in time.
fn lateness(latency: &Latency, edge: &Edge, way: &EdgeWay) -> f64 {
    1.0 - (1.0 - latency.beyond(edge.deadline)) * (1.0 - way.loss * way.loss)
}

/// The programs of a plan's stations, by their numbers: both are in the same order.
fn serving<'a>(plan: &Plan, instances: &'a mut Instances) -> Vec<&'a mut Instance> {
    let mut all = instances.iter_mut();
    let mut program = |station: &Station| {
        let (_, shared) = all.find(|(key, _)| **key == station.key).expect("the plan is of these programs");
        Arc::make_mut(shared)
    };
    plan.stations.iter().map(&mut program).collect()
}

/// For each station of a plan, its number in the old one: both are in order of their keys.
fn same_stations(plan: &Plan, old_plan: &Plan) -> Vec<Option<usize>> {
    let mut old = old_plan.stations.iter().enumerate().peekable();
    let mut number = |station: &Station| {
        while old.next_if(|(_, before)| before.key < station.key).is_some() {}
        old.next_if(|(_, before)| before.key == station.key).map(|(at, _)| at)
    };
    plan.stations.iter().map(&mut number).collect()
}

/// Tries that a call makes: the first, and one more after each that failed.
fn tries(fails: f64, attempts: f64) -> f64 {
    match fails {
        fails if fails <= 0.0 => 1.0,
        fails if fails >= 1.0 => attempts,
        fails => (1.0 - libm::pow(fails, attempts)) / (1.0 - fails),
    }
}

/// The cores that a program can use: those with one loop, or one lock around it, use one.
fn most_cores(instance: &Instance) -> f64 {
    match instance.program.language {
        Language::Node | Language::Python | Language::Ruby => 1.0,
        _ => f64::INFINITY,
    }
}

/// A number from 0 to 1 for a second and a purpose.
fn noise(now: Stamp, purpose: u64) -> f64 {
    let mut value =
        (now.secs() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ purpose.wrapping_mul(0xd6e8_feb8_6659_fd93);
    value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (value >> 11) as f64 / (1u64 << 53) as f64
}
