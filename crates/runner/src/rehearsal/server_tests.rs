//! What a client sees of each way to fail, on a real socket, byte by byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use agents::fake_provider::faults::{FailureKind, FailureProfile, Schedule};
use agents::fake_provider::{FakeProvider, FakeProviderSettings, ResponderKind, ScriptFile};
use serde_json::{Value, json};

use super::{Journal, Server};

fn server(profile: &str) -> Server {
    let profile = FailureProfile::parse(profile).expect("it is a profile");
    let script = ScriptFile::parse("answers = ['check_status(cache)']").expect("it is a script");
    let schedule = Schedule::new(profile, 1);
    let rules = FakeProviderSettings {
        brain: ResponderKind::ScriptFile(script),
        schedule,
        key: None,
        models: Vec::new(),
        latency_ms: 0,
    };
    let listener = Server::listen(0).expect("a free port");
    Server::start(listener, FakeProvider::new(rules), Journal::default()).expect("a thread")
}

/// Every request fails in this way.
fn failing(kind: FailureKind) -> Server {
    let share = if kind.passes() { "lost" } else { "refused" };
    server(&format!("{share} = 1000\nslow_ms = 8\nretry_after_seconds = [3]\n[weights]\n{} = 1", kind.name()))
}

fn request(text: &str, more: &str) -> String {
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": text }], "tools": [{ "function": { "name": "check_status" } }] });
    let body = body.to_string();
    format!("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n{more}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Who expects an end waits for it.
const PATIENT: Duration = Duration::from_secs(20);
/// Who expects none sees soon enough that nothing comes.
const HASTY: Duration = Duration::from_millis(60);

fn seen(address: SocketAddr, bytes: &str) -> (String, bool) {
    seen_within(PATIENT, address, bytes)
}

/// What came back, and whether the connection was closed then, or stayed open and silent.
fn seen_within(patience: Duration, address: SocketAddr, bytes: &str) -> (String, bool) {
    let mut stream = TcpStream::connect(address).expect("a server listens");
    stream.set_read_timeout(Some(patience)).expect("a time is given");
    stream.write_all(bytes.as_bytes()).expect("it can be sent");
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    let closed = loop {
        match stream.read(&mut piece) {
            Ok(0) => break true,
            Ok(read) => all.extend(&piece[..read]),
            Err(_) => break false,
        }
    };
    (String::from_utf8(all).expect("it is text"), closed)
}

/// Status, headers, the promised length, and the body that arrived.
fn parsed(text: &str) -> (u16, String, usize, String) {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text:?} has no head"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
    (status, head.to_string(), length.parse().expect("a number"), body.to_string())
}

fn is_json(body: &str) -> bool {
    serde_json::from_str::<Value>(body).is_ok()
}

#[test]
fn errors_arrive_with_their_status() {
    let check = |kind: FailureKind, expect: u16, after: Option<&str>| {
        let server = failing(kind);
        let (text, closed) = seen(server.address(), &request("x", "Connection: close\r\n"));
        let (status, head, length, body) = parsed(&text);
        assert_eq!((status, length, closed), (expect, body.len(), true), "{kind:?}");
        assert_eq!(head.lines().find_map(|line| line.strip_prefix("retry-after: ")), after, "{kind:?}");
        assert!(is_json(&body), "{body}");
    };
    check(FailureKind::RateLimitAfter, 429, Some("3"));
    check(FailureKind::RateLimit, 429, None);
    check(FailureKind::ServerError, 500, None);
    check(FailureKind::Unavailable, 503, None);
    check(FailureKind::Overloaded, 529, None);
    check(FailureKind::ContextTooLong, 400, None);
    check(FailureKind::Unauthorized, 401, None);
}

#[test]
fn answers_that_are_no_good_arrive_whole() {
    let check = |kind: FailureKind, json: bool, kind_of_body: &str| {
        let server = failing(kind);
        let (status, head, length, body) = parsed(&seen(server.address(), &request("x", "Connection: close\r\n")).0);
        assert_eq!((status, length, is_json(&body)), (200, body.len(), json), "{kind:?}: {body}");
        assert!(head.contains(&format!("content-type: {kind_of_body}")), "{kind:?}: {head}");
    };
    check(FailureKind::TruncatedJson, false, "application/json");
    check(FailureKind::InvalidJson, false, "application/json");
    check(FailureKind::WrongContentType, false, "text/html");
    check(FailureKind::EmptyContent, true, "application/json");
    check(FailureKind::Filtered, true, "application/json");
    check(FailureKind::BrokenArguments, true, "application/json");
    check(FailureKind::SlowBody, true, "application/json");
}

#[test]
fn connections_break_where_they_should() {
    let server = failing(FailureKind::CutBefore);
    assert_eq!(seen(server.address(), &request("x", "")), (String::new(), true));
    let server = failing(FailureKind::CutBody);
    let (text, closed) = seen(server.address(), &request("x", ""));
    let (status, _, length, body) = parsed(&text);
    assert_eq!((status, body.len(), closed), (200, length / 2, true), "half of what was promised");
    let server = failing(FailureKind::ShortLength);
    let (text, closed) = seen(server.address(), &request("x", ""));
    let (_, head, length, body) = parsed(&text);
    assert_eq!((length, closed), (body.len() / 2, true), "twice what was promised");
    assert!(head.contains("connection: close") && is_json(&body) && !is_json(&body[..length]));
}

#[test]
fn whoever_waits_waits_until_they_leave() {
    let server = failing(FailureKind::Timeout);
    assert_eq!(seen_within(HASTY, server.address(), &request("x", "")), (String::new(), false));
    let server = failing(FailureKind::StalledBody);
    let (text, closed) = seen_within(HASTY, server.address(), &request("x", ""));
    let (status, _, length, body) = parsed(&text);
    assert_eq!((status, body.len(), closed), (200, length / 2, false));
}

#[test]
fn a_stop_does_not_wait_for_those_who_wait() {
    let server = failing(FailureKind::Timeout);
    let mut stream = TcpStream::connect(server.address()).expect("a server listens");
    stream.write_all(request("x", "").as_bytes()).expect("it can be sent");
    // The request is known to be read once its line is in the log.
    while server.tally().is_empty() {
        thread::yield_now();
    }
    assert_eq!(server.stop().get("timeout"), Some(&1));
    assert_eq!(stream.read(&mut [0; 8]).expect("it was closed in order"), 0);
}

#[test]
fn connections_are_used_again_and_by_many_at_once() {
    let server = server("");
    let clients: Vec<_> = (0..64)
        .map(|client| {
            let address = server.address();
            thread::spawn(move || {
                let mut stream = TcpStream::connect(address).expect("a server listens");
                (0..20).map(|n| ask(&mut stream, &format!("{} {n}", client % 4))).collect::<Vec<String>>()
            })
        })
        .collect();
    let answers: Vec<Vec<String>> =
        clients.into_iter().map(|client| client.join().expect("it got its answers")).collect();
    for (client, answer) in answers.iter().enumerate() {
        assert_eq!(answer, &answers[client % 4], "the same questions have the same answers");
    }
    assert_eq!(server.stop().get("answered"), Some(&(64 * 20)));
}

/// One question and its answer on a connection that stays open.
fn ask(stream: &mut TcpStream, text: &str) -> String {
    stream.write_all(request(text, "").as_bytes()).expect("it can be sent");
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut piece).expect("it answers");
        assert!(read > 0, "the connection stays open");
        all.extend(&piece[..read]);
        let text = String::from_utf8_lossy(&all).into_owned();
        if text.contains("\r\n\r\n") {
            let (status, _, length, body) = parsed(&text);
            if body.len() == length {
                return format!("{status} {body}");
            }
        }
    }
}

#[test]
fn what_is_no_request_is_answered_and_ends_the_connection() {
    let server = server("");
    let (text, closed) = seen(server.address(), "hello\r\n\r\n");
    assert_eq!((parsed(&text).0, closed), (400, true));
    let (text, closed) = seen(server.address(), "DELETE /v1/messages HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!((parsed(&text).0, closed), (405, true));
    let chunks = "POST /chat/completions HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let (text, closed) = seen(server.address(), chunks);
    assert_eq!((parsed(&text).0, closed), (400, true));
    assert!(text.contains("`model` must be a string"), "{text}");
}
