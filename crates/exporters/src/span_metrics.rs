//! Span metrics: calls and how long they take, by service and operation, as the collector counts them out of spans.

use cluster::CallFigures;

use crate::counters::{Counters, SpanCount};
use crate::samples::Samples;

/// The upper bounds of the histogram, in milliseconds: those of the collector's connector.
pub(crate) const BOUNDS: [f64; 16] =
    [2.0, 4.0, 6.0, 8.0, 10.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1000.0, 1400.0, 2000.0, 5000.0, 10_000.0, 15_000.0];

/// The scrape job.
pub(crate) const JOB: &str = "otel-collector";

const CALLS: &str = "traces_span_metrics_calls_total";
const COUNT: &str = "traces_span_metrics_duration_milliseconds_count";
const SUM: &str = "traces_span_metrics_duration_milliseconds_sum";
const BUCKET: &str = "traces_span_metrics_duration_milliseconds_bucket";

/// Counts the calls of the seconds that have passed and tells all that were counted.
pub(crate) fn samples(out: Samples, counters: &mut Counters, calls: &[CallFigures], passed: f64) -> Samples {
    for call in calls {
        let made = call.rate * passed;
        for (service, operation, kind) in
            [(&call.target, &call.operation, "SPAN_KIND_SERVER"), (&call.caller, &call.operation, "SPAN_KIND_CLIENT")]
        {
            for (status, share) in [("STATUS_CODE_UNSET", 1.0 - call.failing), ("STATUS_CODE_ERROR", call.failing)] {
                if share > 0.0 {
                    let key = (service.clone(), operation.clone(), kind, status);
                    counters.spans.entry(key).or_default().add(call, made * share);
                }
            }
        }
    }
    told(out, counters)
}

fn told(mut out: Samples, counters: &Counters) -> Samples {
    out.describe(CALLS, "counter", "Calls by service and operation.");
    out.describe("traces_span_metrics_duration_milliseconds", "histogram", "How long calls take.");
    for ((service, operation, kind, status), count) in &counters.spans {
        let labels = [
            ("service_name", service.as_str()),
            ("span_name", operation.as_str()),
            ("span_kind", kind),
            ("status_code", status),
        ];
        out.add(CALLS, &labels, count.calls);
        out.add(COUNT, &labels, count.calls);
        out.add(SUM, &labels, count.millis);
        let bounds = BOUNDS.iter().map(ToString::to_string).chain(["+Inf".to_string()]);
        for (bound, value) in bounds.zip(count.buckets.iter().copied().chain([count.calls])) {
            let mut with = labels.to_vec();
            with.push(("le", &bound));
            out.add(BUCKET, &with, value);
        }
    }
    out
}

impl SpanCount {
    fn add(&mut self, call: &CallFigures, made: f64) {
        self.calls += made;
        self.millis += made * mean(call);
        self.buckets.resize(BOUNDS.len(), 0.0);
        for (bucket, bound) in self.buckets.iter_mut().zip(BOUNDS) {
            *bucket += made * share_within(call.latency_ms, bound);
        }
    }
}

/// About the mean: between the median and what the slow ones add.
fn mean(call: &CallFigures) -> f64 {
    let (p50, p95, p99) = call.latency_ms;
    0.5 * 0.75 * p50 + 0.45 * (p50 + p95) / 2.0 + 0.05 * (p95 + p99) / 2.0
}

/// The share of calls that take no longer, by straight lines between the quantiles that are known and a tail behind them.
fn share_within((p50, p95, p99): (f64, f64, f64), bound: f64) -> f64 {
    let between = |low: f64, high: f64, from: f64, to: f64| match high > low {
        true => from + (to - from) * (bound - low) / (high - low),
        false => to,
    };
    match bound {
        bound if bound < p50 / 2.0 => 0.0,
        bound if bound < p50 => between(p50 / 2.0, p50, 0.0, 0.5),
        bound if bound < p95 => between(p50, p95, 0.5, 0.95),
        bound if bound < p99 => between(p95, p99, 0.95, 0.99),
        bound => {
            let scale = (p99 - p95).max(1.0);
            1.0 - 0.01 * scale / (bound - p99 + scale)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_grow_with_the_bound_and_meet_the_quantiles() {
        let quantiles = (10.0, 100.0, 400.0);
        let shares: Vec<f64> = BOUNDS.iter().map(|bound| share_within(quantiles, *bound)).collect();
        assert!(
            shares.windows(2).all(|two| two[0] <= two[1]) && shares.iter().all(|share| (0.0..=1.0).contains(share))
        );
        for (bound, expect) in [(10.0, 0.5), (100.0, 0.95), (400.0, 0.99)] {
            assert!((share_within(quantiles, bound) - expect).abs() < 1e-9, "{bound}");
        }
    }
}
