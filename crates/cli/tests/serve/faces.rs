//! The same task, seed and actions give the same record through every face, and every record is one
//! that the other commands read.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::sweep::EpisodeLine;
use harness::tasks;
use harness::{Episode, EpisodeOptions, Noise, Scenario};
use serde_json::{Value, json};

use crate::json;
use crate::wire::{Server, Wire};

const TASK: &str = "cache_crash";
const SEED: u64 = 5;

/// A tool and its arguments.
fn actions() -> Vec<(&'static str, Value)> {
    vec![
        ("check_status", json!({ "service": "cache" })),
        ("inspect_config", json!({ "service": "cache", "key": "TTL_SECONDS" })),
        ("restart_service", json!({ "service": "nowhere" })),
        ("update_config", json!({ "service": "cache", "key": "TTL_SECONDS", "value": 240 })),
        ("restart_service", json!({ "service": "cache" })),
        ("resolve_incident", json!({ "root_cause": "the cache crashed", "fix": "restarted the cache" })),
    ]
}

/// An action as one object.
fn flat((tool, arguments): &(&str, Value)) -> Value {
    let mut action = arguments.clone();
    action["action"] = json!(tool);
    action
}

fn native() -> String {
    let task = tasks::find(tasks::embedded(), TASK).expect("it is there");
    let scenario = Arc::new(Scenario::prepare(&task, SEED, Noise(0)).expect("it pages"));
    let options = EpisodeOptions { agent: "serve".into(), suite: "selection".into(), ..EpisodeOptions::default() };
    let mut episode = Episode::start(&scenario, options);
    for action in actions() {
        episode.step(&flat(&action).to_string());
    }
    episode.finish().digest()
}

/// The lines of a folder.
fn lines(out: &Path) -> Vec<EpisodeLine> {
    let text = fs::read_to_string(out.join("episodes.jsonl")).expect("it was written");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of a run")).collect()
}

/// The digest of the one episode that a client plays on a server of its own.
fn served(play: impl FnOnce(&str)) -> String {
    let mut server = Server::start(&["--tasks", TASK]);
    play(&server.address);
    assert_eq!(server.stop(), Some(0));
    let lines = lines(&server.out);
    assert_eq!(lines.len(), 1);
    lines[0].digest.clone()
}

fn over_http(address: &str) {
    let mut wire = Wire::open(address);
    let first = json(&wire.post("/episode/reset", &json!({ "task_id": TASK, "seed": SEED }).to_string()).body);
    for (tool, arguments) in actions() {
        let mut action = arguments;
        action["action_type"] = json!(tool);
        let body = json!({ "session_id": first["session_id"], "action": action });
        assert_eq!(wire.post("/episode/step", &body.to_string()).status, 200);
    }
}

fn over_openenv_http(address: &str) {
    let mut wire = Wire::open(address);
    let first = wire.post("/reset", &json!({ "seed": SEED }).to_string());
    let session = first.header("x-session-id").expect("a session").to_string();
    for action in actions() {
        let body = json!({ "action": { "command": flat(&action).to_string() } }).to_string();
        assert_eq!(wire.ask("POST", "/step", &[("X-Session-ID", &session)], &body).status, 200);
    }
}

fn over_web_socket(address: &str) {
    let mut wire = Wire::web_socket(address, "/ws");
    wire.say(&json!({ "type": "reset", "data": { "seed": SEED } }).to_string());
    for action in actions() {
        let answer = wire.say(&json!({ "type": "step", "data": { "command": flat(&action).to_string() } }).to_string());
        assert_eq!(json(&answer)["type"], "observation");
    }
}

/// The result of a call of the Open Reward Standard, and the call's name.
fn told(body: &str) -> (Value, String) {
    let data: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    (json(data[1]), data[0].to_string())
}

