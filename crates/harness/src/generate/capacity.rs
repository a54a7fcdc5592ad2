//! Sizes: every service gets as much room for its load as the shop's service of that kind has. Then a
//! world is healthy for the reasons for which the shop is, and what hurts the shop hurts here.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use world::spec::{CallSpec, ServiceSpec, Spec};
use world::{Blueprint, Noise, Seed, World};

/// How long a caller waits for a lookup and for a receipt, in milliseconds.
const LOOKUP_MS: f64 = 3.0;
const RECEIPT_MS: f64 = 330.0;
/// How long a connection is kept after its use: at the edge, and at the database.
const KEEPALIVE_MS: f64 = 2900.0;
const LINGER_MS: f64 = 75.0;

/// How often application servers are staffed anew.
const ROUNDS: usize = 4;
/// Workers of one instance of an application server.
const WORKERS: f64 = 42.0;

/// What is asked of a service, per second.
#[derive(Clone, Copy, Debug, Default)]
struct Demand {
    calls: f64,
    writes: f64,
    /// Milliseconds of work.
    work: f64,
    /// Milliseconds for which something is held.
    held: f64,
}

type Demands = BTreeMap<String, Demand>;

/// What the shop's services of each kind are asked for.
static SHOP: LazyLock<BTreeMap<String, Demand>> = LazyLock::new(|| {
    let shop = world::shop();
    let all = demands(&shop);
    shop.services.iter().map(|s| (s.kind.clone(), all.get(&s.name).copied().unwrap_or_default())).collect()
});

/// Sizes all services of a world for its load.
pub(super) fn fit(spec: &mut Spec) {
    let all = demands(spec);
    for service in &mut spec.services {
        let (own, shop) = (all.get(&service.name).copied().unwrap_or_default(), SHOP[&service.kind]);
        size(service, own, shop);
    }
    share_evenly(spec);
}

/// A balancer gives each instance behind it the same share.
fn share_evenly(spec: &mut Spec) {
    let mut behind: BTreeMap<String, usize> = BTreeMap::new();
    for entry in spec.apps.iter().flat_map(|a| &a.routes).map(|r| &r.entry) {
        let instances = |c: &CallSpec| spec.services.iter().find(|s| s.name == c.to).map_or(1, |s| s.instances);
        behind.insert(entry.to.clone(), entry.calls.first().map_or(1, instances));
    }
    for service in spec.services.iter_mut().filter(|s| s.kind == "balancer") {
        let share = 100.0 / behind.get(&service.name).copied().unwrap_or(2) as f64;
        set(service, "WEB_WEIGHT_PRIMARY", share, 0.0, 100.0);
    }
}

fn size(service: &mut ServiceSpec, own: Demand, shop: Demand) {
    let ratio = |pick: fn(&Demand) -> f64| (pick(&own) / pick(&shop)).max(0.02);
    match service.kind.as_str() {
        "web" => {
            let workers = 80.0 * ratio(|d| d.held);
            staff(service, workers);
            set(service, "RATE_LIMIT_RPS", 600.0 * ratio(|d| d.calls), 10.0, 20_000.0);
        }
        "balancer" => set(service, "MAX_CONNECTIONS", 2000.0 * ratio(|d| d.held), 50.0, 20_000.0),
        "database" => {
            set(service, "DB_POOL_SIZE", 140.0 * ratio(|d| d.held), 12.0, 2000.0);
            param(service, "primary_servers", (12.0 * ratio(|d| d.work)).max(2.0));
            param(service, "replica_servers", (22.0 * ratio(|d| d.work)).max(3.0));
            let writes = ratio(|d| d.writes);
            param(service, "gb_per_kwrite", 0.05 / writes);
            param(service, "bloat_per_kwrite", 0.7 / writes);
        }
        "cache" => param(service, "ops_per_s", 9000.0 * ratio(|d| d.calls)),
        _ => {
            set(service, "CONSUMER_CONCURRENCY", 24.0 * ratio(|d| d.calls), 4.0, 512.0);
            set(service, "MAX_IN_FLIGHT", 1000.0 * ratio(|d| d.calls), 60.0, 20_000.0);
        }
    }
}

fn staff(service: &mut ServiceSpec, workers: f64) {
    // More workers than this do not fit into the memory of one instance.
    service.instances = ((workers / WORKERS).ceil() as usize).max(2);
    set(service, "MAX_WORKERS", workers / service.instances as f64, 6.0, 512.0);
}

