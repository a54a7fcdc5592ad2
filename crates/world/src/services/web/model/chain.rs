//! Servers behind servers of the same kind: each holds a worker of the one before it, so no more can stand in line than
//! there are workers before it, and what arrives follows from what it can do.

use super::WebModel;
use super::calls::AnsweredCall;
use super::groups::RevisionGroup;
use crate::fleet::PerInstance;
use crate::flow::Flow;
use crate::queued::Queued;
use crate::services::Tick;
use crate::station::{Capacity, StandingLine, Station};

/// Below this share of what its workers can do, no request stands in line for long.
const BUSY: f64 = 0.9;
/// Where so much more is wanted than can be done, there is always something to do.
const BEYOND: f64 = 0.1;
/// A queue is found within this part of itself and of one request, in so many steps at most; it takes half a dozen.
const CLOSE: f64 = 1e-4;
const MOST_STEPS: usize = 24;

impl RevisionGroup {
    /// Says of a call to a server of the same kind what would be sent if workers were free.
    pub(super) fn press(&self, flow: &mut Flow, offered: f64, times: f64) {
        let deadline = self.settings.timeout;
        flow.wanted = offered * self.pressed;
        flow.elsewhere = (self.hold / times.max(1e-6) - flow.latency.mean.min(deadline)).max(0.0);
        flow.deadline = deadline;
    }
}

impl WebModel {
    /// How many times what is passed on would be passed on if all workers were free: what would come and what waits.
    pub(super) fn pressed(&self, arrivals: f64, tick: &Tick<'_>) -> f64 {
        let waiting: f64 = self.stations.iter().map(|s| s.waiting).sum();
        let flows = self.table.pages.iter().map(|page| &tick.flows[page.call]);
        let wanted: f64 = flows.map(|flow| flow.offered.max(flow.wanted)).sum();
        let passed = arrivals * self.group.pass;
        if passed > 0.0 { ((wanted * self.group.admitted + waiting / tick.dt) / passed).max(1.0) } else { 1.0 }
    }

    /// Mean time that a request now spends in calls to servers of the same kind.
    pub(super) fn chained(&self, group: &RevisionGroup, tick: &Tick<'_>) -> f64 {
        let (mut requests, mut time) = (1e-9, 0.0);
        for page in &self.table.pages {
            let offered = tick.flows[page.call].offered;
            requests += offered;
            for child in self.table.children[page.children.clone()].iter().filter(|c| c.chained) {
                let edge = tick.edge(child.call, group.settings.timeout);
                let again = if child.write { 0.0 } else { self.retries * edge.failed };
                time += offered * child.times * edge.latency.mean * (1.0 + again);
            }
        }
        time / requests
    }

    /// The longest line in which requests stand: here, or in a server of the same kind behind this one.
    pub(super) fn longest(&self, page: &AnsweredCall, own: Queued, tick: &Tick<'_>) -> Queued {
        let behind =
            self.table.children[page.children.clone()].iter().filter(|child| child.chained && child.times >= 1.0);
        let lines = behind.map(|child| tick.flows[child.call].queued).filter(|line| line.most > 0.0);
        lines.fold(own, |longest, line| if line.mean > longest.mean { line } else { longest })
    }

    /// Where servers before this one would send more than their workers allow: sets what really arrives, and gives the queue
    /// in which those workers stand.
    pub(super) fn hold_back(
        &self,
        stations: &PerInstance<Station>,
        drag: f64,
        tick: &mut Tick<'_>,
    ) -> Option<StandingLine> {
        let (mut open, mut passed, mut wanted, mut elsewhere, mut deadline) = (0.0, 0.0, 0.0, 0.0, 0.0f64);
        for flow in self.table.pages.iter().map(|page| &tick.flows[page.call]) {
            if flow.wanted <= 0.0 {
                open += flow.offered;
                continue;
            }
            passed += flow.offered;
            wanted += flow.wanted;
            elsewhere += flow.wanted * flow.elsewhere;
            deadline = deadline.max(flow.deadline);
        }
        if passed <= 0.0 || !self.others.is_empty() {
            return None;
        }
        let workers: f64 = tick.instances().iter().map(|i| self.condition(&self.group.settings, i).0).sum();
        if workers <= 0.0 {
            return None;
        }
        let chained = if self.table.chained { self.chained(&self.group, tick) } else { 0.0 };
        let room = self.backlog * tick.instances().len() as f64;
        let capacity = self.group.capacity(workers, drag, chained, room);
        if (open + wanted) * capacity.hold < BUSY * workers {
            return None;
        }
        let callers: f64 = self.table.callers.iter().map(|&call| tick.flows[call].callers).sum();
        let line = Line { open, wanted, callers, elsewhere: elsewhere / wanted, deadline };
        let (queue, arrivals) = line.settle(&capacity, self.group.unevenness);
        let is_free = arrivals >= open + wanted;
        // Workers that wait are there at once.
        let waiting: f64 = stations.iter().map(|s| s.waiting).sum();
        let now = if is_free { arrivals } else { (arrivals + (queue - waiting) / tick.dt).max(open) };
        let by = ((now - open) / passed).max(0.0);
        for page in &self.table.pages {
            let flow = &mut tick.flows[page.call];
            if flow.wanted > 0.0 {
                flow.offered *= by;
            }
        }
        let others = line.elsewhere * arrivals;
        (!is_free).then_some(StandingLine { queue, others, unevenness: self.group.unevenness })
    }
}

