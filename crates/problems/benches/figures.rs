//! The figures of watching a cluster, on one core: `cargo bench -p sre-zero-problems`; a word after `--` picks rows by name.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a bench reads the clock and prints"
)]

use std::time::Instant;

use apps::{Site, SiteOptions};
use exporters::Observatory;
use harness::{Challenge, EpisodeOptions, Noise};
use problems::{ProblemChallenge, Stages};

const APPLICATION: &str = "astronomy-shop";
const RATES: &str = "sum by (service_name) (rate(traces_span_metrics_calls_total[5m]))";
const ERRORS: &str = "{namespace=\"astronomy-shop\"} |= \"error\"";
const BY_MINUTE: &str = "sum by (container) (count_over_time({namespace=\"astronomy-shop\"}[1m]))";

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    println!("{:<66} {:>12}", "one core", "");
    if wanted("hour") {
        an_hour();
    }
    if wanted("calls") {
        tool_calls();
    }
}

fn wanted(name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    words.is_empty() || words.iter().any(|word| name.contains(word.as_str()))
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{name:<66} {value:>9.2} {unit}");
}

/// Megabytes that the program has in memory; nothing where the system does not say.
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<f64>().ok()? * 4096.0 / 1e6)
}

fn an_hour() {
    let options = SiteOptions { applications: vec![APPLICATION.into()], ..SiteOptions::default() };
    let mut site = Site::deploy(&options).expect("it starts");
    let (before, start) = (resident(), Instant::now());
    let mut observatory = Observatory::new(site.cluster.now());
    let to = site.cluster.now().after_secs(3600);
    observatory.advance(&mut site.cluster, &mut site.fleet, to);
    row(&format!("an hour of {APPLICATION}, watched"), start.elapsed().as_secs_f64(), "s");
    if let Some((before, after)) = before.zip(resident()) {
        row(&format!("an hour of {APPLICATION}, memory"), after - before, "MB");
    }
    let count = observatory.promql("count({__name__=~\".+\"})");
    row("  series at the end", count.split_whitespace().last().and_then(|n| n.parse().ok()).unwrap_or(0.0), "");
    let mut ask = |name: &str, question: &dyn Fn(&mut Observatory) -> String| {
        let start = Instant::now();
        let answer = question(&mut observatory);
        assert!(!answer.starts_with("error"), "{name}: {answer}");
        row(&format!("  {name}"), start.elapsed().as_secs_f64() * 1e3, "ms");
    };
    ask("instant: calls by service over 5 minutes", &|own| own.promql(RATES));
    ask("range: an hour at 15 s of memory by container", &|own| {
        own.promql_range("container_memory_working_set_bytes", 60, 15)
    });
    ask("logs: an hour, lines with a word", &|own| own.logql(ERRORS, 60, 100));
    ask("logs: an hour, lines by container and minute", &|own| own.logql(BY_MINUTE, 60, 100));
    ask("traces of a service", &|own| own.traces("frontend", "", 60, 20));
}

/// What an agent asks, over and over.
fn calls() -> [String; 10] {
    let asked = |tool: &str, query: &str| serde_json::json!({ "action": tool, "query": query }).to_string();
    [
        "kubectl get pods".into(),
        asked("promql", RATES),
        "kubectl describe deployment frontend".into(),
        asked("logql", ERRORS),
        "kubectl logs deployment/frontend --tail=50".into(),
        "traces(frontend)".into(),
        "kubectl get events".into(),
        "alerts()".into(),
        asked("promql", "topk(5, container_memory_working_set_bytes)"),
        "kubectl top pods".into(),
    ]
}

fn tool_calls() {
    let mut own = problems::carried().iter().filter(|problem| problem.file.applications == [APPLICATION]);
    let problem = own.next().expect("there are problems of this application");
    let challenge = ProblemChallenge::new(problem, Stages::default());
    let start = Instant::now();
    let mut episode = challenge.start(0, Noise(0), EpisodeOptions::default()).expect("it can be set up");
    row("setting a problem up", start.elapsed().as_secs_f64(), "s");
    let start = Instant::now();
    episode.step("promql(up)", None);
    row("the first question to those who watch", start.elapsed().as_secs_f64(), "s");
    let (start, calls) = (Instant::now(), calls());
    let made = calls.iter().cycle().take(50).map(|call| episode.step(call, None)).count();
    row("tool calls a second in an episode", made as f64 / start.elapsed().as_secs_f64(), "");
    let valid = episode.steps().iter().filter(|step| step.invalid.is_none()).count();
    assert_eq!(valid, made + 1, "every call is valid");
}
