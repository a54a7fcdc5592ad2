//! Lines of logs: numbers are those of the metrics, addresses and routes are there, nothing is told twice, and words are those
//! of the programs.

use std::collections::{BTreeMap, BTreeSet};

use world::services::Level;
use world::telemetry::logs::LogLine;
use world::{Time, World};

use crate::common;
use crate::proxies::check_backends;
use crate::worlds::{addresses, lines, metric_at, number_after};

/// Numbers, addresses and routes in lines are those that are measured, that are there and that are called.
pub fn check_lines(world: &World) {
    let plan = world.plan();
    let instances: BTreeSet<[u8; 4]> = world.fleet().iter().map(|i| i.address()).collect();
    for (service, info) in plan.services.iter().enumerate() {
        let paths: BTreeSet<&str> = info.calls.iter().map(|&c| &*plan.calls[c].op.name).collect();
        for line in lines(world, service) {
            let text = &line.text;
            assert!(!text.contains('{') && !text.contains("NaN"), "{text}");
            for address in addresses(text).into_iter().filter(|a| is_inside(*a)) {
                assert!(instances.contains(&address), "no instance has that address: {text}");
            }
            if let Some((_, rest)) = text.split_once('"')
                && let Some((path, _)) = rest.split_once(" HTTP/1.1\"")
            {
                assert!(paths.contains(path), "{}: no such route: {text}", info.name);
            }
            for (_, words, metric, by) in SAME.iter().filter(|same| same.0 == line.template) {
                let (Some(said), Some(measured)) =
                    (number_after(text, words), metric_at(world, service, metric, &line))
                else {
                    continue;
                };
                let measured = measured * by;
                let near = (said - measured).abs() <= 0.51 + 1e-4 * measured.abs();
                assert!(near, "{}: {metric} is {measured}, but: {text}", info.name);
            }
        }
    }
}

/// Lines that print what is measured: the template, the words before the number, the metric, and what it is multiplied with.
const SAME: &[(&str, &str, &str, f64)] = &[
    ("saturated", "workers busy, ", "queued_requests", 1.0),
    ("conn_high", "scur at ", "connection_utilization_pct", 1.0),
    ("space_low", "usage at ", "disk_used_pct", 1.0),
    ("bloat", "orders: ", "table_bloat_pct", 1.0),
    ("pinned", "yet (", "table_bloat_pct", 1.0),
    ("replica_lag", "position is ", "replica_lag_s", 1.0),
    ("pool_full", "wait ", "connection_wait_ms", 1.0),
    ("stats", "stats: ", "request_rate", 1.0),
    ("evict", "evicting ", "evictions_per_min", 1.0 / 60.0),
    ("fill", "take ", "backend_fill_latency_ms", 1.0),
    ("backlog", "behind: ", "queue_depth", 1.0),
    ("backlog", "oldest ", "oldest_message_age_ms", 0.001),
];

/// Whether an address is one of the company's network.
fn is_inside(address: [u8; 4]) -> bool {
    address[0] == 10
}

/// A proxy writes one line for each request, and a server none beside the one that says that it turned it away: who counts
/// lines counts requests.
pub fn check_single_lines(world: &World) {
    for (service, info) in world.plan().services.iter().enumerate() {
        let only: BTreeSet<&str> = info.kind.logs().iter().filter(|t| t.is_only).map(|t| t.name).collect();
        let all = lines(world, service);
        let id = |line: &LogLine| {
            let (_, rest) = ["id=", "request ", "request="].iter().find_map(|word| line.text.split_once(word))?;
            rest.get(..16).map(str::to_string)
        };
        let own = all.iter().filter(|l| only.contains(l.template)).filter_map(|line| Some((id(line)?, &line.text)));
        let own: BTreeMap<String, &String> = own.collect();
        // A request fails once, for one reason.
        let failed = all.iter().filter(|l| l.level == Level::Error && l.text.contains(" failed: "));
        let mut reasons: BTreeMap<String, &LogLine> = BTreeMap::new();
        for line in failed {
            let Some(id) = id(line) else { continue };
            let before = reasons.entry(id).or_insert(line);
            assert!(before.template == line.template, "fails twice: {} and {}", before.text, line.text);
        }
        for line in all.iter().filter(|l| ["access", "request"].contains(&l.template)) {
            let again = id(line).and_then(|id| own.get(&id));
            assert!(again.is_none(), "{}: two lines of one request: {} and {again:?}", info.name, line.text);
        }
    }
}

