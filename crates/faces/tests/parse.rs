//! What agents write, and what it is understood as.
#![allow(clippy::disallowed_types, reason = "tests build the worlds that faces only look at")]

mod common;

use faces::{MAX_CHARS, ToolSet, parse};
use world::World;

/// Each text is understood as the call beside it, or refused with what stands behind `!`.
#[track_caller]
fn check(world: &World, set: ToolSet, cases: &[(&str, &str)]) {
    for (text, expect) in cases {
        let shown = parse(text, set, world.view()).map_or_else(|e| format!("! {e}"), |call| call.canonical());
        match expect.strip_prefix("! ") {
            None => assert_eq!(shown, *expect, "{text}"),
            Some(part) => assert!(
                shown.starts_with("! ") && shown.contains(part),
                "{text}\n  gives    {shown}\n  expected ! {part}"
            ),
        }
    }
}

#[test]
fn calls_are_read_in_every_sensible_spelling() {
    check(
        &common::healthy(),
        ToolSet::CLASSIC,
        &[
            ("inspect_logs(cache)", "inspect_logs(cache)"),
            ("  inspect_logs ( cache )  \n", "inspect_logs(cache)"),
            ("inspect_logs(\"cache\")", "inspect_logs(cache)"),
            ("inspect_logs('cache')", "inspect_logs(cache)"),
            ("inspect_logs(service=cache)", "inspect_logs(cache)"),
            ("inspect_logs(service = \"cache\")", "inspect_logs(cache)"),
            ("inspect_logs(service: cache)", "inspect_logs(cache)"),
            ("inspect_logs(SERVICE='cache')", "inspect_logs(cache)"),
            ("INSPECT_LOGS(Cache)", "inspect_logs(cache)"),
            ("Inspect_Metrics(web-server)", "inspect_metrics(web_server)"),
            ("inspect_metrics(Web Server)", "inspect_metrics(web_server)"),
            ("inspect_metrics(\" load balancer \")", "inspect_metrics(load_balancer)"),
            ("check_status(message_queue,)", "check_status(message_queue)"),
            ("inspect_config(database)", "inspect_config(database)"),
            ("inspect_config(database, \"\")", "inspect_config(database)"),
            ("inspect_config(database, db_pool_size)", "inspect_config(database, DB_POOL_SIZE)"),
            ("inspect_config(key=DB_POOL_SIZE, service=database)", "inspect_config(database, DB_POOL_SIZE)"),
            ("inspect_config(key=DB_POOL_SIZE, database)", "inspect_config(database, DB_POOL_SIZE)"),
            ("restart_service(cache)", "restart_service(cache)"),
            ("update_config(cache, TTL_SECONDS, 300)", "update_config(cache, TTL_SECONDS, 300)"),
            ("update_config('cache', 'ttl_seconds', '300')", "update_config(cache, TTL_SECONDS, 300)"),
            ("update_config(cache,TTL_SECONDS,value=300)", "update_config(cache, TTL_SECONDS, 300)"),
            ("update_config(service: cache, key: TTL_SECONDS, value: 300)", "update_config(cache, TTL_SECONDS, 300)"),
            ("update_config(cache, AUTH_TOKEN_VALID, TRUE)", "update_config(cache, AUTH_TOKEN_VALID, true)"),
            (
                "update_config(load_balancer, HEALTH_CHECK_PATH, /healthz)",
                "update_config(load_balancer, HEALTH_CHECK_PATH, /healthz)",
            ),
            (
                "update_config(load_balancer, HEALTH_CHECK_PATH, \"/a,b(c)\")",
                "update_config(load_balancer, HEALTH_CHECK_PATH, \"/a,b(c)\")",
            ),
            (
                "update_config(web_server, CACHE_HOST, Cache.internal)",
                "update_config(web_server, CACHE_HOST, cache.internal)",
            ),
        ],
    );
}

