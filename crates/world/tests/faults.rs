//! Every fault, at every place of the shop where it fits, at its worst: it hurts, it can be seen where
//! its documentation says, and its first cure heals it.

mod common;

use common::{healthy, wait, well};
use world::faults::{self, Cure, Fault, FaultArgs};
use world::services::Level;
use world::telemetry::logs::LogQuery;
use world::{Seed, Span, Spec, Standing, Time, World};

/// Faults that users of the plain shop hardly feel, and why.
const PASSING: &[(&str, &str)] = &[
    ("cache_flush", "the database has room to fill the cache again within minutes"),
    ("connection_storm", "opening a connection is cheap there"),
    ("redelivery_burst", "consumers fetch one message at a time, so that the backlog drains"),
    ("retry_burst", "the queue in front of the workers is short, so that it empties after the burst"),
    ("stale_metrics", "the instruments hang, the service does not"),
    ("missing_metrics", "the instruments fail, the service does not"),
    ("delayed_logs", "the log pipeline is late, the service is not"),
];

/// The shop; for poison, with enough attempts for it to crowd out the others.
fn spec(fault: &str) -> Spec {
    let mut spec = world::shop();
    if fault == "poison_messages" {
        spec.service_mut("message_queue").expect("a service").config.insert("RETRY_LIMIT".into(), "50".into());
    }
    spec
}

fn severe(fault: &dyn Fault, site: &FaultArgs) -> FaultArgs {
    let mut args = site.clone();
    if let Some(severity) = fault.severity() {
        args.0.insert(severity.arg.to_string(), severity.at(1.0).to_string());
    }
    args
}

/// Plants a fault a minute from now and gives the world a little after the page.
fn broken(fault: &dyn Fault, args: &FaultArgs) -> World {
    let mut world = healthy(&spec(fault.name()), 1);
    let acts = fault.plan(args, world.plan(), Seed(1)).expect("a site fits");
    let onset = world.now() + Span::mins(1);
    world.plant(&acts, onset);
    world.run_until_page(onset + Span::mins(25));
    wait(&mut world, 4);
    world
}

fn apply(world: &mut World, cure: &Cure) {
    let at = |w: &World, name: &str| w.plan().service(name).expect("a service");
    match cure {
        Cure::Config { service, key, value, .. } => {
            let at = at(world, service);
            world.operator().set_config(at, key, value).expect("a value that fits");
        }
        Cure::Restart { service } => {
            let at = at(world, service);
            world.operator().restart(at);
        }
        Cure::Rollback { service } => {
            let at = at(world, service);
            let id = world.changes().iter().rev().find(|c| c.service == at && !c.by_operator).expect("a change").id;
            world.operator().roll_back(id).expect("a change that can be taken back");
        }
    }
}

#[test]
fn every_fault_hurts_and_its_first_cure_heals_it() {
    for fault in faults::ALL {
        let plan = healthy(&spec(fault.name()), 1).plan().clone();
        let sites = fault.sites(&plan);
        assert!(!sites.is_empty(), "{} fits somewhere in the shop", fault.name());
        let passing = PASSING.iter().any(|p| p.0 == fault.name());
        for args in sites.iter().map(|site| severe(*fault, site)) {
            let place = format!("{} {:?}", fault.name(), args.0);
            assert!(plan.service(&fault.component(&args)).is_some(), "{place}: names a service");
            let mut world = broken(*fault, &args);
            let acts = fault.plan(&args, &plan, Seed(1)).expect("it fits");
            if passing {
                wait(&mut world, 60);
                assert!(well(&world), "{place} passes: {:?}", world.objectives(Span::mins(3)));
                continue;
            }
            assert!(world.page().is_some() && !well(&world), "{place} hurts");
            let mut lifted = world.clone();
            let mut twin = healthy(&spec(fault.name()), 1);
            twin.run_until(world.now());
            lifted.lift(&acts, &twin);
            assert!(fault.standing(&args, &acts, &lifted) != Standing::Stands, "{place}: it is taken away");
            wait(&mut lifted, 24);
            assert!(well(&lifted), "{place}: without it all is well: {:?}", lifted.objectives(Span::mins(3)));
            let cures = fault.cures(&args, &plan);
            let first = cures.first().unwrap_or_else(|| panic!("{place} has a cure"));
            assert!(!first.holds(&world), "{place}: not cured before the first action");
            assert!(fault.standing(&args, &acts, &world) != Standing::Gone, "{place}: it is there");
            apply(&mut world, first);
            wait(&mut world, 12);
            assert!(first.holds(&world), "{place}: the state says that it is cured");
            assert_eq!(fault.standing(&args, &acts, &world), Standing::Gone, "{place}: it is gone");
            assert!(well(&world), "{place} is healed by {first:?}: {:?}", world.objectives(Span::mins(3)));
        }
    }
}

