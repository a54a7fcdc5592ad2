//! The chance that is in every sample: what is counted between two scrapes is counted over so many requests, and no
//! more. A rate, a share or a percentile of few of them wanders; a limit, a size or a length is what it is.

use crate::blueprint::{PagingMetric, ServiceInfo};
use crate::kind::Sampled;
use crate::latency::Latency;
use crate::math::exp;
use crate::rng::{Draw, Seed, Stream};
use crate::services::{CallTraffic, Passing};
use crate::time::{SCRAPE, Time};

/// So many counted things and more are spread as the normal distribution is.
const MANY: f64 = 12.0;

/// Scrapes of a minute.
const MINUTE: usize = 4;

/// No more than so many are counted where few are expected, ...
const MOST_RARE: usize = 60;
/// ... and what one by each of these numbers is.
const ONE_BY: [f64; MOST_RARE] = {
    let (mut table, mut at) = ([0.0; MOST_RARE], 0);
    while at < MOST_RARE {
        table[at] = 1.0 / (at + 1) as f64;
        at += 1;
    }
    table
};

/// What rounding adds to a sample at most, as a part of it.
const ROUNDED: f64 = 1e-6;

/// No percentile is seen to be a smaller part of what it is.
const LEAST: f64 = 0.2;

/// Lets chance into some metrics that were just taken of a service: `metrics` are all that it has.
pub(crate) fn sample_by_chance(
    info: &ServiceInfo,
    columns: impl Iterator<Item = usize>,
    traffic: CallTraffic<'_>,
    metrics: &mut [f32],
    draws: SampleDraws,
) {
    let answered = Answered::of(info, traffic);
    for column in columns {
        let at = column - info.metrics.start;
        let (cell, metric) = (&mut metrics[at], &info.kind.metrics()[at]);
        if *cell > 0.0 && metric.sampled != Sampled::Exactly {
            let draws = draws.of(column as u64);
            *cell = answered.sample(metric.sampled, f64::from(*cell), &draws) as f32;
        }
    }
}

/// The same for metrics of one service that rules which page look at, where chance may make one of them bad; the others are left as
/// they are.
pub(crate) fn sample_what_pages(
    info: &ServiceInfo,
    paging: &[PagingMetric],
    traffic: CallTraffic<'_>,
    metrics: &mut [f32],
    draws: impl Fn() -> SampleDraws,
) {
    let mut answered: Option<Answered> = None;
    for paged in paging {
        let at = paged.column - info.metrics.start;
        let (cell, metric) = (&mut metrics[at], &info.kind.metrics()[at]);
        if *cell <= 0.0 || cell.is_nan() || metric.sampled == Sampled::Exactly {
            continue;
        }
        let answered = answered.get_or_insert_with(|| Answered::of(info, traffic));
        let value = f64::from(*cell);
        if paged.may_be_bad(answered.range(metric.sampled, value)) {
            *cell = answered.sample(metric.sampled, value, &draws().of(paged.column as u64)) as f32;
        }
    }
}

/// The draws behind the samples of one moment, column by column.
#[derive(Clone, Copy)]
pub(crate) struct SampleDraws {
    /// Those of this scrape and of the ones before it.
    scrapes: [Stream; MINUTE],
    column: u64,
}

impl SampleDraws {
    /// Those of a moment.
    pub fn at(seed: Seed, now: Time) -> SampleDraws {
        let (stream, scrape) = (seed.stream("samples"), now.0 / SCRAPE.0);
        SampleDraws { scrapes: [0, 1, 2, 3].map(|before| stream.within(scrape.wrapping_sub(before))), column: 0 }
    }

    /// The draw of this scrape.
    pub fn draw(&self) -> Draw {
        self.scrapes[0].at(self.column)
    }

    /// The same for another series.
    pub fn of(self, column: u64) -> SampleDraws {
        SampleDraws { column, ..self }
    }

    /// How many were counted where so many are expected; `spread` is the variance by the mean, 1 where they come by chance alone.
    /// What is rare is counted over a minute, as the rules of a monitoring system do: the mean of this scrape and those before.
    fn counted(&self, expected: f64, spread: f64) -> f64 {
        if expected >= MANY {
            return (expected + self.draw().normal() * (expected * spread).sqrt()).max(0.0);
        }
        let none = exp(-expected);
        let counts = self.scrapes.iter().map(|scrape| rare(expected, none, scrape.at(self.column).unit()));
        counts.sum::<usize>() as f64 / MINUTE as f64
    }
}

/// The 95th percentile of a call as it is seen over one scrape.
pub(crate) fn percentile_by_chance(call: &Passing, p95: f64, draw: Draw) -> f64 {
    Answered { requests: call.offered * SCRAPE.as_secs(), latency: call.latency }.percentile(p95, draw)
}

/// What a service answered since the last scrape.
struct Answered {
    requests: f64,
    latency: Latency,
}

impl Answered {
    fn of(info: &ServiceInfo, traffic: CallTraffic<'_>) -> Answered {
        let (mut rate, mut mean, mut square) = (0.0, 0.0, 0.0);
        for flow in info.calls.iter().map(|&call| traffic.of(call)) {
            let Latency { mean: time, var } = flow.latency;
            rate += flow.offered;
            mean += flow.offered * time;
            square += flow.offered * (var + time * time);
        }
        let all = rate.max(1e-9);
        let mean = mean / all;
        let latency = Latency { mean, var: (square / all - mean * mean).max(0.0) };
        Answered { requests: rate * SCRAPE.as_secs(), latency }
    }