/// How busy the shop's application servers are, in percent.
static BUSY: LazyLock<f64> = LazyLock::new(|| {
    let shop = world::shop();
    let at = shop.services.iter().position(|s| s.kind == "web").unwrap_or_default();
    busy(&shop)[at].unwrap_or(50.0)
});

/// How busy each application server is on a healthy day, as measured; `None` for other services.
fn busy(spec: &Spec) -> Vec<Option<f64>> {
    let plan = Arc::new(Blueprint::compile(spec).expect("generated worlds are worlds"));
    let world = World::healthy(&plan, Seed(0), Noise(0));
    let busy =
        |service| world.view().metrics(service).find(|m| m.name == "worker_utilization_pct").and_then(|m| m.value);
    (0..plan.services.len()).map(busy).collect()
}

/// Staffs application servers by how busy they really are: a tier that waits for another tier waits
/// for its queues, too, and those are hard to tell beforehand.
pub(super) fn tune(spec: &mut Spec) {
    for _ in 0..ROUNDS {
        let found = busy(spec);
        for (service, busy) in spec.services.iter_mut().zip(found) {
            let Some(busy) = busy else { continue };
            let workers: f64 = service.config.get("MAX_WORKERS").and_then(|w| w.parse().ok()).unwrap_or(40.0);
            let factor = if busy > 95.0 { 1.8 } else { (busy / *BUSY).clamp(0.5, 1.8) };
            staff(service, workers * service.instances as f64 * factor);
        }
    }
    share_evenly(spec);
}

fn set(service: &mut ServiceSpec, key: &str, value: f64, least: f64, most: f64) {
    service.config.insert(key.to_string(), (value.clamp(least, most).round() as i64).to_string());
}

fn param(service: &mut ServiceSpec, name: &str, value: f64) {
    // Files and memory must hold the same number.
    service.params.insert(name.to_string(), (value * 10_000.0).round() / 10_000.0);
}

/// What all routes together ask of each service.
fn demands(spec: &Spec) -> Demands {
    let kinds: BTreeMap<&str, &str> = spec.services.iter().map(|s| (s.name.as_str(), s.kind.as_str())).collect();
    let mut all = Demands::new();
    let routes = || spec.apps.iter().flat_map(|a| &a.routes);
    for route in routes().filter(|r| r.rps > 0.0) {
        ask(&route.entry, route.rps, &kinds, &mut all);
    }
    for route in routes().filter(|r| r.rps <= 0.0) {
        let messages = all.get(&route.entry.to).map_or(0.0, |d| d.calls);
        for call in &route.entry.calls {
            ask(call, messages * call.times, &kinds, &mut all);
        }
    }
    all
}

/// Adds what one call asks at a rate; gives how long its caller waits.
fn ask(call: &CallSpec, rate: f64, kinds: &BTreeMap<&str, &str>, all: &mut Demands) -> f64 {
    let inner: f64 =
        call.calls.iter().map(|c| c.times * ask(c, rate * c.times, kinds, all) + misses(c, rate, kinds, all)).sum();
    let own = all.entry(call.to.clone()).or_default();
    own.calls += rate;
    own.writes += if call.op.write { rate } else { 0.0 };
    own.work += rate * call.op.work_ms;
    let (held, waited) = match kinds.get(call.to.as_str()).copied().unwrap_or_default() {
        "balancer" => (inner + KEEPALIVE_MS, inner),
        "database" => (call.op.work_ms + call.op.hold_ms + LINGER_MS, call.op.work_ms),
        "cache" => (0.0, LOOKUP_MS),
        "queue" => (0.0, RECEIPT_MS),
        _ => (call.op.work_ms + inner, call.op.work_ms + inner),
    };
    own.held += rate * held;
    waited
}

/// What a caller does, and waits for, where a lookup finds nothing.
fn misses(lookup: &CallSpec, rate: f64, kinds: &BTreeMap<&str, &str>, all: &mut Demands) -> f64 {
    let missed = 1.0 - 0.98 * lookup.op.hit;
    let each = |c: &CallSpec| c.times * missed * ask(c, rate * c.times * missed, kinds, all);
    lookup.on_miss.iter().map(each).sum()
}