/// What moves, and where: fault, service, metric or log line, and for a metric whether it rises.
enum Sign {
    Up(&'static str),
    Down(&'static str),
    Line(&'static str),
}

use Sign::{Down, Line, Up};

const SIGNS: &[(&str, &str, Sign)] = &[
    ("bad_build_errors", "web_server", Line("unhandled")),
    ("bad_build_leak", "web_server", Up("memory_used_pct")),
    ("bad_build_retries", "database", Up("read_iops")),
    ("bad_build_retries", "web_server", Line("hedged")),
    ("bad_build_slow", "web_server", Up("p95_latency_ms")),
    ("canary_misroute", "load_balancer", Line("canary")),
    ("certificate_mismatch", "load_balancer", Up("tls_handshake_error_rate")),
    ("clock_skew", "load_balancer", Line("clock")),
    ("config_push", "load_balancer", Down("healthy_backends")),
    ("connection_leak", "web_server", Up("held_db_connections")),
    ("connection_leak", "database", Line("idle_sessions")),
    ("consumer_stall", "message_queue", Line("stalled")),
    ("consumer_stall", "message_queue", Up("queue_depth")),
    ("corrupt_pages", "database", Line("bad_page")),
    ("correlated_push", "web_server", Down("healthy_workers")),
    ("crash", "load_balancer", Down("healthy_backends")),
    ("crash_loop", "load_balancer", Line("crash_loop")),
    ("descriptor_leak", "load_balancer", Up("open_files_pct")),
    ("disk_growth", "database", Up("disk_used_pct")),
    ("expiry", "load_balancer", Up("tls_handshake_error_rate")),
    ("half_rollout", "web_server", Up("error_rate")),
    ("id_wraparound", "database", Line("no_ids")),
    ("instance_down", "load_balancer", Down("healthy_backends")),
    ("lock_queue", "database", Line("lock_wait")),
    ("lossy_link", "load_balancer", Line("lossy_path")),
    ("lost_index", "database", Line("seq_orders")),
    ("memory_leak", "web_server", Up("memory_used_pct")),
    ("network_partition", "web_server", Line("lossy_path")),
    ("noisy_neighbour", "web_server", Line("busy_node")),
    ("plan_flip", "database", Line("bad_plan")),
    ("poison_messages", "message_queue", Line("poison")),
    ("provider_errors", "message_queue", Up("dead_letter_rate")),
    ("provider_slow", "message_queue", Line("settles_late")),
    ("quota_cut", "web_server", Line("throttled")),
    ("replica_lost", "database", Up("read_primary_utilization_pct")),
    ("replication_lag", "database", Up("replica_lag_s")),
    ("replication_lag", "web_server", Line("stale")),
    ("slow_disk", "database", Line("slow_volume")),
    ("slow_link", "load_balancer", Line("slow_path")),
    ("small_standby", "database", Line("promoted")),
    ("split_brain", "database", Line("two_primaries")),
    ("stale_dns", "load_balancer", Line("old_address")),
    ("stuck_transaction", "database", Up("table_bloat_pct")),
    ("traffic_mix", "message_queue", Up("consumer_utilization_pct")),
    ("traffic_surge", "web_server", Up("rate_limited_requests")),
    ("worker_deaths", "web_server", Down("healthy_workers")),
];

#[test]
fn every_fault_shows_where_its_documentation_says() {
    for fault in faults::ALL.iter().filter(|f| !PASSING.iter().any(|p| p.0 == f.name())) {
        let plan = healthy(&spec(fault.name()), 1).plan().clone();
        let args = severe(*fault, &fault.sites(&plan)[0]);
        let world = broken(*fault, &args);
        let signs: Vec<_> = SIGNS.iter().filter(|s| s.0 == fault.name()).collect();
        assert!(!signs.is_empty(), "{} has a sign", fault.name());
        for (_, service, sign) in signs {
            let at = plan.service(service).expect("a service");
            let reading = |name: &str| world.view().metrics(at).find(|m| m.name == name).expect("a metric");
            let moved = |name: &str| (reading(name).value.unwrap_or(f64::NAN), reading(name).usual);
            let holds = match sign {
                Up(metric) => reading(metric).unusual && moved(metric).0 > moved(metric).1,
                // A balancer that is gone says nothing of its backends.
                Down(metric) => moved(metric).0 < moved(metric).1 || world.processes(at).all(|p| !p.up()),
                Line(name) => lines(&world, at).contains(name),
            };
            let name = match sign {
                Up(name) | Down(name) | Line(name) => name,
            };
            assert!(holds, "{} shows at {service} in {name}", fault.name());
        }
    }
}

fn lines(world: &World, service: usize) -> Vec<&'static str> {
    let query = LogQuery { level: Level::Warn, text: "", from: Time(0), to: world.now(), limit: 5000 };
    world.view().logs(service, &query).into_iter().map(|l| l.template).collect()
}

#[test]
fn what_ails_the_instruments_leaves_the_truth_alone() {
    for kind in ["stale_metrics", "missing_metrics", "delayed_logs"] {
        let fault = faults::find(kind).expect("a fault");
        let (mut seen, mut twin) = (healthy(&spec(kind), 4), healthy(&spec(kind), 4));
        let crash = faults::find("crash").expect("a fault");
        for world in [&mut seen, &mut twin] {
            let at = world.plan().service("cache").expect("a service");
            assert_eq!(&*world.plan().services[at].name, "cache");
            let site = FaultArgs([("service".to_string(), "cache".to_string())].into());
            let acts = crash.plan(&site, world.plan(), Seed(1)).expect("it fits");
            let onset = world.now() + Span::mins(3);
            world.plant(&acts, onset);
        }
        let site = FaultArgs([("service".to_string(), "cache".to_string())].into());
        let acts = fault.plan(&site, seen.plan(), Seed(1)).expect("it fits");
        let onset = seen.now() + Span::mins(1);
        seen.plant(&acts, onset);
        wait(&mut seen, 8);
        wait(&mut twin, 8);
        assert_eq!(seen.impact(), twin.impact(), "{kind}: users feel the same");
        let at = seen.plan().service("cache").expect("a service");
        let hit = |w: &World| w.view().metrics(at).find(|m| m.name == "hit_rate").and_then(|m| m.value);
        match kind {
            "stale_metrics" => assert!(hit(&seen).is_some_and(|v| v > 0.8), "it still looks well"),
            "missing_metrics" => assert_eq!(hit(&seen), None),
            _ => assert!(lines(&twin, at).contains(&"fatal") && !lines(&seen, at).contains(&"fatal")),
        }
    }
}

#[test]
fn sites_fit_in_worlds_of_other_shapes() {
    let plan = world::Blueprint::compile(&world::shop().copies(3)).expect("a valid spec");
    for fault in faults::ALL {
        let sites = fault.sites(&plan);
        assert_eq!(sites, fault.sites(&plan), "{}: in a fixed order", fault.name());
        for site in &sites {
            for far in [0.0, 0.5, 1.0] {
                let mut args = site.clone();
                if let Some(severity) = fault.severity() {
                    args.0.insert(severity.arg.to_string(), severity.at(far).to_string());
                }
                let acts = fault.plan(&args, &plan, Seed(2));
                assert!(acts.is_ok_and(|a| !a.is_empty()), "{} {:?}", fault.name(), args.0);
                let known: Vec<&str> = fault.args().iter().map(|a| a.0).collect();
                assert!(args.0.keys().all(|k| known.contains(&k.as_str())), "{} {:?}", fault.name(), args.0);
            }
        }
    }
}

// The world does no IO; this reads how it is written.
#[allow(clippy::disallowed_methods)]
#[test]
fn faults_are_documented_under_fixed_headings() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/faults");
    for fault in faults::ALL {
        let text = std::fs::read_to_string(format!("{folder}/{}.rs", fault.name())).expect("one file each");
        for heading in ["//! # What happens\n", "//! # What an operator sees\n", "//! # How it is fixed\n"] {
            assert!(text.contains(heading), "{} lacks `{}`", fault.name(), heading.trim());
        }
    }
    assert!(faults::ALL.len() >= 30);
    assert!(faults::ALL.is_sorted_by_key(|f| f.name()), "found by name");
}
