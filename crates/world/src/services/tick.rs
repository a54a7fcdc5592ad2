//! One tick as a service's physics sees it: what arrives, what its own calls came to, where it counts.

use super::{Named, Template};
use crate::blueprint::{Blueprint, CallInfo};
use crate::fleet::{Fleet, Instance, Phase};
use crate::flow::{Flow, Mix, Reason};
use crate::latency::Latency;
use crate::queued::{Queued, Times};
use crate::release::{Build, Release};
use crate::time::Time;

/// What a model sees and fills in during a tick.
pub struct Tick<'a> {
    /// The time at the end of the tick.
    pub now: Time,
    /// Its length in seconds.
    pub dt: f64,
    /// The compiled world.
    pub plan: &'a Blueprint,
    /// The service whose turn it is.
    pub me: usize,
    /// Traffic by call.
    pub flows: &'a mut [Flow],
    /// All instances of the world.
    pub fleet: &'a mut Fleet,
    /// What each service runs.
    pub(crate) releases: &'a [Release],
    /// Speed of each node; 1 is full speed, 2 is half.
    pub slowdown: &'a [f64],
    /// Whether all nodes run at full speed, and whether all processes run: so it is in most ticks.
    pub(crate) full_speed: bool,
    pub(crate) all_up: bool,
    /// Whether its log is kept: that of a world which is only sketched or is not scraped is never read.
    pub(crate) logged: bool,
    /// Events of the service since the last scrape, one per log template.
    pub events: &'a mut [f32],
}

/// What passes along a call, as far as samples tell of it.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// Calls per second.
    pub offered: f64,
    /// Time until an answer.
    pub latency: Latency,
    /// The part of it that passes in line.
    pub queued: Queued,
}

impl Passing {
    /// What passes now.
    #[inline]
    pub(crate) fn of(flow: &Flow) -> Passing {
        let Flow { offered, latency, queued, .. } = *flow;
        Passing { offered, latency, queued }
    }

    /// The time until an answer with the line in it.
    #[inline]
    pub fn times(&self) -> Times {
        Times { latency: self.latency, queued: self.queued }
    }
}

/// Traffic by call: as it is now, or as a scrape found it.
#[derive(Clone, Copy)]
pub enum CallTraffic<'a> {
    /// Now.
    Now(&'a [Flow]),
    /// Then.
    Then(&'a [Passing]),
}

impl CallTraffic<'_> {
    /// That of a call.
    #[inline]
    pub fn of(self, call: usize) -> Passing {
        match self {
            CallTraffic::Now(flows) => Passing::of(&flows[call]),
            CallTraffic::Then(calls) => calls[call],
        }
    }
}

/// What a model sees when it is scraped.
pub struct Sight<'a> {
    /// The compiled world.
    pub plan: &'a Blueprint,
    /// The service.
    pub me: usize,
    /// Traffic by call.
    pub traffic: CallTraffic<'a>,
}

impl Sight<'_> {
    /// The 95th percentile of what the service answers, averaged over its calls, in milliseconds.
    pub fn p95_ms(&self) -> f64 {
        let calls = self.plan.services[self.me].calls.iter();
        // At the edge users who have left see no answer, however late.
        let edge = self.plan.services[self.me].kind.tier() == 0;
        let (rate, sum) = calls.fold((0.0, 0.0), |(rate, sum), &call| {
            let flow = self.traffic.of(call);
            let most = if edge { self.plan.routes[self.plan.calls[call].route].patience } else { f64::INFINITY };
            (rate + flow.offered, sum + flow.offered * flow.times().p95().min(most))
        });
        if rate > 0.0 { sum / rate * 1000.0 } else { 0.0 }
    }
}

/// How long it takes to learn that nothing listens, in seconds.
const ASTRAY: f64 = 0.003;

/// What a caller sees of one call that it makes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    /// Time until an answer or until the deadline.
    pub latency: Latency,
    /// The share that got no answer in time, late or lost on the way, of those that were sent to the right place.
    pub lost: f64,
    /// The share that fails, those without an answer included.
    pub failed: f64,
}

impl Edge {
    /// The same where a share of the calls goes to an address where nothing listens.
    #[cold]
    fn astray(self, gone: f64) -> Edge {
        let latency = self.latency.or(Latency::new(ASTRAY, 0.5), gone);
        Edge { latency, lost: self.lost, failed: gone + self.failed * (1.0 - gone) }
    }
}

