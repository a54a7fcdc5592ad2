//! Laws that hold for every world.

mod common;

use common::{act, harm, healthy, plant, shop, wait, well};
use proptest::prelude::*;
use world::fleet::{Exit, Instance, InstanceId, Phase, Process};
use world::telemetry::logs::LogQuery;
use world::{Build, Mutation, Paths, RevisionId, Series, ServiceState, Span, Time, Value, World};

#[test]
fn the_same_seed_gives_the_same_world_and_another_seed_another() {
    let mut worlds = [shop(5), shop(5), shop(6)];
    worlds.iter_mut().for_each(|w| {
        plant(w, "crash service=cache");
        wait(w, 10);
    });
    assert_eq!(worlds[0].digest(), worlds[1].digest());
    assert_ne!(worlds[0].digest(), worlds[2].digest());
}

#[test]
fn a_clone_continues_identically() {
    let mut a = shop(1);
    plant(&mut a, "config_push service=database key=READ_REPLICA_ENABLED value=false");
    wait(&mut a, 3);
    let mut b = a.clone();
    wait(&mut a, 30);
    wait(&mut b, 30);
    assert_eq!(a.digest(), b.digest());
}

#[test]
fn until_its_onset_a_faulty_world_equals_its_healthy_twin() {
    let (mut twin, mut faulty) = (shop(9), shop(9));
    plant(&mut faulty, "config_push service=cache key=TTL_SECONDS value=5");
    wait(&mut twin, 1);
    wait(&mut faulty, 1);
    assert_eq!(twin.digest(), faulty.digest());
    wait(&mut twin, 2);
    wait(&mut faulty, 2);
    assert_ne!(twin.digest(), faulty.digest());
}

#[test]
fn looking_changes_nothing() {
    let (mut watched, mut alone) = (shop(2), shop(2));
    for world in [&mut watched, &mut alone] {
        plant(world, "crash service=message_queue");
    }
    for _ in 0..20 {
        wait(&mut watched, 1);
        wait(&mut alone, 1);
        look_at_everything(&watched);
    }
    assert_eq!(watched.digest(), alone.digest());
    assert_eq!(look_at_everything(&watched), look_at_everything(&alone));
}

fn look_at_everything(world: &World) -> String {
    let view = world.view();
    let mut seen = format!("{:?} {:?} {:?}", view.alerts(), view.routes(), view.changes().collect::<Vec<_>>());
    for service in 0..view.services().len() {
        let query =
            LogQuery { level: world::services::Level::Info, text: "", from: Time(0), to: view.now(), limit: 30 };
        let metrics: Vec<_> = view.metrics(service).collect();
        seen += &format!("{metrics:?} {:?} {:?}", view.logs(service, &query), view.status(service));
    }
    seen + &format!("{:?}", view.traces(0, 5))
}

#[test]
fn healthy_worlds_do_not_page_and_keep_their_objectives() {
    for seed in 0..6 {
        let mut world = shop(seed);
        wait(&mut world, 90);
        assert_eq!(world.page(), None, "seed {seed}");
        assert!(well(&world), "seed {seed}: {:?}", world.objectives(Span::mins(3)));
    }
}

#[test]
fn a_world_of_many_services_breaks_only_where_it_is_broken() {
    let mut world = healthy(&world::shop().copies(10), 1);
    assert_eq!(world.plan().services.len(), 50);
    plant(&mut world, "crash service=cache_4");
    wait(&mut world, 8);
    for objective in world.objectives(Span::mins(3)) {
        let hit = objective.route.ends_with("_4") && !objective.route.starts_with("confirmations");
        assert_eq!(objective.holds(), !hit, "{objective:?}");
    }
}

