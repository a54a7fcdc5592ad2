//! Sizes: every service gets as much room for its load as the shop's service of that kind has. Then a
//! world is healthy for the reasons for which the shop is, and what hurts the shop hurts here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use world::blueprint::ServiceInfo;
use world::services::{self, Kind, Occupancy, RelativeLoad};
use world::spec::{CallSpec, ServiceSpec, Spec};
use world::{Blueprint, Noise, Seed, World};

/// How often application servers are staffed anew.
const ROUNDS: usize = 4;
/// Workers of one instance of an application server.
const WORKERS: f64 = 42.0;
/// So many times the workers are given to a server that is short of them.
const MORE: f64 = 1.5;
/// The key by which a balancer divides what it gets.
const PRIMARY: &str = "WEB_WEIGHT_PRIMARY";

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
type Kinds<'s> = BTreeMap<&'s str, &'static dyn Kind>;

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
        let own = all.get(&service.name).copied().unwrap_or_default();
        size(service, own, SHOP.get(&service.kind));
    }
    share_evenly(spec);
}

/// A balancer gives each instance behind it the same share.
fn share_evenly(spec: &mut Spec) {
    let mut behind: BTreeMap<String, usize> = BTreeMap::new();
    let all: BTreeMap<&str, usize> = spec.services.iter().map(|s| (s.name.as_str(), s.instances)).collect();
    for entry in spec.apps.iter().flat_map(|a| &a.routes).map(|r| &r.entry) {
        let instances = |c: &CallSpec| all.get(&*c.to).copied().unwrap_or(1);
        behind.insert(entry.to.to_string(), entry.calls.first().map_or(1, instances));
    }
    let divides =
        |s: &&mut ServiceSpec| services::find(&s.kind).is_some_and(|k| k.keys().iter().any(|k| k.name == PRIMARY));
    for service in spec.services.iter_mut().filter(divides) {
        let share = 100.0 / behind.get(&service.name).copied().unwrap_or(2) as f64;
        service.set(PRIMARY, share, 0.0, 100.0);
    }
}

/// A kind that the shop does not have keeps the size that it comes with.
fn size(service: &mut ServiceSpec, own: Demand, shop: Option<&Demand>) {
    let (Some(kind), Some(shop)) = (services::find(&service.kind), shop) else { return };
    let ratio = |own: f64, shop: f64| (own / shop).max(0.02);
    let load = RelativeLoad {
        calls: ratio(own.calls, shop.calls),
        writes: ratio(own.writes, shop.writes),
        work: ratio(own.work, shop.work),
        held: ratio(own.held, shop.held),
    };
    kind.size(service, load);
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
    let row = world.history().last();
    let busy = |service: &ServiceInfo| {
        let metric = service.kind.metrics().iter().position(|m| m.name == "worker_utilization_pct")?;
        row?.sample(service.metrics.start + metric)
    };
    plan.services.iter().map(busy).collect()
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
            service.staff("MAX_WORKERS", workers * service.instances as f64 * factor, WORKERS);
        }
    }
    share_evenly(spec);
}

/// Gives application servers among some services more workers.
pub(super) fn enlarge(spec: &mut Spec, which: &BTreeSet<usize>) {
    let servers = spec.services.iter_mut().enumerate().filter(|(at, s)| which.contains(at) && s.kind == "web");
    for (_, service) in servers {
        let workers: f64 = service.config.get("MAX_WORKERS").and_then(|w| w.parse().ok()).unwrap_or(40.0);
        service.staff("MAX_WORKERS", workers * service.instances as f64 * MORE, WORKERS);
    }
    share_evenly(spec);
}

/// What all routes together ask of each service.
fn demands(spec: &Spec) -> Demands {
    let kinds: Kinds<'_> =
        spec.services.iter().filter_map(|s| Some((s.name.as_str(), services::find(&s.kind)?))).collect();
    let mut all = Demands::new();
    let routes = || spec.apps.iter().flat_map(|a| &a.routes);
    for route in routes().filter(|r| r.rps > 0.0) {
        ask(&route.entry, route.rps, &kinds, &mut all);
    }
    for route in routes().filter(|r| r.rps <= 0.0) {
        let messages = all.get(&*route.entry.to).map_or(0.0, |d| d.calls);
        for call in &route.entry.calls {
            ask(call, messages * call.times, &kinds, &mut all);
        }
    }
    all
}

/// Adds what one call asks at a rate; gives how long its caller waits.
fn ask(call: &CallSpec, rate: f64, kinds: &Kinds<'_>, all: &mut Demands) -> f64 {
    let inner: f64 =
        call.calls.iter().map(|c| c.times * ask(c, rate * c.times, kinds, all) + misses(c, rate, kinds, all)).sum();
    let own = all.entry(call.to.to_string()).or_default();
    own.calls += rate;
    own.writes += if call.op.write { rate } else { 0.0 };
    own.work += rate * call.op.work_ms;
    let kind = kinds.get(&*call.to).copied().expect("calls of a generated world name its services");
    let Occupancy { held_ms, waited_ms } = kind.occupancy(&call.op, inner);
    own.held += rate * held_ms;
    waited_ms
}

/// What a caller does, and waits for, where a lookup finds nothing.
fn misses(lookup: &CallSpec, rate: f64, kinds: &Kinds<'_>, all: &mut Demands) -> f64 {
    let missed = 1.0 - 0.98 * lookup.op.hit;
    let each = |c: &CallSpec| c.times * missed * ask(c, rate * c.times * missed, kinds, all);
    lookup.on_miss.iter().map(each).sum()
}
