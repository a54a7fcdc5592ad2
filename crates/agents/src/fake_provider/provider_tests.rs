//! What the provider does about requests: faults as the schedule says, refusals, the log.

use serde_json::{Value, json};

use super::faults::{FailureKind, FailureProfile, Schedule};
use super::{
    FakeProvider, FakeProviderSettings, IncomingRequest, Manner, PlannedReply, RequestEntry, RequestLimit,
    ResponderKind, ScriptFile,
};

/// Every request fails in this way, and only in this way.
fn always(kind: FailureKind) -> FailureProfile {
    let share = if kind.passes() { "lost" } else { "refused" };
    FailureProfile::parse(&format!(
        "{share} = 1000\nslow_ms = 5\nretry_after_seconds = [7]\n[weights]\n{} = 1",
        kind.name()
    ))
    .expect("it is a profile")
}

fn rules(profile: FailureProfile) -> FakeProviderSettings {
    let script = ScriptFile::parse("answers = ['check_status(cache)']").expect("it is a script");
    let schedule = Schedule::new(profile, 1);
    FakeProviderSettings {
        brain: ResponderKind::ScriptFile(script),
        schedule,
        key: None,
        models: Vec::new(),
        latency_ms: 0,
    }
}

fn body(text: &str, tools: bool) -> Vec<u8> {
    let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": text }] });
    if tools {
        body["tools"] = json!([{ "type": "function", "function": { "name": "check_status" } }]);
    }
    body.to_string().into_bytes()
}

fn post(provider: &FakeProvider, body: &[u8]) -> PlannedReply {
    provider.exchange(&IncomingRequest { method: "POST", target: "/v1/chat/completions", headers: &[], body })
}

fn line(exchange: &PlannedReply) -> &RequestEntry {
    exchange.line.as_ref().expect("it is logged")
}

#[test]
fn each_kind_is_done_as_it_is_logged() {
    let check = |kind: FailureKind, status: Option<u16>, manner: Manner| {
        let exchange = post(&FakeProvider::new(rules(always(kind))), &body("x", true));
        let line = line(&exchange);
        assert_eq!((line.did.as_str(), line.status, line.fault), (kind.name(), status, kind.fault()));
        assert_eq!(exchange.manner, manner, "{kind:?}");
        assert!(status.is_none_or(|status| status == exchange.reply.status));
        exchange.reply
    };
    let retry = |reply: &super::FakeReply| {
        reply.headers.iter().find(|(name, _)| *name == "retry-after").map(|(_, v)| v.clone())
    };
    assert_eq!(retry(&check(FailureKind::RateLimitAfter, Some(429), Manner::Whole)), Some("7".to_string()));
    assert_eq!(retry(&check(FailureKind::RateLimit, Some(429), Manner::Whole)), None);
    check(FailureKind::ServerError, Some(500), Manner::Whole);
    check(FailureKind::Unavailable, Some(503), Manner::Whole);
    check(FailureKind::Overloaded, Some(529), Manner::Whole);
    check(FailureKind::Timeout, None, Manner::Silent);
    check(FailureKind::StalledBody, Some(200), Manner::Stalling);
    check(FailureKind::SlowBody, Some(200), Manner::Slowly(5));
    check(FailureKind::CutBefore, None, Manner::Closed);
    check(FailureKind::CutBody, Some(200), Manner::CutOff);
    check(FailureKind::ShortLength, Some(200), Manner::Understated);
    check(FailureKind::ContextTooLong, Some(400), Manner::Whole);
    check(FailureKind::Unauthorized, Some(401), Manner::Whole);
    for kind in [FailureKind::TruncatedJson, FailureKind::InvalidJson, FailureKind::WrongContentType] {
        let reply = check(kind, Some(200), Manner::Whole);
        assert!(serde_json::from_slice::<Value>(&reply.body).is_err(), "{kind:?}");
    }
    for kind in [FailureKind::EmptyContent, FailureKind::Filtered, FailureKind::BrokenArguments] {
        let reply = check(kind, Some(200), Manner::Whole);
        assert!(serde_json::from_slice::<Value>(&reply.body).is_ok(), "{kind:?}");
    }
}

#[test]
fn without_tools_there_are_no_arguments_to_break() {
    let exchange = post(&FakeProvider::new(rules(always(FailureKind::BrokenArguments))), &body("x", false));
    assert_eq!(line(&exchange).did, "invalid_json");
}