/// Where a function that falls from 0 to `most` crosses zero: by the secant between the last two sides, where a side that stays is
/// counted half each time (the Illinois method).
fn crossing(falls: impl Fn(f64) -> f64, most: f64) -> f64 {
    let ((mut low, mut above), (mut high, mut below)) = ((0.0, falls(0.0)), (most, falls(most)));
    if above <= 0.0 || below >= 0.0 {
        return if above <= 0.0 { low } else { high };
    }
    let (mut at, mut stayed) = (low, 0);
    for _ in 0..MOST_STEPS {
        at = low + (high - low) * above / (above - below);
        let off = falls(at);
        if off.abs() <= CLOSE * (1.0 + at) {
            break;
        }
        if off > 0.0 {
            (low, above) = (at, off);
            below *= if stayed > 0 { 0.5 } else { 1.0 };
            stayed = 1;
        } else {
            (high, below) = (at, off);
            above *= if stayed < 0 { 0.5 } else { 1.0 };
            stayed = -1;
        }
    }
    at
}

/// Those who stand in line, or would.
struct Line {
    /// Calls per second of others, who are held up by nothing.
    open: f64,
    wanted: f64,
    callers: f64,
    elsewhere: f64,
    deadline: f64,
}

impl Line {
    /// The length at which the queue settles, and the calls per second that arrive then.
    fn settle(&self, capacity: &Capacity, unevenness: f64) -> (f64, f64) {
        let rate = capacity.servers / capacity.hold;
        let arrivals = |queue: f64| {
            let answer = (capacity.hold + queue / rate).min(self.deadline);
            self.open + self.wanted.min(self.callers / (self.elsewhere + answer).max(1e-6))
        };
        let queue_at = |queue: f64| capacity.steady(arrivals(queue) / rate, unevenness) - queue;
        let high = crossing(queue_at, capacity.room);
        let (queue, through) = (self.throng(capacity, rate), arrivals(high));
        let sure = self.never_empty(capacity, rate, queue);
        (high + (queue - high) * sure, through + (rate - through) * sure)
    }

    /// The length of the queue if the servers never run out of work: all callers stand in it but those that are served and those that
    /// are busy elsewhere.
    fn throng(&self, capacity: &Capacity, rate: f64) -> f64 {
        let own = (rate - self.open).max(1e-9);
        (rate * (self.callers - own * self.elsewhere) / own - capacity.servers).clamp(0.0, capacity.room)
    }

    /// How sure it is that the servers never run out of work, from 0 to 1: more is wanted than they can do, and chance takes fewer callers
    /// elsewhere than stand in the queue. An open queue of the same length would be empty now and then; one of few callers is not.
    fn never_empty(&self, capacity: &Capacity, rate: f64, queue: f64) -> f64 {
        let leaves = capacity.hold + queue / rate > self.deadline;
        let beyond = ((self.open + self.wanted) / rate - 1.0) / BEYOND;
        let spread = ((rate - self.open).max(0.0) * self.elsewhere).sqrt().max(1.0);
        let far = 0.5 * (queue / spread - 1.0);
        if leaves { 0.0 } else { beyond.clamp(0.0, 1.0) * far.clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossing_is_found_in_few_steps() {
        use std::cell::Cell;
        for (steep, root) in [(1.0, 3.0), (0.1, 80.0), (30.0, 0.2), (8.0, 159.0)] {
            let steps = Cell::new(0);
            let falls = |at: f64| {
                steps.set(steps.get() + 1);
                // A step that is as steep as a queue near saturation.
                root - at + 40.0 * libm::tanh(steep * (root - at) / 10.0)
            };
            let found = crossing(falls, 160.0);
            assert!((found - root).abs() < 1e-3 * (1.0 + root), "{found} is not {root}");
            assert!(steps.get() <= 14, "{} steps to {root}", steps.get());
        }
        assert_eq!((crossing(|at| -1.0 - at, 160.0), crossing(|at| 200.0 - at, 160.0)), (0.0, 160.0));
    }

    #[test]
    fn a_line_is_as_long_as_its_callers_are_many() {
        // 40 servers at 100 ms take 400 a second; of 100 callers 4 are busy otherwise, 40 are served, the others wait.
        let capacity = Capacity { servers: 40.0, hold: 0.1, room: 160.0 };
        let line = Line { open: 0.0, wanted: 1e6, callers: 100.0, elsewhere: 0.01, deadline: 60.0 };
        let (queue, arrivals) = line.settle(&capacity, 0.4);
        assert!((queue - 56.0).abs() < 2.0 && (arrivals - 400.0).abs() < 8.0, "{queue} {arrivals}");
        let few = Line { wanted: 200.0, ..line };
        let (queue, arrivals) = few.settle(&capacity, 0.4);
        assert!(queue < 0.5 && arrivals == 200.0, "{queue} {arrivals}");
    }
}
