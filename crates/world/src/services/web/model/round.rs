//! One tick of a server, group by group: what is let in, what is sent on, how its instances answer.

use super::groups::{RevisionGroup, TrafficShare};
use super::{LetIn, Tally, WebModel, found_nothing};
use crate::fleet::{PerInstance, USUAL_FILES};
use crate::flow::{Flow, Mix, Reason};
use crate::latency::Latency;
use crate::process::Process;
use crate::queued::Queued;
use crate::services::{Role, Tick};
use crate::station::{Capacity, Served, StandingLine, Station};

/// What is worked out in one tick for all groups.
pub(super) struct Round<'r> {
    pub arrivals: f64,
    /// How much longer than usual the service's own work takes.
    pub drag: f64,
    /// The queue in which the workers of servers before this one stand, if they do.
    pub standing: Option<StandingLine>,
    pub stations: &'r mut PerInstance<Station>,
    pub tally: &'r mut Tally,
    /// Failed requests by reason.
    pub by: &'r mut Mix,
}

// The steps of a group are inlined: nearly every service is one group, and pays nothing for what could be more.
impl WebModel {
    /// What a group lets in; gives the share under the rate limit, the share that reaches a worker, and its workers.
    #[inline(always)]
    pub(super) fn admit(&self, group: &RevisionGroup, tick: &Tick<'_>, arrivals: f64) -> (f64, f64, f64) {
        let limit = group.settings.rate_limit;
        let admitted = if arrivals > limit { limit / arrivals } else { 1.0 };
        let (mut through, mut all) = (0.0, 0.0);
        for instance in group.of(tick.instances()) {
            let (workers, ..) = self.condition(&group.settings, instance);
            all += workers;
            through += (arrivals * admitted * instance.share).min(workers / group.hold);
        }
        (admitted, if arrivals > 0.0 { through / arrivals } else { 0.0 }, all)
    }

    #[cold]
    pub(super) fn admit_others(&mut self, tick: &Tick<'_>, arrivals: f64) -> f64 {
        let mut all = 0.0;
        for at in 0..self.others.len() {
            let (admitted, pass, workers) = self.admit(&self.others[at], tick, arrivals);
            self.others[at] = RevisionGroup { admitted, pass, ..self.others[at] };
            all += workers;
        }
        all
    }

    /// Sends on what a group lets in: the first sets the traffic, each further one adds to it.
    #[inline(always)]
    pub(super) fn pass_on(&self, group: &RevisionGroup, so_far: f64, workers: f64, tick: &mut Tick<'_>) {
        let (build, first) = (tick.build(), so_far >= 1.0);
        for page in &self.table.pages {
            let (rate, mut missed) = (tick.flows[page.call].offered * group.pass, 0.0);
            for child in &self.table.children[page.children.clone()] {
                let share = if child.on_miss { missed } else { 1.0 };
                let (open, flow) = (group.is_open(child), &mut tick.flows[child.call]);
                let wanted = match child.role {
                    Role::Lookup => {
                        missed = share * if open { found_nothing(flow) } else { 1.0 };
                        f64::from(u8::from(open))
                    }
                    Role::Handover => {
                        // The callee learns that its caller has gone only afterwards.
                        let cut = flow.latency.tail(group.settings.publish_timeout);
                        flow.cut = if first { cut } else { flow.cut + (cut - flow.cut) * so_far };
                        1.0
                    }
                    Role::Answer if child.write => 1.0,
                    Role::Answer => self.attempts(flow, build),
                };
                let offered = rate * child.times * share * wanted * (1.0 - flow.gone);
                if child.chained {
                    group.press(flow, offered, child.times);
                }
                flow.offered = if first { offered } else { flow.offered + offered };
                flow.callers = workers;
            }
        }
    }

