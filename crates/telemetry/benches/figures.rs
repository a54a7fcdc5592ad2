//! The figures of the engines, on one core: `cargo bench -p sre-zero-telemetry`; a word after `--` picks rows by name.
//!
//! Each row is the best of several rounds, because a busy machine only ever makes things slower.

#![allow(clippy::disallowed_types, clippy::disallowed_macros, reason = "a bench reads the clock and prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use telemetry::loki::Loki;
use telemetry::prometheus::Prometheus;
use telemetry::promql::{Engine, Features, parse};
use telemetry::{Labels, METRIC_NAME, SeriesStore, TelemetryRequest};

const ROUNDS: usize = 7;
const NOW: i64 = 1_767_272_400_000;
const STEP: i64 = 15_000;
const HOUR: i64 = 3_600_000;

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    println!("{:<66} {:>12}", "one core, best of several rounds", "");
    let wide = store(50_000, 20);
    for query in [
        "m",
        "sum(m)",
        "sum by (namespace) (m)",
        "topk(10, m)",
        "m{pod=\"pod-17\"}",
        "sum by (namespace) (rate(m[5m]))",
        "m > 5",
    ] {
        instant(&format!("instant over 50,000 series: {query}"), &wide, query);
    }
    let hour = store(1_000, 240);
    for query in
        ["m", "rate(m[5m])", "sum by (namespace) (rate(m[5m]))", "m / on (pod) group_left m", "max_over_time(m[5m])"]
    {
        range(&format!("range, an hour at 15 s over 1,000 series: {query}"), &hour, query);
    }
    bytes(&hour);
    logs();
}

fn wanted(name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    words.is_empty() || words.iter().any(|w| name.contains(w.as_str()))
}

fn row(name: &str, mut once: impl FnMut() -> Duration) {
    if wanted(name) {
        let best = (0..ROUNDS).map(|_| once()).min().unwrap_or_default();
        println!("{name:<66} {:>9.3} ms", best.as_secs_f64() * 1e3);
    }
}

fn labels(i: usize) -> Labels {
    Labels::new([
        (METRIC_NAME, "m".to_owned()),
        ("namespace", format!("namespace-{}", i % 20)),
        ("pod", format!("pod-{i}")),
        ("container", format!("container-{}", i % 3)),
        ("node", format!("node-{}", i % 50)),
        ("job", "cadvisor".to_owned()),
    ])
}

/// Counters with this many samples each, the last one now.
fn store(series: usize, samples: i64) -> SeriesStore {
    let mut store = SeriesStore::default();
    for i in 0..series {
        let labels = labels(i);
        for k in 0..samples {
            store.append(&labels, NOW - (samples - 1 - k) * STEP, (k * (1 + i as i64 % 7)) as f64);
        }
    }
    store
}

fn instant(name: &str, store: &SeriesStore, query: &str) {
    let expr = parse(query, Features::default()).expect("a query");
    row(name, || {
        let start = Instant::now();
        black_box(Engine::new(store).instant(&expr, NOW).expect("a value"));
        start.elapsed()
    });
}

fn range(name: &str, store: &SeriesStore, query: &str) {
    let expr = parse(query, Features::default()).expect("a query");
    row(name, || {
        let start = Instant::now();
        black_box(Engine::new(store).range(&expr, NOW - HOUR, NOW, STEP).expect("a value"));
        start.elapsed()
    });
}

/// What a sample costs, and a clone of a server.
fn bytes(store: &SeriesStore) {
    let name = "an hour of 1,000 series at 15 s, samples";
    if wanted(name) {
        let size: usize = store.iter().map(|s| 8 * (s.times().len() + s.values().len())).sum();
        println!("{name:<66} {:>9.3} MB", size as f64 / 1e6);
    }
    let server = Prometheus { store: store.clone(), now: NOW, ..Prometheus::default() };
    row("clone of a server with 1,000 series", || {
        let start = Instant::now();
        black_box(server.clone());
        start.elapsed()
    });
}

fn logs() {
    let mut loki = Loki { now: NOW * 1_000_000, ..Loki::default() };
    for i in 0..100_000i64 {
        let stream = Labels::new([("app", format!("app-{}", i % 50)), ("namespace", "shop".to_owned())]);
        let time = loki.now - 3_600_000_000_000 + i * 36_000_000;
        let level = if i % 17 == 0 { "error" } else { "info" };
        loki.store.append(
            &stream,
            time,
            format!("level={level} method=GET path=/cart status=200 took={}ms id={i}", i % 900),
        );
    }
    for query in [
        r#"{app="app-7"} |= "error""#,
        r#"{namespace="shop"} |= "level=error" | logfmt | took > 500ms"#,
        r#"sum by (app) (rate({namespace="shop"} |= "error" [5m]))"#,
    ] {
        let request = TelemetryRequest::get("/loki/api/v1/query_range", &[("query", query), ("step", "60")]);
        row(&format!("logs, an hour, 100,000 lines: {query}"), || {
            let start = Instant::now();
            black_box(loki.answer(&request));
            start.elapsed()
        });
    }
}
