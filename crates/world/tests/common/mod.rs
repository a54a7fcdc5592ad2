//! Worlds for tests.
#![allow(dead_code)]

pub mod fragile;

use std::sync::Arc;

use world::faults::{self, FaultArgs};
use world::{Blueprint, Noise, Seed, Span, Spec, World};

/// A healthy world from a spec.
pub fn healthy(spec: &Spec, seed: u64) -> World {
    let plan = Arc::new(Blueprint::compile(spec).expect("a valid spec"));
    World::healthy(&plan, Seed(seed), Noise(0))
}

/// The healthy shop.
pub fn shop(seed: u64) -> World {
    healthy(&world::shop(), seed)
}

/// Plants `kind key=value ...` to begin in a minute.
pub fn plant(world: &mut World, fault: &str) {
    let mut words = fault.split_whitespace();
    let kind = words.next().expect("a fault");
    let args = words.map(|w| w.split_once('=').expect("key=value")).map(|(k, v)| (k.to_string(), v.to_string()));
    let acts = faults::find(kind).expect("a known fault").plan(&FaultArgs(args.collect()), world.plan(), Seed(1));
    let onset = world.now() + Span::mins(1);
    world.plant(&acts.expect("a fault that fits"), onset);
}

/// `restart service` or `service KEY value`.
pub fn act(world: &mut World, action: &str) {
    let words: Vec<&str> = action.split_whitespace().collect();
    let service = |name: &str| name.to_string();
    match words[..] {
        ["restart", name] => {
            let at = world.plan().service(&service(name)).expect("a service");
            world.operator().restart(at);
        }
        [name, key, value] => {
            let at = world.plan().service(&service(name)).expect("a service");
            world.operator().set_config(at, key, value).expect("a value that fits");
        }
        _ => panic!("no action: {action}"),
    }
}

/// The columns of a row that have no value because no client asks: there is no share and no percentile of nothing. Where
/// instruments repeat what was, a rate does not say whether any does.
pub fn of_nothing(world: &World, cells: &[f32], repeats: bool) -> Vec<usize> {
    let caches = world.plan().services.iter().filter(|service| service.kind.name() == "cache");
    let column = |service: &world::blueprint::ServiceInfo, name: &str| {
        let at = service.kind.metrics().iter().position(|metric| metric.name == name);
        service.metrics.start + at.expect("a metric")
    };
    let unasked = caches.filter(|cache| repeats || cells[column(cache, "request_rate")] < 0.2);
    unasked.flat_map(|cache| ["hit_rate", "p95_latency_ms"].map(|name| column(cache, name))).collect()
}

/// Lets so many minutes pass.
pub fn wait(world: &mut World, minutes: u64) {
    let end = world.now() + Span::mins(minutes);
    world.run_until(end);
}

/// Whether every objective held over the last three minutes.
pub fn well(world: &World) -> bool {
    world.objectives(Span::mins(3)).iter().all(|o| o.holds())
}

/// Failed and slow requests so far.
pub fn harm(world: &World) -> f64 {
    world.impact().routes.iter().map(|r| r.failed + r.slow).sum()
}
