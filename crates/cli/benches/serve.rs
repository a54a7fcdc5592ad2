//! How fast the network faces are and how much room sessions take: `cargo bench --bench serve` prints a
//! table. The server has one thread; the clients are raw sockets on others, and every episode is
//! recorded to disk as always.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

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
    let server = Server::start();
    row("HTTP steps, resets included, one server thread", rate(&server, http_tour), "/s");
    row("WebSocket steps, resets included, one server thread", rate(&server, ws_tour), "/s");
    drop(server);
    let server = Server::start();
    let before = server.resident();
    let begin = Instant::now();
    fill(&server);
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

/// Steps per second of some clients that play tours for a while.
fn rate(server: &Server, tour: fn(&mut Wire, u64)) -> f64 {
    let steps = AtomicU64::new(0);
    let begin = Instant::now();
    thread::scope(|threads| {
        for client in 0..CLIENTS {
            let steps = &steps;
            threads.spawn(move || {
                let mut wire = Wire::open(server, tour == ws_tour as fn(&mut Wire, u64));
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
    let session = wire.reset(number);
    for action in TOUR {
        let answer = wire.post("/episode/step", &format!(r#"{{"session_id":"{session}","action":"{action}"}}"#));
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

/// Opens as many sessions as there may be; each has looked once and changed something once.
fn fill(server: &Server) {
    let mut wire = Wire::open(server, false);
    for number in 0..LIVE {
        let session = wire.reset(number % (TASKS * SEEDS));
        for action in ["inspect_metrics(database)", "restart_service(cache)"] {
            wire.post("/episode/step", &format!(r#"{{"session_id":"{session}","action":"{action}"}}"#));
        }
    }
}

/// A server of our own, and the folder of its records.
struct Server {
    child: Child,
    _told: BufReader<ChildStdout>,
    address: String,
    out: std::path::PathBuf,
}

impl Server {
    fn start() -> Server {
        let out = std::env::temp_dir().join(format!("sre-zero-bench-{}", std::process::id()));
        let mut child = Command::new(env!("CARGO_BIN_EXE_sre-zero"))
            .args(["serve", "--port", "0", "--threads", "1", "--fresh", "--out"])
            .arg(&out)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut told = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        told.read_line(&mut line).expect("it says where it is");
        let address = line.trim().trim_start_matches("http://").to_string();
        Server { child, _told: told, address, out }
    }

    /// Bytes of memory that the process holds, on systems that say so.
    fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.out);
    }
}

/// A connection that is kept: plain HTTP, or a WebSocket on it.
struct Wire {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Wire {
    fn open(server: &Server, web_socket: bool) -> Wire {
        let stream = TcpStream::connect(&server.address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        let mut wire = Wire { stream: BufReader::new(stream), host: server.address.clone() };
        if web_socket {
            let ask = format!(
                "GET /ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                wire.host
            );
            wire.stream.get_mut().write_all(ask.as_bytes()).expect("a socket");
            wire.head();
        }
        wire
    }

    fn reset(&mut self, number: u64) -> String {
        let (index, seed) = (number % TASKS, number / TASKS);
        let answer = self.post("/episode/reset", &format!(r#"{{"index":{index},"seed":{seed}}}"#));
        let at = answer.find("\"session_id\":\"").expect("a session") + 14;
        answer[at..at + 32].to_string()
    }

    fn post(&mut self, path: &str, body: &str) -> String {
        let (host, length) = (&self.host, body.len());
        let ask = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}");
        self.stream.get_mut().write_all(ask.as_bytes()).expect("a socket");
        let length = self.head();
        self.take(length)
    }

    /// Reads the head of an answer; gives the length of its body.
    fn head(&mut self) -> usize {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a socket");
            if line.trim().is_empty() {
                return length;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a length");
            }
        }
    }

    fn take(&mut self, length: usize) -> String {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a socket");
        String::from_utf8(body).expect("text")
    }

    /// Sends a text frame, masked with zeros, and reads the one that answers it.
    fn say(&mut self, text: &str) -> String {
        let mut frame = vec![0x81];
        match text.len() {
            short @ 0..126 => frame.push(0x80 | short as u8),
            long => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&(long as u16).to_be_bytes());
            }
        }
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(text.as_bytes());
        self.stream.get_mut().write_all(&frame).expect("a socket");
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).expect("a socket");
        let length = match head[1] {
            126 => {
                let mut more = [0; 2];
                self.stream.read_exact(&mut more).expect("a socket");
                u16::from_be_bytes(more) as usize
            }
            short => short as usize,
        };
        self.take(length)
    }
}
