//! The noise dial.

use serde::{Deserialize, Serialize};

use crate::blueprint::ServiceInfo;
use crate::rng::{Seed, Stream};
use crate::time::{Span, Time};

/// How imperfect the telemetry is: 0 is clean, 3 is a bad day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Noise(pub u8);

impl Noise {
    /// The worst.
    pub const MAX: Noise = Noise(3);

    /// Relative jitter of samples.
    pub fn jitter(self) -> f64 {
        [0.0, 0.02, 0.04, 0.08][self.0.min(3) as usize]
    }

    /// The share of scrapes lost.
    pub fn dropped(self) -> f64 {
        [0.0, 0.0, 0.03, 0.08][self.0.min(3) as usize]
    }

    /// The chance that a service writes a line that means nothing, in each scrape.
    pub(crate) fn false_alarms(self) -> f64 {
        [0.0, 0.05, 0.12, 0.3][self.0.min(3) as usize]
    }

    /// How far logs lag behind.
    pub fn log_delay(self) -> Span {
        Span::secs([0, 0, 15, 45][self.0.min(3) as usize])
    }

    /// Jitter and lost scrapes in the columns of a service.
    pub(crate) fn blur(self, (seed, now): (Seed, Time), (at, info): (usize, &ServiceInfo), cells: &mut [f32]) {
        if self == Noise(0) {
            return;
        }
        let stream = seed.stream("telemetry noise").within(now.0);
        let lost = stream.at(at as u64 | 1 << 40).chance(self.dropped());
        for ((column, metric), cell) in info.metrics.clone().zip(info.kind.metrics()).zip(&mut *cells) {
            if lost {
                *cell = f32::NAN;
            } else if !metric.exact {
                let factor = 1.0 + self.jitter() * stream.at(column as u64).normal();
                let most = if *cell <= metric.unit.most() { metric.unit.most() } else { f32::INFINITY };
                *cell = (*cell * factor as f32).min(most);
            }
        }
        let first = info.events.start - info.metrics.start;
        let events = &mut cells[first..first + info.events.len()];
        self.cry_wolf(seed.stream("false alarms").within(now.0).within(at as u64), info, events);
    }

    /// Lines that mean nothing: on a bad day services complain of what has passed before the first look.
    fn cry_wolf(self, draws: Stream, info: &ServiceInfo, events: &mut [f32]) {
        if draws.at(0).chance(self.false_alarms()) {
            // The last cell is the platform's, which complains of nothing that did not happen.
            let template = draws.at(1).below(events.len() as u64 - 1) as usize;
            // What is written at a change of state is not written without one, and what became of a request is a fact.
            if !info.own_templates().nth(template).is_some_and(|line| line.is_once || line.is_only) {
                events[template] += 1.0;
            }
        }
    }

    /// The chance of a passing disturbance of a node in each window of four minutes.
    pub(crate) fn disturbance(self) -> f64 {
        [0.0, 0.0, 0.4, 0.8][self.0.min(3) as usize]
    }
}