    /// Lets a group answer: the first sets the outcome of each call, each further one is blended in. Gives what its
    /// instances did and for how long its requests now hold a worker.
    #[inline(always)]
    pub(super) fn answer(
        &self,
        group: &RevisionGroup,
        part: TrafficShare,
        round: &mut Round<'_>,
        tick: &mut Tick<'_>,
    ) -> (Totals, Held) {
        let chained = if self.table.chained { self.chained(group, tick) } else { 0.0 };
        let fleet = self.serve(group, part, chained, round, tick);
        let drag = round.drag * if fleet.drag > 0.0 { fleet.drag } else { 1.0 };
        let mut at_the_door = Mix::one(Reason::RateLimited, 1.0 - group.admitted);
        at_the_door.add(Reason::Refused, group.admitted * fleet.refused);
        at_the_door.add(Reason::Overloaded, group.admitted * fleet.rejected);
        let inside = (1.0 - fleet.refused - fleet.rejected).max(0.0);
        at_the_door.add(Reason::OutOfMemory, group.admitted * inside * fleet.killed);
        if fleet.starved > 0.0 {
            at_the_door.add(Reason::OpenFiles, group.admitted * inside * (1.0 - fleet.killed) * fleet.starved);
        }
        let served = group.admitted * inside * (1.0 - fleet.killed) * (1.0 - fleet.starved);
        let mut held = Held { chained, ..Held::default() };
        let own = Queued { mean: fleet.wait.mean, most: fleet.most };
        for page in &self.table.pages {
            let Flow { offered, cut, .. } = tick.flows[page.call];
            let mut fails = at_the_door;
            let let_in = LetIn { drag, rate: offered * group.pass, served };
            let inner = self.inside(group, tick, page, let_in, round.tally, &mut fails);
            held.add(offered, page.work * drag, inner);
            round.by.add_scaled(&fails, offered * part.of_all);
            round.tally.aborted += offered * cut * part.of_all;
            round.tally.buggy += offered * page.bugs * part.of_all;
            let latency = inner.then(fleet.wait);
            let line = if self.table.chained { self.longest(page, own, tick) } else { own };
            // Users who have left are not told how it ended.
            round.tally.left += offered * served * latency.tail(page.patience) * part.of_all;
            if page.writes {
                round.tally.writes += offered * part.of_all;
                round.tally.writes_failed += offered * (fails.total() - fails.get(Reason::RateLimited)) * part.of_all;
            }
            let flow = &mut tick.flows[page.call];
            if part.so_far >= 1.0 {
                flow.answer(latency, fails);
            } else {
                let mut blended = flow.fails.scaled(1.0 - part.so_far);
                blended.add_scaled(&fails, part.so_far);
                flow.answer(flow.latency.or(latency, part.so_far), blended);
            }
            flow.queued = line;
        }
        (fleet, held)
    }

    /// What the instances of a group do in a tick.
    #[inline(always)]
    fn serve(
        &self,
        group: &RevisionGroup,
        part: TrafficShare,
        chained: f64,
        round: &mut Round<'_>,
        tick: &Tick<'_>,
    ) -> Totals {
        let mut fleet = Totals { files: USUAL_FILES, ..Totals::default() };
        let mut alike: Option<(Station, f64, f64, Station, Served)> = None;
        if tick.instances().is_empty() {
            fleet.refused = 1.0;
        }
        for (instance, station) in tick.instances().iter().zip(round.stations.iter_mut()) {
            if instance.revision != group.revision {
                continue;
            }
            let (workers, drag, full) = self.condition(&group.settings, instance);
            let share = instance.share * part.scale;
            fleet.memory = fleet.memory.max(full);
            fleet.drag += drag * share;
            fleet.workers += workers;
            let rate = round.arrivals * group.admitted * instance.share;
            if workers <= 0.0 {
                station.waiting = 0.0;
                fleet.refused += share;
                continue;
            }
            // Instances that stand alike fare alike, and most do.
            let served = match alike {
                Some((before, at, with, after, served)) if (before, at, with) == (*station, rate, workers) => {
                    *station = after;
                    served
                }
                _ => {
                    let before = *station;
                    let capacity = group.capacity(workers, round.drag, chained, self.backlog);
                    let served = match round.standing {
                        None => station.step_finely(rate, capacity, group.unevenness, tick.dt),
                        Some(all) => {
                            let line = StandingLine { queue: all.queue * share, others: all.others * share, ..all };
                            station.stand(rate, capacity, line, tick.dt)
                        }
                    };
                    alike = Some((before, rate, workers, *station, served));
                    served
                }
            };
            fleet.take(&served, share, rate);
            fleet.killed += share * ((full - 0.93) / 0.07).max(0.0) * 0.25;
            fleet.lost += group.settings.workers * instance.process.lost;
            if instance.process.hoarded > 0.0 {
                fleet.hoard(&instance.process);
            }
            if instance.process.opened > 0.0 {
                fleet.starved += share * instance.process.starved();
                fleet.files = fleet.files.max(instance.process.files());
            }
        }
        fleet
    }

