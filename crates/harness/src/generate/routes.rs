//! What users ask of a unit, and what units ask of each other: the domain's routes, as far as the unit has what they need.

use std::collections::BTreeMap;

use world::spec::{CallSpec, Op, RouteSpec};

use super::dice::GeneratorDice;
use super::domains::{CallKind, Domain, Overview, RouteKind};
use super::topology::{AppUnit, Front, GuestKind};

/// A read that is cheaper than this is not made where no cache stands before it: the server remembers.
const CHEAP_MS: f64 = 10.0;
/// A read that is dearer than this is asked for less where no cache stands before it, ...
const DEAR_MS: f64 = 100.0;
/// ... by these factors for dear reads and for others.
const UNCACHED: (f64, f64) = (0.35, 0.77);
/// What takes longer than this is not asked through a server in front, which would not wait so long.
const LONG_MS: f64 = 20_000.0;
/// What a read takes in a store that was made for it, as a share of what it takes in a database.
const MADE_FOR_IT: f64 = 0.3;
/// Work of a server in front of another.
const FRONT_MS: f64 = 12.0;
/// An overview asks no more units than this.
const WIDEST: usize = 4;

/// The units of a world, for those that ask each other.
pub(super) struct Neighbours<'a> {
    pub domain: &'a Domain,
    pub units: &'a [AppUnit],
    /// The first unit of each kind in each region.
    places: BTreeMap<(usize, &'a str), &'a AppUnit>,
}

impl<'a> Neighbours<'a> {
    pub fn new(domain: &'a Domain, units: &'a [AppUnit]) -> Neighbours<'a> {
        let mut places = BTreeMap::new();
        for unit in units {
            places.entry(unit.place()).or_insert(unit);
        }
        Neighbours { domain, units, places }
    }

    /// The unit of a kind in a region.
    pub fn of(&self, rank: usize, region: &str) -> Option<&'a AppUnit> {
        self.places.get(&(rank, region)).copied()
    }
}

/// The routes of a unit, at a load of its own.
pub(super) fn of(dice: &mut GeneratorDice, unit: &AppUnit, all: &Neighbours<'_>) -> Vec<RouteSpec> {
    let busy = dice.roll().between(0.8, 1.15);
    let is_first = !unit.front.iter().any(|front| front.is_server);
    let mut routes = Vec::new();
    for kind in &unit.kind.routes {
        let is_wanted = dice.chance(kind.chance);
        let by = busy * dice.roll().between(0.9, 1.1);
        if is_wanted && (is_first || kind.slow_ms < LONG_MS) {
            routes.push(route(unit, kind, by, all));
        }
    }
    routes.extend(job(unit, all));
    routes
}

/// What a front answers from several of the units behind it.
pub(super) fn overview(units: &[AppUnit], all: &Neighbours<'_>) -> Option<RouteSpec> {
    let first = units.first().filter(|_| units.len() > 1)?;
    let at = first.front.iter().rposition(|front| front.is_server)?;
    let Overview { name, path, rps, slow_ms, work_ms } = &all.domain.overview;
    let calls = units.iter().take(WIDEST).map(|unit| internal(unit, 1.0, all)).collect();
    let to = |front: &Front| front.name.as_str().into();
    let mut call =
        CallSpec { to: to(&first.front[at]), op: page_op(path, *work_ms), times: 1.0, calls, on_miss: vec![] };
    for front in first.front[..at].iter().rev() {
        call = CallSpec { to: to(front), op: page_op(path, 0.0), times: 1.0, calls: vec![call], on_miss: vec![] };
    }
    Some(RouteSpec {
        name: format!("{}_{name}", first.app),
        rps: *rps,
        slow_ms: *slow_ms,
        patience_ms: 12_000.0,
        allowed: 0.02,
        user_retry: 0.3,
        entry: call,
    })
}

/// What the unit's server asks of a service of another kind, and what that asks in turn of those beside it.
pub(super) fn guest(unit: &AppUnit, guest: &GuestKind) -> CallSpec {
    let row = CallKind { work_ms: 12.0, hold_ms: 40.0, ..CallKind::default() };
    let inner = |kind: &&str| (*kind == "database").then(|| stored(unit, &row, "load row", 1.0));
    let calls = guest.used.calls.iter().filter_map(inner).collect();
    let (op, times) = (guest.used.op.clone(), guest.used.times);
    CallSpec { to: unit.guest_name(guest).into(), op, times, calls, on_miss: vec![] }
}

fn route(unit: &AppUnit, kind: &RouteKind, by: f64, all: &Neighbours<'_>) -> RouteSpec {
    let dearest = kind.calls.iter().filter_map(|c| c.miss.as_ref()).map(|miss| miss.work_ms).fold(0.0, f64::max);
    let uncached = if dearest > DEAR_MS { UNCACHED.0 } else { UNCACHED.1 };
    let less = if unit.cache || dearest == 0.0 { 1.0 } else { uncached };
    RouteSpec {
        name: unit.route(&kind.name),
        rps: kind.rps * less * by,
        slow_ms: kind.slow_ms,
        patience_ms: kind.patience_ms,
        allowed: kind.allowed,
        user_retry: kind.user_retry,
        entry: page(unit, &kind.path, kind.work_ms, calls(unit, &kind.calls, all)),
    }
}

