//! The world set up as the programs were whose incidents were recorded, beside what was recorded.
//! `cargo run --release -p sre-zero-world --example recordings` prints the tables of docs/fidelity.md;
//! with a folder as its argument it draws them there.

#![allow(clippy::disallowed_macros, clippy::disallowed_methods, reason = "it prints tables and writes a picture")]

#[path = "recordings/drawing.rs"]
mod drawing;
#[path = "recordings/setups.rs"]
mod setups;

use std::sync::Arc;

pub(crate) use setups::{RECORDINGS, Recording, Turn};
use world::fleet::{Exit, Instance, Process};
use world::spec::{AppSpec, CallSpec, LoadShape, Op, RouteSpec, ServiceSpec, Spec};
use world::{Blueprint, Mutation, Noise, Paths, Seed, ServiceState, Span, World};

/// What was recorded: name, second, answered and failed per second, mean of the answered in milliseconds, in steps of 5 s.
const RECORDED: &str = include_str!("recordings/recorded.csv");

/// Steps of what was recorded, in seconds.
const STEP: f64 = 5.0;

/// Ticks of a second, because what was recorded began and ended within seconds.
const SECOND: Span = Span::secs(1);

/// What a recording or a world shows from one second to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    from: f64,
    to: f64,
    answered: f64,
    failed: f64,
    /// Of the answered, in milliseconds, if any were.
    mean: Option<f64>,
    /// Messages that wait at its end, in a world with a queue.
    waiting: Option<f64>,
}

fn recorded(name: &str) -> Vec<Sample> {
    let lines = RECORDED.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|cells| cells[0] == name);
    lines
        .map(|cells| {
            let number = |at: usize| cells[at].parse::<f64>();
            let from = number(1).expect("a second");
            let (answered, failed) = (number(2).expect("a rate"), number(3).expect("a rate"));
            Sample { from, to: from + STEP, answered, failed, mean: number(4).ok(), waiting: None }
        })
        .collect()
}

fn service(name: String, kind: &str, config: &[(&str, f64)], params: &[(&str, f64)]) -> ServiceSpec {
    ServiceSpec {
        name,
        kind: kind.into(),
        instances: 1,
        config: config.iter().map(|(key, value)| (key.to_string().into(), value.to_string().into())).collect(),
        params: params.iter().map(|(key, value)| (key.to_string().into(), *value)).collect(),
        ..ServiceSpec::default()
    }
}

fn set(world: &mut World, service: usize, key: &str, value: &str) {
    let kind = world.plan().services[service].kind;
    let key = kind.keys().iter().position(|k| k.name == key).expect("a key of the kind");
    let value = kind.keys()[key].parse(value).expect("a value of the key");
    let since = world.now();
    world.apply(&Mutation::Config { service, key, value: value.clone(), since });
    world.apply(&Mutation::Rollout { service, key, value, at: since });
}

/// The most messages that wait, and the second from which on none do.
fn depth(samples: &[Sample]) -> [Option<f64>; 2] {
    let waiting = |s: &Sample| s.waiting.unwrap_or(0.0);
    let peak = samples.iter().map(waiting).fold(0.0, f64::max);
    let last = samples.iter().rposition(|s| waiting(s) >= 1.0);
    [Some(peak), last.and_then(|last| samples.get(last + 1)).map(|s| s.to)]
}

