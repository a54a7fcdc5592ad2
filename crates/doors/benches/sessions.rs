//! What open sessions need when each is on an incident of its own:
//! `cargo bench -p sre-zero-doors --bench sessions -- sessions=10000 incidents=1000`.
//! Every session is opened, looks twice, acts and looks again, all of them in turn, as learners in step do; none is closed.
//! `incidents` is what `serve --max-incidents` is.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use doors::session::{Limits, Pace, SessionId, Sessions, StartRequest};
use harness::catalogue::{Catalogue, CatalogueSettings};
use harness::{Noise, Referee, ToolSet, suites, tasks};

const CALLS: [(&str, &str); 4] = [
    ("looked", "check_status"),
    ("looked", "inspect_logs"),
    ("acted", "restart_service"),
    ("looked", "inspect_metrics"),
];

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let (count, incidents) = (number("sessions=", 10_000), number("incidents=", 1000));
    let sessions = table(count, incidents);
    let begin = Instant::now();
    let services: Vec<Vec<String>> = (0..count).map(|n| open(&sessions, n)).collect();
    say("opened", count, begin);
    for (round, (what, call)) in CALLS.iter().enumerate() {
        let begin = Instant::now();
        for (n, services) in services.iter().enumerate() {
            let text = format!("{call}({})", services[n % services.len()]);
            let shown = sessions
                .with(id(n), Duration::from_millis((count * (round + 1) + n) as u64), |session| session.step(&text));
            assert!(shown.is_ok_and(|view| view.is_ok_and(|view| view.error.is_none())), "{text} is a valid action");
        }
        say(what, count, begin);
    }
}

fn table(count: usize, incidents: usize) -> Sessions {
    let tasks = suites::select(tasks::embedded(), suites::DEFAULT).expect("the forty are carried");
    let referee = Referee::new();
    let settings = CatalogueSettings {
        suite: suites::DEFAULT.to_string(),
        tools: ToolSet::CLASSIC,
        noise: Noise(0),
        agent: "bench".to_string(),
        named: false,
        rewards: false,
        incidents,
        clients: false,
        plan: None,
    };
    let limits = Limits { sessions: count, idle: Duration::MAX };
    let catalogue = Catalogue::new(tasks, 0, settings, &referee);
    Sessions::new(catalogue, limits, Pace::PER_ACTION, Box::new(|_| {}))
}

/// Opens a session on an incident of its own; gives its services.
fn open(sessions: &Sessions, n: usize) -> Vec<String> {
    let request = StartRequest { seed: Some(n as u64), ..StartRequest::default() };
    let view = sessions.open_with(id(n), request, Duration::from_millis(n as u64)).expect("there is room");
    view.brief.services.clone()
}

fn id(n: usize) -> SessionId {
    SessionId((n as u128).to_be_bytes())
}

fn say(what: &str, count: usize, begin: Instant) {
    let rate = count as f64 / begin.elapsed().as_secs_f64();
    println!(
        "{what:<8} {count:>8} sessions, {rate:>8.0} /s, {:>6} MB now, {:>6} MB at most",
        memory("VmRSS"),
        memory("VmHWM")
    );
}

/// Memory of this process in megabytes, where the system tells it.
fn memory(what: &str) -> u64 {
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
    let kilobytes: u64 = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default();
    kilobytes / 1000
}

fn number(name: &str, usual: usize) -> usize {
    std::env::args().find_map(|a| a.strip_prefix(name).and_then(|n| n.parse().ok())).unwrap_or(usual)
}