#[test]
fn requests_felt_add_up() {
    let mut world = shop(3);
    let (begin, before) = (world.now(), world.impact().routes.clone());
    plant(&mut world, "worker_deaths service=web_server share=0.8");
    wait(&mut world, 15);
    let rows: Vec<_> = world.history().newest_first(begin, world.now()).collect();
    for (at, (route, felt)) in world.plan().routes.iter().zip(&world.impact().routes).enumerate() {
        assert!(felt.failed + felt.slow <= felt.requests, "{}", route.name);
        let requests = felt.requests - before[at].requests;
        let scraped: f64 = rows.iter().map(|row| f64::from(row.cell(route.columns.start))).sum();
        let missing = (requests - scraped).abs() / requests;
        assert!(missing < 0.01, "{}: rows hold {scraped} of {requests} requests", route.name);
    }
}

#[test]
fn error_lines_agree_with_what_failed() {
    let mut world = shop(4);
    let before = world.impact().routes.clone();
    plant(&mut world, "crash service=message_queue");
    wait(&mut world, 11);
    let plan = world.plan().clone();
    let checkout = plan.route("checkout").expect("a route");
    let web = plan.service("web_server").expect("a service");
    let line = plan.services[web].kind.logs().iter().position(|t| t.name == "publish_refused").expect("a template");
    let column = plan.services[web].events.start + line;
    let logged: f64 = (0..world.history().len()).map(|i| f64::from(world.history().row(i).cell(column))).sum();
    let failed = world.impact().routes[checkout].failed - before[checkout].failed;
    assert!(failed > 5000.0, "checkouts failed: {failed}");
    assert!((logged - failed).abs() < 0.03 * failed, "{logged} lines for {failed} failures");
}

#[test]
fn held_workers_carry_saturation_upstream() {
    let mut world = shop(1);
    plant(&mut world, "config_push service=database key=READ_REPLICA_ENABLED value=false");
    wait(&mut world, 10);
    let busy = |w: &World, service: &str, metric: &str| {
        let at = w.plan().service(service).expect("a service");
        let reading = w.view().metrics(at).find(|m| m.name == metric).expect("a metric");
        reading.value.expect("a sample")
    };
    assert!(busy(&world, "database", "read_primary_utilization_pct") > 90.0);
    assert!(busy(&world, "web_server", "worker_utilization_pct") > 97.0, "workers wait for the database");
}

/// The trigger is a burst of traffic; the loop is people pressing reload while a deep queue makes
/// every answer come too late.
#[test]
fn a_retry_storm_outlives_its_trigger_and_ends_when_the_loop_is_broken() {
    let storm = |retry: f64| {
        let mut spec = world::shop();
        spec.service_mut("web_server").expect("a service").params.insert("backlog".into(), 4000.0);
        spec.service_mut("load_balancer").expect("a service").config.insert("MAX_CONNECTIONS".into(), "20000".into());
        spec.apps[0].routes.iter_mut().for_each(|r| r.user_retry = retry);
        let mut world = healthy(&spec, 1);
        let load = |factor| Mutation::All((0..5).map(|route| Mutation::Load { route, factor }).collect());
        world.apply(&load(2.2));
        wait(&mut world, 6);
        assert!(!well(&world), "the burst hurts");
        world.apply(&load(1.0));
        world
    };
    let mut patient = storm(0.0);
    wait(&mut patient, 60);
    assert!(well(&patient), "without retries it heals by itself: {:?}", patient.objectives(Span::mins(3)));
    let mut world = storm(0.6);
    wait(&mut world, 60);
    assert!(!well(&world), "with retries it stays broken for an hour");
    // Shedding load for a while empties the queue, so that answers come in time again.
    act(&mut world, "web_server RATE_LIMIT_RPS 120");
    wait(&mut world, 5);
    act(&mut world, "web_server RATE_LIMIT_RPS 600");
    wait(&mut world, 15);
    assert!(well(&world), "broken loop: {:?}", world.objectives(Span::mins(3)));
}

