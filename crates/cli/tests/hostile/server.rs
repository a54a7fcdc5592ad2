//! The server: a thread for each connection, and a count of what was asked of whom.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use agents::fake_provider::faults::{FailureProfile, Schedule};
use agents::fake_provider::{FakeProvider, FakeProviderSettings, IncomingRequest, ResponderKind};
use harness::sha256;

use super::{After, Good, Mode, Sends, Wire};

/// The server; its threads end with the test.
pub struct HostileProvider {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    good: FakeProvider,
    modes: BTreeMap<&'static str, &'static Mode>,
    /// Requests by model, and tries by model and body.
    asked: Mutex<BTreeMap<String, u64>>,
    tries: Mutex<BTreeMap<(String, String), u32>>,
    ended: AtomicBool,
}

struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HostileProvider {
    /// Listens on a free port of this machine.
    pub fn start(modes: &[&'static Mode]) -> HostileProvider {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("there is a free port");
        let address = listener.local_addr().expect("it listens");
        let settings = FakeProviderSettings {
            brain: ResponderKind::Runbook,
            schedule: Schedule::new(FailureProfile::named("none").expect("there is such a profile"), 0),
            key: None,
            models: Vec::new(),
            latency_ms: 0,
        };
        let shared = Arc::new(Shared {
            good: FakeProvider::new(settings),
            modes: modes.iter().map(|mode| (mode.name, *mode)).collect(),
            asked: Mutex::default(),
            tries: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let own = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if own.ended.load(Ordering::Relaxed) {
                    return;
                }
                let (shared, stream) = (own.clone(), stream.expect("a connection comes in"));
                thread::spawn(move || serve(&shared, &stream));
            }
        });
        HostileProvider { address, shared }
    }

    /// Where it is.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many requests came for each model.
    pub fn asked(&self) -> BTreeMap<String, u64> {
        self.shared.asked.lock().expect("no thread panics while counting").clone()
    }
}

impl Drop for HostileProvider {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(shared: &Shared, stream: &TcpStream) {
    // Small, so that a reset leaves bytes unread.
    let mut from = BufReader::with_capacity(512, stream);
    while let Some((head, length)) = read_head(&mut from) {
        if let Some(model) = shared.reset(&head.target) {
            shared.count(&model);
            // Closed with bytes unread: the client is told by a reset.
            return;
        }
        let mut body = vec![0; length];
        if from.read_exact(&mut body).is_err() {
            return;
        }
        let wire = shared.answer(&Request { body, ..head });
        let mut to = stream;
        if to.write_all(&wire.bytes).is_err() {
            return;
        }
        match wire.after {
            After::Keep => {}
            After::Close => {
                let _ = stream.shutdown(Shutdown::Both);
                return;
            }
            After::Hold => {
                let _ = from.read(&mut [0; 1]);
                return;
            }
            After::Flood => {
                let more = vec![wire.bytes.last().copied().unwrap_or(b' '); 64 * 1024];
                while to.write_all(&more).is_ok() {}
                return;
            }
        }
    }
}

fn read_head(from: &mut impl BufRead) -> Option<(Request, usize)> {
    let mut line = || {
        let mut line = String::new();
        from.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_string())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_string(), words.next()?.to_string());
    let mut headers = Vec::new();
    while let Some((name, value)) = line()?.split_once(": ") {
        headers.push((name.to_string(), value.to_string()));
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.map_or(0, |(_, value)| value.parse().expect("our client says how long its body is"));
    Some((Request { method, target, headers, body: Vec::new() }, length))
}

impl Shared {
    /// The model whose mode is to close the connection with the body unread; its path names it.
    fn reset(&self, target: &str) -> Option<String> {
        let model = target.rsplit('/').next()?.split(':').next()?;
        let mode = self.mode(model)?;
        (matches!(mode.sends, Sends::Reset) && self.is_struck(model, "")).then(|| model.to_string())
    }

    fn mode(&self, model: &str) -> Option<&'static Mode> {
        self.modes.get(model.strip_suffix(".once").unwrap_or(model)).copied()
    }

    fn count(&self, model: &str) {
        *self.asked.lock().expect("no thread panics while counting").entry(model.to_string()).or_default() += 1;
    }

    /// Whether this try is to be treated badly.
    fn is_struck(&self, model: &str, body: &str) -> bool {
        let mut tries = self.tries.lock().expect("no thread panics while counting");
        let seen = tries.entry((model.to_string(), body.to_string())).or_default();
        *seen += 1;
        !model.ends_with(".once") || *seen == 1
    }

    fn answer(&self, request: &Request) -> Wire {
        let Request { method, target, headers, body } = request;
        let planned = self.good.exchange(&IncomingRequest { method, target, headers, body });
        let line = planned.line.expect("our client asks models only");
        self.count(&line.model);
        let status = planned.reply.status;
        assert_eq!(status, 200, "{target}: {}", String::from_utf8_lossy(&planned.reply.body));
        let json = serde_json::from_slice(&planned.reply.body).expect("a good answer is JSON");
        let good = Good { json };
        match self.mode(&line.model) {
            Some(mode) if !matches!(mode.sends, Sends::Reset) && self.is_struck(&line.model, &sha256(body)) => {
                mode.sends.wire(&good)
            }
            _ => good.wire(),
        }
    }
}
