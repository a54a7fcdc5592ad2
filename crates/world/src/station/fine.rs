//! Queues by the variation of the work and inside the tick: those of servers.

use super::{Capacity, Served, Station};
use crate::latency::Latency;
use crate::math::{exp, ln};
use crate::queued::Queued;

/// No room is larger.
const MOST: f64 = 1e9;

/// Parts of a tick that are looked at one after another where a queue is on the move.
const PARTS: usize = 8;

/// A queue with this share of the variance that it settles at is spread between its walls.
const SPREAD: f64 = 0.8;

/// A queue whose length follows from how many can stand in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandingLine {
    pub queue: f64,
    /// How many of those who could stand in it are busy elsewhere, on average.
    pub others: f64,
    /// As in [`Station::step_finely`].
    pub unevenness: f64,
}

impl Capacity {
    /// The length at which a queue settles under `load` times what the servers can do.
    pub(crate) fn steady(&self, load: f64, unevenness: f64) -> f64 {
        Walls::new(self.servers, bursts(unevenness), self.room.min(MOST)).steady(load)
    }
}

impl Station {
    /// Lets `dt` seconds pass with `arrivals` jobs per second whose time at a server is as uneven as `unevenness` says: its
    /// variance by the square of its mean, 1 where it is as uneven as chance makes it.
    ///
    /// A queue that chance fills and empties many times in a tick has its steady-state length: that of M/G/c by
    /// Sakasegawa (1977) with a correction for work that is more or less even than chance would have it. Any other is on the move, see [`Station::drift`]. Jobs are conserved: arrivals = throughput + rejected +
    /// growth of the queue.
    pub fn step_finely(&mut self, arrivals: f64, capacity: Capacity, unevenness: f64, dt: f64) -> Served {
        let Capacity { servers, hold, room } = capacity;
        if servers <= 0.0 || hold <= 0.0 {
            return self.stopped(arrivals, servers, room, dt);
        }
        let load = arrivals * hold / servers;
        let (idle, delayed) = (1.0 - load, delayed(servers, load));
        let bursts = bursts(unevenness);
        // Chance forgets a queue within 2 bursts hold / (servers idle^2): here within half a tick.
        if idle > 0.0 && 4.0 * bursts * hold < dt * servers * idle * idle {
            let steady = load * delayed * bursts / idle;
            let roomy = steady < 0.05 * room || 5.0 * bursts < room * idle;
            if roomy && self.waiting <= 2.0 * steady + 0.5 {
                return self.settle(arrivals, capacity, dt, steady, delayed);
            }
        }
        self.drift(arrivals, capacity, unevenness, dt)
    }

    /// A queue of those who cannot but stand in it, because they hold what is needed to send more: it is `queue` long, give
    /// or take `others`, those of them who are busy elsewhere.
    pub(crate) fn stand(&mut self, arrivals: f64, capacity: Capacity, line: StandingLine, dt: f64) -> Served {
        let Capacity { servers, hold, .. } = capacity;
        let rate = servers / hold;
        let queue = line.queue.min(self.waiting + arrivals * dt);
        let taken = (arrivals - (queue - self.waiting) / dt).max(0.0);
        let through = taken.min(rate);
        (self.waiting, self.variance) = (queue, line.others);
        let pace = 1.0 / rate;
        let wait = Latency { mean: queue * pace, var: (line.others + queue * line.unevenness) * pace * pace };
        let busy = (through * hold).min(servers);
        Served { wait, most: 0.0, throughput: through, rejected: taken - through, busy, utilisation: busy / servers }
    }

    /// A steady queue: a job waits with the probability `delayed`, and then as chance would have it.
    #[inline]
    fn settle(&mut self, arrivals: f64, capacity: Capacity, dt: f64, steady: f64, delayed: f64) -> Served {
        let through = arrivals + (self.waiting - steady) / dt;
        let fits = through.clamp(0.0, capacity.servers / capacity.hold);
        // What would be less than nothing or more than the servers can do stays where it was.
        self.waiting = (self.waiting + (arrivals - fits) * dt).max(0.0);
        let wait = self.waiting / arrivals.max(1e-9);
        let second = if delayed > 0.0 { 2.0 / delayed - 1.0 } else { 0.0 };
        self.variance = self.waiting * self.waiting * second;
        let busy = (fits * capacity.hold).min(capacity.servers);
        let wait = Latency { mean: wait, var: wait * wait * second };
        Served { wait, most: 0.0, throughput: fits, rejected: 0.0, busy, utilisation: busy / capacity.servers }
    }