impl Recording {
    fn world(&self) -> World {
        let mut services =
            vec![service("edge".into(), "balancer", &[("MAX_CONNECTIONS", 200_000.0)], &[("overhead_ms", 1.0)])];
        let mut call = self.database.map(|(connections, work_ms, spread, share)| {
            let params =
                [("primary_servers", connections), ("linger_ms", 0.0), ("crowd", 1000.0), ("bloat_per_kwrite", 0.0)];
            let mut database = service("database".into(), "database", &[("DB_POOL_SIZE", connections)], &params);
            database.config.insert("READ_REPLICA_ENABLED".into(), "false".into());
            services.push(database);
            let op = Op { name: "statement".into(), work_ms, spread, write: self.writes, ..Op::default() };
            let times = if self.cache { 1.0 } else { share };
            let statement = CallSpec { to: "database".into(), op, times, ..CallSpec::default() };
            if !self.cache {
                return statement;
            }
            // Entries never run out, and what is asked for is stored even if its client has left.
            let params = [("working_set_mb", 1.0), ("reuse_s", 0.001), ("loader_patience_s", 60.0)];
            services.push(service("cache".into(), "cache", &[("TTL_SECONDS", 86_400.0)], &params));
            let op = Op { name: "GET".into(), hit: 1.0 - share, ..Op::default() };
            CallSpec { to: "cache".into(), op, times: 1.0, calls: vec![], on_miss: vec![statement] }
        });
        if let Some(queue) = self.queue {
            let params = [("work_s", queue.work_s), ("settle_s", 0.0), ("publish_s", 0.001), ("transient", 0.0)];
            let config = [("CONSUMER_CONCURRENCY", queue.consumers)];
            services.push(service("queue".into(), "queue", &config, &params));
            let op = Op { name: "LPUSH".into(), write: true, ..Op::default() };
            call = Some(CallSpec { to: "queue".into(), op, times: 1.0, ..CallSpec::default() });
        }
        for (at, (workers, work_ms, spread)) in self.tiers.iter().enumerate().rev() {
            let name = format!("app_{at}");
            let config = [("MAX_WORKERS", *workers), ("TIMEOUT_MS", self.deadline * 1000.0)];
            let params = [("backlog", 2048.0), ("bug_rate", 0.0), ("retries", 0.0), ("worker_mb", 1.0)];
            services.push(service(name.clone(), "web", &config, &params));
            let op = Op { name: format!("work {at}").into(), work_ms: *work_ms, spread: *spread, ..Op::default() };
            services.last_mut().expect("a service").instances = if at == 0 { self.instances } else { 1 };
            call =
                Some(CallSpec { to: name.into(), op, times: 1.0, calls: call.into_iter().collect(), on_miss: vec![] });
        }
        for (of, name, value) in self.params {
            for service in services.iter_mut().filter(|service| service.name == *of) {
                service.params.insert(name.to_string().into(), *value);
            }
        }
        let op = Op { name: "GET /i".into(), ..Op::default() };
        let entry = CallSpec { to: "edge".into(), op, times: 1.0, calls: call.into_iter().collect(), on_miss: vec![] };
        let route = RouteSpec {
            name: "item".into(),
            rps: self.rate,
            slow_ms: 60_000.0,
            patience_ms: self.patience * 1000.0,
            allowed: 0.5,
            user_retry: 0.0,
            entry,
        };
        // The client sent at one rate.
        let (tries, again_s) = (self.tries, self.again_s);
        let load = LoadShape { day: 0.0, wander: 0.0, jitter: 0.0, tries, again_s, ..LoadShape::default() };
        let apps = vec![AppSpec { name: "app".into(), routes: vec![route], load }];
        let spec = Spec { nodes: 8, services, apps, ..Spec::default() };
        World::healthy(&Arc::new(Blueprint::compile(&spec).expect("a valid spec")), Seed(1), Noise(0))
    }

    fn turn(&self, world: &mut World, turn: Turn) {
        let plan = world.plan().clone();
        let at = |name: &str| plan.service(name).expect("a service");
        match turn {
            Turn::Load(factor) => _ = world.apply(&Mutation::Load { route: 0, factor }),
            Turn::Slow(factor) => {
                let node = world.fleet().of(at("database")).first().expect("an instance").node;
                world.apply(&Mutation::Slowdown { node, factor });
            }
            Turn::Lock(wait_s) => {
                world.apply(&Mutation::State { service: at("database"), state: ServiceState::Lock { wait_s } });
            }
            Turn::Set(name, key, value) => {
                set(world, at(name), key, value);
            }
            Turn::Pool(connections) => {
                set(world, at("database"), "DB_POOL_SIZE", connections);
                self.turn(world, Turn::Start("app_0", 0));
            }
            Turn::Gone(gone) => {
                let (from, to) = (at("edge"), at("app_0"));
                world.apply(&Mutation::Link { from, to, delay: 0.0, loss: 0.0, gone, paths: Paths::Every });
            }
            Turn::Kill(name, number) => {
                let instance = world.fleet().of(at(name))[number].id;
                world.apply(&Mutation::Process { instance, process: Process::dead(Exit::KILLED) });
            }
            Turn::Start(name, number) => {
                let Instance { id: instance, node, .. } = world.fleet().of(at(name))[number];
                world.apply(&Mutation::Start { instance, node, at: world.now() });
            }
            Turn::Hold(hoarded) => {
                let Instance { id: instance, process, .. } = world.fleet().of(at("app_0"))[0];
                world.apply(&Mutation::Process { instance, process: Process { hoarded, ..process } });
            }
            Turn::Flush => {
                let state = ServiceState::Entries { held: 0.0 };
                world.apply(&Mutation::State { service: at("cache"), state });
            }
            Turn::Lost(lost) => {
                let Instance { id: instance, process, .. } = world.fleet().of(at("queue"))[0];
                world.apply(&Mutation::Process { instance, process: Process { lost, ..process } });
            }
        }
    }

