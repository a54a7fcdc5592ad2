//! A hostile client: what it sends is refused with the right words, what it holds up is cut off, and
//! the server goes on.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::json;
use crate::wire::{Server, Wire};

const TOKEN: &str = "correct-horse-battery-staple";

/// An id that is well formed and belongs to no session.
const NO_SESSION: &str = "0123456789abcdef0123456789abcdef";

fn session(wire: &mut Wire) -> String {
    let answer = wire.ask("POST", "/episode/reset", &[("Authorization", &format!("Bearer {TOKEN}"))], r#"{"seed":1}"#);
    json(&answer.body)["session_id"].as_str().expect("a session").to_string()
}

#[test]
fn wrong_requests_get_the_right_words() {
    let server = Server::start(&["--max-bytes", "2048"]);
    let live = session(&mut Wire::open(&server.address));
    let check = |method: &str, path: &str, headers: &[(&str, &str)], body: &str, status: u16, word: &str| {
        let answer = Wire::open(&server.address).ask(method, path, headers, body);
        let found = json(&answer.body);
        let error = if found["error"].is_object() { &found["error"]["message"] } else { &found["error"] };
        let error = error.as_str().unwrap_or_default();
        assert!(answer.status == status && error.contains(word), "{method} {path} {body}: {answer:?}");
    };
    let post = |path: &str, body: &str, status: u16, word: &str| check("POST", path, &[], body, status, word);
    post("/episode/reset", "{", 400, "invalid_json");
    post("/episode/reset", "[]", 400, "json_body_must_be_object");
    post("/episode/reset", r#"{"sead":1}"#, 400, "invalid_request");
    post("/episode/reset", r#"{"seed":-1}"#, 400, "invalid_request");
    post("/episode/reset", r#"{"task_id":"../../tasks"}"#, 400, "invalid_request");
    post("/episode/reset", r#"{"agent":"../../up"}"#, 400, "invalid_request");
    post("/episode/reset", &format!(r#"{{"agent":"{}"}}"#, "x".repeat(4096)), 413, "too_large");
    post("/episode/reset", &"[".repeat(2000), 400, "invalid_json");
    post("/episode/step", "{}", 400, "missing_session");
    post("/episode/step", &json!({ "session_id": live }).to_string(), 400, "missing_action");
    for encoding in ["deflate", "gzip", "br", "x"] {
        for path in ["/episode/reset", "/reset", "/mcp"] {
            check("POST", path, &[("Content-Encoding", encoding)], "{}", 415, "unsupported_encoding");
        }
    }
    let plain = Wire::open(&server.address).ask("POST", "/episode/reset", &[("Content-Encoding", "identity")], "{}");
    assert_eq!(plain.status, 200, "{plain:?}");
    for id in [NO_SESSION, "", "../../etc/passwd", "__proto__", "' OR 1=1", "0123456789ABCDEF0123456789ABCDEF"] {
        post("/episode/step", &json!({ "session_id": id, "action": "x" }).to_string(), 404, "unknown_session");
        post("/episode/close", &json!({ "session_id": id }).to_string(), 404, "unknown_session");
        check("POST", "/step", &[("X-Session-ID", id)], r#"{"action":{"command":"x"}}"#, 404, "unknown_session");
        check("GET", "/state", &[("X-Session-ID", id)], "", 404, "unknown_session");
        check("POST", "/create", &[("X-Session-ID", id)], r#"{"split":"test","index":0}"#, 404, "unknown_session");
        check("POST", "/sre-zero/call", &[("X-Session-ID", id)], r#"{"name":"x"}"#, 404, "unknown_session");
        check("POST", "/ping", &[("X-Session-ID", id)], "", 404, "unknown_session");
        check("POST", "/mcp", &[("Mcp-Session-Id", id)], "{}", 404, "unknown session");
        check("DELETE", "/mcp", &[("Mcp-Session-Id", id)], "", 404, "unknown_session");
    }
    post("/episode/step", &json!({ "session_id": { "a": 1 }, "action": "x" }).to_string(), 404, "unknown_session");
    for path in ["/mcp/..%2ftasks", "/mcp/%2e%2e", "/mcp/constructor", &format!("/mcp/{NO_SESSION}")] {
        check("POST", path, &[], "{}", 404, "unknown session");
    }
    for path in ["/../../etc/passwd", "/mcp/../tasks", "/records", "//tasks", "/tasks/", "/%00", "/__proto__/tasks"] {
        check("POST", path, &[], "{}", 404, "not_found");
    }
    check("POST", "/step", &[("X-Session-ID", &live)], r#"{"action":{"order":"x"}}"#, 422, "invalid_request");
    check("POST", "/step", &[("X-Session-ID", &live)], r#"{"action":"x"}"#, 422, "invalid_request");
    check("PUT", "/tasks", &[], "", 405, "method_not_allowed");
    check("GET", "/mcp", &[], "", 405, "method_not_allowed");
    post("/sre-zero/task", r#"{"split":"test","index":99}"#, 400, "invalid_request");
    post("/sre-zero/tasks", r#"{"split":"secret"}"#, 400, "invalid_request");
    check("GET", "/tasks", &[("Origin", "https://example.com")], "", 403, "forbidden");
    check("GET", "/tasks", &[("Host", "example.com")], "", 403, "forbidden");
    assert_eq!(Wire::open(&server.address).get("/health").status, 200);
}

#[test]
fn prototype_methods_are_no_tools() {
    let server = Server::start(&["--max-bytes", "4096"]);
    let mut wire = Wire::open(&server.address);
    let live = session(&mut wire);
    for name in ["__proto__", "constructor", "toString", "hasOwnProperty", "__class__", "reset", "close", "../x"] {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name } });
        let answer = json(&wire.post(&format!("/mcp/{live}"), &call.to_string()).body);
        assert_eq!(answer["error"]["code"], -32602, "{name}");
        let step = json!({ "session_id": live, "action": { "action_type": name, "__proto__": { "x": 1 } } });
        let answer = wire.post("/episode/step", &step.to_string());
        assert_eq!(answer.status, 200);
        let said = json(&answer.body)["observation"]["last_result"].clone();
        let over = said["summary"] == "The episode is over.";
        assert!(over || said["error"].is_string(), "{name}: {said}");
    }
}

#[test]
fn without_the_token_nobody_gets_in() {
    let server = Server::start(&["--token", TOKEN]);
    let mut wire = Wire::open(&server.address);
    let live = session(&mut wire);
    let (own, right) = (format!("/mcp/{live}"), format!("Bearer {TOKEN}"));
    for wrong in [None, Some("Bearer wrong-horse-battery-staple"), Some("Bearer"), Some(TOKEN), Some("Basic eDp5")] {
        let headers: Vec<(&str, &str)> = wrong.map(|token| ("Authorization", token)).into_iter().collect();
        for (method, path) in [
            ("GET", "/tasks"),
            ("GET", "/episodes"),
            ("POST", "/episode/reset"),
            ("POST", "/episode/step"),
            ("POST", "/reset"),
            ("POST", "/create_session"),
            ("POST", "/sre-zero/call"),
            ("POST", "/mcp"),
            ("GET", "/ws"),
            ("GET", "/openapi.json"),
            ("GET", "/nothing"),
        ] {
            let answer = wire.ask(method, path, &headers, &json!({ "session_id": live }).to_string());
            assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")), "{method} {path}");
        }
    }
    assert_eq!(wire.get("/health").status, 200, "whether it is up is no secret");
    assert_eq!(wire.ask("GET", "/tasks", &[("Authorization", &right)], "").status, 200);
    assert_eq!(wire.ask("GET", "/tasks", &[("X-API-Key", TOKEN)], "").status, 200, "as ORS clients show it");
    assert_eq!(wire.ask("GET", "/tasks", &[("X-API-Key", &right)], "").status, 401);
    // Who has a session's address can play it without the token, and no other.
    let other = session(&mut wire);
    let call = |id: &str| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "session_id": id } }).to_string()
    };
    assert!(json(&wire.post(&own, &call(&live)).body)["result"]["tools"].is_array());
    assert_eq!(json(&wire.post(&own, &call(&other)).body)["error"]["code"], -32602);
    let create = json!({ "jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {} });
    assert_eq!(json(&wire.post(&own, &create.to_string()).body)["result"]["session_id"], live);
}

#[test]
fn a_server_for_other_machines_needs_a_token() {
    let refused = |args: &[&str]| {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
        let output = serve.arg("serve").args(args).env_remove("SRE_ZERO_TOKEN").output().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(refused(&["--host", "0.0.0.0"]).contains("set SRE_ZERO_TOKEN"));
    assert!(refused(&["--host", "0.0.0.0", "--token", "short"]).contains("at least 16"));
}

#[test]
fn slow_clients_are_cut_off() {
    let server = Server::start(&["--read-timeout", "1"]);
    let mut head = Wire::open(&server.address);
    head.send(b"POST /episode/reset HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").expect("it is open");
    let mut body = Wire::open(&server.address);
    body.send(b"POST /episode/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{").expect("it is open");
    let mut silent = Wire::open(&server.address);
    assert_eq!(body.answer().expect("it is told").status, 408);
    // Either word is an end: a 408, or the connection closed.
    assert!(head.answer().map_or(true, |answer| answer.status == 408));
    assert!(silent.is_closed());
    assert_eq!(Wire::open(&server.address).get("/health").status, 200);
}

/// A connection that only pings is idle all the same.
#[test]
fn who_is_idle_is_sent_away() {
    let server = Server::start(&["--idle", "1"]);
    let mut wire = Wire::open(&server.address);
    let live = session(&mut wire);
    let mut socket = Wire::web_socket(&server.address, "/ws");
    socket.frame(0x89, b"ping").expect("it is open");
    assert_eq!(socket.hear().expect("a pong"), "ping");
    assert!(socket.hear().is_err(), "it is closed");
    // Sessions are looked through now and then; the count falls without one being closed.
    let begin = Instant::now();
    while json(&wire.get("/health").body)["sessions"] != 0 {
        assert!(begin.elapsed() < Duration::from_secs(30), "the session is still there");
    }
    assert_eq!(wire.get(&format!("/episode/state?session_id={live}")).status, 404);
}

#[test]
fn caps_hold() {
    let server = Server::start(&["--max-sessions", "2", "--max-incidents", "2"]);
    let mut wire = Wire::open(&server.address);
    let reset = |wire: &mut Wire, seed: u64| wire.post("/episode/reset", &json!({ "seed": seed }).to_string());
    let first = json(&reset(&mut wire, 1).body)["session_id"].clone();
    assert_eq!(reset(&mut wire, 2).status, 200);
    let full = reset(&mut wire, 1);
    assert_eq!((full.status, full.header("retry-after")), (503, Some("5")));
    assert_eq!(json(&full.body)["error"], "full");
    let mut socket = Wire::web_socket(&server.address, "/ws");
    assert_eq!(json(&socket.hear().expect("a reason"))["data"]["code"], "CAPACITY_REACHED");
    assert_eq!(wire.post("/episode/close", &json!({ "session_id": first }).to_string()).status, 200);
    assert_eq!(reset(&mut wire, 1).status, 200);
}

#[test]
fn a_web_socket_takes_no_nonsense() {
    let server = Server::start(&["--max-bytes", "4096"]);
    let mut wire = Wire::web_socket(&server.address, "/ws");
    let mut check = |text: &str, code: &str| {
        let answer = json(&wire.say(text));
        assert_eq!((&answer["type"], &answer["data"]["code"]), (&json!("error"), &json!(code)), "{text}");
    };
    check("", "INVALID_JSON");
    check("{", "INVALID_JSON");
    check("[]", "INVALID_JSON");
    check("{}", "UNKNOWN_TYPE");
    check(r#"{"type":"__proto__"}"#, "UNKNOWN_TYPE");
    check(r#"{"type":"step","data":{"command":"x"}}"#, "EXECUTION_ERROR");
    check(r#"{"type":"step","data":{"order":"x"}}"#, "VALIDATION_ERROR");
    check(r#"{"type":"step","data":"x"}"#, "VALIDATION_ERROR");
    check(r#"{"type":"reset","data":{"seed":"one"}}"#, "VALIDATION_ERROR");
    check(r#"{"type":"reset","data":{"task_id":"/etc/passwd"}}"#, "VALIDATION_ERROR");
    let state: Value = json(&wire.say(r#"{"type":"state"}"#));
    assert_eq!(state["data"], json!({ "episode_id": null, "step_count": 0 }));
    let answer = json(&wire.say(r#"{"type":"mcp","data":{}}"#));
    assert_eq!(answer["data"]["error"]["code"], -32600);
    wire.frame(0x82, b"bytes").expect("it is open");
    assert_eq!(json(&wire.hear().expect("an answer"))["data"]["code"], "INVALID_JSON");
    // Other people's sessions cannot be joined without their id, nor with a made-up one.
    let mut stranger = Wire::web_socket(&server.address, &format!("/ws?session_id={NO_SESSION}"));
    assert_eq!(json(&stranger.hear().expect("a reason"))["data"]["code"], "SESSION_ERROR");
    // Too long a message ends the connection; the server goes on.
    let _ = wire.frame(0x81, &vec![b'x'; 100_000]);
    assert!(wire.hear().is_err());
    assert_eq!(Wire::open(&server.address).get("/health").status, 200);
}
