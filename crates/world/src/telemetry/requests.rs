//! Requests between two scrapes. A request has an address (when, which route, which number), and everything that is shown
//! of it follows from there and from the row of history: so logs and traces of a request tell one story.

use crate::blueprint::{Blueprint, CallInfo};
use crate::config::Value;
use crate::flow::Reason;
use crate::history::Row;
use crate::kind::Role;
use crate::latency::Latency;
use crate::operator::View;
use crate::rng::Stream;
use crate::settings::RevisionId;
use crate::time::{SCRAPE, Span, Time};

/// A request: who sent it when, and what became of it, call by call.
pub(crate) struct Request {
    pub id: u64,
    pub time: Time,
    pub draws: Stream,
    pub spans: Vec<Step>,
}

/// What passes in a step of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// A call, as its caller sees it but for the network between them.
    Call,
    /// The wait of a call before it is worked on, in the line of the service that answers it.
    Queued,
    /// The way to the service that answers a call, and back.
    Network,
}

/// One step of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub kind: StepKind,
    pub depth: usize,
    pub call: usize,
    pub ms: f64,
    pub failed: Option<Reason>,
    /// How many calls it stands for.
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

    /// For how long a call waits for the one behind it before it gives it up for not answering, in milliseconds.
    pub(crate) fn gives_up_after(self, row: Row<'_>, call: usize) -> f64 {
        let walk = Walk { view: self, row };
        walk.deadline(walk.origin(call, Reason::TimedOut).unwrap_or(call))
    }

    /// Whether one of the requests that a call was late for, and ended at a time after so many milliseconds, can be one of those of
    /// that time: what began before things went bad was answered before they did, as most were then.
    pub(crate) fn waited_so_long(self, row: Row<'_>, call: usize, (end, ms): (Time, f64), draws: Stream) -> bool {
        let history = &self.world.history;
        let (begin, failed) = (end.back(Span(ms as u64)), self.world.plan.calls[call].columns.start + 1);
        if begin + SCRAPE >= row.time {
            return true;
        }
        // The past was healthy.
        let is_past = history.past().and_then(|past| past.end()).is_some_and(|end| begin <= end);
        let then = if is_past { None } else { history.newest_first(begin.back(Span(1)), begin + SCRAPE).last() };
        let then = then.and_then(|row| row.sample(failed)).unwrap_or(0.0);
        draws.at(11).chance(then / row.sample(failed).unwrap_or(1.0).max(1e-9))
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
        let visit = Visit { call: info.entry, depth: 0, fate: failed, most, exactly: None };
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
    /// The longest that it may take, in milliseconds, and what it takes where that is known.
    most: f64,
    exactly: Option<f64>,
}

/// A part of the time of a call.
#[derive(Clone, Copy)]
struct Piece {
    kind: PieceKind,
    time: Latency,
    /// How slow it is among its like.
    z: f64,
    /// How many there are in a row, the longest that each may take, and the way to each and back.
    times: u32,
    most: f64,
    way: f64,
}

#[derive(Clone, Copy)]
enum PieceKind {
    Queued,
    Work,
    Call(Visit),
}

impl Piece {
    /// How long it takes where all pieces of the call are so much slower than they would be.
    fn at(&self, shift: f64) -> f64 {
        let each = match self.kind {
            PieceKind::Call(visit) if visit.exactly.is_some() => self.most,
            _ => self.time.at_z(self.z + shift).min(self.most),
        };
        (each + self.way) * f64::from(self.times)
    }
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
        f64::from(self.row.cell(self.info(call).columns.start + column))
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

    /// Time until an answer as the caller sees it, in milliseconds.
    fn time(self, call: usize) -> Latency {
        let deviation = self.cell(call, 4);
        Latency { mean: self.cell(call, 3), var: deviation * deviation }
    }

    /// The same without the way there and back.
    fn time_there(self, call: usize) -> Latency {
        let time = self.time(call);
        Latency { mean: (time.mean - self.delay(call)).max(0.0), ..time }
    }

    /// Time for which the call itself is worked on.
    fn work(self, call: usize) -> Latency {
        let deviation = self.cell(call, 7);
        Latency { mean: self.cell(call, 6), var: deviation * deviation }
    }