#[test]
fn prose_is_read_with_and_without_quotes() {
    check(
        &common::healthy(),
        ToolSet::CLASSIC,
        &[
            ("escalate(\"no idea\")", "escalate(reason=\"no idea\")"),
            ("escalate(reason='no idea')", "escalate(reason=\"no idea\")"),
            ("escalate(no idea)", "escalate(reason=\"no idea\")"),
            ("escalate(I can't tell, sorry (really))", "escalate(reason=\"I can't tell, sorry (really)\")"),
            ("escalate(cause: unknown)", "escalate(reason=\"cause: unknown\")"),
            ("escalate(\"a \\\"b\\\", c) d\")", "escalate(reason=\"a \\\"b\\\", c) d\")"),
            ("escalate('it\\'s C:\\\\tmp \\d')", "escalate(reason=\"it's C:\\\\tmp \\\\d\")"),
            ("escalate(\"two\nlines\")", "escalate(reason=\"two\\nlines\")"),
            ("escalate(\"two\\nlines\")", "escalate(reason=\"two\\nlines\")"),
            ("escalate(схема упала 🔥)", "escalate(reason=\"схема упала 🔥\")"),
            ("escalate(inspect_logs(cache) shows nothing)", "escalate(reason=\"inspect_logs(cache) shows nothing\")"),
            ("resolve_incident(\"a\", \"b\")", "resolve_incident(root_cause=\"a\", fix=\"b\")"),
            ("resolve_incident(fix=\"b\", root_cause=\"a\")", "resolve_incident(root_cause=\"a\", fix=\"b\")"),
            ("resolve_incident(Root_Cause: a, FIX: b)", "resolve_incident(root_cause=\"a\", fix=\"b\")"),
            (
                "resolve_incident(cache went away, restarted it)",
                "resolve_incident(root_cause=\"cache went away\", fix=\"restarted it\")",
            ),
            ("resolve_incident(root_cause=a, b, fix=c, d)", "resolve_incident(root_cause=\"a, b\", fix=\"c, d\")"),
            ("resolve_incident(\"a, b\", c, d)", "resolve_incident(root_cause=\"a, b\", fix=\"c, d\")"),
            ("resolve_incident(a, b, fix=c)", "resolve_incident(root_cause=\"a, b\", fix=\"c\")"),
            ("resolve_incident(a, b, c)", "! more than one way"),
            ("resolve_incident(root_cause=a, b)", "! more than one way"),
            ("resolve_incident(a)", "! `fix` is missing; write resolve_incident(root_cause, fix[, causes])"),
            ("escalate()", "! `reason` is missing"),
            ("escalate(\"  \")", "! `reason` is missing"),
            ("escalate(cause=unknown)", "! escalate has no argument `cause`"),
            ("escalate('a' and 'b')", "! text behind a closing quote"),
        ],
    );
}