    fn sample(&self, sampled: Sampled, value: f64, draws: &SampleDraws) -> f64 {
        match sampled {
            Sampled::Exactly => value,
            Sampled::Rate { seconds } => {
                let expected = value * SCRAPE.as_secs() / seconds;
                value / expected * draws.counted(expected, 1.0)
            }
            Sampled::Share => self.share(value.min(1.0), draws),
            Sampled::Percentile => self.percentile(value, draws.draw()),
        }
    }

    /// Between what chance leaves a value, whatever is drawn.
    fn range(&self, sampled: Sampled, value: f64) -> (f64, f64) {
        let (low, high) = match sampled {
            Sampled::Exactly => (value, value),
            Sampled::Rate { seconds } => {
                let expected = value * SCRAPE.as_secs() / seconds;
                let (low, high) = count_range(expected);
                (value / expected * low, value / expected * high)
            }
            Sampled::Share if self.requests < 1.0 => (value, value),
            Sampled::Share => {
                let value = value.min(1.0);
                let (low, high) = count_range(value.min(1.0 - value) * self.requests);
                let (low, high) = (low / self.requests, (high / self.requests).min(1.0));
                if value <= 0.5 { (low, high) } else { (1.0 - high, 1.0 - low) }
            }
            Sampled::Percentile => {
                let most = if self.requests < 1.0 { 0.0 } else { 2.11 * self.percentile_spread() * Draw::MOST_NORMAL };
                (value * (1.0 - most).max(LEAST), value * (1.0 + most))
            }
        };
        // A sample is rounded once more.
        (low - ROUNDED * low.abs(), high + ROUNDED * high.abs())
    }

    /// The share of requests that something happened to.
    fn share(&self, share: f64, draws: &SampleDraws) -> f64 {
        if self.requests < 1.0 {
            return share;
        }
        let (few, is_few) = if share <= 0.5 { (share, true) } else { (1.0 - share, false) };
        let seen = (draws.counted(few * self.requests, 1.0 - few) / self.requests).min(1.0);
        if is_few { seen } else { 1.0 - seen }
    }

    /// The 95th percentile of a sample of a lognormal time: its deviation is 2.11 times that of the logarithm, by the root of
    /// how many there are (the density of the normal distribution at its 95th percentile is 0.103).
    fn percentile(&self, p95: f64, draw: Draw) -> f64 {
        if self.requests < 1.0 || self.latency.mean <= 0.0 {
            return p95;
        }
        p95 * (1.0 + 2.11 * self.percentile_spread() * draw.normal()).max(LEAST)
    }

    fn percentile_spread(&self) -> f64 {
        if self.latency.mean <= 0.0 {
            return 0.0;
        }
        // The variance of the logarithm is ln(1 + c), which is 2 c / (2 + c) within three parts in a hundred up to c = 1.
        let uneven = self.latency.var / (self.latency.mean * self.latency.mean);
        (2.0 * uneven / ((2.0 + uneven) * self.requests)).sqrt()
    }
}

/// The fewest and the most that may be counted where so many are expected.
fn count_range(expected: f64) -> (f64, f64) {
    if expected < MANY {
        return (0.0, MOST_RARE as f64);
    }
    let far = Draw::MOST_NORMAL * expected.sqrt();
    ((expected - far).max(0.0), expected + far)
}

/// How many were counted where few are expected, and none with a probability of `none`.
fn rare(expected: f64, none: f64, drawn: f64) -> usize {
    let (mut below, mut chance) = (none, none);
    for (count, one_by) in ONE_BY.iter().enumerate() {
        if drawn < below {
            return count;
        }
        chance *= expected * one_by;
        below += chance;
    }
    MOST_RARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn no_sample_is_beyond_what_chance_leaves() {
        for n in 0..20_000u64 {
            let draws = Seed(5).stream("values").within(n);
            let latency = Latency::new(draws.at(0).between(0.001, 2.0), draws.at(1).between(0.0, 2.0));
            let requests = libm::pow(10.0, draws.at(2).between(-1.0, 5.0));
            let answered = Answered { requests, latency };
            let value = libm::pow(10.0, draws.at(3).between(-4.0, 3.0));
            let sampled = [
                (Sampled::Rate { seconds: 60.0 }, value),
                (Sampled::Share, value.min(1.0)),
                (Sampled::Percentile, value),
                (Sampled::Exactly, value),
            ];
            for (sampled, value) in sampled {
                let (low, high) = answered.range(sampled, value);
                let seen = f64::from(answered.sample(sampled, value, &SampleDraws::at(Seed(n), Time(n))) as f32);
                assert!(low <= seen && seen <= high, "{value} of {requests}: {seen} is not in {low}..{high}");
            }
        }
    }

    #[test]
    fn counts_have_the_mean_and_the_spread_of_chance() {
        for (expected, counted_over) in [(0.2, 4.0), (3.0, 4.0), (11.0, 4.0), (40.0, 1.0), (3000.0, 1.0)] {
            let n = 20_000;
            let seen: Vec<f64> =
                (0..n).map(|i| SampleDraws::at(Seed(3), Time(i * SCRAPE.0)).counted(expected, 1.0)).collect();
            let mean = seen.iter().sum::<f64>() / n as f64;
            let variance = seen.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n as f64;
            assert!((mean / expected - 1.0).abs() < 0.05, "{expected}: mean {mean}");
            assert!((counted_over * variance / expected - 1.0).abs() < 0.08, "{expected}: variance {variance}");
        }
    }
}
