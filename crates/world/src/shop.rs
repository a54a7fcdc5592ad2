//! The shop: the application of the published benchmark, on its five services.

use std::collections::BTreeMap;

use crate::spec::{AppSpec, CallSpec, Op, RouteSpec, ServiceSpec, Spec};

/// Five services and six routes. The numbers are chosen so that every listed fault value of the
/// forty incidents really hurts at this load, and every listed fix really heals.
pub fn shop() -> Spec {
    let service = |name: &str, kind: &str, instances: usize| ServiceSpec {
        name: name.into(),
        kind: kind.into(),
        instances,
        config: BTreeMap::new(),
        params: BTreeMap::new(),
        words: BTreeMap::new(),
    };
    Spec {
        nodes: 4,
        services: vec![
            service("load_balancer", "balancer", 1),
            service("web_server", "web", 2),
            service("cache", "cache", 1),
            service("database", "database", 1),
            service("message_queue", "queue", 1),
        ],
        apps: vec![AppSpec { name: "shop".into(), routes: routes(), ..AppSpec::default() }],
        ..Spec::default()
    }
}

fn routes() -> Vec<RouteSpec> {
    let product = || read("load product", 26.0, 60.0, Some("INDEX_PRODUCTS_SKU"));
    let session = || lookup("session", 1.0, 0.97, vec![read("load session", 6.0, 20.0, None)]);
    vec![
        route("browse", 130.0, 900.0, page("GET /browse", 16.0, vec![lookup("product", 4.0, 0.95, vec![product()])])),
        route(
            "search",
            40.0,
            2400.0,
            page(
                "GET /search",
                22.0,
                vec![lookup("search page", 1.0, 0.68, vec![wide(read("search products", 420.0, 280.0, None))])],
            ),
        ),
        route(
            "orders",
            30.0,
            1200.0,
            page(
                "GET /orders",
                14.0,
                vec![session(), read("orders of user", 36.0, 160.0, Some("INDEX_ORDERS_USER_ID"))],
            ),
        ),
        route(
            "checkout",
            22.0,
            3000.0,
            page("POST /checkout", 24.0, vec![session(), times(write("save order", 18.0, 200.0), 2.0), publish()]),
        ),
        RouteSpec {
            slow_ms: 45_000.0,
            patience_ms: 150_000.0,
            allowed: 0.05,
            user_retry: 0.0,
            ..route(
                "export",
                0.5,
                0.0,
                page("GET /export", 300.0, vec![times(read("export chunk", 450.0, 350.0, None), 24.0)]),
            )
        },
        RouteSpec {
            rps: 0.0,
            patience_ms: 3_600_000.0,
            allowed: 0.02,
            user_retry: 0.0,
            ..route(
                "confirmations",
                0.0,
                60_000.0,
                CallSpec {
                    to: "message_queue".into(),
                    op: Op { name: "consume order.placed".into(), ..Op::default() },
                    times: 1.0,
                    calls: vec![times(write("book order", 20.0, 150.0), 2.0)],
                    on_miss: vec![],
                },
            )
        },
    ]
}

fn route(name: &str, rps: f64, slow_ms: f64, entry: CallSpec) -> RouteSpec {
    RouteSpec { name: name.into(), rps, slow_ms, patience_ms: 12_000.0, allowed: 0.02, user_retry: 0.3, entry }
}

/// A request through the balancer to the web server.
fn page(name: &str, work_ms: f64, calls: Vec<CallSpec>) -> CallSpec {
    let op = Op { name: name.into(), work_ms, spread: 0.5, ..Op::default() };
    let web = CallSpec { to: "web_server".into(), op, times: 1.0, calls, on_miss: vec![] };
    let op = Op { name: name.into(), ..Op::default() };
    CallSpec { to: "load_balancer".into(), op, times: 1.0, calls: vec![web], on_miss: vec![] }
}

fn lookup(name: &str, times: f64, hit: f64, on_miss: Vec<CallSpec>) -> CallSpec {
    let op = Op { name: format!("get {name}").into(), hit, ..Op::default() };
    let on_miss = on_miss.into_iter().map(|c| CallSpec { times: c.times * times, ..c }).collect();
    CallSpec { to: "cache".into(), op, times, calls: vec![], on_miss }
}

fn read(name: &str, work_ms: f64, hold_ms: f64, index: Option<&str>) -> CallSpec {
    let op = Op { name: name.into(), work_ms, hold_ms, spread: 0.6, index: index.map(Into::into), ..Op::default() };
    CallSpec { to: "database".into(), op, times: 1.0, calls: vec![], on_miss: vec![] }
}

/// A query whose cost varies a lot.
fn wide(call: CallSpec) -> CallSpec {
    CallSpec { op: Op { spread: 0.7, ..call.op }, ..call }
}

fn write(name: &str, work_ms: f64, hold_ms: f64) -> CallSpec {
    let call = read(name, work_ms, hold_ms, None);
    CallSpec { op: Op { write: true, ..call.op }, ..call }
}

fn publish() -> CallSpec {
    let op = Op { name: "publish order.placed".into(), write: true, ..Op::default() };
    CallSpec { to: "message_queue".into(), op, times: 1.0, calls: vec![], on_miss: vec![] }
}

fn times(call: CallSpec, times: f64) -> CallSpec {
    CallSpec { times, ..call }
}
