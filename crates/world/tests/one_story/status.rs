//! Figures of routes, and status pages: they are of all the time that they name, agree with those who call, and say what
//! decides.

use world::faults::{self, FaultArgs};
use world::{SCRAPE, Seed, Span, Time, World};

use crate::common;
use crate::worlds::number_after;

/// What is said of a route over five minutes is of all of them: as many requests as were counted, and a percentile between those of the
/// scrapes.
pub fn check_routes(world: &World) {
    let rows: Vec<_> = world.history().newest_first(world.now().back(Span::mins(5)), world.now()).collect();
    for (view, info) in world.view().routes().iter().zip(&world.plan().routes) {
        let column = |at: usize| rows.iter().map(move |row| f64::from(row.cell(info.columns.start + at)));
        let rate = column(0).sum::<f64>() / (rows.len() as f64 * SCRAPE.as_secs());
        assert!((view.rate - rate).abs() <= 1e-6 * rate.max(1.0), "{}: {} a second, not {rate}", info.name, view.rate);
        let [least, most] = [column(3).fold(f64::INFINITY, f64::min), column(3).fold(0.0, f64::max)];
        let is_between = view.p95_ms >= 0.999 * least && view.p95_ms <= 1.001 * most;
        assert!(is_between, "{}: p95 {}ms, of scrapes {least} to {most}", info.name, view.p95_ms);
    }
}

/// A database says how long transactions take as those who call it do: what is slower than its statements is explained.
pub fn check_transactions(world: &World) -> usize {
    let (plan, mut said) = (world.plan(), 0);
    for (service, info) in plan.services.iter().enumerate().filter(|(_, info)| info.kind.name() == "database") {
        let callers: Vec<usize> =
            (0..plan.services.len()).filter(|&s| plan.services[s].depends_on.contains(&service)).collect();
        let seen = callers.iter().flat_map(|&caller| world.view().dependencies(caller));
        let seen: Vec<(f64, f64)> = seen.filter(|d| d.to == service).map(|d| (d.rate, d.p95_ms)).collect();
        let row = world.history().last().expect("a row");
        let is_slow = info.calls.iter().any(|&call| row.cell(plan.calls[call].columns.end - 1) > 0.0);
        let rate: f64 = seen.iter().map(|(rate, _)| rate).sum();
        let notes = world.view().status(service).notes;
        let Some(note) = notes.iter().find(|note| note.starts_with("transactions: ")) else { continue };
        let says = number_after(note, "p95 ").expect("a time");
        let felt = seen.iter().map(|(rate, p95)| rate * p95).sum::<f64>() / rate.max(1e-9);
        assert!(is_slow || (says - felt).abs() < 1.0 + 0.01 * felt, "{}: callers see {felt}ms: {note}", info.name);
        said += 1;
    }
    said
}

/// A build that fails requests fails some routes more than others, and of all as many as it should.
#[test]
fn a_broken_build_breaks_some_routes_more() {
    let mut spread = 0.0;
    for seed in 0..8 {
        let mut world = common::shop(seed);
        let args = [("service", "web_server"), ("share", "0.3")].map(|(k, v)| (k.to_string(), v.to_string()));
        let fault = faults::find("bad_build_errors").expect("a fault");
        let acts = fault.plan(&FaultArgs(args.into()), world.plan(), Seed(seed)).expect("it fits");
        world.plant(&acts, world.now());
        common::wait(&mut world, 12);
        let rows: Vec<_> = world.history().newest_first(Time(0), world.now()).take(12).collect();
        let of = |at: usize, route: &world::blueprint::RouteInfo| {
            rows.iter().map(|row| f64::from(row.cell(route.columns.start + at))).sum::<f64>()
        };
        let routes: Vec<_> = world.plan().routes.iter().filter(|route| !route.asynchronous).collect();
        let sum = |at: usize| routes.iter().map(|route| of(at, route)).sum::<f64>();
        let all = sum(1) / sum(0);
        assert!((0.25..0.36).contains(&all), "{all} of all fail");
        let shares: Vec<f64> = routes.iter().map(|route| of(1, route) / of(0, route)).collect();
        let (least, most) = shares.iter().fold((1.0, 0.0), |(a, b): (f64, f64), s| (a.min(*s), b.max(*s)));
        spread += (most - least) / 8.0;
    }
    assert!(spread > 0.2, "routes differ by {spread} only");
}

/// No two routes of a server fail equally often while all is well: code differs.
#[test]
fn routes_have_bugs_of_their_own() {
    let mut world = common::shop(3);
    common::wait(&mut world, 10);
    let mut shares: Vec<u64> = world.view().routes().iter().map(|r| (r.failed * 1e5) as u64).collect();
    shares.retain(|share| *share > 0);
    let all = shares.len();
    shares.sort_unstable();
    shares.dedup();
    assert!(all >= 4 && shares.len() == all, "{shares:?} of {all} routes");
}

/// Where a switch stands one way and the place works the other way, the status page says what decides instead, in every kind; and
/// nothing is wrong there.
#[test]
fn a_switch_that_decides_nothing_says_so() {
    let plain = world::shop();
    let mut found = 0;
    for (at, service) in plain.services.iter().enumerate() {
        let kind = world::services::of(service).expect("a kind");
        for quirk in kind.quirks() {
            let Some(overruled) = quirk.overruled else { continue };
            let mut spec = plain.clone();
            world::services::settle(&mut spec, &[(at, quirk)]);
            let place = spec.service_mut(&service.name).expect("a service");
            place.config.insert(quirk.key.into(), quirk.values[0].into());
            let mut world = common::healthy(&spec, 7);
            common::wait(&mut world, 5);
            let status = world.view().status(world.plan().service(&service.name).expect("a service"));
            let says = |notes: &[String]| {
                notes.iter().any(|note| note.starts_with(overruled.cause) && note.contains(overruled.effect))
            };
            assert!(says(&status.notes), "{}: {:?}", quirk.key, status.notes);
            assert!(common::well(&world), "{}: it does harm", quirk.key);
            found += 1;
            // As it usually stands there is nothing to say.
            let world = common::healthy(&plain, 7);
            let status = world.view().status(world.plan().service(&service.name).expect("a service"));
            assert!(!says(&status.notes), "{}: {:?}", quirk.key, status.notes);
        }
    }
    assert!(found >= 8, "only {found} switches");
}

/// However many settings stand oddly, no service has more than two things to explain them.
#[test]
fn few_things_overrule_many_settings() {
    let mut spec = world::shop();
    let kinds = spec.services.iter().map(|service| world::services::of(service).expect("a kind")).enumerate();
    let all: Vec<_> = kinds.flat_map(|(at, kind)| kind.quirks().iter().map(move |quirk| (at, quirk))).collect();
    for (at, quirk) in &all {
        spec.services[*at].config.insert(quirk.key.into(), quirk.values[0].into());
    }
    world::services::settle(&mut spec, &all);
    let plain = common::healthy(&world::shop(), 7);
    let odd = common::healthy(&spec, 7);
    for service in 0..odd.plan().services.len() {
        let notes = |world: &World| world.view().status(service).notes;
        let more = notes(&odd).len().saturating_sub(notes(&plain).len());
        assert!(more <= 2, "{:?}", notes(&odd));
    }
}
