//! What worlds do is pinned: a change of the code that should change nothing changes none of these numbers.
//! One that means to change them raises `WORLD_VERSION` and says why in the CHANGELOG.

mod common;

use std::fmt::Write;
use std::sync::Arc;

use common::wait;
use expect_test::expect;
use world::faults::{self, Fault, FaultArgs};
use world::services::Level;
use world::spec::{CallSpec, Op};
use world::telemetry::logs::LogQuery;
use world::{Blueprint, Noise, Seed, Span, Spec, World};

/// FNV-1a: small, and the same everywhere.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    const NEW: Hash = Hash(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The shop behind one more tier, so that servers call servers.
fn tiers() -> Spec {
    let mut spec = world::shop();
    let mut front = spec.service_mut("web_server").expect("a service").clone();
    front.name = "front_web_server".into();
    front.config.insert("TIMEOUT_MS".into(), "9000".into());
    front.config.insert("USE_CACHE".into(), "false".into());
    front.config.insert("MAX_WORKERS".into(), "80".into());
    spec.services.insert(1, front);
    for route in spec.apps.iter_mut().flat_map(|app| &mut app.routes).filter(|r| r.rps > 0.0) {
        let inner = std::mem::take(&mut route.entry.calls);
        let op = Op { name: route.name.clone().into(), work_ms: 12.0, spread: 0.5, ..Op::default() };
        route.entry.calls =
            vec![CallSpec { to: "front_web_server".into(), op, times: 1.0, calls: inner, on_miss: vec![] }];
    }
    spec
}

fn severe(fault: &dyn Fault, site: &FaultArgs) -> FaultArgs {
    let mut args = site.clone();
    if let Some(severity) = fault.severity() {
        args.0.insert(severity.arg.to_string(), severity.at(0.8).to_string());
    }
    args
}

/// Everything that an operator could read.
fn shown(world: &World) -> String {
    let (view, mut out) = (world.view(), String::new());
    for service in 0..world.plan().services.len() {
        let query = LogQuery {
            level: Level::Info,
            text: "",
            from: world.now().back(Span::mins(4)),
            to: world.now(),
            limit: 300,
        };
        for line in view.logs(service, &query).iter().chain(&view.log_sample(service, query.from, 12, 6)) {
            writeln!(out, "{} {} {} {}", line.time, line.level.text(), line.template, line.text).expect("text");
        }
        writeln!(out, "{:?}\n{:?}", view.status(service), view.dependencies(service)).expect("text");
        for reading in view.metrics(service) {
            writeln!(out, "{reading:?}").expect("text");
        }
        for config in view.config(service) {
            writeln!(out, "{} {} {}", config.key.name, config.value, config.rolling_out).expect("text");
        }
    }
    for route in 0..world.plan().routes.len() {
        writeln!(out, "{:?}", view.traces(route, 3)).expect("text");
    }
    writeln!(out, "{:?}\n{:?}\n{:?}", view.alerts(), view.routes(), view.page().map(|p| view.page_text(p)))
        .expect("text");
    for change in view.changes() {
        writeln!(out, "{} {} {} {} {}", change.id, change.time, change.service, change.author, change.summary)
            .expect("text");
    }
    out
}

/// Plants a fault, lets an operator do three things about it, and notes what came of it.
fn play(world: &World, fault: &dyn Fault, args: &FaultArgs, number: usize, hashes: &mut [Hash; 2]) {
    let mut world = world.clone();
    let acts = fault.plan(args, world.plan(), Seed(number as u64)).expect("a site fits");
    let onset = world.now() + Span::mins(1);
    world.plant(&acts, onset);
    world.run_until_page(onset + Span::mins(8));
    hashes[1].add(shown(&world).as_bytes());
    let services = world.plan().services.len();
    let hit = world.plan().service(&fault.component(args)).expect("a service");
    world.operator().restart(if number.is_multiple_of(2) { hit } else { number % services });
    wait(&mut world, 2);
    if let Some(id) = world.changes().last().filter(|c| !c.by_operator).map(|c| c.id) {
        world.operator().roll_back(id).expect("a change that can be taken back");
    }
    let other = (number / 3) % services;
    let kind = world.plan().services[other].kind;
    let key = &kind.keys()[number % kind.keys().len()];
    world.operator().set_config(other, key.name, key.default).expect("a default fits");
    wait(&mut world, 5);
    hashes[0].add(&world.digest().to_le_bytes());
    for route in &world.impact().routes {
        hashes[0].add(&(route.failed + route.slow).to_bits().to_le_bytes());
    }
    hashes[1].add(shown(&world).as_bytes());
}

/// Plays every fault at every site of a world; gives the hash of what was scraped and felt, and of what was shown.
fn pinned(spec: &Spec, noise: u8) -> String {
    let plan = Arc::new(Blueprint::compile(spec).expect("a valid spec"));
    let world = World::healthy(&plan, Seed(7), Noise(noise));
    let mut hashes = [Hash::NEW; 2];
    hashes[1].add(shown(&world).as_bytes());
    let mut number = 0;
    for fault in faults::ALL {
        for site in fault.sites(&plan) {
            play(&world, *fault, &severe(*fault, &site), number, &mut hashes);
            number += 1;
        }
    }
    format!("{number} faults: {:016x} {:016x}", hashes[0].0, hashes[1].0)
}

#[test]
fn the_shop_does_what_it_did() {
    expect!["122 faults: b01c9be82851e99b 00a82f29d7a03fcd"].assert_eq(&pinned(&world::shop(), 0));
}

#[test]
fn the_noisy_shop_does_what_it_did() {
    expect!["122 faults: a98f63485e488192 d22f97f2dfff8e9d"].assert_eq(&pinned(&world::shop(), 3));
}

#[test]
fn servers_in_tiers_do_what_they_did() {
    expect!["151 faults: 6f35f340079e4491 d67ba504320a0f4c"].assert_eq(&pinned(&tiers(), 1));
}

#[test]
fn copies_of_the_shop_do_what_they_did() {
    expect!["245 faults: 1643e6967a208e41 4e7ef40ea568145b"].assert_eq(&pinned(&world::shop().copies(2), 0));
}
