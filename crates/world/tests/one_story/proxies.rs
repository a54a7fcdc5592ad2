//! Proxies: who counts their lines counts requests, and their flags, times and servers are those of the requests that they
//! tell of.

use std::collections::BTreeMap;
use std::sync::Arc;

use world::{Blueprint, Noise, SCRAPE, Seed, Span, World};

use crate::common;
use crate::worlds::{lines, number_after};

/// A proxy says once that a server left, and once that it came back. After a restart of its own it begins anew.
pub fn check_turns(world: &World) -> usize {
    let mut turns = 0;
    for service in (0..world.plan().services.len()).filter(|&s| world.plan().services[s].kind.tier() == 0) {
        let mut last: BTreeMap<String, (bool, String)> = BTreeMap::new();
        for line in lines(world, service) {
            let Some((server, rest)) = line.text.strip_prefix("Server be/").and_then(|rest| rest.split_once(" is "))
            else {
                continue;
            };
            let name = |i: &world::fleet::Instance| format!("{}-{}", world.plan().services[i.service].name, i.ordinal);
            assert!(world.fleet().iter().any(|i| name(i) == server), "no such server: {}", line.text);
            let is_up = rest.starts_with("UP");
            let before = last.insert(server.to_string(), (is_up, line.text.clone()));
            assert!(before.as_ref().is_none_or(|before| before.0 != is_up), "said twice: {} and {before:?}", line.text);
            turns += 1;
        }
    }
    turns
}

/// A proxy calls a server by one name, in checks and of requests, and it is the server that says that it answered that request.
pub fn check_backends(world: &World) -> usize {
    let (plan, mut sent) = (world.plan(), BTreeMap::new());
    for service in (0..plan.services.len()).filter(|&s| plan.services[s].kind.tier() == 0) {
        for line in lines(world, service).iter().filter(|line| line.text.contains(" fe be")) {
            let (_, rest) = line.text.split_once('/').expect("a server");
            let (name, _) = rest.split_once(' ').expect("a server");
            let is_there =
                |i: &world::fleet::Instance| name == format!("{}-{}", plan.services[i.service].name, i.ordinal);
            assert!(name == "<NOSRV>" || world.fleet().iter().any(is_there), "no such server: {}", line.text);
            let id = line.text.rsplit("id=").next().expect("an id").to_string();
            sent.insert(id, (name.to_string(), line.text.clone()));
        }
    }
    let mut both = 0;
    for service in (0..plan.services.len()).filter(|&s| plan.services[s].kind.name() == "web") {
        let is_first = plan.services[service].calls.iter().any(|&call| {
            let parent = plan.calls[call].parent.map(|parent| plan.calls[parent].service);
            parent.is_some_and(|parent| plan.services[parent].kind.tier() == 0)
        });
        for line in lines(world, service).iter().filter(|line| is_first && line.template == "request") {
            let id = line.text.rsplit("id=").next().expect("an id");
            let Some((name, said)) = sent.get(id) else { continue };
            assert!(line.text.starts_with(&format!("{name} ")), "{said}, but {}", line.text);
            both += 1;
        }
    }
    both
}

#[test]
fn servers_leave_and_come_back_once() {
    let mut world = common::shop(5);
    common::plant(&mut world, "config_push service=load_balancer key=HEALTH_CHECK_PATH value=/status");
    common::wait(&mut world, 4);
    let service = world.plan().service("load_balancer").expect("a service");
    let said = |world: &World, words: &str| lines(world, service).iter().filter(|l| l.text.contains(words)).count();
    assert_eq!((check_turns(&world), said(&world, "has no server available!")), (2, 1));
    assert!(said(&world, "be/<NOSRV>") > 10, "users are told all the time");
    world.operator().set_config(service, "HEALTH_CHECK_PATH", "/healthz").expect("a path");
    common::wait(&mut world, 4);
    assert_eq!((check_turns(&world), said(&world, " is UP, ")), (4, 2));
}