/// Lines speak the language of the one that they are about: a server that asks a server knows nothing of files, rows and
/// statements but what that one answered.
pub fn check_peers(world: &World) {
    const OF_A_DATABASE: &[&str] =
        &["OperationalError", "could not extend file", "cannot execute", "couldn't get a connection"];
    let plan = world.plan();
    let servers: Vec<&str> = plan.services.iter().filter(|s| s.kind.name() == "web").map(|s| &*s.host).collect();
    for service in (0..plan.services.len()).filter(|s| plan.services[*s].kind.name() == "web") {
        for line in lines(world, service).iter().filter(|l| l.level == Level::Error) {
            let names_server = servers.iter().any(|host| line.text.contains(host));
            let speaks = OF_A_DATABASE.iter().find(|words| line.text.contains(**words));
            assert!(!names_server || speaks.is_none(), "a server is no database: {}", line.text);
        }
    }
}

/// A process that nothing starts again dies once.
pub fn check_deaths(world: &World) {
    for info in &world.plan().services {
        for name in ["fatal", "stopped"] {
            let Some(at) = info.kind.logs().iter().position(|t| t.name == name) else { continue };
            let column = info.events.start + at;
            let rows = world.history().newest_first(Time(0), world.now());
            let deaths: f64 = rows.filter_map(|row| row.sample(column)).sum();
            assert!(deaths < 1.01 * info.replicas as f64, "{} died {deaths} times", info.name);
        }
    }
}

/// Where one of two gets nearly everything, the other is not full.
#[test]
fn idle_instances_are_not_full() {
    let mut full = 0;
    for seed in 0..12 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "config_push service=load_balancer key=STICKY_SESSIONS value=true");
        common::wait(&mut world, 8);
        let service = world.plan().service("web_server").expect("a service");
        let said =
            lines(&world, service).into_iter().filter(|line| ["saturated", "queue_full"].contains(&line.template));
        for line in said {
            assert!(line.text.starts_with("web_server-1 "), "{}", line.text);
            full += 1;
        }
    }
    assert!(full > 20, "only {full} lines");
}

#[test]
fn lines_are_worded_as_programs_word_them() {
    let mut world = common::shop(3);
    common::plant(&mut world, "expiry service=cache key=AUTH_TOKEN_VALID");
    common::wait(&mut world, 9);
    assert!(check_backends(&world) > 3, "a proxy and a server tell of the same requests");
    let said = |name: &str, words: &str| {
        let service = world.plan().service(name).expect("a service");
        lines(&world, service).into_iter().filter(|line| line.text.contains(words)).count()
    };
    assert!(
        said(
            "web_server",
            "AuthenticationError: cache.internal:6379: invalid username-password pair or user is disabled."
        ) > 3
    );
    assert!(said("cache", "WRONGPASS invalid username-password pair or user is disabled.") > 3);
    assert_eq!(said("cache", "NOAUTH") + said("web_server", "NOAUTH"), 0);
    let database = world.plan().service("database").expect("a service");
    for line in lines(&world, database).iter().filter(|line| line.template == "deadlock") {
        let ms = number_after(&line.text, " after ").expect("a time");
        assert!(
            (1000.0..1000.5).contains(&ms) && number_after(&line.text, "on transaction ").is_some(),
            "{}",
            line.text
        );
    }
}