/// What the consumers of a unit's queue do.
fn job(unit: &AppUnit, all: &Neighbours<'_>) -> Option<RouteSpec> {
    let job = unit.kind.job.as_ref().filter(|_| unit.queue)?;
    let op = Op { name: format!("consume {}", job.topic).into(), ..Op::default() };
    let entry =
        CallSpec { to: unit.queue_name().into(), op, times: 1.0, calls: calls(unit, &job.calls, all), on_miss: vec![] };
    Some(RouteSpec {
        name: unit.route(&job.name),
        rps: 0.0,
        slow_ms: job.slow_ms,
        patience_ms: 3_600_000.0,
        allowed: 0.02,
        user_retry: 0.0,
        entry,
    })
}

/// A request through whatever stands in front of the unit to its server.
fn page(unit: &AppUnit, path: &str, work_ms: f64, calls: Vec<CallSpec>) -> CallSpec {
    let op = |work_ms: f64| page_op(path, work_ms);
    let mut call = CallSpec { to: unit.server_name().into(), op: op(work_ms), times: 1.0, calls, on_miss: vec![] };
    for front in unit.front.iter().rev() {
        let work_ms = if front.is_server { FRONT_MS } else { 0.0 };
        call = CallSpec {
            to: front.name.as_str().into(),
            op: op(work_ms),
            times: 1.0,
            calls: vec![call],
            on_miss: vec![],
        };
    }
    call
}

fn page_op(path: &str, work_ms: f64) -> Op {
    Op { name: path.into(), work_ms, spread: if work_ms > 0.0 { 0.5 } else { 0.0 }, ..Op::default() }
}

/// What another server asks of a unit.
fn internal(unit: &AppUnit, times: f64, all: &Neighbours<'_>) -> CallSpec {
    let kind = &unit.kind.internal;
    let inner = calls(unit, &kind.calls, all);
    CallSpec {
        to: unit.server_name().into(),
        op: page_op(&kind.path, kind.work_ms),
        times,
        calls: inner,
        on_miss: vec![],
    }
}

fn calls(unit: &AppUnit, kinds: &[CallKind], all: &Neighbours<'_>) -> Vec<CallSpec> {
    kinds.iter().filter_map(|kind| call(unit, kind, all)).collect()
}

/// One thing that a server does, if it has what that needs.
fn call(unit: &AppUnit, kind: &CallKind, all: &Neighbours<'_>) -> Option<CallSpec> {
    let times = kind.times.unwrap_or(1.0);
    if let Some(name) = &kind.get {
        return lookup(unit, kind, name, times);
    }
    if let Some(name) = kind.read.as_ref().or(kind.write.as_ref()) {
        return Some(stored(unit, kind, name, times));
    }
    if kind.publish {
        let topic = &unit.kind.job.as_ref().filter(|_| unit.queue)?.topic;
        let op = Op { name: format!("publish {topic}").into(), write: true, ..Op::default() };
        return Some(CallSpec { to: unit.queue_name().into(), op, times, ..CallSpec::default() });
    }
    let asked = unit.nearest(kind.ask.as_ref()?, all)?;
    Some(internal(asked, times, all))
}

/// A lookup; without a cache, what it would do where it finds nothing.
fn lookup(unit: &AppUnit, kind: &CallKind, name: &str, times: f64) -> Option<CallSpec> {
    let miss = kind.miss.as_ref()?;
    let load = |times: f64| stored(unit, miss, miss.read.as_deref().unwrap_or_default(), times);
    if !unit.cache {
        return (miss.work_ms >= CHEAP_MS).then(|| load(1.0));
    }
    let op = Op { name: format!("get {name}").into(), hit: kind.hit, ..Op::default() };
    Some(CallSpec { to: unit.cache_name().into(), op, times, calls: vec![], on_miss: vec![load(times)] })
}

/// A read from or a write to a store.
fn stored(unit: &AppUnit, kind: &CallKind, name: &str, times: f64) -> CallSpec {
    let index = kind.index.map(|index| unit.kind.index(index));
    let is_second = kind.second && unit.second;
    let op = Op {
        name: name.into(),
        work_ms: kind.work_ms * if is_second { MADE_FOR_IT } else { 1.0 },
        hold_ms: kind.hold_ms,
        spread: kind.spread.unwrap_or(0.6),
        write: kind.write.is_some(),
        index: index.map(Into::into),
        ..Op::default()
    };
    let to = if is_second { unit.second_name() } else { unit.database_name() };
    CallSpec { to: to.into(), op, times, ..CallSpec::default() }
}
