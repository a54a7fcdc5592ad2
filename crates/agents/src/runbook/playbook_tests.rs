//! Signs and what the playbook makes of them, in a shop that no task has.

use expect_test::{Expect, expect};

use super::notebook::{LookKind, Notebook};
use super::playbook::ideas;
use super::suspects::next_look;

/// Reads what was seen, `service look: text` with `;` for line ends, and shows the best idea and the next look.
fn check(page: &str, seen: &[(&str, LookKind, &str)], expect: Expect) {
    let services = ["edge_proxy", "shop_api", "session_cache", "orders_db"].map(String::from);
    let mut notebook = Notebook::new(page, &services);
    for (service, look, text) in seen {
        let at = services.iter().position(|name| name == service).expect("a service of this shop");
        // What goes on is said more than once.
        let text = text.replace("; ", "\n");
        let again = if *look == LookKind::Logs { text.as_str() } else { "" };
        notebook.note(at, *look, &format!("{service}\n{text}\n{again}"));
    }
    let best = ideas(&notebook).into_iter().next().map_or("nothing".into(), |idea| idea.remedy.call());
    let next = next_look(&notebook).map_or("nowhere".into(), |(at, look)| format!("{look:?} of {}", services[at]));
    expect.assert_eq(&format!("{best}, then {next}"));
}

#[test]
fn signs_lead_to_remedies_and_looks() {
    use LookKind::{Config, Logs, Status};
    let page = "shop_api/errors: error_rate of shop_api is 0.2, above 0.1 for 60 s";
    check(page, &[], expect!["nothing, then Logs of shop_api"]);
    check(
        page,
        &[("shop_api", Logs, "12:00:00 ERROR lookup failed: session-cache.internal refused the connection")],
        expect!["nothing, then Logs of session_cache"],
    );
    check(
        page,
        &[("session_cache", Status, "instances\n  session_cache-1: not running (exit code 1)")],
        expect!["restart_service(session_cache), then Logs of shop_api"],
    );
    check(
        page,
        &[("shop_api", Logs, "12:00:00 ERROR worker pid 7 exited with signal 9")],
        expect!["restart_service(shop_api), then Logs of session_cache"],
    );
    check(
        page,
        &[
            ("orders_db", Logs, "12:00:00 ERROR pooler: all 30 connections in use"),
            ("orders_db", Config, "POOL_SIZE  30  connections that clients share; FSYNC  true  be safe"),
        ],
        expect!["update_config(orders_db, POOL_SIZE, 120), then Logs of shop_api"],
    );
    check(
        page,
        &[
            ("orders_db", Logs, "12:00:00 WARN  table rows: last vacuum 9h ago"),
            ("orders_db", Config, "AUTOVACUUM_ENABLED  false  clean up; MAX_ROWS  30  rows"),
        ],
        expect!["update_config(orders_db, AUTOVACUUM_ENABLED, true), then Logs of shop_api"],
    );
    check("", &[], expect!["nothing, then Logs of edge_proxy"]);
}
