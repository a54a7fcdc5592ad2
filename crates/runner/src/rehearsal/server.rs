//! Accepts connections, one thread for each, and lets the provider answer.

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use agents::fake_provider::{FakeProvider, FakeReply, IncomingRequest, Manner, PlannedReply};
use serde_json::json;

use super::deliver::deliver;
use super::http::{ReadFailure, Request};
use super::journal::{Journal, JournalCounts};
use crate::say;

/// Connections are many and need little.
const STACK: usize = 512 * 1024;
/// So long may answers take that are on their way when the server is stopped.
const GRACE: Duration = Duration::from_secs(3);
/// So long the server rests when the system has no more connections to give.
const REST: Duration = Duration::from_millis(20);

/// A server that is running. It ends when it is stopped or dropped.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    provider: FakeProvider,
    journal: Journal,
    open: Mutex<Open>,
    closed: Condvar,
    began: Instant,
}

/// The connections that are open.
#[derive(Default)]
struct Open {
    streams: BTreeMap<u64, Arc<TcpStream>>,
    opened: u64,
    stopping: bool,
}

impl Server {
    /// Takes a port of this machine; 0 picks a free one.
    pub fn listen(port: u16) -> io::Result<TcpListener> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
    }

    /// Serves every client.
    pub fn start(listener: TcpListener, provider: FakeProvider, journal: Journal) -> io::Result<Server> {
        let address = listener.local_addr()?;
        let (open, closed, began) = (Mutex::default(), Condvar::new(), Instant::now());
        let shared = Arc::new(Shared { provider, journal, open, closed, began });
        let own = shared.clone();
        thread::Builder::new().name("accept".to_string()).spawn(move || accept(&listener, &own))?;
        Ok(Server { address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What was done so far.
    pub fn tally(&self) -> JournalCounts {
        self.shared.journal.tally()
    }

    /// Stops: no more connections, answers on their way are finished. Says what was done.
    pub fn stop(self) -> JournalCounts {
        self.end();
        self.tally()
    }

    fn end(&self) {
        let mut open = self.shared.open();
        open.stopping = true;
        // Threads that wait for a request, or for a client to leave, hear that there is nothing more.
        for stream in open.streams.values() {
            let _ = stream.shutdown(Shutdown::Read);
        }
        // The listener looks whether to stop when a client comes.
        let _ = TcpStream::connect_timeout(&self.address, GRACE);
        let wait = self.shared.closed.wait_timeout_while(open, GRACE, |open| !open.streams.is_empty());
        drop(wait);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.shared.open().stopping {
            self.end();
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}

/// A connection that is open as long as this lives.
struct Connection {
    shared: Arc<Shared>,
    stream: Arc<TcpStream>,
    number: u64,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.open().streams.remove(&self.number);
        let _ = self.stream.shutdown(Shutdown::Both);
        self.shared.closed.notify_all();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut told = false;
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(problem) => {
                if shared.open().stopping {
                    return;
                }
                if !told {
                    say::note(&format!(
                        "cannot accept more connections: {problem}; `ulimit -n` says how many there may be"
                    ));
                    told = true;
                }
                thread::sleep(REST);
                continue;
            }
        };
        let Some(connection) = register(stream, shared) else { return };
        let thread = thread::Builder::new().stack_size(STACK);
        if let Err(problem) = thread.spawn(move || serve(&connection)) {
            say::note(&format!("cannot serve a connection: {problem}"));
        }
    }
}

/// `None` if the server is to stop.
fn register(stream: TcpStream, shared: &Arc<Shared>) -> Option<Connection> {
    // An answer is one write; nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let stream = Arc::new(stream);
    let mut open = shared.open();
    open.opened += 1;
    let number = open.opened;
    open.streams.insert(number, stream.clone());
    let stopping = open.stopping;
    drop(open);
    let connection = Connection { shared: shared.clone(), stream, number };
    (!stopping).then_some(connection)
}

fn serve(connection: &Connection) {
    let stream = &*connection.stream;
    let mut from = BufReader::with_capacity(16 * 1024, stream);
    loop {
        let (exchange, keep_alive) = match Request::read(&mut from, &mut &*stream) {
            Ok(request) => (answer(&connection.shared, &request), request.keep_alive),
            Err(ReadFailure::Bad(status, why)) => (bad(status, why), false),
            Err(ReadFailure::Gone) => return,
        };
        let keep_alive = keep_alive && !connection.shared.open().stopping;
        if !deliver(stream, &exchange, keep_alive).unwrap_or(false) {
            return;
        }
    }
}

fn answer(shared: &Shared, request: &Request) -> PlannedReply {
    let Request { method, target, headers, body, .. } = request;
    let now_ms = shared.began.elapsed().as_millis() as u64;
    let exchange = shared.provider.exchange_at(&IncomingRequest { method, target, headers, body }, now_ms);
    if let Some(line) = &exchange.line {
        shared.journal.write(line);
    }
    exchange
}

fn bad(status: u16, why: &str) -> PlannedReply {
    let reply = FakeReply::json(status, &json!({ "error": { "message": why } }), Vec::new());
    PlannedReply { reply, manner: Manner::Whole, wait_ms: 0, line: None }
}