#[test]
fn restarting_the_cache_empties_it_and_the_database_takes_the_misses() {
    let (mut restarted, mut left) = (shop(1), shop(1));
    act(&mut restarted, "restart cache");
    wait(&mut restarted, 1);
    wait(&mut left, 1);
    let reads = |w: &World| {
        let at = w.plan().service("database").expect("a service");
        w.view().metrics(at).find(|m| m.name == "read_iops").and_then(|m| m.value).expect("a sample")
    };
    assert!(reads(&restarted) > 1.5 * reads(&left), "{} against {}", reads(&restarted), reads(&left));
    wait(&mut restarted, 10);
    wait(&mut left, 10);
    assert!(well(&restarted), "it warms again");
    assert!(harm(&restarted) > harm(&left), "and users felt it");
}

/// An instance runs with its service's values but for one number, whatever number its kind has.
fn adopting(instance: InstanceId, number: i64) -> Mutation {
    let world = shop(1);
    let (service, revision) = (world.fleet().get(instance).expect("one of the first").service, RevisionId(1));
    let mut values: Vec<Value> = world.running(instance).expect("it runs").cloned().collect();
    let place = values.iter().position(|v| matches!(v, Value::Int(_))).expect("every kind has a number");
    values[place] = Value::Int(number);
    let made = Mutation::Revision { service, revision, values: Some(values) };
    Mutation::All(vec![made, Mutation::Adopt { instance, revision }])
}

/// An instance that joins a service beside those of the blueprint.
fn joining(id: u32, service: usize) -> Instance {
    let process = Process::fresh(Time(0));
    Instance { id: InstanceId(id), service, ordinal: id, node: 0, revision: RevisionId::TEMPLATE, process, share: 1.0 }
}

