//! Queries that want to hurt: each is answered, with an error where it must be, in bounded time and memory.

#![allow(clippy::disallowed_types, reason = "a test measures how long an answer takes")]

use std::time::{Duration, Instant};

use telemetry::alertmanager::Alertmanager;
use telemetry::jaeger::Jaeger;
use telemetry::loki::Loki;
use telemetry::prometheus::Prometheus;
use telemetry::{Labels, METRIC_NAME, TelemetryRequest};

/// An unoptimised build on a busy machine is slow; a query without bounds takes minutes or never ends.
const PATIENCE: Duration = Duration::from_secs(60);
const NOW: i64 = 1_767_272_400_000;

fn server() -> Prometheus {
    let mut server = Prometheus { now: NOW, ..Prometheus::default() };
    for i in 0..200 {
        let labels =
            Labels::new([(METRIC_NAME, "m".to_owned()), ("pod", format!("pod-{i}")), ("word", "a".repeat(200))]);
        for k in 0..240 {
            server.store.append(&labels, NOW - k * 15_000, k as f64);
        }
    }
    server
}

/// The status and the error of an answer that came in time.
fn ask(server: &Prometheus, path: &str, params: &[(&str, &str)]) -> (u16, String) {
    let start = Instant::now();
    let response = server.answer(&TelemetryRequest::post_form(path, params));
    assert!(start.elapsed() < PATIENCE, "{path} took {:?}", start.elapsed());
    let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    (response.status, body["error"].as_str().unwrap_or("").to_owned())
}

fn query(server: &Prometheus, query: &str) -> (u16, String) {
    ask(server, "/api/v1/query", &[("query", query)])
}

#[test]
fn deep_nesting_is_refused() {
    let server = server();
    let deep = [
        "(".repeat(100_000) + "1" + &")".repeat(100_000),
        "-".repeat(100_000) + "1",
        "abs(".repeat(50_000) + "m" + &")".repeat(50_000),
        vec!["1"; 50_000].join("+"),
        vec!["m"; 50_000].join(" or "),
        "sum(".repeat(50_000) + "m" + &")".repeat(50_000),
        "m".to_owned() + &"[1h:1m]".repeat(10_000),
        vec!["2"; 50_000].join("^"),
        format!("m[{}1m{}]", "(".repeat(20_000), ")".repeat(20_000)),
    ];
    for text in &deep {
        let (status, error) = query(&server, text);
        assert_eq!(status, 400, "{}: {error}", &text[..20]);
        assert!(error.contains("parse error"), "{error}");
    }
    // What honest queries need still works.
    let (status, _) = query(&server, &("(".repeat(60) + "1" + &")".repeat(60)));
    assert_eq!(status, 200);
    let (status, error) = query(&server, &vec!["m"; 100].join(" + "));
    assert_eq!((status, error.as_str()), (200, ""));
}

#[test]
fn huge_ranges_are_refused_or_answered() {
    let server = server();
    let (status, _) = query(&server, "sum_over_time(m[100y])");
    assert_eq!(status, 200);
    for text in [
        "sum_over_time(m[10y:1ms])",
        "sum_over_time(sum_over_time(sum_over_time(m[1d:1s])[1d:1s])[1d:1s])",
        "max_over_time(m[1y:1s])",
        "count_over_time(vector(1)[100y:1ms])",
    ] {
        let (status, error) = query(&server, text);
        assert!(status == 422 || status == 503, "{text}: {status} {error}");
    }
    let (status, error) = query(&server, "m[9999999999999y]");
    assert_eq!(status, 400, "{error}");
    let huge = [("query", "m"), ("start", "0"), ("end", "9000000000000"), ("step", "1")];
    let (status, error) = ask(&server, "/api/v1/query_range", &huge);
    assert_eq!(status, 400);
    assert!(error.contains("exceeded maximum resolution"), "{error}");
    for time in ["-9e15", "9e300", "NaN", "-Inf", "99999999999999999999"] {
        let (status, _) = ask(&server, "/api/v1/query", &[("query", "rate(m[5m] offset -5m)"), ("time", time)]);
        assert!(status == 200 || status == 400, "{time}: {status}");
    }
    let (status, _) = query(&server, "m @ 9e15 offset -290y");
    assert!(status == 200 || status == 400 || status == 422);
}

#[test]
fn exploding_patterns_are_refused_or_linear() {
    let server = server();
    for pattern in ["(a+)+$", "(a|aa)+b", "(.*)*(.*)*x", "a{500}{2}", "((a{100}){100}){100}", "(?i)(x+x+)+y"] {
        let (status, _) = query(&server, &format!("m{{word=~\"{pattern}\"}}"));
        assert!(status == 200 || status == 400, "{pattern}: {status}");
    }
    let (status, error) = query(&server, "m{word=~\"((((a{100}){100}){100}){100})\"}");
    assert_eq!(status, 400);
    assert!(error.contains("error parsing regexp"), "{error}");
    let long = "a|".repeat(50_000);
    let (status, _) = query(&server, &format!("m{{word=~\"{long}\"}}"));
    assert!(status == 200 || status == 400);
}

