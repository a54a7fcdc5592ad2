//! How fast the network faces are and how much room sessions take: `cargo bench --bench serve` prints a
//! table. The server has one thread; the clients are raw sockets on others, and every episode is
//! recorded to disk as always.

#[allow(dead_code, reason = "the tests need the rest")]
#[path = "../tests/serve/wire.rs"]
mod wire;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wire::{Server, Wire};

/// One tour through an incident: looks, an action, and the end.
const TOUR: &[&str] = &[
    "check_status(cache)",
    "inspect_logs(web_server)",
    "inspect_metrics(database)",
    "inspect_config(cache)",
    "restart_service(cache)",
    "inspect_metrics(cache)",
    "escalate(enough)",
];
const CLIENTS: u64 = 4;
const SECONDS: u64 = 5;
const SEEDS: u64 = 3;
const TASKS: u64 = 40;
const LIVE: u64 = 10_000;

fn main() {
    // The test runner passes by with `--test`; there is nothing to check here, only to measure.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    // Each row has a server of its own. All are kept to the end: removing thousands of records slows down
    // the writer of the next ones.
    let servers = [(); 3].map(|()| Server::start(&["--threads", "1"]));
    let [http, ws, server] = &servers;
    // Incidents are made once; what is measured is playing them.
    warm_up(http);
    row("HTTP steps, resets included, one server thread", rate(http, |s| Wire::open(&s.address), http_tour), "/s");
    warm_up(ws);
    let socket = |s: &Server| Wire::web_socket(&s.address, "/ws");
    row("WebSocket steps, resets included, one server thread", rate(ws, socket, ws_tour), "/s");
    let before = server.resident();
    let begin = Instant::now();
    fill(server);
    let opened = begin.elapsed().as_secs_f64();
    row(
        &format!("memory of {LIVE} live sessions on {} incidents", TASKS * SEEDS),
        (server.resident() - before) as f64 / 1e6,
        "MB",
    );
    row("sessions opened and played two steps", LIVE as f64 / opened, "/s");
}

fn row(what: &str, value: f64, unit: &str) {
    println!("{what:60} {value:10.0} {unit}");
}

/// One tour through every incident.
fn warm_up(server: &Server) {
    let mut wire = Wire::open(&server.address);
    (0..TASKS * SEEDS).for_each(|number| http_tour(&mut wire, number));
}

/// Steps per second of some clients that play tours for a while.
fn rate(server: &Server, open: fn(&Server) -> Wire, tour: fn(&mut Wire, u64)) -> f64 {
    let steps = AtomicU64::new(0);
    let begin = Instant::now();
    thread::scope(|threads| {
        for client in 0..CLIENTS {
            let steps = &steps;
            threads.spawn(move || {
                let mut wire = open(server);
                let mut seed = client;
                while begin.elapsed() < Duration::from_secs(SECONDS) {
                    tour(&mut wire, seed % (TASKS * SEEDS));
                    seed += CLIENTS;
                    steps.fetch_add(TOUR.len() as u64, Ordering::Relaxed);
                }
            });
        }
    });
    steps.load(Ordering::Relaxed) as f64 / begin.elapsed().as_secs_f64()
}

fn http_tour(wire: &mut Wire, number: u64) {
    let session = reset(wire, number);
    for action in TOUR {
        let answer = wire.post("/episode/step", &format!(r#"{{"session_id":"{session}","action":"{action}"}}"#)).body;
        assert!(answer.contains("\"reward\""), "{answer}");
    }
}

fn ws_tour(wire: &mut Wire, number: u64) {
    let (index, seed) = (number % TASKS, number / TASKS);
    wire.say(&format!(r#"{{"type":"reset","data":{{"index":{index},"seed":{seed}}}}}"#));
    for action in TOUR {
        let answer = wire.say(&format!(r#"{{"type":"step","data":{{"command":"{action}"}}}}"#));
        assert!(answer.contains("\"reward\""), "{answer}");
    }
}

/// Begins an episode; gives its session.
fn reset(wire: &mut Wire, number: u64) -> String {
    let (index, seed) = (number % TASKS, number / TASKS);
    let answer = wire.post("/episode/reset", &format!(r#"{{"index":{index},"seed":{seed}}}"#)).body;
    let at = answer.find("\"session_id\":\"").expect("a session") + 14;
    answer[at..at + 32].to_string()
}

/// Opens as many sessions as there may be; each has looked once and changed something once.
fn fill(server: &Server) {
    let mut wire = Wire::open(&server.address);
    for number in 0..LIVE {
        let session = reset(&mut wire, number % (TASKS * SEEDS));
        // Each another value, so that no two share what became of it.
        let own = format!("update_config(cache, TTL_SECONDS, {})", 100 + number);
        for action in ["inspect_metrics(database)", &own] {
            wire.post("/episode/step", &format!(r#"{{"session_id":"{session}","action":"{action}"}}"#));
        }
    }
}