#[test]
fn tries_are_counted_for_each_request_apart() {
    let profile = FailureProfile::parse("struck = 1000\nin_a_row = 2\n[weights]\nserver_error = 1").expect("a profile");
    let provider = FakeProvider::new(rules(profile));
    let tries = |text: &str| {
        let exchange = post(&provider, &body(text, false));
        (line(&exchange).attempt, exchange.reply.status)
    };
    let (a, b): (Vec<_>, Vec<_>) = (0..4).map(|_| (tries("a"), tries("b"))).unzip();
    for tried in [a, b] {
        assert_eq!(tried.iter().map(|(attempt, _)| *attempt).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!((tried[0].1, tried[2].1, tried[3].1), (500, 200, 200));
    }
}

#[test]
fn the_answer_depends_on_the_request_alone() {
    let (calm, storm) = (
        FakeProvider::new(rules(FailureProfile::default())),
        FakeProvider::new(rules(FailureProfile::named("storm").expect("a profile"))),
    );
    for n in 0..200_u32 {
        let body = body(&format!("question {n}"), n.is_multiple_of(2));
        let expect = post(&calm, &body).reply;
        let served = (0..8).map(|_| post(&storm, &body)).filter(|exchange| line(exchange).did == "answered");
        assert!(served.into_iter().all(|exchange| exchange.reply == expect));
    }
}

#[test]
fn wrong_requests_are_refused_as_the_provider_would() {
    let provider = FakeProvider::new(FakeProviderSettings {
        key: Some("k".into()),
        models: vec!["m".into()],
        ..rules(FailureProfile::default())
    });
    let check = |target: &str, key: &str, body: Value, did: &str, status: u16, fault: Option<&str>| {
        let headers = [("Authorization".to_string(), format!("Bearer {key}"))];
        let body = body.to_string().into_bytes();
        let exchange = provider.exchange(&IncomingRequest { method: "POST", target, headers: &headers, body: &body });
        let line = line(&exchange);
        assert_eq!(
            (line.did.as_str(), line.status, line.fault.map(|f| f.name())),
            (did, Some(status), fault),
            "{target}"
        );
        assert!(!line.to_json().contains("secret"), "a key is in the log");
    };
    let good = || json!({ "model": "m", "messages": [{ "role": "user", "content": "x" }] });
    let chat = "/v1/chat/completions";
    check(chat, "k", good(), "answered", 200, None);
    check(chat, "secret", good(), "bad_key", 401, Some("authentication"));
    check(chat, "k", json!({ "model": "n", "messages": good()["messages"] }), "unknown_model", 404, Some("refused"));
    check(chat, "k", json!({ "model": "m" }), "bad_request", 400, Some("refused"));
    check("/v1/embeddings", "k", good(), "unknown_path", 404, Some("refused"));
    let contents = json!({ "contents": [{ "role": "user", "parts": [{ "text": "x" }] }] });
    check("/v1beta/models/m:generateContent?key=k", "", contents.clone(), "answered", 200, None);
    check("/v1beta/models/m:generateContent?key=secret", "", contents, "bad_key", 400, Some("authentication"));
}

#[test]
fn models_are_listed_in_each_form() {
    let provider = FakeProvider::new(FakeProviderSettings {
        models: vec!["a".into(), "b".into()],
        ..rules(FailureProfile::default())
    });
    let check = |target: &str, headers: &[(String, String)], at: &str, expect: &str| {
        let exchange = provider.exchange(&IncomingRequest { method: "GET", target, headers, body: &[] });
        let body: Value = serde_json::from_slice(&exchange.reply.body).expect("it is JSON");
        assert_eq!((exchange.line, body.pointer(at)), (None, Some(&json!(expect))), "{target}");
    };
    check("/v1/models", &[], "/data/1/id", "b");
    check("/v1/models", &[("anthropic-version".into(), "2023-06-01".into())], "/data/0/type", "model");
    check("/v1beta/models", &[], "/models/0/name", "models/a");
    check("/", &[], "/service", "sre-zero rehearse");
}

#[test]
fn a_limit_is_kept_and_told() {
    let provider =
        FakeProvider::new(rules(FailureProfile::default())).limited(RequestLimit { requests: 2, window_ms: 3000 });
    let check = |now_ms: u64, did: &str, attempt: u32, header: (&str, &str)| {
        let body = body("x", false);
        let asked = IncomingRequest { method: "POST", target: "/v1/chat/completions", headers: &[], body: &body };
        let exchange = provider.exchange_at(&asked, now_ms);
        assert_eq!((line(&exchange).did.as_str(), line(&exchange).attempt), (did, attempt), "at {now_ms}");
        let headers = &exchange.reply.headers;
        assert!(headers.iter().any(|(name, value)| (*name, value.as_str()) == header), "{headers:?}");
    };
    check(0, "answered", 1, ("x-ratelimit-remaining-requests", "1"));
    check(10, "answered", 2, ("x-ratelimit-remaining-requests", "0"));
    check(1500, "over_limit", 0, ("retry-after", "2"));
    check(3000, "answered", 3, ("x-ratelimit-remaining-requests", "0"));
}

#[test]
fn a_log_is_read_back() {
    let exchange = post(&FakeProvider::new(rules(always(FailureKind::Timeout))), &body("x", false));
    let text = line(&exchange).to_json();
    assert_eq!(RequestEntry::read_all(&text.repeat(2)), Ok(vec![line(&exchange).clone(); 2]));
    assert!(RequestEntry::read_all("{}").expect_err("it is no line").starts_with("line 1: "));
}

#[test]
fn latency_is_the_same_for_the_same_request() {
    let provider = FakeProvider::new(FakeProviderSettings { latency_ms: 100, ..rules(FailureProfile::default()) });
    let waits: Vec<u32> = (0..20).map(|n| post(&provider, &body(&n.to_string(), false)).wait_ms).collect();
    assert!(waits.iter().all(|wait| (50..=150).contains(wait)) && waits.iter().any(|wait| *wait != waits[0]));
    assert_eq!(post(&provider, &body("0", false)).wait_ms, waits[0]);
}

#[test]
fn an_answer_takes_as_many_tokens_as_it_is_told_to() {
    let said = |provider: &FakeProvider| -> u64 {
        let body = body("x", false);
        let target = "/v1/chat/completions";
        let asked = IncomingRequest { method: "POST", target, headers: &[], body: &body };
        let reply: Value = serde_json::from_slice(&provider.exchange(&asked).reply.body).expect("it is JSON");
        reply["usage"]["completion_tokens"].as_u64().expect("it says so")
    };
    let counted = FakeProvider::new(rules(FailureProfile::default()));
    assert!((1..100).contains(&said(&counted)));
    assert_eq!(said(&counted.writing(1500)), 1500);
}
