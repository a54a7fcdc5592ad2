//! Instances come and go while a world runs: what they carry, and what stays.

mod common;

use common::{shop, wait, well};
use world::fleet::Instance;
use world::services::Level;
use world::telemetry::logs::LogQuery;
use world::{InstanceId, Mutation, Paths, Span, Time, World};

fn service(world: &World, name: &str) -> usize {
    world.plan().service(name).expect("a service")
}

/// Adds instances to a service; gives their ids.
fn grow(world: &mut World, name: &str, by: usize) -> Vec<InstanceId> {
    let at = service(world, name);
    let join = |world: &mut World| {
        let instance: Instance = world.fleet().new_instance(at, 0);
        world.apply(&Mutation::Join { instance });
        instance.id
    };
    (0..by).map(|_| join(world)).collect()
}

fn metric(world: &World, name: &str, metric: &str) -> f64 {
    let at = service(world, name);
    world.view().metrics(at).find(|m| m.name == metric).and_then(|m| m.value).expect("a sample")
}

#[test]
fn more_instances_carry_more() {
    let mut world = shop(1);
    let before = metric(&world, "web_server", "worker_utilization_pct");
    grow(&mut world, "web_server", 2);
    wait(&mut world, 10);
    assert_eq!(metric(&world, "load_balancer", "healthy_backends"), 4.0);
    assert!(metric(&world, "web_server", "healthy_workers") > 1.9 * 80.0);
    // The first backend keeps its weight, so the busiest stays as busy; the others share the rest.
    assert!(metric(&world, "web_server", "worker_utilization_pct") <= before + 1.0);
    assert!(well(&world));
}

#[test]
fn what_leaves_takes_its_share_with_it_and_may_come_back() {
    let mut world = shop(2);
    let at = service(&world, "web_server");
    let first = world.fleet().of(at)[0].id;
    let back = world.apply(&Mutation::Leave { instance: first });
    wait(&mut world, 3);
    assert_eq!((world.fleet().of(at).len(), world.fleet().of(at)[0].share), (1, 1.0));
    assert!(metric(&world, "web_server", "worker_utilization_pct") > 60.0, "one carries what two carried");
    world.apply(&back);
    wait(&mut world, 8);
    assert_eq!(world.fleet().of(at)[0].id, first, "in its old place");
    assert!(well(&world), "{:?}", world.objectives(Span::mins(3)));
}

#[test]
fn a_service_without_instances_refuses_everything_and_recovers() {
    let mut world = shop(3);
    let at = service(&world, "web_server");
    let all: Vec<InstanceId> = world.fleet().of(at).iter().map(|i| i.id).collect();
    let back: Vec<Mutation> = all.iter().map(|&instance| world.apply(&Mutation::Leave { instance })).collect();
    wait(&mut world, 4);
    assert!(world.objectives(Span::mins(2)).iter().any(|o| o.failed > 0.9), "{:?}", world.objectives(Span::mins(2)));
    for row in world.history().newest_first(world.now().back(Span::mins(2)), world.now()) {
        let of_nothing = common::of_nothing(&world, &row.cells(), false);
        let cells = row.cells();
        let mut cells = cells.iter().enumerate().filter(|(column, _)| !of_nothing.contains(column));
        assert!(cells.all(|(_, cell)| cell.is_finite()), "no arithmetic with nothing");
    }
    back.iter().rev().for_each(|m| drop(world.apply(m)));
    wait(&mut world, 10);
    assert!(well(&world), "{:?}", world.objectives(Span::mins(3)));
}

#[test]
fn there_may_be_more_than_sixty_four() {
    let mut world = shop(4);
    grow(&mut world, "web_server", 80);
    let (from, to) = (service(&world, "web_server"), service(&world, "database"));
    let slow = Mutation::Link { from, to, delay: 0.5, loss: 0.0, gone: 0.0, paths: Paths::Every };
    let undo = world.apply(&slow);
    assert!(matches!(&undo, Mutation::Link { paths: Paths::Of(none), .. } if none.is_empty()));
    let again = world.apply(&undo);
    assert!(matches!(&again, Mutation::Link { paths: Paths::Of(all), .. } if all.len() == 82));
    world.apply(&slow);
    wait(&mut world, 2);
    let p95 = |world: &World| world.view().dependencies(from).iter().find(|d| d.to == to).expect("it is called").p95_ms;
    let slow = p95(&world);
    // Those that come now open new connections, which take another path.
    grow(&mut world, "web_server", 82);
    wait(&mut world, 2);
    let half = p95(&world);
    assert!((slow - half - 250.0).abs() < 60.0, "half of the connections are slow by 500 ms: {slow}, then {half}");
}

#[test]
fn a_log_line_knows_its_instance() {
    let mut world = shop(5);
    wait(&mut world, 3);
    let at = service(&world, "web_server");
    let query = LogQuery { level: Level::Info, text: "", from: Time(0), to: world.now(), limit: 200 };
    let lines = world.view().logs(at, &query);
    assert!(lines.len() > 50);
    for line in lines {
        let instance = world.fleet().get(line.instance.expect("an instance wrote it")).expect("it exists");
        assert_eq!(instance.service, at);
        assert!(line.text.contains(&format!("web_server-{} ", instance.ordinal)), "{line:?}");
    }
}

#[test]
fn series_appear_with_what_they_are_about_and_end_with_it() {
    let mut world = shop(6);
    let (begin, before) = (world.now(), world.view().registry().width());
    let instance = grow(&mut world, "web_server", 1)[0];
    wait(&mut world, 2);
    let (id, info) = world.view().registry().iter().last().expect("a series");
    assert_eq!((id.0, info.name, info.born, info.ended), (before, "up", begin, None));
    let labels: Vec<(&str, &str)> = info.labels.iter().map(|(k, v)| (*k, &**v)).collect();
    assert_eq!(labels, [("service", "web_server"), ("instance", "web_server-3")]);
    assert!(world.view().samples(id, Time(0), world.now()).iter().all(|s| s.0 > begin && s.1 == Some(1.0)));
    let (end, row) = (world.now(), world.history().last().expect("a row").cells().len());
    world.apply(&Mutation::Leave { instance });
    wait(&mut world, 2);
    let samples = world.view().samples(id, Time(0), world.now());
    assert!(!samples.is_empty() && samples.iter().all(|s| s.0 <= end), "stale, not zero: {samples:?}");
    assert_eq!((row, world.history().last().expect("a row").cells().len()), (before + 1, before + 1), "columns stay");
}

#[test]
fn every_series_of_a_blueprint_has_a_name_of_its_own() {
    let world = shop(7);
    let mut seen = std::collections::BTreeSet::new();
    for (id, info) in world.view().registry().iter() {
        assert!(seen.insert((info.name, info.labels.clone())), "{info:?} twice");
        assert_eq!(world.view().samples(id, Time(0), world.now()).len(), world.history().len());
    }
}
