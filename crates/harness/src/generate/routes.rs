//! What users ask of a unit: the shop's routes, as far as the unit has what they need.

use world::spec::{CallSpec, Op, RouteSpec};

use super::dice::GeneratorDice;
use super::topology::{AppUnit, GuestKind};

/// The routes of a unit, at a load of its own.
pub(super) fn of(dice: &mut GeneratorDice, unit: &AppUnit) -> Vec<RouteSpec> {
    let busy = dice.roll().between(0.8, 1.15);
    let mut routes = vec![browse(unit)];
    if dice.chance(0.8) {
        routes.push(search(unit));
    }
    if dice.chance(0.8) {
        routes.push(orders(unit));
    }
    routes.push(checkout(unit));
    // A report takes longer than a tier in front would wait.
    let is_first = !unit.front.iter().any(|f| f.ends_with("_web_server"));
    if is_first && dice.chance(0.7) {
        routes.push(export(unit));
    }
    for route in &mut routes {
        route.rps *= busy * dice.roll().between(0.9, 1.1);
    }
    if unit.queue {
        routes.push(confirmations(unit));
    }
    routes
}

/// What a server of another application asks of this unit.
pub(super) fn foreign(unit: &AppUnit) -> CallSpec {
    let op = Op { name: format!("GET /{}/status", unit.name), work_ms: 8.0, spread: 0.5, ..Op::default() };
    let calls = vec![read(unit, "load status", 12.0, 40.0, None)];
    CallSpec { to: unit.service("web_server"), op, times: 0.5, calls, on_miss: vec![] }
}

/// What the unit's server asks of a service of another kind, and what that asks in turn of those beside it.
pub(super) fn guest(unit: &AppUnit, guest: &GuestKind) -> CallSpec {
    let inner = |kind: &&str| (*kind == "database").then(|| read(unit, "load row", 12.0, 40.0, None));
    let calls = guest.used.calls.iter().filter_map(inner).collect();
    let (op, times) = (guest.used.op.clone(), guest.used.times);
    CallSpec { to: unit.service(guest.title), op, times, calls, on_miss: vec![] }
}

fn browse(unit: &AppUnit) -> RouteSpec {
    let load = || read(unit, "load product", 26.0, 60.0, Some("INDEX_PRODUCTS_SKU"));
    let (rps, calls) =
        if unit.cache { (130.0, vec![lookup(unit, "product", 4.0, 0.95, load())]) } else { (100.0, vec![load()]) };
    route(unit, "browse", rps, 900.0, page(unit, "GET", "browse", 16.0, calls))
}

fn search(unit: &AppUnit) -> RouteSpec {
    let mut find = read(unit, "search products", 420.0, 280.0, None);
    find.op.spread = 0.7;
    let (rps, calls) =
        if unit.cache { (40.0, vec![lookup(unit, "search page", 1.0, 0.68, find)]) } else { (14.0, vec![find]) };
    route(unit, "search", rps, 2400.0, page(unit, "GET", "search", 22.0, calls))
}

fn orders(unit: &AppUnit) -> RouteSpec {
    let mut calls = session(unit);
    calls.push(read(unit, "orders of user", 36.0, 160.0, Some("INDEX_ORDERS_USER_ID")));
    route(unit, "orders", 30.0, 1200.0, page(unit, "GET", "orders", 14.0, calls))
}

fn checkout(unit: &AppUnit) -> RouteSpec {
    let mut calls = session(unit);
    calls.push(write(unit, "save order", 18.0, 200.0));
    if unit.queue {
        let op = Op { name: "publish order.placed".into(), write: true, ..Op::default() };
        calls.push(CallSpec { to: unit.service("message_queue"), op, times: 1.0, ..CallSpec::default() });
    }
    route(unit, "checkout", 22.0, 3000.0, page(unit, "POST", "checkout", 24.0, calls))
}

fn export(unit: &AppUnit) -> RouteSpec {
    let chunk = CallSpec { times: 24.0, ..read(unit, "export chunk", 450.0, 350.0, None) };
    let entry = page(unit, "GET", "export", 300.0, vec![chunk]);
    RouteSpec { patience_ms: 150_000.0, allowed: 0.05, user_retry: 0.0, ..route(unit, "export", 0.5, 45_000.0, entry) }
}

fn confirmations(unit: &AppUnit) -> RouteSpec {
    let op = Op { name: "consume order.placed".into(), ..Op::default() };
    let calls = vec![write(unit, "book order", 20.0, 150.0)];
    let entry = CallSpec { to: unit.service("message_queue"), op, times: 1.0, calls, on_miss: vec![] };
    RouteSpec { patience_ms: 3_600_000.0, user_retry: 0.0, ..route(unit, "confirmations", 0.0, 60_000.0, entry) }
}

fn route(unit: &AppUnit, name: &str, rps: f64, slow_ms: f64, entry: CallSpec) -> RouteSpec {
    let name = format!("{}_{name}", unit.name);
    RouteSpec { name, rps, slow_ms, patience_ms: 12_000.0, allowed: 0.02, user_retry: 0.3, entry }
}

/// A request through whatever stands in front of the unit to its server.
fn page(unit: &AppUnit, method: &str, what: &str, work_ms: f64, calls: Vec<CallSpec>) -> CallSpec {
    let name = format!("{method} /{}/{what}", unit.name);
    let op = |work_ms: f64| Op {
        name: name.clone(),
        work_ms,
        spread: if work_ms > 0.0 { 0.5 } else { 0.0 },
        ..Op::default()
    };
    let mut call = CallSpec { to: unit.service("web_server"), op: op(work_ms), times: 1.0, calls, on_miss: vec![] };
    for front in unit.front.iter().rev() {
        let work_ms = if front.ends_with("_web_server") { 12.0 } else { 0.0 };
        call = CallSpec { to: front.clone(), op: op(work_ms), times: 1.0, calls: vec![call], on_miss: vec![] };
    }
    call
}

fn session(unit: &AppUnit) -> Vec<CallSpec> {
    let load = read(unit, "load session", 6.0, 20.0, None);
    if unit.cache { vec![lookup(unit, "session", 1.0, 0.97, load)] } else { Vec::new() }
}

fn lookup(unit: &AppUnit, name: &str, times: f64, hit: f64, miss: CallSpec) -> CallSpec {
    let op = Op { name: format!("get {name}"), hit, ..Op::default() };
    let on_miss = vec![CallSpec { times: miss.times * times, ..miss }];
    CallSpec { to: unit.service("cache"), op, times, calls: vec![], on_miss }
}

fn read(unit: &AppUnit, name: &str, work_ms: f64, hold_ms: f64, index: Option<&str>) -> CallSpec {
    let op = Op { name: name.into(), work_ms, hold_ms, spread: 0.6, index: index.map(Into::into), ..Op::default() };
    CallSpec { to: unit.service("database"), op, times: 1.0, ..CallSpec::default() }
}

fn write(unit: &AppUnit, name: &str, work_ms: f64, hold_ms: f64) -> CallSpec {
    let mut call = read(unit, name, work_ms, hold_ms, None);
    call.op.write = true;
    call.times = 2.0;
    call
}