#[test]
fn json_is_read_in_the_forms_that_models_write() {
    check(
        &common::healthy(),
        ToolSet::CLASSIC,
        &[
            (r#"{"action": "inspect_logs", "service": "cache"}"#, "inspect_logs(cache)"),
            (r#"{"ACTION": "Inspect_Logs", "Service": "Cache"}"#, "inspect_logs(cache)"),
            (r#"{"service": "cache", "action": "inspect_logs"}"#, "inspect_logs(cache)"),
            (r#"{"action":"inspect_logs","args":{"service":"cache"}}"#, "inspect_logs(cache)"),
            (r#"{"tool":"inspect_logs","arguments":{"service":"cache"}}"#, "inspect_logs(cache)"),
            (r#"{"name":"inspect_logs","arguments":["cache"]}"#, "inspect_logs(cache)"),
            (r#"{"name":"inspect_logs","arguments":"{\"service\": \"cache\"}"}"#, "inspect_logs(cache)"),
            (r#"{"name":"inspect_logs","arguments":"[\"cache\"]"}"#, "inspect_logs(cache)"),
            (r#"{"action":"inspect_config","service":"cache","key":null}"#, "inspect_config(cache)"),
            (
                r#"{"action":"update_config","service":"cache","key":"TTL_SECONDS","value":300}"#,
                "update_config(cache, TTL_SECONDS, 300)",
            ),
            (
                r#"{"action":"update_config","args":["cache","TTL_SECONDS",300.0]}"#,
                "update_config(cache, TTL_SECONDS, 300)",
            ),
            (
                r#"{"action":"update_config","service":"cache","key":"AUTH_TOKEN_VALID","value":true}"#,
                "update_config(cache, AUTH_TOKEN_VALID, true)",
            ),
            (
                r#"{"action":"update_config","service":"cache","args":{"key":"TTL_SECONDS","value":"300"}}"#,
                "update_config(cache, TTL_SECONDS, 300)",
            ),
            (
                r#"{"action":"resolve_incident","root_cause":"a, \"b\"","fix":"\u00e9"}"#,
                "resolve_incident(root_cause=\"a, \\\"b\\\"\", fix=\"é\")",
            ),
            (r#"{"action":"escalate","reason":"tired"}"#, "escalate(reason=\"tired\")"),
            (r#"{"action": "inspect_logs"}"#, "! `service` is missing; write inspect_logs(service); the services are"),
            (r#"{"service": "cache"}"#, "! `action` is missing"),
            (r#"{"action": "inspect_logs(cache)"}"#, "! takes the name of a tool alone"),
            (r#"{"action": "look", "service": "cache"}"#, "! there is no tool `look`"),
            (r#"{"action": 7}"#, "! takes the name of a tool as text"),
            (
                r#"{"action": "inspect_logs", "service": ["cache"]}"#,
                "! `service` takes one text, number or truth value",
            ),
            (r#"{"action": "inspect_logs", "args": 7}"#, "! `args` takes an object"),
            (r#"{"action": "inspect_logs", "args": "cache"}"#, "! `args` takes an object"),
            (
                r#"{"action": "inspect_logs", "service": "cache", "why": "x"}"#,
                "! inspect_logs has no argument `why`; it takes service",
            ),
            (r#"{"action": "inspect_logs", "service": "cache", "Service": "cache"}"#, "! `service` is given twice"),
            (r#"{"action": "inspect_logs", "tool": "escalate"}"#, "! one action at a time"),
            (r#"{"action": "inspect_logs", "service": "cache"} {"action": "escalate"}"#, "! two JSON objects"),
            (r#"{"action": "inspect_logs", "service": "cache"} ok?"#, "! with nothing behind it; got `ok?`"),
            (r#"[{"action": "inspect_logs", "service": "cache"}]"#, "! one action at a time"),
            (r#"{"action": "inspect_logs", "service": "cache""#, "! no valid JSON"),
            (r#"{'action': 'inspect_logs', 'service': 'cache'}"#, "! with double quotes"),
            ("{}", "! `action` is missing"),
        ],
    );
}

#[test]
fn everything_else_is_refused_with_what_would_have_been_right() {
    check(
        &common::healthy(),
        ToolSet::CLASSIC,
        &[
            ("", "! the action is empty; write one tool call, such as inspect_logs("),
            (" \n\t ", "! the action is empty"),
            ("inspect_logs", "! `inspect_logs` is no call; write inspect_logs(service)"),
            ("inspect_logs cache", "! write inspect_logs(service)"),
            ("please look at the cache", "! is no tool call; write one of inspect_logs(service), "),
            ("inspect_log(cache)", "! there is no tool `inspect_log`; did you mean inspect_logs(service)?"),
            ("restart(cache)", "! did you mean restart_service(service)?"),
            ("foo(cache)", "! there is no tool `foo`; the tools are inspect_logs(service), "),
            ("search_logs(cache)", "! there is no tool `search_logs`"),
            ("(cache)", "! there is no tool ``"),
            (
                "inspect_logs(cach)",
                "! there is no service `cach`; did you mean `cache`? The services are load_balancer, ",
            ),
            ("inspect_logs(redis)", "! there is no service `redis`; the services are load_balancer, "),
            ("inspect_logs(db)", "! there is no service `db`"),
            ("inspect_logs(lb)", "! did you mean `load_balancer`?"),
            ("inspect_logs()", "! `service` is missing; write inspect_logs(service)"),
            ("inspect_logs(service=)", "! `service` is missing"),
            ("inspect_logs(,cache)", "! an argument is empty"),
            ("inspect_logs(cache, database)", "! an argument too many, `database`; write inspect_logs(service)"),
            ("inspect_logs(svc=cache)", "! inspect_logs has no argument `svc`; it takes service"),
            ("inspect_logs(servce: cache)", "! no argument `servce`; did you mean `service`?"),
            ("inspect_logs(service=cache, service=cache)", "! `service` is given twice"),
            ("inspect_logs(cache", "! the closing parenthesis is missing"),
            ("inspect_logs('cache)", "! the quote before `cache)` is not closed"),
            ("inspect_logs(cache))", "! with nothing behind it; got `)`"),
            ("inspect_logs(cache) please", "! with nothing behind it; got `please`"),
            ("I will inspect_logs(cache)", "! with no text before it; got `I will`"),
            ("inspect_logs(cache) inspect_logs(database)", "! one action at a time: there are two calls here"),
            (
                "inspect_logs(cache)\nescalate(tired)",
                "! one action at a time: there are two calls here, inspect_logs and escalate",
            ),
            ("inspect_logs(cache); then escalate(tired)", "! one action at a time"),
            ("```\ninspect_logs(cache)\n```", "! without a code fence"),
            (
                "inspect_config(cache, TTL)",
                "! cache has no configuration key `TTL`; did you mean `TTL_SECONDS`? It has TTL_SECONDS, ",
            ),
            (
                "inspect_config(cache, DB_POOL_SIZE)",
                "! cache has no configuration key `DB_POOL_SIZE`, but database has",
            ),
            ("inspect_config(cache, ttl seconds)", "! did you mean `TTL_SECONDS`?"),
            ("update_config(cache, TTL_SECONDS)", "! `value` is missing; write update_config(service, key, value)"),
            ("update_config(cache, 300)", "! cache has no configuration key `300`"),
            (
                "update_config(cache, TTL_SECONDS, ten)",
                "! TTL_SECONDS takes seconds, a whole number from 1 to 86400; got `ten`",
            ),
            ("update_config(cache, TTL_SECONDS, 0)", "! a whole number from 1 to 86400; got `0`"),
            ("update_config(cache, TTL_SECONDS, 1e3)", "! got `1e3`"),
            ("update_config(cache, AUTH_TOKEN_VALID, yes)", "! AUTH_TOKEN_VALID takes true or false; got `yes`"),
            ("update_config(load_balancer, HEALTH_CHECK_PATH, healthz)", "! an absolute path such as /healthz"),
            ("update_config(cache, TTL_SECONDS, 300, now)", "! an argument too many, `now`"),
            ("\u{0}\u{1b}[2J(", "! there is no tool"),
        ],
    );
}

#[test]
fn the_full_set_takes_more() {
    check(
        &common::healthy(),
        ToolSet::FULL,
        &[
            ("inspect_logs(cache)", "inspect_logs(cache)"),
            ("search_logs(cache)", "search_logs(cache)"),
            ("search_logs(cache, Warning, \"time out\", 30)", "search_logs(cache, warn, \"time out\", 30)"),
            ("search_logs(cache, minutes=5)", "search_logs(cache, minutes=5)"),
            ("search_logs(cache, text=error: no, minutes=5)", "search_logs(cache, text=\"error: no\", minutes=5)"),
            (r#"{"action":"search_logs","service":"cache","level":null,"minutes":5}"#, "search_logs(cache, minutes=5)"),
            ("search_logs(cache, loud)", "! level takes info, warn or error; got `loud`"),
            ("search_logs(cache, minutes=0)", "! minutes takes a whole number from 1 to 120; got `0`"),
            ("query_metrics(cache, HIT_RATE)", "query_metrics(cache, hit_rate)"),
            ("query_metrics(cache, hitrate)", "! cache has no metric `hitrate`; did you mean `hit_rate`?"),
            ("list_traces(Checkout)", "list_traces(checkout)"),
            ("list_traces(route=checkout, count=2)", "list_traces(checkout, 2)"),
            ("list_traces(chekout)", "! there is no route `chekout`; did you mean `checkout`? The routes are browse, "),
            ("list_traces()", "! `route` is missing; write list_traces(route[, count]); the routes are browse, "),
            ("check_dependencies(web_server)", "check_dependencies(web_server)"),
            ("list_changes()", "list_changes()"),
            ("list_changes(30)", "list_changes(30)"),
            ("list_alerts()", "list_alerts()"),
            ("list_alerts(cache)", "! list_alerts takes no arguments; got `cache`"),
            ("list_alerts(service=cache)", "! list_alerts takes no arguments; got `service`"),
            ("list_alerts", "! `list_alerts` is no call; write list_alerts()"),
            (r#"{"action": "check_routes"}"#, "check_routes()"),
            ("rollback_change(12)", "! there is no change `12`; there are none"),
            ("silence_alert(Cache/Down)", "silence_alert(cache/down)"),
            ("silence_alert(cache/dwn)", "! there is no alert `cache/dwn`; did you mean `cache/down`?"),
        ],
    );
}

#[test]
fn what_is_too_long_is_refused_and_never_repeated() {
    let world = common::healthy();
    let refused = |text: &str| parse(text, ToolSet::CLASSIC, world.view()).expect_err("refused");
    let long = format!("escalate({})", "é".repeat(MAX_CHARS));
    assert!(refused(&long).contains("20010 characters long and at most 20000 are read"), "{}", refused(&long));
    for text in [
        "x".repeat(MAX_CHARS),
        format!("inspect_logs({})", "y".repeat(9_000)),
        format!("update_config(load_balancer, HEALTH_CHECK_PATH, /{})", "z".repeat(70)),
    ] {
        let error = refused(&text);
        assert!(error.len() < 1_500, "{error}");
        assert!(error.contains("..."), "{error}");
    }
    let fits = format!("escalate({})", "é".repeat(MAX_CHARS - 10));
    assert!(parse(&fits, ToolSet::CLASSIC, world.view()).is_ok());
    let deep = "{\"a\":".repeat(3_000);
    assert!(refused(&deep).contains("no valid JSON"));
}
