//! Worlds for tests: the shop, healthy or not.
#![allow(clippy::disallowed_types, reason = "tests build the worlds that faces only look at")]
#![allow(dead_code, reason = "each test uses some of these")]

use std::collections::BTreeMap;
use std::sync::Arc;

use faces::{Call, Reply, ToolSet, parse};
use world::faults::{self, FaultArgs};
use world::{Blueprint, Noise, Seed, Span, World};

/// The shop on a good day.
pub fn healthy() -> World {
    noisy(Noise(0))
}

/// The shop with imperfect telemetry.
pub fn noisy(noise: Noise) -> World {
    let plan = Arc::new(Blueprint::compile(&world::shop()).expect("the shop is a world"));
    World::healthy(&plan, Seed(7), noise)
}

/// The shop some minutes after a fault of this kind, with these arguments.
pub fn broken(kind: &str, args: &[(&str, &str)], minutes: u64) -> World {
    let mut world = healthy();
    let args: BTreeMap<String, String> = args.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let fault = faults::find(kind).expect("a fault");
    let acts = fault.plan(&FaultArgs(args), world.plan(), Seed(7)).expect("the fault fits");
    let now = world.now();
    world.plant(&acts, now);
    world.run_until(now + Span::mins(minutes));
    world
}

/// Each fault that fits into the shop in a world of its own, at the first place where it fits.
pub fn all_broken() -> Vec<World> {
    let day = healthy();
    let one = |fault: &&dyn faults::Fault| {
        let sites = fault.sites(day.plan());
        let args: Vec<(&str, &str)> = sites.first()?.0.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        Some(broken(fault.name(), &args, 6))
    };
    let worlds: Vec<World> = faults::ALL.iter().filter_map(one).collect();
    assert!(worlds.len() >= 30, "most faults fit into the shop");
    worlds
}

/// Parses and runs an action that must be valid.
pub fn run(world: &mut World, action: &str) -> Reply {
    let call = read(world, action).unwrap_or_else(|e| panic!("{action}: {e}"));
    call.run(&mut world.operator())
}

/// Parses an action with all tools at hand.
pub fn read(world: &World, action: &str) -> Result<Call, String> {
    parse(action, ToolSet::FULL, world.view())
}
