//! A queue in front of identical servers: the only place where requests wait.
//! Everything that saturates is a station, so saturation has one meaning.

mod fine;

use crate::latency::Latency;
use crate::math::{exp, ln};
pub(crate) use fine::StandingLine;

/// The waiting room of a station; servers and service times are handed in each tick, because
/// configuration and downstream latency change them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Station {
    /// Jobs waiting now.
    pub waiting: f64,
    /// The variance of their number, where it is followed: chance spreads it, the empty and the full room hold it together.
    variance: f64,
}

/// What a station did in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Served {
    /// Time spent waiting, of those admitted.
    pub wait: Latency,
    /// The longest wait, where the queue wanders between its walls; else 0.
    pub most: f64,
    /// Jobs per second that went through.
    pub throughput: f64,
    /// Jobs per second turned away because the waiting room was full.
    pub rejected: f64,
    /// Servers busy on average.
    pub busy: f64,
    /// Share of the servers that were busy.
    pub utilisation: f64,
}

/// What a station is made of in one tick.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// Identical servers.
    pub servers: f64,
    /// How long a job holds one, on average, in seconds.
    pub hold: f64,
    /// How many jobs may wait.
    pub room: f64,
}

impl Station {
    /// Lets `dt` seconds pass with `arrivals` jobs per second.
    ///
    /// Below saturation the queue settles at its steady-state length; above, it integrates the
    /// difference until the room is full. Jobs are conserved: arrivals = throughput + rejected +
    /// growth of the queue.
    pub fn step(&mut self, arrivals: f64, capacity: Capacity, dt: f64) -> Served {
        let Capacity { servers, hold, room } = capacity;
        if servers <= 0.0 || hold <= 0.0 {
            return self.stopped(arrivals, servers, room, dt);
        }
        let rate = servers / hold;
        let load = arrivals / rate;
        let integrated = (self.waiting + (arrivals - rate) * dt).max(0.0);
        // Chance fills a queue below saturation no faster than a part of what arrives.
        let steady = if load < 1.0 { arrivals * mean_wait(servers, hold, load) } else { 0.0 };
        let next = integrated.max(steady.min(self.waiting + 0.25 * arrivals * dt)).min(room);
        let through = (arrivals + (self.waiting - next) / dt).min(rate);
        let rejected = (arrivals - through - (next - self.waiting) / dt).max(0.0);
        // Rounding may leave a little; a job that is lost or made up would be far more.
        let came = self.waiting + arrivals * dt;
        let kept = next + (through + rejected) * dt;
        assert!((came - kept).abs() <= 1e-6 * came.max(1.0), "jobs are conserved: {came} came, {kept} are known");
        self.waiting = next;
        let wait = next / through.max(arrivals.min(rate)).max(1e-9);
        // A steady queue is exponential; a standing one is nearly the same for everybody.
        let cv = if load < 0.95 { 1.4 } else { 0.35 };
        let busy = (through * hold).min(servers);
        let wait = Latency::new(wait, cv);
        Served { wait, most: 0.0, throughput: through, rejected, busy, utilisation: busy / servers }
    }

    fn stopped(&mut self, arrivals: f64, servers: f64, room: f64, dt: f64) -> Served {
        if servers > 0.0 {
            return Served { throughput: arrivals, ..Served::default() };
        }
        let next = (self.waiting + arrivals * dt).min(room);
        let rejected = (arrivals - (next - self.waiting) / dt).max(0.0);
        self.waiting = next;
        Served { wait: Latency::new(30.0, 0.1), rejected, utilisation: 1.0, ..Served::default() }
    }
}

/// Mean wait of M/M/c at `load` < 1, in seconds, by Sakasegawa's formula (1977): exact for one
/// server, within a few percent of the holding time for more.
pub fn mean_wait(servers: f64, hold: f64, load: f64) -> f64 {
    if load <= 0.0 {
        return 0.0;
    }
    let power = (2.0 * (servers + 1.0)).sqrt() - 1.0;
    hold * exp(power * ln(load)) / (servers * (1.0 - load))
}
