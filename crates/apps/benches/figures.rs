//! The figures of applications on one core: `cargo bench -p sre-zero-apps`.
//!
//! Each figure is the best of several rounds, because a busy machine only ever makes things slower. Where the system tells how long
//! this program had a processor, that is what is counted, and not the time on the wall.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a bench reads the clock and prints"
)]

use std::time::{Duration, Instant};

use apps::{Site, SiteOptions};
use cluster::api::User;
use kubectl::Terminal;

const ALL: [&str; 7] = [
    "hotel-reservation",
    "social-network",
    "astronomy-shop",
    "train-ticket",
    "blueprint-hotel-reservation",
    "fleetcast",
    "flight-booking",
];

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let columns = ["pods", "ready ms", "clone us", "tick us", "simulated s/s"];
    print!("{:<30}", "one core, best of several rounds");
    columns.iter().for_each(|column| print!(" {column:>14}"));
    println!();
    for name in ALL {
        let (ready, site) = best(3, || deployed(&[name], 3));
        row(name, ready, &site);
    }
    let (ready, mut site) = best(1, || deployed(&["hotel-reservation", "social-network", "astronomy-shop"], 30));
    row("three applications", ready, &site);
    grow(&mut site);
    row("the same, scaled out", ready, &site);
}

fn deployed(names: &[&str], nodes: usize) -> Site {
    let applications = names.iter().map(|name| (*name).to_string()).collect();
    Site::deploy(&SiteOptions { applications, nodes, ..SiteOptions::default() }).expect("shipped applications deploy")
}

/// Scales what is stateless until there are a thousand pods. What keeps connections to PostgreSQL stays as it is: a hundred
/// are all that it takes, and the rest would crash.
fn grow(site: &mut Site) {
    let mut terminal = Terminal::new(User::admin());
    let line = "for app in hotel-reservation social-network astronomy-shop; do for name in $(kubectl -n $app get deploy -o name \
                | grep -v -e mongo -e memcached -e redis -e valkey -e postgres -e kafka -e load -e wrk \
                -e product- -e accounting); do kubectl -n $app \
                scale $name --replicas=24; done; done";
    let (cluster, fleet) = site.parts();
    let output = terminal.run(cluster, fleet, line);
    assert_eq!(output.code, 0, "{}", output.stderr);
    site.advance(site.cluster.now().after_secs(300));
    assert_eq!(site.not_ready(), Vec::<String>::new(), "a fleet that is well");
    assert!(site.routes().iter().all(|route| route.held), "a fleet that does its work");
}

fn row(name: &str, ready: Duration, site: &Site) {
    let pods = site.cluster.objects("pods", None).count();
    let (clone, _) = best(20, || site.clone());
    let mut quiet = site.clone();
    quiet.advance(quiet.cluster.now().after_secs(60));
    let mut tick = Duration::MAX;
    for _ in 0..60 {
        let start = Instant::now();
        quiet.advance(quiet.cluster.now().after_secs(1));
        tick = tick.min(start.elapsed());
    }
    let seconds = if pods > 200 { 300 } else { 3000 };
    let (span, _) = best(2, || {
        let mut site = quiet.clone();
        site.advance(site.cluster.now().after_secs(seconds));
        site
    });
    let millis = ready.as_secs_f64() * 1e3;
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{name:<30} {pods:>14} {millis:>14.1} {:>14.1} {:>14.1} {:>14.0}",
        micros(clone),
        micros(tick),
        seconds as f64 / span.as_secs_f64()
    );
}

fn best<T>(rounds: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut found: Option<(Duration, T)> = None;
    for _ in 0..rounds {
        let worked = processor_time();
        let start = Instant::now();
        let made = work();
        let wall = start.elapsed();
        let took = match (worked, processor_time()) {
            // The system counts in ticks of some milliseconds: what takes less is told by the wall.
            (Some(before), Some(after)) if after - before > Duration::from_millis(5) => after - before,
            _ => wall,
        };
        if found.as_ref().is_none_or(|(least, _)| took < *least) {
            found = Some((took, made));
        }
    }
    found.expect("there is at least one round")
}

/// How long this program has had a processor, where the system tells.
fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
