//! The figures of kubectl in process, on one core: `cargo bench -p sre-zero-kubectl`.
//!
//! Each row is the best of several rounds, because a busy machine only ever makes things slower.

#![allow(clippy::disallowed_types, clippy::disallowed_macros, reason = "a bench reads the clock and prints")]

use std::time::{Duration, Instant};

use cluster::api::User;
use cluster::{Cluster, ClusterOptions, NodeOptions, PlainPrograms, Stamp};
use kubectl::Terminal;

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    println!("{:<58} {:>12} {:>12}", "one core, best of several rounds", "us", "per second");
    let (mut cluster, mut programs) = shop();
    let mut terminal = Terminal::new(User::admin()).costing(Duration::ZERO);
    for (name, line) in [
        ("kubectl get pods, 30 deployments", "kubectl get pods"),
        ("kubectl get pods -o wide", "kubectl get pods -o wide"),
        ("kubectl get pods -o yaml", "kubectl get pods -o yaml"),
        ("kubectl get deploy -o name | wc -l", "kubectl get deploy -o name | wc -l"),
        ("kubectl describe deploy app-7", "kubectl describe deploy app-7"),
        ("kubectl describe node node-0", "kubectl describe node node-0"),
        ("kubectl logs deploy/app-7", "kubectl logs deploy/app-7"),
    ] {
        let mut best = Duration::MAX;
        for _ in 0..7 {
            let start = Instant::now();
            for _ in 0..50 {
                let output = terminal.run(&mut cluster, &mut programs, line);
                assert_eq!(output.code, 0, "{line}: {}", output.stderr);
            }
            best = best.min(start.elapsed() / 50);
        }
        let micros = best.as_secs_f64() * 1e6;
        println!("{name:<58} {micros:>12.1} {:>12.0}", 1e6 / micros);
    }
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let (mut cluster, mut programs) = (cluster.clone(), programs.clone());
        let mut terminal = terminal.clone();
        let start = Instant::now();
        let line = "kubectl set image deploy/app-7 app=app:2 && kubectl rollout status deploy/app-7";
        let output = terminal.run(&mut cluster, &mut programs, line);
        best = best.min(start.elapsed());
        assert!(output.stdout.contains("successfully rolled out"), "{}{}", output.stdout, output.stderr);
    }
    println!("{:<58} {:>12.1}", "kubectl set image and rollout status", best.as_secs_f64() * 1e6);
}

/// 30 Deployments of one pod on 4 nodes, settled.
fn shop() -> (Cluster, PlainPrograms) {
    let nodes = (0..4).map(|number| NodeOptions::worker(&format!("node-{number}"), number)).collect();
    let mut cluster = Cluster::new(&ClusterOptions { nodes, ..ClusterOptions::default() });
    let mut programs = PlainPrograms::default();
    let mut terminal = Terminal::new(User::admin());
    for number in 0..30 {
        let line = format!("kubectl create deployment app-{number} --image=app:1 --port=8080");
        let output = terminal.run(&mut cluster, &mut programs, &line);
        assert_eq!(output.code, 0, "{}", output.stderr);
    }
    let until = Stamp(cluster.now().0 + 120_000_000);
    cluster.advance(&mut programs, until);
    (cluster, programs)
}
