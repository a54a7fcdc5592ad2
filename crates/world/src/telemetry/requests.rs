//! Requests between two scrapes. A request has an address (when, which route, which number), and everything that is shown
//! of it follows from there and from the row of history: so logs and traces of a request tell one story.

use crate::blueprint::{Blueprint, CallInfo};
use crate::flow::Reason;
use crate::history::Row;
use crate::kind::Role;
use crate::latency::Latency;
use crate::operator::View;
use crate::rng::Stream;
use crate::settings::RevisionId;
use crate::time::{Span, Time};

/// A request: who sent it when, and what became of it, call by call.
pub(crate) struct Request {
    pub id: u64,
    pub time: Time,
    pub draws: Stream,
    pub spans: Vec<Step>,
}

/// One call of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub depth: usize,
    pub call: usize,
    pub ms: f64,
    pub failed: Option<Reason>,
    /// How many calls it stands for; 0 for the time before the call was worked on.
    pub times: u32,
}

/// The address of a request that failed for a reason, or of one of which nothing is known yet.
pub(crate) fn address(requests: Stream, at: Time, route: usize, failed: Option<Reason>, number: u64) -> Stream {
    let sort = failed.map_or(0, |reason| reason as u64 + 1);
    requests.within(at.0).within(route as u64).within(sort << 32 | number)
}

/// Who sent the request of an address.
pub(crate) fn user(draws: Stream) -> u64 {
    10_000 + draws.at(3).below(80_000)
}

/// Where that user is, out there.
pub(crate) fn client(draws: Stream) -> [u8; 4] {
    let home = crate::rng::mix(user(draws));
    let byte = |at: u32| (home >> (8 * at)) as u8;
    [80 + byte(0) % 16, byte(1), byte(2), 1 + byte(3) % 254]
}

impl View<'_> {
    /// The call behind a call that fails for a reason.
    pub(crate) fn failing(self, row: Row<'_>, call: usize, reason: Reason) -> Option<usize> {
        Walk { view: self, row }.origin(call, reason)
    }

    pub(crate) fn requests(self) -> Stream {
        self.world.seed.stream("requests")
    }

    /// A request of a route, by its number.
    pub(crate) fn request(self, row: Row<'_>, route: usize, number: u64) -> Request {
        let walk = Walk { view: self, row };
        let entry = self.world.plan.routes[route].entry;
        let fails = address(self.requests(), row.time, route, None, number).at(1).chance(walk.failed(entry));
        self.request_with(row, route, number, if fails { walk.reason(entry) } else { None })
    }

    /// The same where it is known why it failed, if it did.
    pub(crate) fn request_with(self, row: Row<'_>, route: usize, number: u64, failed: Option<Reason>) -> Request {
        let draws = address(self.requests(), row.time, route, failed, number);
        let info = &self.world.plan.routes[route];
        let mut spans = Vec::with_capacity(8);
        let most = if info.asynchronous { f64::INFINITY } else { info.patience * 1000.0 };
        let visit = Visit { call: info.entry, depth: 0, fate: failed, z: draws.at(2).normal(), most, fixed: None };
        Walk { view: self, row }.visit(visit, draws, &mut spans);
        Request { id: draws.at(4).bits(), time: row.time.back(Span(draws.at(0).below(15_000))), draws, spans }
    }
}

/// One call that is to be walked through.
#[derive(Clone, Copy)]
struct Visit {
    call: usize,
    depth: usize,
    /// The reason for which it fails.
    fate: Option<Reason>,
    /// How slow it is among its like.
    z: f64,
    /// The longest that it may take, in milliseconds, and what it took where that is known.
    most: f64,
    fixed: Option<f64>,
}

/// A row of history as the requests of that time met it.
#[derive(Clone, Copy)]
struct Walk<'w> {
    view: View<'w>,
    row: Row<'w>,
}

