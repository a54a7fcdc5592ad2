//! Observations and what is read from them.

use expect_test::{Expect, expect};

use super::reading::*;

fn check<T: std::fmt::Debug>(read: T, expect: Expect) {
    expect.assert_eq(&format!("{read:?}"));
}

#[test]
fn numbers_lose_their_units() {
    let cases = [
        ("4751ms", Some(4751.0)),
        ("77.4%", Some(77.4)),
        ("0/s", Some(0.0)),
        ("-3.5", Some(-3.5)),
        ("no data", None),
        ("", None),
    ];
    for (text, expect) in cases {
        assert_eq!(number(text), expect, "{text}");
    }
}

#[test]
fn metric_rows_are_read() {
    let text = "cache metrics at 12:14:00\n\
                metric             now         10 min ago  usual\n\
                hit_rate           0           0.909       0.910\n\
                evictions_per_min  6739/min    no data     0/min\n\
                p95_latency_ms     no data     5.10ms      5.10ms";
    check(
        metrics(text).iter().map(|m| (m.name.as_str(), m.now, m.usual)).collect::<Vec<_>>(),
        expect![[
            r#"[("hit_rate", Some(0.0), Some(0.91)), ("evictions_per_min", Some(6739.0), Some(0.0)), ("p95_latency_ms", None, Some(5.1))]"#
        ]],
    );
    assert_eq!(metrics("Invalid action: there is no service `cach`"), []);
}

#[test]
fn log_lines_are_read() {
    let text = "cache logs at 12:14:30, a sample of the last 10 min\n\
                12:13:36 ERROR NOAUTH client 10.25.180.180: token rejected\n\
                12:13:44 INFO  stats: 346 clients\n\
                no lines";
    check(
        logs(text).iter().map(|l| (l.level, l.text.as_str())).collect::<Vec<_>>(),
        expect![[r#"[(Error, "noauth client 10.25.180.180: token rejected"), (Info, "stats: 346 clients")]"#]],
    );
}

#[test]
fn settings_are_read() {
    let text = "web_server configuration at 12:17:00\n\
                CACHE_HOST                cache-old.internal  where the cache is looked for\n\
                TIMEOUT_MS                1000        how long a worker waits\n\
                takes milliseconds, a whole number from 1 to 60000";
    check(
        settings(text).iter().map(|s| (s.key.as_str(), s.value.as_str(), s.about.as_str())).collect::<Vec<_>>(),
        expect![[
            r#"[("CACHE_HOST", "cache-old.internal", "where the cache is looked for"), ("TIMEOUT_MS", "1000", "how long a worker waits")]"#
        ]],
    );
}

#[test]
fn status_pages_are_read() {
    let text = "cache is down at 12:13:30\ninstances\n  cache-1 on node-4: not running (exit code 137)\nnotes\n  \
                768 MB held\nfiring alerts\n  cache/down";
    check(status(text), expect![[r#"Status { state: "down", dead: true, notes: ["768 mb held"] }"#]]);
    check(status("?"), expect![[r#"Status { state: "", dead: false, notes: [] }"#]]);
}

#[test]
fn only_changes_that_can_be_taken_back_are_read() {
    let text = "changes at 12:15:15, last 180 min\n\
                id     time      service          author         change\n\
                4189   11:37:25  web_server       release-bot    deploy build 7 (cannot be rolled back)\n\
                4195   12:12:25  database         storefront     set DB_POOL_SIZE from 140 to 100\n\
                4196   12:13:25  cache            storefront     set TTL_SECONDS from 1 to 2 (rolled back)";
    check(
        changes(text),
        expect![[
            r#"[ChangeRow { id: "4195", service: "database", key: "DB_POOL_SIZE", from: "140", to: "100", at: Some(43945) }]"#
        ]],
    );
}

#[test]
fn pages_are_read() {
    let services = ["cache".to_string(), "web_server".to_string()];
    let check = |text: &str, expect: Expect| {
        let page = page(text, &services);
        expect.assert_eq(&format!("{:?} {:?} {:?} {}", page.service, page.metric, page.value, page.above));
    };
    check(
        "cache/hit_rate: hit_rate of cache is 0.359, below 0.700 for 45 s",
        expect![[r#"Some("cache") Some("hit_rate") Some(0.359) false"#]],
    );
    check(
        "cache/down: 0 of 1 instances of cache answer their probe",
        expect![[r#"Some("cache") Some("0") None false"#]],
    );
    check(
        "checkout/objective_burn: 14.9% of checkout requests fail or are slow",
        expect![[r#"None Some("14.9%") None false"#]],
    );
    check("", expect!["None None None false"]);
}
