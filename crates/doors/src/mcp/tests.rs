//! Both eras of the protocol and OpenEnv's methods, message by message.
#![allow(clippy::disallowed_types)]

use std::time::Duration;

use expect_test::{Expect, expect};
use faces::ToolSet;
use harness::{Noise, OVER};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::session::{Limits, Pace};
use crate::test_support::task;
use harness::Referee;
use harness::catalogue::{Catalogue, CatalogueSettings};

const OWN: SessionId = SessionId([7; 16]);
const OTHER: SessionId = SessionId([8; 16]);

fn sessions() -> Sessions {
    let settings = CatalogueSettings {
        suite: "selection".to_string(),
        tools: ToolSet::CLASSIC,
        noise: Noise(0),
        agent: "serve".to_string(),
        named: false,
        rewards: false,
        incidents: 4,
        clients: false,
        plan: None,
    };
    let catalogue = Catalogue::new(vec![task()], 1, settings, &Referee::new());
    let limits = Limits { sessions: 4, idle: Duration::from_secs(60) };
    Sessions::new(catalogue, limits, Pace::PER_ACTION, Box::new(drop))
}

fn client<'a>(sessions: &'a Sessions, fresh: &'a dyn Fn() -> SessionId, bound: Option<SessionId>) -> Client<'a> {
    Client { sessions, now: Duration::ZERO, fresh, bound, confined: bound.is_some(), usual: StartRequest::default() }
}

fn ask(client: &mut Client<'_>, method: &str, params: Value) -> Value {
    answer(client, &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).expect("an answer")
}

fn meta() -> Value {
    json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} })
}

#[test]
fn a_handshake_begins_an_episode_that_tools_play() {
    let sessions = sessions();
    let mut client = client(&sessions, &|| OWN, None);
    let hello = ask(&mut client, "initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {} }));
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    let page = hello["result"]["instructions"].as_str().expect("text").to_string();
    assert!(page.contains("PAGE"), "{page}");
    assert_eq!(client.bound, Some(OWN));
    let tools = ask(&mut client, "tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names.len(), 8);
    assert!(names.contains(&"resolve_incident") && names.contains(&"escalate"));
    assert_eq!(tools["result"].get("resultType"), None, "the earlier era knows no such thing");
    let prompt = ask(&mut client, "prompts/get", json!({ "name": "page" }));
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], page);
    let looked = ask(&mut client, "tools/call", json!({ "name": "check_status", "arguments": { "service": "cache" } }));
    assert_eq!(
        (&looked["result"]["isError"], &looked["result"]["content"][1]["text"]),
        (&json!(false), &json!("7 of 8 actions are left."))
    );
    let wrong =
        ask(&mut client, "tools/call", json!({ "name": "check_status", "arguments": { "service": "nowhere" } }));
    assert_eq!(wrong["result"]["isError"], true);
    let end = ask(&mut client, "tools/call", json!({ "name": "escalate", "arguments": { "reason": "enough" } }));
    assert_eq!(end["result"]["_meta"]["sre-zero/terminated"], true);
    assert_eq!(end["result"]["_meta"].get("sre-zero/reward"), None);
    assert_eq!(end["result"]["isError"], false);
    let late = ask(&mut client, "tools/call", json!({ "name": "check_status", "arguments": { "service": "cache" } }));
    assert_eq!((&late["result"]["isError"], &late["result"]["content"][0]["text"]), (&json!(true), &json!(OVER)));
}

