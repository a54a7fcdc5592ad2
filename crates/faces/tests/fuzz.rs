//! Whatever an agent writes: a valid call or an error that says something, never a panic.
#![allow(clippy::disallowed_types, reason = "tests build the worlds that faces only look at")]

mod common;

use faces::{ToolSet, parse};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use world::World;

/// Runs a property over so many inputs, the same ones every time.
fn fuzz<S: Strategy>(cases: u32, inputs: S, holds: impl Fn(&World, S::Value) -> Result<(), TestCaseError>) {
    let world = common::broken("config_push", &[("service", "cache"), ("key", "TTL_SECONDS"), ("value", "5")], 1);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, b"the same every t");
    let run = TestRunner::new_with_rng(config, rng).run(&inputs, |input| holds(&world, input));
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A text is a valid call whose canonical form means the same, or is refused in words.
fn sound(world: &World, text: &str) -> Result<(), TestCaseError> {
    for set in [ToolSet::CLASSIC, ToolSet::FULL] {
        match parse(text, set, world.view()) {
            Ok(call) => {
                let canonical = call.canonical();
                let again = parse(&canonical, set, world.view());
                prop_assert_eq!(again.as_ref(), Ok(&call), "{}", canonical);
                prop_assert_eq!(again.map(|c| c.canonical()), Ok(canonical));
            }
            Err(error) => {
                prop_assert!(!error.trim().is_empty(), "an error says something");
                prop_assert!(error.len() < 3_000 && !error.contains(char::is_control), "one readable line: {error}");
            }
        }
    }
    Ok(())
}

/// Calls that are nearly right: one of these, with a few of its parts replaced.
const VALID: &[&str] = &[
    "inspect_logs(cache)",
    "inspect_metrics(service=web_server)",
    "check_status('message_queue')",
    "inspect_config(database, DB_POOL_SIZE)",
    "update_config(cache, key=TTL_SECONDS, value: 300)",
    "update_config(load_balancer, HEALTH_CHECK_PATH, \"/a,b\")",
    "resolve_incident(root_cause=\"it's \\\"slow\\\", (very)\", fix='restart, wait')",
    "resolve_incident(a b, c d)",
    "escalate(I do not know, really)",
    "search_logs(cache, warn, \"time out\", minutes=5)",
    "query_metrics(cache, hit_rate, 15)",
    "list_changes(30)",
    "silence_alert(cache/down)",
    r#"{"action": "inspect_logs", "service": "cache"}"#,
    r#"{"tool": "update_config", "arguments": ["cache", "TTL_SECONDS", 300]}"#,
    r#"{"name": "inspect_config", "arguments": "{\"service\": \"cache\", \"key\": null}"}"#,
    r#"{"action": "resolve_incident", "args": {"root_cause": "a", "fix": "b\u0000\ud83d\ude00"}}"#,
];

/// Bits and pieces that parsers trip over.
const PARTS: &[&str] = &[
    "(",
    ")",
    ",",
    "=",
    ":",
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    " ",
    "\n",
    "\u{0}",
    "\u{7f}",
    "é",
    "🔥",
    "\u{202e}",
    "``",
    "null",
    "true",
    "-1",
    "1e999",
    "0.5",
    "cache",
    "service",
    "key",
    "value",
    "args",
    "action",
    "inspect_logs",
    "escalate",
    "TTL_SECONDS",
    "\\u",
    "\\\"",
    "((",
    "))",
    "=\"",
    "\":",
];

/// Any characters at all, often of the first page.
fn text() -> impl Strategy<Value = String> {
    let letter = prop_oneof![3 => (0u8..128).prop_map(char::from), 1 => any::<char>()];
    prop::collection::vec(letter, 0..40).prop_map(String::from_iter)
}

fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8);
    (prop::sample::select(VALID), prop::collection::vec(edit, 0..4)).prop_map(|(text, edits)| {
        let mut letters: Vec<String> = text.chars().map(String::from).collect();
        for (at, part, how) in edits {
            let (at, part) = (at.index(letters.len()), part.get(PARTS).to_string());
            match how {
                0 => letters[at] = part,
                1 => letters.insert(at, part),
                2 => letters[at] = String::new(),
                _ => letters.truncate(at + 1),
            }
        }
        letters.concat()
    })
}

fn jsonish() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(PARTS).prop_map(|part| match part.parse::<f64>() {
        Ok(_) => part.to_string(),
        Err(_) => format!("{:?}", part),
    });
    let value = leaf.prop_recursive(2, 8, 3, |inner| {
        let fields = prop::collection::vec((prop::sample::select(PARTS), inner.clone()), 0..3);
        let object = fields.prop_map(|f| {
            format!("{{{}}}", f.iter().map(|(k, v)| format!("{k:?}: {v}")).collect::<Vec<_>>().join(", "))
        });
        let list = prop::collection::vec(inner, 0..3).prop_map(|l| format!("[{}]", l.join(", ")));
        prop_oneof![object, list]
    });
    let tools: Vec<&str> = ToolSet::FULL.tools().iter().map(|t| t.name()).collect();
    let tool = prop::sample::select(tools);
    (tool, prop::sample::select(&["args", "arguments", "service", "reason"][..]), value)
        .prop_map(|(tool, key, value)| format!("{{\"action\": \"{tool}\", \"{key}\": {value}}}"))
}

#[test]
fn arbitrary_text_is_refused_in_words() {
    fuzz(30_000, text(), |world, text| sound(world, &text));
}

#[test]
fn fragments_in_any_order_are_read_or_refused() {
    let pieces = prop::collection::vec(prop::sample::select(PARTS), 0..14).prop_map(|p| p.concat());
    fuzz(20_000, pieces, |world, text| sound(world, &text));
}

#[test]
fn mutated_calls_are_read_or_refused() {
    fuzz(40_000, mutated(), |world, text| sound(world, &text));
}

#[test]
fn odd_json_is_read_or_refused() {
    fuzz(20_000, jsonish(), |world, text| sound(world, &text));
}

#[test]
fn any_prose_survives_its_canonical_form() {
    fuzz(10_000, (text(), text()), |world, (root_cause, fix)| {
        let quote = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("resolve_incident(fix=\"{}\", root_cause=\"{}\")", quote(&fix), quote(&root_cause));
        match parse(&text, ToolSet::CLASSIC, world.view()) {
            Ok(call) => {
                prop_assert_eq!(call.args.get("root_cause"), Some(root_cause.trim()));
                prop_assert_eq!(call.args.get("fix"), Some(fix.trim()));
            }
            Err(error) => prop_assert!(root_cause.trim().is_empty() || fix.trim().is_empty(), "{}", error),
        }
        sound(world, &text)
    });
}