fn mutations() -> impl Strategy<Value = Mutation> {
    let process = (0u8..3, 0.0..1.0f64, 0.0..20.0f64, 0.0..2.0f64, 0.0..50.0f64, 0.0..900.0f64).prop_map(
        |(phase, lost, leak, hoarding, opening, skew)| Process {
            phase: [Phase::Running, Phase::Crashed(Exit::KILLED), Phase::Starting(Time(60_000_000))][phase as usize],
            lost,
            leak,
            hoarding,
            opening,
            skew,
            ..Process::fresh(Time(0))
        },
    );
    let build = (1.0..20.0f64, 0.0..0.9f64, 0.0..20.0f64, 0.0..5.0f64, 0.0..120.0f64).prop_map(
        |(slow, errors, leak, hedges, dies_after)| Build {
            flaw: 7,
            slow,
            errors,
            leak,
            hedges,
            hedge_after: 0.2,
            dies_after,
            older: false,
        },
    );
    let state = prop_oneof![
        any::<bool>().prop_map(|lost| ServiceState::Replica { lost }),
        (0.0..4.0f64).prop_map(|per_s| ServiceState::Lag { per_s }),
        (1.0..9.0f64).prop_map(|factor| ServiceState::Disk { factor }),
        (0.0..1.0f64, 0.0..300.0f64).prop_map(|(gb_per_s, left)| ServiceState::Filling { gb_per_s, left }),
        (4.0..90.0f64, any::<bool>()).prop_map(|(bloat, pinned)| ServiceState::Rows { bloat, pinned }),
        (0.0..50_000.0f64).prop_map(|waiting| ServiceState::Clients { waiting }),
        (0.0..900.0f64).prop_map(|held| ServiceState::Entries { held }),
        (0.0..9000.0f64).prop_map(|ready| ServiceState::Messages { ready }),
        (0.0..9.0f64).prop_map(|wait_s| ServiceState::Lock { wait_s }),
        (0.0..0.5f64).prop_map(|share| ServiceState::Pages { share }),
        (0.0..0.5f64).prop_map(|share| ServiceState::Twofold { share }),
        (0.1..1.0f64).prop_map(|size| ServiceState::Primary { size }),
        any::<bool>().prop_map(|used_up| ServiceState::Ids { used_up }),
        (1.0..9.0f64).prop_map(|factor| ServiceState::Plans { factor }),
    ];
    let paths = prop_oneof![
        Just(Paths::Every),
        prop::collection::vec(0u32..4, 0..3).prop_map(|ids| Paths::Of(ids.into_iter().map(InstanceId).collect())),
    ];
    let series = prop_oneof![Just(Series::Sound), Just(Series::Stale), Just(Series::Missing)];
    let one = prop_oneof![
        (1i64..500).prop_map(|n| Mutation::Config { service: 2, key: 0, value: Value::Int(n), since: Time(1) }),
        any::<bool>().prop_map(|b| Mutation::Config { service: 3, key: 4, value: Value::Bool(b), since: Time(2) }),
        (0u64..90_000_000).prop_map(|t| Mutation::Expiry { service: 2, key: 3, at: Time(t) }),
        (0u32..6, process).prop_map(|(id, process)| Mutation::Process { instance: InstanceId(id), process }),
        (1i64..500).prop_map(|n| Mutation::Rollout { service: 2, key: 0, value: Value::Int(n), at: Time(4) }),
        (0usize..5, build.clone()).prop_map(|(service, build)| Mutation::Deploy { service, build }),
        (0u32..6, 1i64..300).prop_map(|(id, n)| adopting(InstanceId(id), n)),
        (100u32..1_000_000, 0usize..5).prop_map(|(id, service)| Mutation::Join { instance: joining(id, service) }),
        (0.0..0.5f64).prop_map(|share| Mutation::State { service: 4, state: ServiceState::Poison { share } }),
        (1.0..4.0f64, 0.0..0.5f64)
            .prop_map(|(slow, errors)| Mutation::State { service: 4, state: ServiceState::Provider { slow, errors } }),
        (0usize..6, 0.1..3.0f64).prop_map(|(route, factor)| Mutation::Load { route, factor }),
        (0.0..1.0f64, 0.0..0.5f64, 0.0..1.0f64, paths).prop_map(|(delay, loss, gone, paths)| Mutation::Link {
            from: 1,
            to: 3,
            delay,
            loss,
            gone,
            paths
        }),
        (0usize..5, build).prop_map(|(service, build)| Mutation::Build { service, build, since: Time(3) }),
        (0usize..5, state).prop_map(|(service, state)| Mutation::State { service, state }),
        (0usize..5, 0.05..1.0f64).prop_map(|(service, share)| Mutation::Quota { service, share }),
        (0usize..5, 0usize..7, series).prop_map(|(service, metric, series)| Mutation::Series {
            service,
            metric,
            series
        }),
        (0usize..5, 0u64..900).prop_map(|(service, s)| Mutation::LogDelay { service, by: Span::secs(s) }),
        (0.0..0.9f64).prop_map(|share| Mutation::State { service: 0, state: ServiceState::Canary { share } }),
        (0usize..4, 1.0..3.0f64).prop_map(|(node, factor)| Mutation::Slowdown { node, factor }),
        (0usize..8, any::<bool>()).prop_map(|(alert, on)| Mutation::Silence { alert, on }),
    ];
    prop::collection::vec(one, 1..5).prop_map(Mutation::All)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undoing_what_was_done_is_the_identity(mutation in mutations()) {
        let mut world = shop(1);
        let mut twin = world.clone();
        let undo = world.apply(&mutation);
        world.apply(&undo);
        wait(&mut world, 2);
        wait(&mut twin, 2);
        prop_assert_eq!(world.digest(), twin.digest());
    }

    #[test]
    fn no_mutation_breaks_the_arithmetic(mutation in mutations()) {
        let mut world = shop(2);
        let missing = format!("{mutation:?}").contains("Missing");
        world.apply(&mutation);
        wait(&mut world, 6);
        let cells = world.history().last().expect("rows").cells();
        let of_nothing = common::of_nothing(&world, &cells, format!("{mutation:?}").contains("Stale"));
        for (column, cell) in cells.iter().enumerate() {
            // A series that is missing has no value.
            prop_assert!(cell.is_nan() && (missing || of_nothing.contains(&column)) || cell.is_finite() && *cell >= -1e-3, "{cell}");
        }
    }
}