    /// A queue on the move, in parts of a tick: its mean follows what comes and what the servers can do, less what they
    /// miss while the room happens to be empty and what is turned away while it happens to be full. Both follow from the
    /// distribution with the same mean that a queue between two walls would settle at (a truncated exponential one);
    /// its variance grows with every job that comes and goes, up to that distribution's.
    fn drift(&mut self, arrivals: f64, capacity: Capacity, unevenness: f64, dt: f64) -> Served {
        let Capacity { servers, hold, .. } = capacity;
        let (rate, room) = (servers / hold, capacity.room.min(MOST));
        let walls = Walls::new(servers, bursts(unevenness), room);
        let goal = walls.steady(arrivals / rate);
        let (part, per_part) = (dt / PARTS as f64, PARTS as f64 / dt);
        let spreads = walls.bursts * rate * part;
        let before = self.waiting.min(room);
        let (mut through, mut rejected) = (0.0, (self.waiting - before) / dt);
        let (mut first, mut second, mut longest) = (0.0, 0.0, 0.0);
        let (mut queue, mut left) = (before, PARTS);
        while left > 0 {
            let at = walls.at(queue.max(goal.min(1.0)));
            let speed = arrivals - rate * (1.0 - at.empty) - rate * at.full;
            let variance = at.variance.max(1e-12);
            let step = speed * part * variance / (variance + spreads);
            // What comes beyond what the servers can do stays in any case, and what they can do beyond what comes is done. Never
            // past the goal: there it would turn back.
            let least = ((arrivals - rate - rate * at.full) * part).max(0.0);
            let most = ((arrivals - rate + rate * at.empty) * part).min(0.0);
            let next =
                if goal > queue { (queue + step.max(least)).min(goal) } else { (queue + step.min(most)).max(goal) };
            let there = (goal - next).abs() < 0.01 * goal && goal - queue <= arrivals * part;
            let (next, still) = if there { (goal, goal == queue) } else { (next, (next - queue).abs() < 1e-4 * queue) };
            let times = if still { left } else { 1 };
            left -= times;
            let share = times as f64 * (1.0 / PARTS as f64);
            // The servers do what they can; what neither they nor the room take is turned away.
            let growth = if times == 1 { (next - queue) * per_part } else { (next - queue) / (dt * share) };
            let taken = (arrivals - growth).max(0.0);
            let done = (taken - rate * at.full).max(rate * (1.0 - at.empty)).min(rate.min(taken));
            through += done * share;
            rejected += (taken - done) * share;
            self.variance = (self.variance + 2.0 * spreads * times as f64).min(at.variance);
            let pace = 1.0 / if there { rate.min(arrivals) } else { rate * (1.0 - at.empty) }.max(1e-9);
            longest = if self.variance > SPREAD * at.variance { room * pace } else { 0.0 };
            let mean = 0.5 * (queue + next);
            // Each of those in front takes its own time.
            let uneven = mean * unevenness * (mean * walls.per_room).min(1.0);
            let ramp = (next - queue) * (next - queue) * (1.0 / 12.0);
            first += share * mean * pace;
            second += share * (mean * mean + ramp + self.variance + uneven) * pace * pace;
            queue = next;
        }
        // Rounding may leave a little; a job that is lost or made up would be far more.
        let came = self.waiting + arrivals * dt;
        let kept = queue + (through + rejected) * dt;
        assert!((came - kept).abs() <= 1e-6 * came.max(1.0), "jobs are conserved: {came} came, {kept} are known");
        self.waiting = queue;
        let wait = Latency { mean: first, var: (second - first * first).max(0.0) };
        let busy = (through * hold).min(servers);
        Served { wait, most: longest, throughput: through, rejected, busy, utilisation: busy / servers }
    }
}

/// A queue between an empty and a full room.
struct Walls {
    bursts: f64,
    room: f64,
    per_room: f64,
    /// The power of the load in Sakasegawa's formula.
    power: f64,
    per_power: f64,
}

/// What the walls do to a queue of some mean length.
struct Pressure {
    /// The share of the servers' time that passes without work, and the share in which one more is turned away.
    empty: f64,
    full: f64,
    variance: f64,
}

impl Walls {
    fn new(servers: f64, bursts: f64, room: f64) -> Walls {
        let (room, power) = (room.max(1e-6), (2.0 * (servers + 1.0)).sqrt());
        Walls { bursts, room, per_room: 1.0 / room, power, per_power: 1.0 / power }
    }

    /// The length at which a queue settles.
    fn steady(&self, load: f64) -> f64 {
        if load <= 0.0 {
            return 0.0;
        }
        let tilt = (load - 1.0) * self.room / self.bursts;
        let filled = if tilt.abs() < 1e-3 { 0.5 + tilt / 12.0 } else { 1.0 / (1.0 - exp(-tilt)) - 1.0 / tilt };
        let busy = if load < 1.0 { exp(self.power * ln(load)) } else { 1.0 };
        (busy * filled * self.room).clamp(0.0, self.room)
    }

    /// The truncated exponential distribution with a mean of `queue`.
    fn at(&self, queue: f64) -> Pressure {
        let x = (queue * self.per_room).clamp(1e-12, 1.0 - 1e-12);
        let tilt = Queued::tilt(x);
        let steep = tilt.abs().max(1e-6);
        let thin = exp(-steep);
        let high = steep / (1.0 - thin);
        let (at_empty, at_full) = if tilt > 0.0 { (high * thin, high) } else { (high, high * thin) };
        let per_room = self.bursts * self.per_room;
        // Many servers have always one that is free: empty = bursts density (1 - empty)^power, by Lambert's W.
        let wanted = (self.power * at_empty * per_room).max(1e-12);
        let log = ln(1.0 + wanted);
        let lambert = log * (1.0 - ln(1.0 + log) / (2.0 + log));
        // One by the probability of having to wait.
        let per_delayed = (wanted / lambert).clamp(1.0, 1e3);
        let between = self.room * self.room * Queued::spread(x);
        Pressure {
            empty: (lambert * self.per_power).min(1.0 - 1e-6),
            full: at_full * per_room,
            variance: between * (1.0 + (2.0 * per_delayed - 2.0) * (1.0 - x)),
        }
    }
}

/// The probability of having to wait, by the same formula as [`mean_wait`].
#[inline]
fn delayed(servers: f64, load: f64) -> f64 {
    if load >= 1.0 {
        return 1.0;
    }
    if load <= 0.0 { 0.0 } else { exp(((2.0 * (servers + 1.0)).sqrt() - 1.0) * ln(load)) }
}

/// How much shorter than by chance the wait is because work is even: half of 1 and its unevenness, by Allen and Cunneen.
/// Work that is more uneven than chance would have it is a few long jobs among many short ones, which take servers away
/// rather than make others wait: it counts as chance.
#[inline]
fn bursts(unevenness: f64) -> f64 {
    (0.5 + 0.5 * unevenness).min(1.0)
}