    /// The same for a service of several groups.
    #[cold]
    pub(super) fn answer_in_groups(&mut self, round: &mut Round<'_>, tick: &mut Tick<'_>) -> Totals {
        let parts = self.parts(tick);
        let (mut fleet, held) = self.answer(&self.group, parts[0], round, tick);
        fleet.killed *= parts[0].of_all;
        self.group.notice(&held, round.drag, tick.dt);
        for at in 0..self.others.len() {
            let part = parts[at + 1];
            let (other, held) = self.answer(&self.others[at], part, round, tick);
            fleet.join(&other, part);
            self.others[at].notice(&held, round.drag, tick.dt);
        }
        fleet
    }
}

/// For how long requests held a worker, summed over them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    requests: f64,
    /// Own work, all of it, and the square of all of it.
    own: f64,
    all: f64,
    square: f64,
    /// Mean time of its calls to servers of the same kind.
    chained: f64,
}

impl Held {
    #[inline]
    fn add(&mut self, requests: f64, own: f64, all: Latency) {
        self.requests += requests;
        self.own += requests * own;
        self.all += requests * all.mean;
        self.square += requests * (all.var + all.mean * all.mean);
    }
}

impl RevisionGroup {
    /// What workers notice at the end of a tick: at once what their own work takes, and servers of the same kind; within seconds
    /// what others take, because they notice that only as their requests end.
    #[inline]
    pub(super) fn notice(&mut self, held: &Held, drag: f64, dt: f64) {
        let requests = held.requests.max(1e-9);
        self.own = held.own / (requests * drag);
        let calls = ((held.all - held.own) / requests - held.chained).max(0.0);
        // It is what the workers can do that moves, so a store that is quick again is felt as soon as one that has become slow.
        let rest = (self.own * drag + held.chained).max(1e-6);
        let (noticed, before) = (dt / (dt + NOTICED), 1.0 / (rest + self.calls));
        self.calls = (1.0 / (before + (1.0 / (rest + calls) - before) * noticed) - rest).max(0.0);
        self.chained = held.chained;
        let all = held.all.max(1e-12);
        self.unevenness = held.square * held.requests / (all * all) - 1.0;
        self.hold = (self.own * drag + self.calls + self.chained).max(SHORTEST);
    }

    /// What its workers are for an instance that has so many.
    #[inline]
    pub(super) fn capacity(&self, workers: f64, drag: f64, chained: f64, room: f64) -> Capacity {
        let hold = (self.own * drag + self.calls + chained).max(SHORTEST);
        Capacity { servers: workers, hold, room }
    }
}

/// Workers notice within so many seconds that what they call has become slower or quicker.
const NOTICED: f64 = 2.0;

/// No request holds its worker for less, in seconds.
const SHORTEST: f64 = 0.005;

/// What the instances did together in one tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub wait: Latency,
    /// The longest wait, where queues wander between their walls.
    pub most: f64,
    pub weight: f64,
    pub refused: f64,
    pub rejected: f64,
    pub killed: f64,
    pub lost: f64,
    pub starved: f64,
    pub files: f64,
    pub hoarded: f64,
    pub hoarders: f64,
    pub hoarded_for: f64,
    pub workers: f64,
    pub drag: f64,
    pub memory: f64,
    pub queued: f64,
    pub busiest: f64,
}

impl Totals {
    #[inline]
    fn take(&mut self, served: &Served, share: f64, rate: f64) {
        self.weight += share;
        if share > 0.0 {
            self.most = self.most.max(served.most);
            self.wait = self.wait.or(served.wait, share / self.weight);
        }
        if rate > 0.0 {
            self.rejected += share * served.rejected / rate;
        }
        self.busiest = self.busiest.max(served.utilisation);
        self.queued += served.wait.mean * served.throughput;
    }

    #[cold]
    fn hoard(&mut self, process: &Process) {
        self.hoarded += process.hoarded;
        self.hoarders += 1.0;
        self.hoarded_for = self.hoarded_for.max(process.hoarded_for);
    }

    /// Adds what another group did, to which a part of the traffic is sent.
    fn join(&mut self, other: &Totals, part: TrafficShare) {
        self.wait = self.wait.or(other.wait, part.so_far);
        self.killed += other.killed * part.of_all;
        self.lost += other.lost;
        self.hoarded += other.hoarded;
        self.hoarders += other.hoarders;
        self.hoarded_for = self.hoarded_for.max(other.hoarded_for);
        self.workers += other.workers;
        self.queued += other.queued;
        self.files = self.files.max(other.files);
        self.memory = self.memory.max(other.memory);
        self.busiest = self.busiest.max(other.busiest);
    }
}