    /// Messages that wait in the queue.
    fn waiting(&self, world: &World) -> Option<f64> {
        self.queue?;
        let service = world.plan().service("queue").expect("a service");
        // Setting a state gives the one before, so a copy of the world tells it.
        match world.clone().apply(&Mutation::State { service, state: ServiceState::Messages { ready: 0.0 } }) {
            Mutation::State { state: ServiceState::Messages { ready }, .. } => Some(ready),
            other => panic!("a queue has messages, not {other:?}"),
        }
    }

    /// What the world shows in ticks of some length, a sample for each.
    fn played(&self, tick: Span) -> Vec<Sample> {
        let mut world = self.world();
        let entry = world.plan().routes[0].entry;
        let (begin, end) = (world.now(), world.now() + Span::secs(self.seconds));
        let mut turns = self.turns.iter().copied().peekable();
        let mut samples = Vec::new();
        while world.now() < end {
            while let Some((_, turn)) = turns.next_if(|(at, _)| world.now() >= begin + Span::secs(*at)) {
                self.turn(&mut world, turn);
            }
            let next = turns.peek().map_or(end, |(at, _)| begin + Span::secs(*at));
            let (from, before, waited) = (world.now(), world.impact().routes[0], self.waiting(&world));
            world.run_in_ticks(next.min(from + tick), tick);
            let (after, span) = (world.impact().routes[0], world.now().since(from).as_secs());
            let failed = (after.failed - before.failed) / span;
            let mut answered = ((after.requests - before.requests) / span - failed).max(0.0);
            let (late, in_time) = world.times(entry).latency.split(self.patience);
            let mut mean = 1000.0 * (in_time.mean - late * self.patience) / (1.0 - late).max(1e-3);
            let waiting = self.waiting(&world);
            if let (Some(queue), Some(waited), Some(waiting)) = (self.queue, waited, waiting) {
                // What is published and does not wait is done. The first in line came as long ago as it took the
                // others to come.
                answered -= (waiting - waited) / span;
                mean = 1000.0 * ((waited + waiting) / 2.0 / self.rate + queue.work_s);
            }
            let second = |time: world::Time| time.since(begin).as_secs();
            let mean = (answered > 0.05 * self.rate).then_some(mean);
            samples.push(Sample { from: second(from), to: second(world.now()), answered, failed, mean, waiting });
        }
        samples
    }

    /// Between its turns; what was recorded in steps of 5 s says nothing of less.
    pub(crate) fn windows(&self) -> Vec<(f64, f64)> {
        let mut edges: Vec<f64> = self.turns.iter().map(|(at, _)| *at as f64).collect();
        edges.insert(0, 5.0);
        edges.push(self.seconds as f64);
        edges.windows(2).map(|pair| (pair[0], pair[1])).filter(|(from, to)| to - from >= 5.0).collect()
    }
}

/// What a window comes to: answered and failed per second, and the mean of the answered in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) answered: f64,
    failed: f64,
    mean: Option<f64>,
}

/// What samples come to in a window.
pub(crate) fn within(samples: &[Sample], from: f64, to: f64) -> Window {
    let (mut span, mut answered, mut failed, mut weight, mut time) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for sample in samples {
        let part = (sample.to.min(to) - sample.from.max(from)).max(0.0);
        span += part;
        answered += part * sample.answered;
        failed += part * sample.failed;
        if let Some(mean) = sample.mean {
            weight += part * sample.answered;
            time += part * sample.answered * mean;
        }
    }
    Window { answered: answered / span, failed: failed / span, mean: (weight > 0.0).then(|| time / weight) }
}

