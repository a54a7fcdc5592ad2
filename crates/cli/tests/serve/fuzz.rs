//! A fuzzer against each face: whatever comes, the server answers in its words or closes, and goes on.

use serde_json::{Value, json};

use crate::json;
use crate::wire::{Server, Wire};

const ROUNDS: u64 = 400;

/// Numbers that look like chance and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn value(&mut self, depth: usize, live: &str) -> Value {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(1000) as i64 - 500),
            3 => json!(f64::MAX),
            4 => json!(live),
            5 => json!(self.pick(WORDS)),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1, live)).collect(),
            _ => {
                let mut object = json!({});
                for _ in 0..self.below(5) {
                    object[self.pick(KEYS)] = self.value(depth - 1, live);
                }
                object
            }
        }
    }
}

const KEYS: &[&str] = &[
    "seed",
    "index",
    "split",
    "task_id",
    "agent",
    "episode_id",
    "session_id",
    "action",
    "raw_action",
    "action_type",
    "command",
    "service",
    "type",
    "data",
    "jsonrpc",
    "id",
    "method",
    "params",
    "name",
    "arguments",
    "_meta",
    "__proto__",
    "constructor",
    "start",
    "stop",
    "key",
    "value",
    "session",
    "input",
    "task_spec",
];
const WORDS: &[&str] = &[
    "",
    "2.0",
    "reset",
    "step",
    "state",
    "mcp",
    "tools/call",
    "tools/list",
    "initialize",
    "server/discover",
    "prompts/get",
    "page",
    "openenv/session/create",
    "openenv/session/close",
    "inspect_logs",
    "check_status(cache)",
    "update_config",
    "cache",
    "../../../etc/passwd",
    "__proto__",
    "\u{0}",
    "\u{202e}",
    "😀",
    "' OR 1=1 --",
    "${jndi}",
    "test",
    "task-01",
    "restart_service(cache)",
    "[[[[",
    "{\"action\":\"x\"}",
    "%s%s%n",
];
const PATHS: &[&str] = &[
    "/create_session",
    "/create",
    "/ping",
    "/sre-zero/call",
    "/episode/reset",
    "/episode/step",
    "/episode/close",
    "/reset",
    "/step",
    "/mcp",
    "/sre-zero/tasks",
    "/sre-zero/task",
    "/sre-zero/task_range",
    "/sre-zero/num_tasks",
    "/episode/state",
    "/ws",
    "/tasks",
];
/// Everything that the server may say.
const STATUSES: &[u16] = &[200, 202, 400, 404, 405, 408, 409, 413, 422, 426, 503];

fn live(server: &Server) -> String {
    let answer = Wire::open(&server.address).post("/episode/reset", "{}");
    json(&answer.body)["session_id"].as_str().expect("a session").to_string()
}

#[test]
fn any_json_at_any_path_is_answered() {
    let server = Server::start(&["--max-sessions", "50"]);
    let (live, mut dice) = (live(&server), Dice(0x5EED));
    let mut wire = Wire::open(&server.address);
    for round in 0..ROUNDS {
        let (path, body) = (dice.pick(PATHS), dice.value(3, &live).to_string());
        let session = [("X-Session-ID", live.as_str())];
        let headers = if dice.below(2) == 0 { &session[..] } else { &[] };
        for (method, path) in [("POST", path.to_string()), ("POST", format!("/mcp/{live}"))] {
            let answer = wire.ask(method, &path, headers, &body);
            assert!(STATUSES.contains(&answer.status), "round {round}: {method} {path} {body}: {answer:?}");
            // Some answers are events, the last of which has the result.
            let result = answer.body.lines().rfind(|line| !line.is_empty()).map(|line| line.strip_prefix("data: "));
            let result = result.flatten().unwrap_or(&answer.body);
            assert!(result.is_empty() || serde_json::from_str::<Value>(result).is_ok(), "{answer:?}");
        }
    }
    assert_eq!(wire.get("/health").status, 200);
}

#[test]
fn any_text_on_the_web_socket_is_answered() {
    let server = Server::start(&[]);
    let (live, mut dice) = (live(&server), Dice(0xD1CE));
    let mut wire = Wire::web_socket(&server.address, "/ws");
    for round in 0..ROUNDS {
        let mut message = dice.value(3, &live);
        if let (0, Some(fields)) = (dice.below(2), message.as_object_mut()) {
            fields.insert("type".to_string(), json!(dice.pick(&["reset", "step", "state", "mcp"])));
        }
        if message["type"] == "close" {
            continue;
        }
        let answer = json(&wire.say(&message.to_string()));
        let kind = answer["type"].as_str().unwrap_or_default();
        assert!(["observation", "state", "mcp", "error"].contains(&kind), "round {round}: {message}: {answer}");
    }
}

#[test]
fn any_bytes_end_in_an_answer_or_a_closed_connection() {
    let server = Server::start(&["--read-timeout", "1"]);
    let mut dice = Dice(0xB17E5);
    for _ in 0..40 {
        let mut wire = Wire::open(&server.address);
        let mut bytes: Vec<u8> = (0..dice.below(600)).map(|_| dice.below(256) as u8).collect();
        if dice.below(2) == 0 {
            bytes.splice(0..0, *b"POST /episode/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");
        }
        bytes.extend_from_slice(b"\r\n\r\n");
        let _ = wire.send(&bytes);
        // Nothing but an end of the wait is asked for: an answer, or the end of the connection.
        let _ = wire.answer();
    }
    assert_eq!(Wire::open(&server.address).get("/health").status, 200);
}