    /// Time in the line of the service that answers.
    fn wait(self, call: usize) -> Latency {
        let deviation = self.cell(call, 9);
        Latency { mean: self.cell(call, 8), var: deviation * deviation }
    }

    /// The way there and back.
    fn delay(self, call: usize) -> f64 {
        self.cell(call, 10)
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

    /// How long a call takes that fails by itself and of which nothing else is known, in milliseconds: as long as its reason makes it.
    fn alone(self, visit: Visit, reason: Reason, draws: Stream) -> Option<f64> {
        match reason {
            Reason::PoolExhausted => {
                let params = &self.plan().services[self.info(visit.call).service].params;
                Some(1000.0 * params.get("acquire_s").copied().unwrap_or(0.5))
            }
            Reason::Unreachable => Some(UNREACHABLE),
            _ if reason.at_once() => Some(draws.at(5).between(0.4, 2.4)),
            _ => None,
        }
    }

    /// What a call takes that is ended from outside.
    fn ended(self, visit: Visit, reason: Reason) -> Option<f64> {
        let service = self.info(visit.call).service;
        let limit = || self.setting(service, self.plan().services[service].kind.limit(reason));
        match reason {
            Reason::TimedOut => Some(visit.most),
            Reason::StatementTimeout | Reason::IdleReset => Some(limit().unwrap_or(visit.most).min(visit.most)),
            _ => None,
        }
    }

    /// Adds the steps of a call and of what it called; gives how long it took.
    fn visit(self, visit: Visit, draws: Stream, steps: &mut Vec<Step>) -> f64 {
        let own = draws.within(visit.call as u64);
        let origin = visit.fate.and_then(|reason| self.origin(visit.call, reason));
        // A caller that waits for less time than those behind it gives up first.
        let gives_up = |call: &usize| visit.fate == Some(Reason::TimedOut) && self.deadline(*call) >= 0.97 * visit.most;
        let origin = origin.filter(|call| !gives_up(call));
        let at = steps.len();
        let Visit { call, depth, fate, .. } = visit;
        steps.push(Step { kind: StepKind::Call, depth, call, ms: 0.0, failed: fate, times: 1 });
        let by_itself = fate.filter(|_| origin.is_none());
        let alone = by_itself.and_then(|reason| self.alone(visit, reason, own));
        steps[at].ms = match alone {
            Some(ms) => ms.min(visit.most),
            None => {
                let exactly = by_itself.and_then(|reason| self.ended(visit, reason)).or(visit.exactly);
                self.inside(Visit { exactly, ..visit }, origin, draws, steps)
            }
        };
        steps[at].ms
    }

    /// Adds what passes within a call: its wait, the calls that it makes; gives how long all of it took with its own work.
    fn inside(self, visit: Visit, origin: Option<usize>, draws: Stream, steps: &mut Vec<Step>) -> f64 {
        let (own, first) = (draws.within(visit.call as u64), steps.len());
        // Of what is ended from outside, something was still to come.
        let is_ended = matches!(visit.fate, Some(Reason::TimedOut | Reason::IdleReset)) && origin.is_none();
        let pieces =
            self.pieces(Visit { most: if is_ended { f64::INFINITY } else { visit.most }, ..visit }, origin, own);
        let most = self.most(visit);
        let exactly = match visit.exactly {
            Some(exactly) => exactly,
            None => {
                let ms = self.lay(visit, &pieces, None, draws, steps);
                if ms <= most {
                    return ms;
                }
                steps.truncate(first);
                most * own.at(7).between(0.96, 0.999)
            }
        };
        if is_ended {
            let wanted = exactly * own.at(7).between(1.02, 1.5);
            if pieces.iter().map(|piece| piece.at(SLOWEST)).sum::<f64>() < exactly {
                // What it was sent, or what it answered, was lost: nothing there took so long.
                return exactly;
            }
            self.lay(visit, &pieces, Some(shift(&pieces, wanted)), draws, steps);
            cut_off(steps, first, exactly);
            return exactly;
        }
        let ms = self.lay(visit, &pieces, Some(shift(&pieces, exactly)), draws, steps);
        if ms > exactly {
            let fit = exactly / ms;
            steps[first..].iter_mut().for_each(|step| step.ms *= fit);
        }
        exactly
    }

    /// The longest that a call may take: what its caller waits, or what a statement is allowed where some are cancelled.
    fn most(self, visit: Visit) -> f64 {
        let service = self.info(visit.call).service;
        let reason = self.reason(visit.call).filter(|reason| *reason == Reason::StatementTimeout);
        let limit = reason.and_then(|reason| self.setting(service, self.plan().services[service].kind.limit(reason)));
        0.999 * limit.map_or(visit.most, |limit| limit.min(visit.most))
    }

    /// What the time of a call is made of, in order.
    fn pieces(self, visit: Visit, origin: Option<usize>, own: Stream) -> Vec<Piece> {
        let piece = |kind, time, z| Piece { kind, time, z, times: 1, most: f64::INFINITY, way: 0.0 };
        let mut all = vec![
            piece(PieceKind::Queued, self.wait(visit.call), own.at(1 << 40).normal()),
            piece(PieceKind::Work, self.work(visit.call), own.at(6).normal()),
        ];
        for (child, times) in self.children(visit, origin, own) {
            let (delay, deadline) = (self.delay(child.call), self.deadline(child.call));
            let delay = if child.fate.is_some_and(Reason::at_once) { 0.0 } else { delay };
            // Of a call whose time is over before an answer could be back, it is not known where it was.
            let delay = if delay < deadline { delay } else { 0.0 };
            // A caller that is ended itself waits no longer than that, but those that it called do not know.
            let most = if deadline < visit.most || visit.most.is_finite() { deadline - delay } else { f64::INFINITY };
            let most = most.min(visit.most);
            let itself = child.fate.filter(|reason| self.origin(child.call, *reason).is_none());
            let child = Visit { most, ..child };
            let known = itself.and_then(|reason| {
                self.alone(child, reason, own.within(child.call as u64)).or_else(|| self.ended(child, reason))
            });
            let child = Visit { exactly: known.map(|ms| ms.min(most)), ..child };
            let z = own.within(child.call as u64).at(1).normal();
            let time = self.time_there(child.call);
            let most = child.exactly.unwrap_or(most);
            all.push(Piece { kind: PieceKind::Call(child), time, z, times, most, way: delay });
        }
        all
    }

    /// Adds the steps of the pieces of a call; gives how long they take in all. Pieces that are to be slower or quicker than they would be are
    /// so by as many deviations each.
    fn lay(self, visit: Visit, pieces: &[Piece], shift: Option<f64>, draws: Stream, steps: &mut Vec<Step>) -> f64 {
        let (depth, mut all) = (visit.depth + 1, 0.0);
        for piece in pieces {
            let ms = piece.at(shift.unwrap_or(0.0));
            match piece.kind {
                PieceKind::Work => all += ms,
                PieceKind::Queued => {
                    all += ms;
                    if ms >= SHOWN {
                        let kind = StepKind::Queued;
                        steps.push(Step { kind, depth, call: visit.call, ms, failed: None, times: 1 });
                    }
                }
                PieceKind::Call(child) => {
                    let exactly = child.exactly.or(shift.map(|_| ms / f64::from(piece.times) - piece.way));
                    all += self.calls(Visit { depth, exactly, ..child }, piece, draws, steps);
                }
            }
        }
        all
    }

    /// Adds the steps of calls in a row; gives how long they take in all.
    fn calls(self, visit: Visit, piece: &Piece, draws: Stream, steps: &mut Vec<Step>) -> f64 {
        let Piece { times, way, .. } = *piece;
        // Few calls in a row are shown one by one, many as one step.
        let (shown, each) = if times <= 4 { (times, 1) } else { (1, times) };
        // No two calls take the same time, and all of them as long as they do.
        let shares = [0, 1, 2, 3].map(|n| draws.within(visit.call as u64).at(8 + n).between(0.6, 1.4));
        let even = shares[..shown as usize].iter().sum::<f64>() / f64::from(shown);
        let is_uneven = shown > 1 && visit.fate.is_none();
        let mut all = 0.0;
        for n in 0..shown {
            let by = if is_uneven { shares[n as usize] / even } else { 1.0 };
            let exactly = visit.exactly.map(|ms| (ms * by).min(visit.most));
            if way > 0.0 {
                let (kind, ms) = (StepKind::Network, way * f64::from(each));
                steps.push(Step { kind, depth: visit.depth, call: visit.call, ms, failed: None, times: each });
                all += ms;
            }
            let first = steps.len();
            self.visit(Visit { exactly, ..visit }, draws.within(u64::from(n)), steps);
            steps[first].times = each;
            steps[first].ms *= f64::from(each);
            all += steps[first].ms;
        }
        all
    }

    /// Whether a lookup is tried at a host that is not that of the service.
    fn is_tried_elsewhere(self, call: usize) -> bool {
        let Some(caller) = self.info(call).parent.map(|parent| self.info(parent).service) else { return false };
        let info = &self.plan().services[caller];
        let Some(keys) = info.kind.lookup_keys() else { return false };
        let value = |key: &str| {
            let at = info.key(key)?;
            Some(self.view.world.settings[caller].at(RevisionId::TEMPLATE, at, self.row.time))
        };
        let is_forced = info.params.get(keys.forced_by).is_some_and(|forced| *forced > 0.0);
        let is_on = is_forced || value(keys.switch).is_some_and(Value::bool);
        is_on && value(keys.host).is_some_and(|host| self.plan().resolve(host.text()) != Some(self.info(call).service))
    }

    /// The calls that a call makes, in order, up to the one that fails; each with how often it is made.
    fn children(self, visit: Visit, origin: Option<usize>, own: Stream) -> Vec<(Visit, u32)> {
        let (mut all, mut missed) = (Vec::new(), Vec::new());
        for &call in &self.info(visit.call).children {
            let child = self.info(call);
            let (there, lookup) = (self.rate(call) > 0.0, child.role == Role::Lookup);
            let elsewhere = lookup && !there && self.is_tried_elsewhere(call);
            let share = child.miss_of.map_or(1.0, |sibling| {
                missed.iter().find(|(lookup, _)| *lookup == sibling).map_or(0.0, |(_, share): &(usize, f64)| *share)
            });
            let wanted = child.times * share;
            let more = u32::from(own.at(call as u64).chance(wanted - wanted.floor()));
            let times = if origin == Some(call) { 1 } else { wanted as u32 + more };
            if lookup && !there && !elsewhere {
                missed.push((call, share));
            }
            if times == 0 || !(there || elsewhere) {
                continue;
            }
            let fate = match (origin == Some(call), lookup) {
                (true, _) => visit.fate,
                (false, true) if elsewhere => Some(Reason::Unreachable),
                (false, true) if own.at(call as u64 | 1 << 33).chance(self.failed(call)) => self.reason(call),
                _ => None,
            };
            if lookup {
                let draws = own.within(call as u64 | 1 << 32);
                let nothing = |n: &u32| fate.is_some() || draws.at(u64::from(*n)).chance(self.cell(call, 5));
                let found_nothing = (0..times).filter(nothing).count() as f64;
                missed.push((call, share * found_nothing / f64::from(times)));
            }
            let next = Visit { call, depth: visit.depth + 1, fate, most: self.deadline(call), exactly: None };
            all.push((next, times));
            if origin == Some(call) {
                break;
            }
        }
        all
    }
}

/// Ends the steps from one on, which are those within a call, after so many milliseconds.
fn cut_off(steps: &mut Vec<Step>, first: usize, most: f64) {
    let Some(depth) = steps.get(first).map(|step| step.depth) else { return };
    let mut left = most;
    for at in first..steps.len() {
        if steps[at].depth != depth {
            continue;
        }
        if steps[at].ms >= left {
            let after = (at + 1..steps.len()).find(|&next| steps[next].depth <= depth).unwrap_or(steps.len());
            steps.truncate(after);
            steps[at].ms = left;
            cut_off(steps, at + 1, left);
            return;
        }
        left -= steps[at].ms;
    }
}

/// How much slower than they would be, in deviations, all pieces of a call are that takes so long in all.
fn shift(pieces: &[Piece], exactly: f64) -> f64 {
    let (mut low, mut high) = (-SLOWEST, SLOWEST);
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        let all: f64 = pieces.iter().map(|piece| piece.at(middle)).sum();
        if all < exactly { low = middle } else { high = middle }
    }
    low
}

/// How long it takes to learn that a host does not answer, in milliseconds.
const UNREACHABLE: f64 = 250.0;
/// No piece is slower than by so many deviations more than it would be.
const SLOWEST: f64 = 4.0;
/// Shorter waits are no step of their own, in milliseconds.
const SHOWN: f64 = 5.0;