/// The same in steps as long as those of the recordings, where they are shorter.
pub(crate) fn steps(samples: &[Sample]) -> Vec<Sample> {
    if samples.first().is_none_or(|first| first.to - first.from >= STEP) {
        return samples.to_vec();
    }
    let ends = (0..).map(|step| f64::from(step) * STEP).take_while(|from| samples.iter().any(|s| s.to > *from));
    ends.map(|from| {
        let Window { answered, failed, mean } = within(samples, from, from + STEP);
        Sample { from, to: from + STEP, answered, failed, mean, waiting: None }
    })
    .collect()
}

/// Onset, worst and recovery: seconds from the first turn until fewer than nine tenths are answered, the fewest that are
/// answered per second, and seconds from the last turn until nine tenths are answered again.
pub(crate) fn shape(recording: &Recording, samples: &[Sample]) -> [Option<f64>; 3] {
    let second = |turn: Option<&(u64, Turn)>| turn.map_or(0.0, |(at, _)| *at as f64);
    let (begin, end) = (second(recording.turns.first()), second(recording.turns.last()));
    let healthy = 0.9 * within(samples, 5.0, begin).answered;
    let in_trouble = |s: &&Sample| s.to > begin && s.answered < healthy;
    let onset = samples.iter().find(in_trouble).map(|s| (s.from - begin).max(0.0));
    let worst = samples.iter().filter(|s| s.to > begin).map(|s| s.answered).fold(f64::INFINITY, f64::min);
    let well = samples.iter().rev().find(in_trouble).map(|s| (s.to - end).max(0.0));
    let lasts = samples.last().is_some_and(|s| s.answered < healthy);
    [onset, Some(worst), well.filter(|_| !lasts && onset.is_some())]
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_string(), |value| format!("{value:.0}"))
}

/// A recording as it was, in ticks of a second and in those of play.
pub(crate) type Compared = (&'static Recording, [Vec<Sample>; 3]);

/// All recordings beside their worlds.
pub(crate) fn compared() -> Vec<Compared> {
    RECORDINGS.iter().map(|r| (r, [recorded(r.name), r.played(SECOND), r.played(world::TICK)])).collect()
}

/// The tables of docs/fidelity.md, line by line.
pub(crate) fn tables(compared: &[Compared]) -> Vec<String> {
    let mut lines = vec![
        "| recording | window s | answered/s | failed/s | mean ms |".to_string(),
        "|---|---|---|---|---|".to_string(),
    ];
    for (recording, all) in compared {
        for (from, to) in recording.windows() {
            let all = all.each_ref().map(|samples| within(samples, from, to));
            let rate = |of: fn(&Window) -> f64| all.each_ref().map(|w| format!("{:.1}", of(w))).join(" / ");
            let mean = all.each_ref().map(|w| cell(w.mean)).join(" / ");
            let (name, answered, failed) = (recording.name, rate(|w| w.answered), rate(|w| w.failed));
            lines.push(format!("| {name} | {from}-{to} | {answered} | {failed} | {mean} |"));
        }
    }
    lines.extend(
        ["", "| recording | onset s | fewest answered/s | recovery s |", "|---|---|---|---|"].map(String::from),
    );
    for (recording, all) in compared.iter().filter(|c| !c.0.turns.is_empty()) {
        let all = all.each_ref().map(|samples| shape(recording, &steps(samples)));
        let of = |at: usize| all.each_ref().map(|shape| cell(shape[at])).join(" / ");
        lines.push(format!("| {} | {} | {} | {} |", recording.name, of(0), of(1), of(2)));
    }
    lines.extend(["", "| recording | most messages waiting | none waiting at s |", "|---|---|---|"].map(String::from));
    for (recording, [_, ours @ ..]) in compared {
        if let Some(queue) = recording.queue {
            let [seconds, play] = ours.each_ref().map(|samples| depth(samples).map(cell));
            let row = |at: usize, theirs: f64| format!("{theirs} / {} / {}", seconds[at], play[at]);
            lines.push(format!("| {} | {} | {} |", recording.name, row(0, queue.peak), row(1, queue.empty)));
        }
    }
    lines
}

fn main() -> std::io::Result<()> {
    let compared = compared();
    tables(&compared).iter().for_each(|line| println!("{line}"));
    if let Some(folder) = std::env::args().nth(1) {
        let drawn: Vec<_> = compared.iter().filter(|c| !c.0.turns.is_empty()).collect();
        std::fs::write(std::path::Path::new(&folder).join("recordings.svg"), drawing::draw(&drawn))?;
    }
    Ok(())
}