#[test]
fn without_a_handshake_every_request_stands_alone() {
    let sessions = sessions();
    let mut client = client(&sessions, &|| OWN, None);
    let found = ask(&mut client, "server/discover", json!({ "_meta": meta() }));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(found["result"]["resultType"], "complete");
    assert_eq!(found["result"]["cacheScope"], "private");
    let tools = ask(&mut client, "tools/list", json!({ "_meta": meta() }));
    assert_eq!(tools["result"]["tools"][0]["name"], "start_incident");
    let started = ask(
        &mut client,
        "tools/call",
        json!({ "name": "start_incident", "arguments": { "seed": 1 }, "_meta": meta() }),
    );
    let handle = started["result"]["_meta"]["sre-zero/session"].clone();
    assert_eq!(client.bound, None);
    let call =
        json!({ "name": "check_status", "arguments": { "service": "cache", "session": handle }, "_meta": meta() });
    let looked = ask(&mut client, "tools/call", call);
    assert_eq!((&looked["result"]["isError"], &looked["result"]["resultType"]), (&json!(false), &json!("complete")));
    let lost = ask(
        &mut client,
        "tools/call",
        json!({ "name": "check_status", "arguments": { "service": "cache" }, "_meta": meta() }),
    );
    assert_eq!(lost["error"]["code"], INVALID_PARAMS);
}