/// Lines of a proxy come in the proportion of the counters, by level, and their times in that of the percentiles.
#[test]
fn access_lines_can_be_counted() {
    let (mut said, mut counted, mut all) = (0.0, 0.0, 0.0);
    let (mut slow, mut answered, mut unanswered) = (0.0, 0.0, 0.0);
    for seed in 0..40 {
        let mut world = common::shop(seed);
        common::plant(&mut world, "worker_deaths service=web_server share=0.8");
        common::wait(&mut world, 10);
        let plan = world.plan().clone();
        let edge = plan.service("load_balancer").expect("a service");
        let browse = plan.route("browse").expect("a route");
        let from = world.now().back(Span::mins(6));
        let rows: Vec<_> = world.history().newest_first(from, world.now()).collect();
        let info = &plan.services[edge];
        let metric = info.kind.metrics().iter().position(|metric| metric.name == "refused_connections_rate");
        let refused = info.metrics.start + metric.expect("a metric");
        for cells in rows.iter().map(|row| row.cells()) {
            let routes = plan.routes.iter().filter(|route| !route.asynchronous);
            let of = |at: usize| routes.clone().map(|r| f64::from(cells[r.columns.start + at])).sum::<f64>();
            // Whose connection was refused sent no request.
            let refused = of(0) * f64::from(cells[refused]);
            (all, counted) = (all + of(0) - refused, counted + of(1) - refused);
        }
        let [info, _, error] = world.view().log_counts(edge, from).map(|n| n as f64);
        said += error / (info + error) / 40.0;
        for line in lines(&world, edge).iter().filter(|l| l.template == "access" && l.text.contains("/browse")) {
            let Some(row) = rows.iter().find(|r| r.time >= line.time && r.time.since(line.time) < SCRAPE) else {
                continue;
            };
            if line.text.contains(" 200 ----") {
                let cells = row.part(plan.routes[browse].columns.clone());
                let ms = number_after(&line.text, " 0/0/0/");
                answered += 1.0;
                slow += f64::from(u8::from(ms.expect("a time") > f64::from(cells[3])));
            } else {
                unanswered += 1.0;
            }
        }
    }
    let counted = counted / all;
    assert!(counted > 0.1 && (said - counted).abs() < 0.02, "{said} of the lines say failed, {counted} were");
    assert!(unanswered < 0.02 * answered, "{unanswered} of {answered} failed, and have a line for that");
    assert!(slow / answered < 0.09, "{slow} of {answered} are slower than the 95th percentile");
}

/// A proxy says 200 of those alone who were answered, and of none where none can be.
#[test]
fn clients_that_leave_were_answered() {
    let (mut left, mut quick) = (0, 0);
    for seed in 0..30 {
        let plan = Arc::new(Blueprint::compile(&world::shop()).expect("a valid spec"));
        let mut world = World::healthy(&plan, Seed(seed), Noise(3));
        common::plant(&mut world, "worker_deaths service=web_server share=0.85");
        common::wait(&mut world, 12);
        let edge = plan.service("load_balancer").expect("a service");
        let recent = lines(&world, edge).into_iter().filter(|line| line.time > world.now().back(Span::mins(8)));
        for line in recent.filter(|line| line.text.contains(" CD-- ")) {
            left += 1;
            quick += u32::from(number_after(&line.text, " 0/0/0/").expect("a time") < 10.0);
            assert!(line.text.contains(" 200 CD-- "), "{}", line.text);
        }
        let mut world = World::healthy(&plan, Seed(seed), Noise(3));
        common::plant(&mut world, "config_push service=load_balancer key=HEALTH_CHECK_PATH value=/status");
        common::wait(&mut world, 8);
        let from = world.now().back(Span::mins(3));
        let after = lines(&world, edge).into_iter().filter(|line| line.time > from);
        after.for_each(|line| assert!(!line.text.contains(" 200 "), "no server is there: {}", line.text));
    }
    assert!(left > 5 && quick == 0, "{quick} of {left} were answered within 10 ms by servers that are full");
}

/// No request has waited for longer than it has been going wrong, and a proxy waits for as long as its status page says.
#[test]
fn no_wait_is_longer_than_the_trouble() {
    let mut waited = 0;
    for seed in 0..8 {
        let mut world = common::shop(seed);
        let onset = world.now() + Span::mins(1);
        common::plant(&mut world, "slow_link service=load_balancer to=web_server ms=20000");
        common::wait(&mut world, 3);
        let edge = world.plan().service("load_balancer").expect("a service");
        let status = world.view().status(edge);
        let says = status.notes.iter().find(|note| note.starts_with("timeout server: ")).expect("a note");
        for line in lines(&world, edge).iter().filter(|line| line.text.contains(" 504 sH-- ")) {
            let ms = number_after(&line.text, " 0/0/0/-1/").expect("a time");
            assert!(line.time.back(Span(ms as u64)) + Span::secs(8) >= onset, "{:?}: {}", line.time, line.text);
            assert!(says.contains(&format!(" {ms}ms")), "{says}: {}", line.text);
            waited += 1;
        }
    }
    assert!(waited > 20, "only {waited} lines");
}