impl<'a> Tick<'a> {
    /// Indexes of the calls that this service answers.
    pub fn calls(&self) -> &'a [usize] {
        let plan: &'a Blueprint = self.plan;
        &plan.services[self.me].calls
    }

    /// The static side of a call.
    pub fn info(&self, call: usize) -> &'a CallInfo {
        let plan: &'a Blueprint = self.plan;
        &plan.calls[call]
    }

    /// Calls per second that arrive at this service.
    pub fn arrivals(&self) -> f64 {
        self.offered(self.calls().iter().copied())
    }

    /// Calls per second of some calls: for those who have their own list of what arrives at hand.
    #[inline]
    pub(crate) fn offered(&self, calls: impl Iterator<Item = usize>) -> f64 {
        calls.map(|call| self.flows[call].offered).sum()
    }

    /// The instances of this service.
    pub fn instances(&self) -> &[Instance] {
        self.fleet.of(self.me)
    }

    /// The share of this service's instances that run.
    #[inline]
    pub fn up(&self) -> f64 {
        if self.all_up && !self.instances().is_empty() { 1.0 } else { self.fleet.up(self.me) }
    }

    /// Whether all of this service's processes are dead, and nothing starts them again.
    #[inline]
    pub fn all_dead(&self) -> bool {
        let any_runs = self.all_up && !self.instances().is_empty();
        !any_runs && self.instances().iter().all(|i| matches!(i.process.phase, Phase::Crashed(_)))
    }

    /// How much longer than usual the service's own work takes: its machines, its share of them, its build.
    #[inline]
    pub fn drag(&self) -> f64 {
        let all = self.instances();
        if self.full_speed && !all.is_empty() {
            return self.releases[self.me].burden;
        }
        let nodes = all.iter().map(|i| self.slowdown[i.node]).sum::<f64>() / all.len().max(1) as f64;
        nodes * self.releases[self.me].burden
    }

    /// The build that this service runs.
    pub fn build(&self) -> &'a Build {
        let releases: &'a [Release] = self.releases;
        &releases[self.me].running
    }

    /// Adds `rate` events per second to a line of the service's log.
    #[inline]
    pub(crate) fn count(&mut self, line: impl Named<Row = Template>, rate: f64) {
        self.events[line.place()] += (rate * self.dt) as f32;
    }

    /// How often a line was written since the last scrape: for what happens once and not at a rate.
    pub(crate) fn counted(&mut self, line: impl Named<Row = Template>) -> &mut f32 {
        &mut self.events[line.place()]
    }

    /// Adds `rate` events per second to the line at a position: for lines that a callee's kind lends.
    pub(crate) fn count_at(&mut self, place: usize, rate: f64) {
        self.events[place] += (rate * self.dt) as f32;
    }

    /// What the caller sees of a call with a deadline in seconds.
    #[inline]
    pub fn edge(&self, call: usize, deadline: f64) -> Edge {
        let flow = &self.flows[call];
        let latency = Latency { mean: flow.latency.mean + flow.delay, var: flow.latency.var };
        let (late, capped) = latency.split(deadline);
        if late <= 0.0 && flow.loss + flow.gone <= 0.0 {
            return Edge { latency, lost: 0.0, failed: flow.failed };
        }
        let lost = late + flow.loss * (1.0 - late);
        let latency = capped.or(Latency::new(deadline, 0.05), flow.loss);
        let edge = Edge { latency, lost, failed: lost + flow.failed * (1.0 - lost) };
        if flow.gone <= 0.0 { edge } else { edge.astray(flow.gone) }
    }

    /// Adds the reasons for which a call failed, scaled; `lost` is that of its edge.
    pub fn blame(&self, call: usize, lost: f64, by: f64, mix: &mut Mix) {
        let flow = &self.flows[call];
        if flow.gone > 0.0 {
            mix.add(Reason::Astray, flow.gone * by);
        }
        let by = by * (1.0 - flow.gone);
        if lost > 0.0 {
            mix.add(Reason::TimedOut, lost * by);
        }
        if flow.failed <= 0.0 {
            return;
        }
        let by = (1.0 - lost) * by;
        let shows = if flow.is_translated { self.plan.calls[call].shows } else { None };
        match shows {
            None => mix.add_scaled(&flow.fails, by),
            Some(shows) => mix.add_scaled(&shows.translate(&flow.fails), by),
        }
    }
}
