//! The rehearsal provider as users start it: a ready line, a log, an end in order.

mod provider;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use agents::fake_provider::RequestEntry;
use harness::sha256;
use provider::FakeProvider;

fn body(text: &str) -> String {
    format!("{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{text}\"}}]}}")
}

/// What comes back for a request until the connection ends, or nothing more comes.
fn post(address: SocketAddr, body: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a server listens");
    stream.set_read_timeout(Some(Duration::from_millis(1500))).expect("a time is given");
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\n{more}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).expect("it can be sent");
    let mut all = Vec::new();
    // A client that waits no longer has seen what it has seen.
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

fn status(reply: &str) -> Option<u16> {
    reply.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

#[test]
fn it_is_ready_answers_writes_down_and_ends() {
    let provider = FakeProvider::start("ready", &[]);
    assert!(provider.url("/v1").starts_with("http://127.0.0.1:"));
    for n in 1..=3 {
        let text = body(&format!("question {n}"));
        assert_eq!(status(&post(provider.address(), &text, "")), Some(200));
        let lines = provider.lines();
        assert_eq!(lines.len(), n, "a line is written before its answer leaves");
        let line = &lines[n - 1];
        assert_eq!((line.seq, line.body.clone(), line.attempt), (n as u64, sha256(text.as_bytes()), 1));
        assert_eq!((line.did.as_str(), line.status, line.fault), ("answered", Some(200), None));
    }
    assert_eq!(provider.interrupt(), (Some(0), "3 requests: 3 answered\n".to_string()));
}

#[test]
fn a_wrong_key_and_a_wrong_model_are_refused_and_no_key_is_written() {
    let provider = FakeProvider::start("key", &["--key", "canary-key", "--models", "m,n"]);
    let key = "Authorization: Bearer canary-key\r\n";
    let check = |model: &str, header: &str, expect: u16| {
        let body = body("x").replace("\"m\"", &format!("{model:?}"));
        let reply = post(provider.address(), &body, header);
        assert_eq!(status(&reply), Some(expect), "{reply}");
        assert!(!reply.contains("canary"), "{reply}");
    };
    check("m", key, 200);
    check("m", "", 401);
    check("m", "Authorization: Bearer other-canary\r\n", 401);
    check("gpt-9", key, 404);
    let text: String = provider.lines().iter().map(RequestEntry::to_json).collect();
    assert!(!text.contains("canary"), "{text}");
}

/// What a client must make of a reply, judged by the bytes alone.
fn judged(reply: &str) -> Option<&'static str> {
    let Some((head, body)) = reply.split_once("\r\n\r\n") else { return Some("network or timeout") };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).and_then(|n| n.parse::<usize>().ok());
    match status(reply) {
        Some(429) => Some("rate_limit"),
        Some(500 | 503 | 529) => Some("server_error"),
        Some(401) => Some("authentication"),
        Some(400) => Some("context_too_long"),
        _ if length.is_some_and(|length| body.len() < length) => Some("network or timeout"),
        _ if length.is_some_and(|length| body.len() > length) => Some("malformed_reply"),
        _ if !body.starts_with("{\"choices") || !body.ends_with('}') => Some("malformed_reply"),
        _ if body.contains("\"finish_reason\":\"content_filter\"") => Some("filtered"),
        _ if body.contains("\"content\":\"\"") => Some("empty_reply"),
        _ => None,
    }
}

#[test]
fn in_a_storm_the_log_says_what_clients_saw_and_order_does_not_matter() {
    let args = ["--faults", "storm", "--seed", "3", "--retry-after", "0"];
    let (first, second) = (FakeProvider::start("storm-1", &args), FakeProvider::start("storm-2", &args));
    let requests: Vec<String> = (0..120).map(|n| body(&format!("question {n}"))).collect();
    let backwards: Vec<String> = requests.iter().rev().cloned().collect();
    let seen = [(&first, requests), (&second, backwards)].map(|(provider, requests)| {
        let address = provider.address();
        let workers = requests.chunks(15).map(<[String]>::to_vec).map(|part| {
            let play = move |body: &String| {
                (sha256(body.as_bytes()), (0..6).map(|_| judged(&post(address, body, ""))).collect())
            };
            thread::spawn(move || part.iter().map(play).collect::<Vec<(String, Vec<Option<&str>>)>>())
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("it is done")).collect::<BTreeMap<_, _>>()
    });
    assert_eq!(seen[0], seen[1]);
    let mut logged: BTreeMap<String, Vec<Option<&str>>> = BTreeMap::new();
    let mut lines = first.lines();
    lines.sort_by_key(|line| line.attempt);
    for line in lines {
        let fault = line.fault.map(|fault| match fault.name() {
            "network" | "timeout" => "network or timeout",
            other => other,
        });
        logged.entry(line.body).or_default().push(fault);
    }
    assert_eq!(logged, seen[0]);
    assert!(logged.values().filter(|tries| tries[5].is_none()).count() > 100, "most are answered in the end");
}