fn over_ors(address: &str) {
    let mut wire = Wire::open(address);
    let session = |wire: &mut Wire| {
        let answer = wire.post("/create_session", "{}");
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        answer.body.lines().find_map(|line| line.strip_prefix("data: ")).expect("an id").to_string()
    };
    // A session that only looks leaves no record.
    let looking = session(&mut wire);
    let listed = json(&wire.post("/sre-zero/tasks", r#"{"split":"train"}"#).body);
    for path in ["/delete", "/delete_session"] {
        assert_eq!(wire.ask("POST", path, &[("X-Session-ID", &looking)], "").status, 200);
    }
    assert_eq!(wire.ask("POST", "/ping", &[("X-Session-ID", &looking)], "").status, 404);
    let playing = session(&mut wire);
    let header: &[(&str, &str)] = &[("X-Session-ID", &playing)];
    assert_eq!(wire.ask("GET", "/sre-zero/prompt", header, "").status, 409, "no task yet");
    let mut spec = listed["tasks"][0].clone();
    spec["seed"] = json!(SEED);
    let create = json!({ "task_spec": spec, "env_name": "sre-zero" }).to_string();
    assert_eq!(wire.ask("POST", "/create", header, &create).status, 200);
    assert_eq!(wire.ask("POST", "/create", header, &create).status, 400, "it has its task");
    let page = json(&wire.ask("GET", "/sre-zero/prompt", header, "").body);
    assert!(page[0]["text"].as_str().is_some_and(|text| text.contains("PAGE ")), "{page}");
    let tools = json(&wire.ask("GET", "/sre-zero/task_tools", header, "").body);
    assert!(tools["tools"][0]["input_schema"].is_object(), "{tools}");
    for (tool, arguments) in actions() {
        let mut body = json!({ "name": tool, "input": arguments });
        let (first, name) = told(&wire.ask("POST", "/sre-zero/call", header, &body.to_string()).body);
        assert!(first["ok"] == json!(true) && first["output"]["reward"].is_null(), "{first}");
        // The answer got lost: the same call by its name does nothing a second time.
        body["task_id"] = json!(name);
        assert_eq!(told(&wire.ask("POST", "/sre-zero/call", header, &body.to_string()).body).0, first);
        assert_eq!(first["output"]["finished"], json!(tool == "resolve_incident"));
    }
    for name in ["no_such_tool", "check_status"] {
        let body = json!({ "name": name, "input": { "service": "cache" } }).to_string();
        let (after, _) = told(&wire.ask("POST", "/sre-zero/call", header, &body).body);
        assert_eq!(after["ok"], json!(false), "{after}");
    }
}

fn messages() -> Vec<String> {
    let call = |(tool, arguments)| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    actions().into_iter().map(|action| call(action).to_string()).collect()
}

fn over_mcp_http(address: &str) {
    let mut wire = Wire::open(address);
    let hello =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-06-18" } });
    let first = wire.post(&format!("/mcp?seed={SEED}"), &hello.to_string());
    let session = first.header("mcp-session-id").expect("a session").to_string();
    for message in messages() {
        let answer = wire.ask("POST", "/mcp", &[("Mcp-Session-Id", &session)], &message);
        assert!(json(&answer.body)["result"]["content"].is_array(), "{answer:?}");
    }
    assert_eq!(wire.ask("DELETE", "/mcp", &[("Mcp-Session-Id", &session)], "").status, 200);
}

fn over_mcp_stdio() -> String {
    let out = std::env::temp_dir().join(format!("sre-zero-mcp-{}", std::process::id()));
    let mut child = Command::new(env!("CARGO_BIN_EXE_sre-zero"))
        .args(["mcp", "--task", TASK, "--seed", &SEED.to_string(), "--out"])
        .arg(&out)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    // A client that writes rubbish gets an answer, and goes on.
    input
        .write_all(format!("rubbish\n\n{}\n{}\n", "x".repeat(300_000), messages().join("\n")).as_bytes())
        .expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let told: Vec<Value> = String::from_utf8(output.stdout).expect("text").lines().map(json).collect();
    assert_eq!(
        told.iter().map(|t| t["error"]["code"].as_i64()).take(3).collect::<Vec<_>>(),
        [Some(-32700), Some(-32700), None]
    );
    let digest = lines(&out)[0].digest.clone();
    fs::remove_dir_all(out).expect("it was there");
    digest
}

#[test]
fn every_face_gives_the_same_record() {
    let native = native();
    assert_eq!(served(over_http), native, "HTTP");
    assert_eq!(served(over_openenv_http), native, "OpenEnv over HTTP");
    assert_eq!(served(over_web_socket), native, "WebSocket");
    assert_eq!(served(over_ors), native, "Open Reward Standard");
    assert_eq!(served(over_mcp_http), native, "MCP over HTTP");
    assert_eq!(over_mcp_stdio(), native, "MCP over stdio");
}

/// What goes on when the server stops is sealed; the folder is that of a run.
#[test]
fn a_server_that_stops_seals_every_episode() {
    let mut server = Server::start(&["--tasks", TASK]);
    let mut wire = Wire::open(&server.address);
    for agent in ["one", "one", "two"] {
        let body = json!({ "seed": SEED, "agent": agent }).to_string();
        let session = json(&wire.post("/episode/reset", &body).body)["session_id"].clone();
        let body = json!({ "session_id": session, "action": "inspect_logs(cache)" }).to_string();
        assert_eq!(wire.post("/episode/step", &body).status, 200);
    }
    let mut socket = Wire::web_socket(&server.address, "/ws?agent=three");
    socket.say(r#"{"type":"reset","data":{"seed":9}}"#);
    assert_eq!(server.stop(), Some(0));
    assert!(socket.hear().is_err(), "a WebSocket is told");
    let mut keys: Vec<String> = lines(&server.out).into_iter().map(|line| line.key).collect();
    keys.sort();
    let expect = [
        format!("one/{TASK}/{SEED}"),
        format!("one/{TASK}/{SEED}-r1"),
        format!("three/{TASK}/9"),
        format!("two/{TASK}/{SEED}"),
    ];
    assert_eq!(keys, expect);
    for (command, place) in
        keys.iter().map(|key| ("replay", format!("records/{key}.jsonl"))).chain([("rescore", ".".to_string())])
    {
        let mut check = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
        let output = check.arg(command).arg(server.out.join(&place)).output().expect("it starts");
        assert!(output.status.success(), "{command} {place}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A thousand times as fast: twenty milliseconds of a client are twenty seconds of the incident.
#[test]
fn a_paced_episode_is_recorded_so_that_it_replays() {
    let mut server = Server::start(&["--tasks", TASK, "--pace", "1000x"]);
    let mut wire = Wire::open(&server.address);
    let session = json(&wire.post("/episode/reset", &json!({ "seed": SEED }).to_string()).body)["session_id"].clone();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(20) {
        assert_eq!(wire.get("/health").status, 200);
    }
    let step = json!({ "session_id": session, "action": "inspect_logs(cache)" }).to_string();
    let seen = json(&wire.post("/episode/step", &step).body);
    assert_eq!(server.stop(), Some(0));
    let record = server.out.join(format!("records/serve/{TASK}/{SEED}.jsonl"));
    let text = fs::read_to_string(&record).expect("it was kept");
    let events: Vec<Value> = text.lines().map(json).collect();
    let (paged, stepped) = (&events[1], &events[2]);
    assert!(stepped["time"].as_u64() >= paged["time"].as_u64().map(|time| time + 15_000), "time has passed");
    assert_eq!(seen["info"]["world_time_ms"].as_u64(), Some(stepped["time"].as_u64().unwrap_or(0) + 30_000));
    let mut replay = Command::new(env!("CARGO_BIN_EXE_sre-zero"));
    assert!(replay.arg("replay").arg(&record).output().expect("it starts").status.success());
}
