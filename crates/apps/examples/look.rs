//! Deploys applications, lets them live, and prints what is not as it should be.
//!
//! `cargo run -p sre-zero-apps --example look -- APPLICATION [SECONDS] [SEEDS]`
#![allow(clippy::disallowed_macros, clippy::disallowed_types, reason = "a program for the terminal that takes times")]

use std::time::Instant;

use apps::{Site, SiteOptions};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let name = args.get(1).cloned().unwrap_or_else(|| "hotel-reservation".into());
    let number = |at: usize, default: i64| args.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    for seed in 1..=number(3, 1) as u64 {
        look(&name, number(2, 60), seed, number(3, 1) == 1);
    }
}

fn look(name: &str, seconds: i64, seed: u64, tells_all: bool) {
    let begun = Instant::now();
    let options = SiteOptions { applications: vec![name.into()], seed, ..SiteOptions::default() };
    let mut site = match Site::deploy(&options) {
        Ok(site) => site,
        Err(error) => return println!("{name}, seed {seed}: {error}"),
    };
    let ready = begun.elapsed();
    let begun = Instant::now();
    site.advance(site.cluster.now().after_secs(seconds));
    let pods = site.cluster.objects("pods", None).count();
    let speed = seconds as f64 / begun.elapsed().as_secs_f64();
    println!("{name}, seed {seed}: {pods} pods ready in {ready:?}, {speed:.0} simulated seconds per second");
    for route in site.routes().iter().filter(|route| tells_all || !route.held) {
        println!(
            "  {:40} {:6.1}/s  {:6.2} %  p50 {:6.1} p95 {:6.1} p99 {:6.1} ms  {} {}",
            route.route,
            route.rate,
            100.0 * route.success,
            route.p50_ms,
            route.p95_ms,
            route.p99_ms,
            if route.held { "held" } else { "NOT HELD" },
            route.reason
        );
    }
    for alert in site.alerts() {
        println!("  pages: {} {:?} {}", alert.name, alert.labels, alert.summary);
    }
    for edge in site.fleet.edges().iter().filter(|edge| edge.fails > 0.001 && edge.rate > 0.0) {
        println!("  fails: {} -> {} {} {:.2} {}", edge.from.2, edge.to, edge.operation, edge.fails, edge.reason);
    }
    let since = site.cluster.now().after_secs(-2);
    for line in site.fleet.log_lines(None, since).iter().take(if tells_all { 30 } else { 0 }) {
        println!("  {} {}", line.pod, line.line);
    }
}
