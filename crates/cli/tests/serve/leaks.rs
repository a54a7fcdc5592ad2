//! No leak of truth: a client walks every endpoint and every tool, and nothing that it is told holds a
//! task's id, its title, its fault's name or its answer.

use std::sync::Arc;

use harness::tasks;
use harness::{Noise, Scenario, Task};
use serde_json::{Value, json};

use crate::json;
use crate::wire::{Server, Wire};

const SEED: u64 = 3;

/// A text that must not be seen, in lower case; a plain word such as `crash` may stand inside another.
struct Secret {
    text: String,
    whole_word: bool,
}

fn secrets(task: &Arc<Task>) -> Vec<Secret> {
    let secret = |text: &str, whole_word| Secret { text: text.trim().to_ascii_lowercase(), whole_word };
    let mut secrets = vec![secret(&task.id, true), secret(&task.title, false)];
    secrets.extend(task.faults.iter().map(|fault| secret(fault.fault.name(), true)));
    let scenario = Scenario::prepare(task, SEED, Noise(0)).expect("it pages");
    for call in scenario.solution() {
        if call.starts_with("resolve_incident") {
            let quoted = call.split('"').skip(1).step_by(2);
            secrets.extend(quoted.map(|text| secret(text, false)));
        } else if call.starts_with("update_config") || call.starts_with("restart_service") {
            secrets.push(secret(&call, false));
        }
    }
    secrets
}

/// A reply without the list of all causes, which is the same for every incident.
fn without_the_catalogue(reply: &str) -> String {
    let names: Vec<&str> = harness::grade::concepts::ALL.iter().map(|concept| concept.name).collect();
    let listed = ["\",\"", "\\\",\\\"", ", "].map(|joint| names.join(joint));
    listed.iter().fold(reply.to_string(), |text, list| text.replace(list, ""))
}

fn search(place: &str, reply: &str, secrets: &[Secret]) {
    let text = without_the_catalogue(reply).to_ascii_lowercase();
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    for Secret { text: secret, whole_word } in secrets {
        let found = text.match_indices(secret.as_str()).any(|(at, _)| {
            let alone = !part(text[..at].chars().next_back()) && !part(text[at + secret.len()..].chars().next());
            !whole_word || alone
        });
        assert!(!found, "{place} shows `{secret}`: {reply}");
    }
}

/// Calls that look at everything, as far as the schemas say what there is.
fn looks(tools: &Value) -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for tool in tools.as_array().expect("a list").iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true) {
        let name = tool["name"].as_str().expect("a name").to_string();
        let schema = &tool["inputSchema"];
        let needed: Vec<&str> =
            schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let services = schema["properties"]["service"]["enum"].as_array().cloned().unwrap_or(vec![Value::Null]);
        for service in services {
            let mut arguments: Value = needed.iter().map(|name| (name.to_string(), json!("error"))).collect();
            if !service.is_null() {
                arguments["service"] = service;
            }
            calls.push((name.clone(), arguments));
        }
    }
    calls
}

