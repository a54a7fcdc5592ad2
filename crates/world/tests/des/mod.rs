//! An independent discrete-event simulation: single requests, events in a heap, random numbers of its own. It shares
//! nothing with the world but the question.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A server of requests: so many workers, so many places to wait. What a worker does is the business of `Stage`.
#[derive(Clone, Copy, Debug)]
pub struct Tier {
    pub workers: usize,
    pub room: usize,
    /// Own work: mean in seconds and coefficient of variation.
    pub work: (f64, f64),
}

/// A chain of tiers, each of which holds a worker while it waits for the next.
#[derive(Clone, Debug)]
pub struct Chain {
    pub tiers: Vec<Tier>,
    /// Requests per second, one figure for each step of `step` seconds.
    pub rates: Vec<f64>,
    pub step: f64,
    /// How much longer the last tier's work takes in each step.
    pub slow: Vec<f64>,
}

/// What became of the requests.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// When each answered request came, and how long it took.
    pub answered: Vec<(f64, f64)>,
    /// When each request came that was turned away.
    pub refused: Vec<f64>,
}

/// Numbers between 0 and 1: xorshift* by Vigna.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn gap(&mut self, rate: f64) -> f64 {
        -libm::log(self.unit()) / rate
    }

    /// A lognormal time, by Box and Muller.
    fn time(&mut self, (mean, cv): (f64, f64)) -> f64 {
        let s2 = libm::log(1.0 + cv * cv);
        let normal = libm::sqrt(-2.0 * libm::log(self.unit())) * libm::cos(std::f64::consts::TAU * self.unit());
        mean * libm::exp(libm::sqrt(s2) * normal - s2 / 2.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrival,
    /// The own work of a request at a tier is done.
    Worked {
        request: usize,
        tier: usize,
    },
}

/// The time of an event as a number that sorts.
fn key(time: f64) -> u64 {
    (time * 1e9) as u64
}

struct Simulation<'c> {
    chain: &'c Chain,
    dice: Dice,
    events: BinaryHeap<Reverse<(u64, usize, Event)>>,
    count: usize,
    free: Vec<usize>,
    waiting: Vec<VecDeque<usize>>,
    came: Vec<f64>,
    outcome: Outcome,
}

/// Runs a chain from empty.
pub fn run(chain: &Chain, seed: u64) -> Outcome {
    let mut simulation = Simulation {
        chain,
        dice: Dice(seed * 2 + 1),
        events: BinaryHeap::new(),
        count: 0,
        free: chain.tiers.iter().map(|t| t.workers).collect(),
        waiting: chain.tiers.iter().map(|_| VecDeque::new()).collect(),
        came: Vec::new(),
        outcome: Outcome::default(),
    };
    simulation.plan(0.0, Event::Arrival);
    let end = chain.rates.len() as f64 * chain.step;
    while let Some(Reverse((time, _, event))) = simulation.events.pop() {
        let now = time as f64 / 1e9;
        match event {
            Event::Arrival if now < end => simulation.arrive(now),
            Event::Arrival => {}
            Event::Worked { request, tier } => simulation.worked(now, request, tier),
        }
    }
    simulation.outcome
}

impl Simulation<'_> {
    fn plan(&mut self, at: f64, event: Event) {
        self.count += 1;
        self.events.push(Reverse((key(at), self.count, event)));
    }

    fn step(&self, now: f64) -> usize {
        ((now / self.chain.step) as usize).min(self.chain.rates.len() - 1)
    }

    fn arrive(&mut self, now: f64) {
        let request = self.came.len();
        self.came.push(now);
        self.enter(now, request, 0);
        let next = now + self.dice.gap(self.chain.rates[self.step(now)]);
        self.plan(next, Event::Arrival);
    }

    /// A request asks a tier; turned away, it fails at once and all that it holds is free again.
    fn enter(&mut self, now: f64, request: usize, tier: usize) {
        if self.free[tier] > 0 {
            self.free[tier] -= 1;
            self.begin(now, request, tier);
        } else if self.waiting[tier].len() < self.chain.tiers[tier].room {
            self.waiting[tier].push_back(request);
        } else {
            self.outcome.refused.push(self.came[request]);
            (0..tier).rev().for_each(|held| self.release(now, held));
        }
    }

    fn begin(&mut self, now: f64, request: usize, tier: usize) {
        let slow = if tier + 1 == self.chain.tiers.len() { self.chain.slow[self.step(now)] } else { 1.0 };
        let work = self.dice.time(self.chain.tiers[tier].work) * slow;
        self.plan(now + work, Event::Worked { request, tier });
    }

    fn worked(&mut self, now: f64, request: usize, tier: usize) {
        if tier + 1 < self.chain.tiers.len() {
            return self.enter(now, request, tier + 1);
        }
        self.outcome.answered.push((self.came[request], now - self.came[request]));
        (0..=tier).rev().for_each(|held| self.release(now, held));
    }

    fn release(&mut self, now: f64, tier: usize) {
        match self.waiting[tier].pop_front() {
            Some(next) => self.begin(now, next, tier),
            None => self.free[tier] += 1,
        }
    }
}

impl Outcome {
    /// Times of the requests that came in a window, sorted.
    fn times(&self, from: f64, to: f64) -> Vec<f64> {
        let mut times: Vec<f64> =
            self.answered.iter().filter(|(came, _)| (from..to).contains(came)).map(|a| a.1).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    /// How many answered requests came in a window.
    pub fn answered_between(&self, (from, to): (f64, f64)) -> usize {
        self.times(from, to).len()
    }

    /// Mean, 95th and 99th percentile of the answered requests that came in a window, in seconds.
    pub fn latency(&self, from: f64, to: f64) -> [f64; 3] {
        let times = self.times(from, to);
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
        [times.iter().sum::<f64>() / times.len().max(1) as f64, at(0.95), at(0.99)]
    }

    /// The share of the requests of a window that were turned away.
    pub fn failed(&self, from: f64, to: f64) -> f64 {
        let refused = self.refused.iter().filter(|came| (from..to).contains(*came)).count() as f64;
        refused / (refused + self.times(from, to).len() as f64).max(1.0)
    }
}