impl<'w> Walk<'w> {
    fn plan(self) -> &'w Blueprint {
        &self.view.world.plan
    }

    fn info(self, call: usize) -> &'w CallInfo {
        &self.plan().calls[call]
    }

    fn cell(self, call: usize, column: usize) -> f64 {
        f64::from(self.row.cells[self.info(call).columns.start + column])
    }

    fn rate(self, call: usize) -> f64 {
        self.cell(call, 0)
    }

    fn failed(self, call: usize) -> f64 {
        self.cell(call, 1)
    }

    fn reason(self, call: usize) -> Option<Reason> {
        Reason::ALL.get((self.cell(call, 2) as usize).checked_sub(1)?).copied()
    }

    /// Time until an answer, in milliseconds.
    fn time(self, call: usize) -> Latency {
        let deviation = self.cell(call, 4);
        Latency { mean: self.cell(call, 3), var: deviation * deviation }
    }

    /// A number that a service ran with.
    fn setting(self, service: usize, key: Option<&str>) -> Option<f64> {
        let at = self.plan().services[service].key(key?)?;
        Some(self.view.world.settings[service].at(RevisionId::TEMPLATE, at, self.row.time).int())
    }

    /// For how long the caller of a call waits, in milliseconds.
    fn deadline(self, call: usize) -> f64 {
        let info = self.info(call);
        let caller = info.parent.map(|parent| self.info(parent).service);
        let set = caller.and_then(|s| self.setting(s, self.plan().services[s].kind.deadline(info.role)));
        let set = set.map(|ms| if info.role == Role::Lookup { ms.min(1000.0) } else { ms });
        set.unwrap_or(self.plan().routes[info.route].patience * 1000.0)
    }

    /// The call behind this one that fails for a reason, if it is not this one itself.
    fn origin(self, call: usize, reason: Reason) -> Option<usize> {
        let weight = |child: usize| {
            let late = if reason == Reason::TimedOut { self.time(child).tail(self.deadline(child)) } else { 0.0 };
            late + if self.reason(child) == Some(reason) { self.failed(child) } else { 0.0 }
        };
        let children = self.info(call).children.iter().copied();
        let candidates = children.filter(|&c| self.info(c).role != Role::Lookup && self.rate(c) > 0.0);
        let best = candidates.map(|c| (c, weight(c))).max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|b| b.1 > 1e-4).map(|b| b.0)
    }

    /// How long a call takes that fails by itself, in milliseconds: as long as its reason makes it.
    fn own_time(self, visit: Visit, reason: Reason, draws: Stream) -> f64 {
        let service = self.info(visit.call).service;
        let limit = || self.setting(service, self.plan().services[service].kind.limit(reason));
        match reason {
            Reason::TimedOut => self.deadline(visit.call),
            Reason::StatementTimeout | Reason::IdleReset => limit().unwrap_or(visit.most),
            Reason::PoolExhausted => {
                1000.0 * self.plan().services[service].params.get("acquire_s").copied().unwrap_or(0.5)
            }
            Reason::Unreachable => 250.0,
            _ if reason.at_once() => draws.at(5).between(0.4, 2.4),
            _ => self.time(visit.call).at_z(visit.z),
        }
    }

    /// Adds the steps of a call and of what it called.
    fn visit(self, visit: Visit, draws: Stream, spans: &mut Vec<Step>) {
        let (info, own) = (self.info(visit.call), draws.within(visit.call as u64));
        let origin = visit.fate.and_then(|reason| self.origin(visit.call, reason));
        // A caller that waits for less time than those behind it gives up first.
        let gives_up = |call: &usize| visit.fate == Some(Reason::TimedOut) && self.deadline(*call) >= 0.97 * visit.most;
        let origin = origin.filter(|call| !gives_up(call));
        let at = spans.len();
        spans.push(Step { depth: visit.depth, call: visit.call, ms: 0.0, failed: visit.fate, times: 1 });
        let total = match (visit.fate, origin) {
            (_, Some(_)) => None,
            (Some(reason), None) => Some(self.own_time(visit, reason, own).min(visit.most)),
            (None, None) => {
                Some(visit.fixed.unwrap_or_else(|| self.time(visit.call).at_z(visit.z)).min(0.999 * visit.most))
            }
        };
        let turned_away = visit.fate.is_some_and(Reason::at_once) && origin.is_none();
        let planned = if turned_away { Vec::new() } else { self.children(visit, origin, own) };
        let wanted: f64 = planned.iter().map(|(_, ms, times)| ms * f64::from(*times)).sum();
        let room = total.unwrap_or(visit.most * 0.999);
        let fit = if wanted > 0.97 * room { 0.97 * room / wanted } else { 1.0 };
        for (child, ms, times) in planned {
            // Few calls in a row are shown one by one, many as one step.
            let (shown, each) = if times <= 4 { (times, 1) } else { (1, times) };
            // A deadline stays what it is, whatever else there was to wait for.
            let exact = child.fate == Some(Reason::TimedOut);
            let ms = if exact { ms } else { ms * fit };
            let shares = [0, 1, 2, 3].map(|n| own.within(child.call as u64).at(8 + n).between(0.6, 1.4));
            let even = shares[..shown as usize].iter().sum::<f64>() / f64::from(shown);
            for n in 0..shown {
                // No two calls take the same time, and all of them as long as they do.
                let is_uneven = shown > 1 && child.fate.is_none();
                let ms = if is_uneven { (ms * shares[n as usize] / even).min(child.most) } else { ms };
                let child = Visit { fixed: Some(ms), most: child.most.min(f64::max(ms, 0.1)), ..child };
                let first = spans.len();
                self.visit(child, draws.within(u64::from(n)), spans);
                spans[first].times = each;
                spans[first].ms *= f64::from(each);
            }
        }
        let inner: f64 = spans[at + 1..].iter().filter(|s| s.depth == visit.depth + 1).map(|s| s.ms).sum();
        let work = info.op.work_ms + info.op.hold_ms;
        spans[at].ms = total.unwrap_or(inner + work * own.at(6).between(0.3, 0.9)).max(inner);
        let waited = spans[at].ms - inner - work;
        // What a request waits before it is worked on is a step of its own, so that times add up.
        if waited > 50.0 && waited > 3.0 * work && info.op.work_ms > 0.0 && !turned_away && visit.fate.is_none() {
            let queued = Step { depth: visit.depth + 1, call: visit.call, ms: waited, failed: None, times: 0 };
            spans.insert(at + 1, queued);
        }
    }

    /// The calls that a call makes, in order, up to the one that fails; with their times.
    fn children(self, visit: Visit, origin: Option<usize>, own: Stream) -> Vec<(Visit, f64, u32)> {
        let info = self.info(visit.call);
        let slowest = info.children.iter().copied().max_by(|a, b| {
            let of = |c: usize| self.time(c).mean * self.rate(c);
            of(*a).total_cmp(&of(*b))
        });
        let (mut all, mut missed) = (Vec::new(), Vec::new());
        for &call in &info.children {
            let child = self.info(call);
            let there = self.rate(call) > 0.0;
            if child.role == Role::Lookup && !there {
                missed.push(call);
            }
            let asked = match child.miss_of {
                Some(sibling) => missed.contains(&sibling),
                None => child.times >= 1.0 || own.at(call as u64).chance(child.times),
            };
            if !(there && (asked || origin == Some(call))) {
                continue;
            }
            let lookup = child.role == Role::Lookup;
            let fate = match (origin == Some(call), lookup) {
                (true, _) => visit.fate,
                (false, true) if own.at(call as u64 | 1 << 33).chance(self.failed(call)) => self.reason(call),
                _ => None,
            };
            if lookup && (fate.is_some() || own.at(call as u64 | 1 << 32).chance(self.cell(call, 5))) {
                missed.push(call);
            }
            let z = if slowest == Some(call) { visit.z } else { own.within(call as u64).at(1).normal() };
            let most = self.deadline(call);
            let next = Visit { call, depth: visit.depth + 1, fate, z, most, fixed: None };
            let inner_origin = fate.and_then(|reason| self.origin(call, reason));
            let ms = match fate {
                Some(reason) if inner_origin.is_none() => self.own_time(next, reason, own.within(call as u64)),
                Some(_) => most,
                None => self.time(call).at_z(z),
            };
            let times = if child.miss_of.is_some() { 1 } else { (child.times.round() as u32).max(1) };
            let times = if fate.is_some() && !lookup { 1 } else { times };
            all.push((next, ms.min(most), times));
            if origin == Some(call) {
                break;
            }
        }
        all
    }
}