fn rpc(method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

/// One incident, looked at with every tool over every face; a budget ends, so there are several episodes.
fn walk(wire: &mut Wire, address: &str, index: usize, secrets: &[Secret]) {
    let reset = json!({ "index": index, "seed": SEED }).to_string();
    let begin = |wire: &mut Wire| {
        let answer = wire.post("/episode/reset", &reset).body;
        search("/episode/reset", &answer, secrets);
        json(&answer)["session_id"].as_str().expect("a session").to_string()
    };
    let mut session = begin(wire);
    let listed = wire.post(&format!("/mcp/{session}"), &rpc("tools/list", json!({}))).body;
    search("tools/list", &listed, secrets);
    for (tool, arguments) in looks(&json(&listed)["result"]["tools"]) {
        let answer = wire
            .post(&format!("/mcp/{session}"), &rpc("tools/call", json!({ "name": tool, "arguments": arguments })))
            .body;
        search(&format!("{tool} {arguments}"), &answer, secrets);
        if json(&answer)["result"]["_meta"]["sre-zero/done"] == true {
            session = begin(wire);
        }
    }
    for (method, params) in [
        ("initialize", json!({})),
        ("server/discover", json!({})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "page" })),
        ("tools/call", json!({ "name": "nothing" })),
        ("tools/call", json!({ "name": "restart_service", "arguments": {} })),
        ("tools/call", json!({ "name": "escalate", "arguments": { "reason": "enough" } })),
    ] {
        search(method, &wire.post(&format!("/mcp/{session}"), &rpc(method, params)).body, secrets);
    }
    search("/episode/state", &wire.get(&format!("/episode/state?session_id={session}")).body, secrets);
    let mut socket = Wire::web_socket(address, "/ws");
    for message in [
        json!({ "type": "reset", "data": { "index": index, "seed": SEED } }),
        json!({ "type": "step", "data": { "command": "inspect_metrics(cache)" } }),
        json!({ "type": "step", "data": { "command": "what is it?" } }),
        json!({ "type": "step", "data": { "command": "escalate(enough)" } }),
        json!({ "type": "state" }),
    ] {
        search("/ws", &socket.say(&message.to_string()), secrets);
    }
}

#[test]
fn no_reply_names_the_task_the_fault_or_the_answer() {
    let server = Server::start(&["--tools", "full"]);
    let mut wire = Wire::open(&server.address);
    let tasks = harness::suites::select(tasks::embedded(), "srezero-40").expect("the suite is there");
    let every: Vec<Secret> =
        tasks.iter().flat_map(|task| vec![Secret { text: task.id.clone(), whole_word: true }]).collect();
    // Every seventh has all of its tools called; all of them are searched for in the rest.
    for (index, task) in tasks.iter().enumerate().step_by(7) {
        walk(&mut wire, &server.address, index, &secrets(task));
    }
    for path in [
        "/health",
        "/tasks",
        "/episodes",
        "/openapi.json",
        "/schema",
        "/metadata",
        "/state",
        "/list_environments",
        "/sre-zero/splits",
        "/nothing",
    ] {
        search(path, &wire.get(path).body, &every);
    }
    for (path, body) in [
        ("/sre-zero/tasks", r#"{"split":"test"}"#),
        ("/sre-zero/task", r#"{"split":"test","index":0}"#),
        ("/sre-zero/task", r#"{"split":"test","index":99}"#),
        ("/sre-zero/task_range", r#"{"split":"train","start":1,"stop":4}"#),
        ("/sre-zero/num_tasks", "{}"),
        ("/reset", r#"{"split":"test","index":2}"#),
        ("/reset", r#"{"task_id":"nothing"}"#),
        ("/mcp", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
    ] {
        search(path, &wire.post(path, body).body, &every);
    }
    assert!(wire.get("/tasks").body.contains("task-40"), "all of them are on offer");
}

#[test]
#[should_panic(expected = "shows `the cache died`")]
fn a_leak_would_be_seen() {
    let secret = |text: &str, whole_word| Secret { text: text.to_string(), whole_word };
    // A word inside another is none.
    search("somewhere", "nobody crashed", &[secret("crash", true)]);
    search("somewhere", "it says that The Cache Died.", &[secret("the cache died", false)]);
}

/// Experimenters may have the ids; agents still do not.
#[test]
fn ids_are_shown_in_the_list_only_and_only_if_asked_for() {
    let server = Server::start(&["--show-ids", "--tasks", "cache_crash"]);
    let mut wire = Wire::open(&server.address);
    assert!(wire.get("/tasks").body.contains("cache_crash"));
    let reset = wire.post("/episode/reset", r#"{"task_id":"cache_crash"}"#);
    assert!(reset.status == 200 && !reset.body.contains("cache_crash"));
}