/// A server with a metric of so many series.
fn wide(series: u32) -> Prometheus {
    let mut server = Prometheus { now: NOW, ..Prometheus::default() };
    for i in 0..series {
        server.store.append(&Labels::new([(METRIC_NAME, "w".to_owned()), ("id", i.to_string())]), NOW, f64::from(i));
    }
    server
}

#[test]
fn many_label_values_are_bounded() {
    let server = wide(50_000);
    for text in ["count_values(\"v\", w)", "count(w * on (id) group_left w)", "sum by (id) (w)", "topk(100000, w)"] {
        let (status, error) = query(&server, text);
        assert!(status == 200 || status == 422, "{text}: {status} {error}");
    }
    // More points than a result may hold.
    let wide = [("query", "w"), ("start", "1767261400"), ("end", "1767272400"), ("step", "1")];
    let (status, error) = ask(&server, "/api/v1/query_range", &wide);
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("too many samples"), "{error}");
    // Twenty million label values, made by the query itself.
    let made = "count_values(\"v\", w * 1000 + (time() % 1000))";
    let many = [("query", made), ("start", "1767272400"), ("end", "1767272690"), ("step", "0.7")];
    let (status, error) = ask(&server, "/api/v1/query_range", &many);
    assert_eq!(status, 422, "{error}");
    assert!(error.contains("too many samples"), "{error}");
}

#[test]
#[ignore = "a million series take a while to be made: run it with --release -- --ignored"]
fn a_million_label_values_are_bounded() {
    let server = wide(1_000_000);
    for text in ["count_values(\"v\", w)", "count(w * on (id) group_left w)", "sum by (id) (w)", "topk(10, w)", "w"] {
        let (status, error) = query(&server, text);
        assert!(status == 200 || status == 422, "{text}: {status} {error}");
    }
    for text in ["w", "rate(w[5m])", "count_values(\"v\", w)", "label_join(w, \"both\", \"-\", \"id\", \"id\")"] {
        let wide = [("query", text), ("start", "1767271800"), ("end", "1767272400"), ("step", "1")];
        let (status, error) = ask(&server, "/api/v1/query_range", &wide);
        assert_eq!(status, 422, "{text}: {error}");
        assert!(error.contains("too many samples"), "{text}: {error}");
    }
}

#[test]
fn any_bytes_are_answered() {
    let server = server();
    let mut loki = Loki { now: NOW * 1_000_000, ..Loki::default() };
    let jaeger = Jaeger::default();
    let mut alertmanager = Alertmanager::default();
    let pieces = [
        "{", "}", "(", ")", "\"", "`", "\\", "[", "]", "5m", "sum", "by", "|=", "|", "json", "é", "\u{0}", "@", "%",
        "e", "0x",
    ];
    let mut state = 7u64;
    for _ in 0..4_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let params = [("query", text.as_str()), ("match[]", text.as_str()), ("service", text.as_str())];
        for path in ["/api/v1/query", "/api/v1/format_query", "/api/v1/series"] {
            let status = server.answer(&TelemetryRequest::get(path, &params)).status;
            assert!(matches!(status, 200 | 400 | 422), "{path} {text:?}: {status}");
        }
        let status = loki.answer(&TelemetryRequest::get("/loki/api/v1/query_range", &params)).status;
        assert!(matches!(status, 200 | 400), "{text:?}: {status}");
        jaeger.answer(&TelemetryRequest::get("/api/traces", &[("service", &text), ("tags", &text), ("tag", &text)]));
        alertmanager.answer(&TelemetryRequest::get("/api/v2/alerts", &[("filter", &text), ("receiver", &text)]));
        alertmanager.answer(&TelemetryRequest::json("POST", "/api/v2/silences", &text));
    }
}

#[test]
fn hostile_log_queries_are_bounded() {
    let mut loki = Loki { now: NOW * 1_000_000, ..Loki::default() };
    for i in 0..2_000 {
        loki.store.append(&Labels::new([("app", "a")]), loki.now - i * 1_000_000, "a".repeat(300));
    }
    let deep_filter = "(".repeat(20_000) + "a=\"b\"" + &")".repeat(20_000);
    for text in [
        format!("{{app=\"a\"}} | {deep_filter}"),
        "sum(".repeat(20_000) + "rate({app=\"a\"}[1m])" + &")".repeat(20_000),
        "{app=\"a\"} |~ \"(a+)+$\"".to_owned(),
        "{app=\"a\"} | line_format \"{{ range $i := .x }}{{ end }}{{ repeat 100000 \\\"aaaaaaaaaa\\\" }}\"".to_owned(),
        "{app=\"a\"}".to_owned() + &" |= \"a\"".repeat(5_000),
        vec!["vector(1)"; 20_000].join(" + "),
        format!("{{app=\"a\"}} | line_format \"{}{}\"", "{{if true}}".repeat(5_000), "{{end}}".repeat(5_000)),
    ] {
        let start = Instant::now();
        let response = loki.answer(&TelemetryRequest::post_form("/loki/api/v1/query_range", &[("query", &text)]));
        assert!(matches!(response.status, 200 | 400), "{}: {}", &text[..30], response.status);
        assert!(start.elapsed() < PATIENCE, "{} took {:?}", &text[..30], start.elapsed());
    }
}