#[test]
fn wrong_messages_get_the_right_numbers() {
    let sessions = sessions();
    sessions.open_with(OWN, StartRequest::default(), Duration::ZERO).expect("there is room");
    let check = |message: Value, expect: Expect| {
        let answer = answer(&mut client(&sessions, &|| OTHER, Some(OWN)), &message);
        let shown = answer
            .map_or("nothing".to_string(), |a| format!("{} {} {}", a["id"], a["error"]["code"], a["error"]["message"]));
        expect.assert_eq(&shown);
    };
    let request =
        |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    check(json!({}), expect![[r#"null -32600 "`jsonrpc` must be \"2.0\"""#]]);
    check(json!([]), expect![[r#"null -32600 "a message is a JSON object""#]]);
    check(json!("x"), expect![[r#"null -32600 "a message is a JSON object""#]]);
    check(json!({"jsonrpc": "2.0", "id": 3}), expect![[r#"3 -32600 "`method` is missing""#]]);
    check(
        json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
        expect![[r#"null -32600 "`id` takes text or a number""#]],
    );
    check(json!({"jsonrpc": "2.0", "id": 3, "result": {}}), expect!["nothing"]);
    check(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), expect!["nothing"]);
    check(request("resources/list", json!({})), expect![[r#""a" -32601 "there is no such method here""#]]);
    check(request("tools/call", json!([])), expect![[r#""a" -32602 "`params` takes an object""#]]);
    check(request("tools/call", json!({})), expect![[r#""a" -32602 "`name` takes the name of a tool""#]]);
    for name in ["__proto__", "constructor", "toString", "start_incident", ""] {
        check(
            request("tools/call", json!({ "name": name })),
            expect![[
                r#""a" -32602 "there is no such tool; there are inspect_logs, inspect_metrics, check_status, inspect_config, restart_service, update_config, resolve_incident, escalate""#
            ]],
        );
    }
    check(
        request("tools/call", json!({ "name": "escalate", "arguments": "x" })),
        expect![[r#""a" -32602 "`arguments` takes an object""#]],
    );
    check(
        request("tools/list", json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } })),
        expect![[r#""a" -32022 "this revision of the protocol is not spoken here""#]],
    );
    check(
        request("openenv/session/close", json!({ "session_id": OWN.to_string() })),
        expect![[r#""a" -32600 "this session ends with its connection""#]],
    );
}

/// A client of one session reaches no other, even by a right id.
#[test]
fn a_confined_client_stays_in_its_session() {
    let sessions = sessions();
    for id in [OWN, OTHER] {
        sessions.open_with(id, StartRequest::default(), Duration::ZERO).expect("there is room");
    }
    let mut confined = client(&sessions, &|| SessionId([9; 16]), Some(OWN));
    for (method, params) in [
        ("tools/list", json!({ "session_id": OTHER.to_string() })),
        ("tools/call", json!({ "name": "escalate", "arguments": { "reason": "x" }, "session_id": OTHER.to_string() })),
        ("openenv/session/close", json!({ "session_id": OTHER.to_string() })),
    ] {
        let answer = ask(&mut confined, method, params);
        assert_eq!(answer["error"]["message"], Refusal::UnknownSession.to_string(), "{method}");
    }
    let own = ask(&mut confined, "openenv/session/create", json!({ "seed": 5 }));
    assert_eq!(own["result"]["session_id"], OWN.to_string(), "it gets no second one");
    assert_eq!(sessions.count().0, 2);
}

#[test]
fn openenv_opens_and_closes_sessions_itself() {
    let sessions = sessions();
    let mut client = client(&sessions, &|| OWN, None);
    let made = ask(&mut client, "openenv/session/create", json!({}));
    let id = made["result"]["session_id"].clone();
    let tools = ask(&mut client, "tools/list", json!({ "session_id": id }));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(8));
    let closed = ask(&mut client, "openenv/session/close", json!({ "session_id": id }));
    assert_eq!(closed["result"]["closed"], true);
    let gone = ask(&mut client, "tools/list", json!({ "session_id": id }));
    assert_eq!(gone["error"]["code"], INVALID_PARAMS);
}

#[test]
fn headers_must_say_what_the_body_says() {
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "escalate", "_meta": meta() } });
    let old = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let check = |body: &Value, version: Option<&str>, method: Option<&str>, name: Option<&str>, expect: Option<i64>| {
        assert_eq!(Headers { version, method, name }.check(body).err().map(|fault| fault.code), expect);
    };
    check(&body, Some("2026-07-28"), Some("tools/call"), Some("escalate"), None);
    check(&body, Some("2026-07-28"), Some("tools/list"), Some("escalate"), Some(HEADER_MISMATCH));
    check(&body, Some("2026-07-28"), Some("tools/call"), Some("other"), Some(HEADER_MISMATCH));
    check(&body, Some("2025-11-25"), Some("tools/call"), Some("escalate"), Some(HEADER_MISMATCH));
    check(&body, None, Some("tools/call"), None, Some(HEADER_MISMATCH));
    check(&old, None, None, None, None);
    check(&old, Some("2025-11-25"), None, None, None);
    check(&old, Some("1900-01-01"), None, None, Some(INVALID_REQUEST));
    check(&json!({}), None, None, None, None);
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("tools/call".to_string()),
        Just("initialize".to_string()),
        Just("__proto__".to_string()),
        Just("\u{0}../..".to_string()),
        Just(OWN.to_string()),
        Just("check_status".to_string()),
        Just("cache".to_string()),
        Just("2.0".to_string()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let key = prop_oneof![
            Just("jsonrpc"),
            Just("id"),
            Just("method"),
            Just("params"),
            Just("name"),
            Just("arguments"),
            Just("session_id"),
            Just("session"),
            Just("_meta"),
            Just("service"),
            Just("seed"),
            Just("constructor"),
        ];
        let fields = prop::collection::vec((key, inner.clone()), 0..6);
        let object = fields.prop_map(|all| all.into_iter().map(|(k, v)| (k.to_string(), v)).collect::<Value>());
        prop_oneof![prop::collection::vec(inner, 0..4).prop_map(Value::from), object]
    })
}

proptest! {
    /// Whatever comes is answered in the protocol or not at all, and never names the task.
    #[test]
    fn any_message_is_answered_or_ignored(message in any_json(), method in "[a-z/_]{0,20}", params in any_json()) {
        let sessions = sessions();
        sessions.open_with(OWN, StartRequest::default(), Duration::ZERO).expect("there is room");
        for message in [message, json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params.clone() }),
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })] {
            for bound in [None, Some(OWN)] {
                let answers = answer(&mut client(&sessions, &|| OTHER, bound), &message);
                for one in answers.iter().flat_map(|a| a.as_array().cloned().unwrap_or_else(|| vec![a.clone()])) {
                    prop_assert!(one.get("result").is_some() != one.get("error").is_some());
                    prop_assert!(!one.to_string().contains("gone"));
                }
            }
        }
    }
}
