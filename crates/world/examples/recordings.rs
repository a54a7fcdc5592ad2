//! The world set up as the programs were whose incidents were recorded, beside what was recorded.
//! `cargo run --release -p sre-zero-world --example recordings` prints the table of docs/fidelity.md.

#![allow(clippy::disallowed_macros, reason = "it prints a table")]

use std::sync::Arc;

use world::latency::Latency;
use world::spec::{AppSpec, CallSpec, Op, RouteSpec, ServiceSpec, Spec};
use world::{Blueprint, Mutation, Noise, Seed, Span, World};

/// What happens at the beginning of a window.
#[derive(Clone, Copy)]
enum Turn {
    Nothing,
    /// The load is multiplied.
    Load(f64),
    /// The last tier's work takes so many times as long.
    Slow(f64),
}

/// A window: its length in seconds, what begins with it, and what was recorded: answered and failed per second, mean of
/// the answered in milliseconds.
type Window = (u64, Turn, f64, f64, f64);

struct Recording {
    name: &'static str,
    rate: f64,
    /// Workers and work (mean in ms, variation) of each tier, the first nearest to the users.
    tiers: &'static [(f64, f64, f64)],
    /// A database behind the last tier: connections, work and variation, the share of requests that ask it.
    database: Option<(f64, f64, f64, f64)>,
    /// Seconds after which clients give up.
    patience: f64,
    windows: &'static [Window],
}

const RECORDINGS: &[Recording] = &[
    load("load_50", 48.9, &[(240, Turn::Nothing, 47.57, 0.0, 81.5)]),
    load("load_85", 83.6, &[(240, Turn::Nothing, 83.14, 0.0, 126.5)]),
    load("load_90_long", 88.6, &[(240, Turn::Nothing, 88.57, 0.0, 133.6)]),
    load("load_98_long", 96.55, &[(240, Turn::Nothing, 96.02, 0.0, 299.9)]),
    Recording {
        name: "slow_db_x2",
        rate: 100.0,
        tiers: &[(16.0, 60.0, 0.5)],
        database: Some((4.0, 53.0, 0.7, 0.3)),
        patience: 5.0,
        windows: &[
            (30, Turn::Nothing, 102.0, 0.0, 78.5),
            (45, Turn::Slow(2.0), 97.6, 0.0, 109.6),
            (45, Turn::Slow(1.0), 98.0, 0.0, 80.2),
        ],
    },
    Recording {
        name: "two_tier",
        rate: 55.0,
        tiers: &[(24.0, 10.0, 0.5), (8.0, 100.0, 0.5)],
        database: None,
        patience: 4.0,
        windows: &[
            (30, Turn::Nothing, 54.5, 0.0, 118.0),
            (45, Turn::Load(1.84), 35.3, 53.2, 2046.2),
            (75, Turn::Load(1.0), 36.7, 24.5, 780.9),
        ],
    },
    Recording {
        name: "retry_none_x15",
        rate: 58.0,
        tiers: &[(8.0, 100.0, 0.5)],
        database: None,
        patience: 0.5,
        windows: &[
            (30, Turn::Nothing, 58.7, 0.0, 111.3),
            (15, Turn::Load(1.5), 19.1, 63.1, 232.8),
            (45, Turn::Load(1.0), 51.0, 8.7, 120.1),
        ],
    },
];

const fn load(name: &'static str, rate: f64, windows: &'static [Window]) -> Recording {
    Recording { name, rate, tiers: &[(8.0, 80.0, 1.0)], database: None, patience: 30.0, windows }
}

fn service(name: String, kind: &str, config: &[(&str, f64)], params: &[(&str, f64)]) -> ServiceSpec {
    ServiceSpec {
        name,
        kind: kind.into(),
        instances: 1,
        config: config.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        params: params.iter().map(|(key, value)| (key.to_string(), *value)).collect(),
        ..ServiceSpec::default()
    }
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
            let op = Op { name: "select".into(), work_ms, spread, ..Op::default() };
            CallSpec { to: "database".into(), op, times: share, ..CallSpec::default() }
        });
        for (at, (workers, work_ms, spread)) in self.tiers.iter().enumerate().rev() {
            let name = format!("app_{at}");
            let config = [("MAX_WORKERS", *workers), ("TIMEOUT_MS", 2000.0)];
            let params =
                [("backlog", 2048.0), ("bug_rate", 0.0), ("retries", 0.0), ("worker_mb", 1.0), ("fine_queues", 1.0)];
            services.push(service(name.clone(), "web", &config, &params));
            let op = Op { name: format!("work {at}"), work_ms: *work_ms, spread: *spread, ..Op::default() };
            call = Some(CallSpec { to: name, op, times: 1.0, calls: call.into_iter().collect(), on_miss: vec![] });
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
        let apps = vec![AppSpec { name: "app".into(), routes: vec![route], ..AppSpec::default() }];
        let spec = Spec { nodes: 8, services, apps, ..Spec::default() };
        World::healthy(&Arc::new(Blueprint::compile(&spec).expect("a valid spec")), Seed(1), Noise(0))
    }

    fn print(&self) {
        let mut world = self.world();
        let plan = world.plan().clone();
        let entry = plan.calls[plan.routes[0].entry].columns.clone();
        let mut begin = 0;
        for (seconds, turn, ok, failed, mean) in self.windows {
            match turn {
                Turn::Nothing => {}
                Turn::Load(factor) => _ = world.apply(&Mutation::Load { route: 0, factor: *factor }),
                Turn::Slow(factor) => {
                    let database = plan.service("database").expect("a database");
                    let node = world.fleet().of(database).first().expect("an instance").node;
                    world.apply(&Mutation::Slowdown { node, factor: *factor });
                }
            }
            let (from, before) = (world.now(), world.impact().routes[0]);
            world.run_until(from + Span::secs(*seconds));
            let after = world.impact().routes[0];
            let per_second = |count: f64| count / *seconds as f64;
            let lost = per_second(after.failed - before.failed);
            let answered = per_second(after.requests - before.requests) - lost;
            let (mut weight, mut sum) = (0.0, 0.0);
            for row in world.history().newest_first(from, world.now()) {
                let cells = &row.cells[entry.clone()];
                let time = Latency { mean: f64::from(cells[3]), var: f64::from(cells[4]) * f64::from(cells[4]) };
                let (late, in_time) = time.split(self.patience * 1000.0);
                let of = f64::from(cells[0]) * (1.0 - f64::from(cells[1])) * (1.0 - late);
                weight += of;
                sum += of * (in_time.mean - late * self.patience * 1000.0) / (1.0 - late).max(1e-3);
            }
            let ours = if weight > 0.0 { format!("{:.0}", sum / weight) } else { "-".to_string() };
            println!(
                "| {} | {begin}-{} | {ok:.1} / {answered:.1} | {failed:.1} / {lost:.1} | {mean:.0} / {ours} |",
                self.name,
                begin + seconds
            );
            begin += seconds;
        }
    }
}

fn main() {
    println!("| recording | window s | answered/s | failed/s | mean ms |\n|---|---|---|---|---|");
    RECORDINGS.iter().for_each(Recording::print);
}
