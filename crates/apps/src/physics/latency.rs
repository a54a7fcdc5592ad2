//! How long something takes: three points of its distribution, and how such times add up.

/// Seconds of half, 95 and 99 of 100 requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
}

/// Longer than any deadline.
const FOREVER: f64 = 3600.0;

impl Latency {
    /// A time that does not vary.
    pub(crate) fn fixed(seconds: f64) -> Self {
        Self { p50: seconds, p95: seconds, p99: seconds }
    }

    pub(crate) fn forever() -> Self {
        Self::fixed(FOREVER)
    }

    /// The time in a station: processor time stretched by load, the wait for a turn, and the pauses of a throttled one.
    pub(crate) fn of_station(cpu: f64, fixed: f64, wait: f64, used: f64, limit: Option<f64>) -> Self {
        let share = limit.map_or(0.3, |limit| used / limit.max(0.001)).clamp(0.0, 1.0);
        let stretch = 1.0 + 0.5 * share * share / (1.0 - share.min(0.95));
        let own = cpu * stretch;
        // A process that has used up its time for a period of 100 ms stands still for the rest of it.
        let pause = if limit.is_some() { ((share - 0.6) / 0.4).clamp(0.0, 1.0) } else { 0.0 };
        Self {
            p50: 0.8 * own + fixed + wait + 0.015 * pause * pause,
            p95: 2.0 * own + 1.2 * fixed + wait + 0.06 * pause,
            p99: 3.2 * own + 1.5 * fixed + wait + 0.1 * pause,
        }
    }

    /// One after the other. Tails do not meet as often as middles do.
    pub(crate) fn add(&mut self, other: &Self) {
        let tail = |own: f64, other: f64| libm::sqrt(own * own + other * other);
        let (p95, p99) =
            (tail(self.p95 - self.p50, other.p95 - other.p50), tail(self.p99 - self.p50, other.p99 - other.p50));
        self.p50 += other.p50;
        self.p95 = self.p50 + p95;
        self.p99 = self.p50 + p99;
    }

    pub(crate) fn add_fixed(&mut self, seconds: f64) {
        self.p50 += seconds;
        self.p95 += seconds;
        self.p99 += seconds;
    }

    /// At the same time as something else: the longer counts.
    pub(crate) fn at_least(&mut self, other: &Self) {
        self.p50 = self.p50.max(other.p50);
        self.p95 = self.p95.max(other.p95);
        self.p99 = self.p99.max(other.p99);
    }

    /// For a share of requests, or several times per request.
    pub(crate) fn scaled(&self, times: f64) -> Self {
        // A call that only some requests make still shows in the tail.
        let tail = if times < 1.0 { libm::sqrt(times) } else { times };
        Self { p50: self.p50 * times, p95: self.p95 * tail, p99: self.p99 * tail }
    }

    /// Some go this way: middles are weighed, tails show as soon as enough go there.
    pub(crate) fn blend(&mut self, other: &Self, share: f64) {
        self.p50 += other.p50 * share;
        self.p95 = if share > 0.05 { self.p95.max(other.p95) } else { self.p95 };
        self.p99 = if share > 0.01 { self.p99.max(other.p99) } else { self.p99 };
    }

    /// No longer than a deadline.
    pub(crate) fn cut(&mut self, deadline: f64) {
        self.p50 = self.p50.min(deadline);
        self.p95 = self.p95.min(deadline);
        self.p99 = self.p99.min(deadline);
    }

    /// The share that takes longer than a deadline.
    pub(crate) fn beyond(&self, deadline: f64) -> f64 {
        let p50 = self.p50.max(1e-6);
        let (p95, p99) = (self.p95.max(p50 * 1.02), self.p99.max(p50 * 1.04).max(self.p95 * 1.01));
        let part = |from: f64, to: f64| libm::log(deadline / from) / libm::log(to / from);
        match deadline {
            deadline if deadline <= 0.0 => 1.0,
            deadline if deadline < p50 => 1.0 - 0.5 * (deadline / p50) * (deadline / p50),
            deadline if deadline < p95 => 0.5 * libm::pow(0.1, part(p50, p95)),
            deadline if deadline < p99 => 0.05 * libm::pow(0.2, part(p95, p99)),
            deadline => {
                let far = p99 / deadline;
                let share = 0.01 * far * far * far;
                // What is rarer than one in a hundred thousand does not happen.
                if share < 1e-5 { 0.0 } else { share }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_requests_exceed_a_longer_deadline() {
        let latency = Latency { p50: 0.01, p95: 0.03, p99: 0.05 };
        let shares: Vec<f64> = [0.001, 0.01, 0.02, 0.03, 0.04, 0.05, 0.1, 1.0].map(|d| latency.beyond(d)).to_vec();
        assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
        assert!((latency.beyond(0.01) - 0.5).abs() < 1e-9);
        assert!((latency.beyond(0.05) - 0.01).abs() < 1e-9);
        assert_eq!(latency.beyond(10.0), 0.0);
        assert!(Latency::forever().beyond(30.0) > 0.99);
    }
}
