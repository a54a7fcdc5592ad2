//! Traces: some requests of every look at the cluster, as spans that agree with the calls that were counted.

use std::collections::BTreeSet;
use std::time::Duration;

use cluster::{CallFigures, Stamp};
use telemetry::jaeger::{JaegerSpan, SpanLog, SpanStore, TagValue};

/// How long traces are kept, in microseconds.
const KEPT: i64 = 3_600_000_000;
/// Requests of each kind that are traced at every look, and the most spans of one.
const TRACED: u64 = 2;
const MOST_SPANS: usize = 200;

/// What is remembered between looks: how many traces there were, which names them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracer {
    made: u64,
}

/// One step into a request: who works, at what, since when and for how long.
struct Step<'a> {
    service: &'a str,
    operation: &'a str,
    start: i64,
    micros: i64,
    failed: Option<&'a str>,
}

impl Tracer {
    /// Traces some of the requests since the last look.
    pub(crate) fn trace(&mut self, calls: &[CallFigures], now: Stamp, since: Duration, store: &mut SpanStore) {
        store.forget_before(now.0 - KEPT);
        let called: BTreeSet<(&str, &str)> =
            calls.iter().map(|call| (call.target.as_str(), call.operation.as_str())).collect();
        let outer: BTreeSet<(&str, &str)> = calls
            .iter()
            .filter(|call| call.rate > 0.0)
            .map(|call| (call.caller.as_str(), call.within.as_str()))
            .filter(|place| !called.contains(place))
            .collect();
        let window = i64::try_from(since.as_micros()).unwrap_or(i64::MAX).max(1);
        for (service, operation) in outer {
            for _ in 0..TRACED {
                self.made += 1;
                let draw = Draw(self.made);
                let start = now.0 - (draw.share(0) * window as f64) as i64;
                let mut spans = Vec::new();
                let root = Step { service, operation, start, micros: 0, failed: None };
                grow(&mut spans, calls, &root, None, &draw);
                spans.into_iter().for_each(|span| store.append(span));
            }
        }
    }
}

/// Adds a step and all that it calls. How lucky and how quick a request is holds for all of it: what fails below fails above,
/// as far as it fails at all, and so the shares of spans are those of calls.
fn grow(spans: &mut Vec<JaegerSpan>, calls: &[CallFigures], step: &Step<'_>, parent: Option<u64>, draw: &Draw) {
    let place = spans.len();
    let id = draw.bits(place as u64 + 1);
    spans.push(span(step, parent, id, draw));
    let end = step.start + step.micros;
    let mut passed = step.start + (step.micros / 10).min(200);
    let mut has_failed = false;
    for call in made(calls, step, draw) {
        if spans.len() >= MOST_SPANS {
            break;
        }
        let micros = (call_millis(call, draw.share(LATE)) * 1000.0) as i64;
        let failed = (draw.share(FAILS) < call.failing).then_some(call.reason.as_str());
        // Calls that do not fit one after the other were made at the same time.
        let start = if parent.is_none() { passed } else { passed.min(end - micros).max(step.start) };
        grow(
            spans,
            calls,
            &Step { service: &call.target, operation: &call.operation, start, micros, failed },
            Some(id),
            draw,
        );
        passed = start + micros;
        has_failed |= failed.is_some();
    }
    // Of the first span nothing is known but what it waits for.
    if parent.is_none() {
        spans[place].duration = passed - step.start + 300;
        if has_failed {
            spans[place].tags.push(("error".into(), TagValue::Bool(true)));
        }
    }
}

/// The calls of a step: of those to the same operation one, as likely as it is frequent, because several instances make them.
fn made<'c>(calls: &'c [CallFigures], step: &Step<'_>, draw: &Draw) -> Vec<&'c CallFigures> {
    let own =
        calls.iter().filter(|call| call.caller == step.service && call.within == step.operation && call.rate > 0.0);
    let mut chosen: Vec<(&CallFigures, f64)> = Vec::new();
    for call in own {
        let same =
            |(known, _): &&mut (&CallFigures, f64)| known.target == call.target && known.operation == call.operation;
        match chosen.iter_mut().find(same) {
            None => chosen.push((call, call.rate)),
            Some((kept, all)) => {
                *all += call.rate;
                // The newcomer takes the place as often as its share is.
                if draw.share(WHO ^ (*all).to_bits()) * *all < call.rate {
                    *kept = call;
                }
            }
        }
    }
    chosen.into_iter().map(|(call, _)| call).collect()
}

fn span(step: &Step<'_>, parent: Option<u64>, id: u64, draw: &Draw) -> JaegerSpan {
    let mut tags = vec![("span.kind".to_string(), TagValue::Text("server".into()))];
    let mut logs = Vec::new();
    if let Some(reason) = step.failed {
        tags.push(("error".into(), TagValue::Bool(true)));
        tags.push(("otel.status_code".into(), TagValue::Text("ERROR".into())));
        let fields = vec![
            ("event".to_string(), TagValue::Text("exception".into())),
            ("exception.message".to_string(), TagValue::Text(reason.into())),
        ];
        logs.push(SpanLog { time: step.start + step.micros, fields });
    }
    JaegerSpan {
        trace: u128::from(draw.bits(0)) << 64 | u128::from(draw.bits(u64::MAX)),
        id,
        parent,
        service: step.service.into(),
        operation: step.operation.into(),
        start: step.start,
        duration: step.micros,
        tags,
        process: Vec::new(),
        logs,
    }
}

/// How long a call takes, drawn as the histogram counts: straight lines between the quantiles that are known, and a tail.
fn call_millis(call: &CallFigures, share: f64) -> f64 {
    let (p50, p95, p99) = call.latency_ms;
    match share {
        share if share < 0.5 => p50 * (0.5 + share),
        share if share < 0.95 => p50 + (p95 - p50) * (share - 0.5) / 0.45,
        share if share < 0.99 => p95 + (p99 - p95) * (share - 0.95) / 0.04,
        share => p99 + (p99 - p95).max(1.0) * (0.01 / (1.0 - share).max(0.002) - 1.0),
    }
}

/// The draws that hold for all of a trace.
const LATE: u64 = 1;
const FAILS: u64 = 2;
const WHO: u64 = 3;

/// Numbers that follow from that of a trace.
struct Draw(u64);

impl Draw {
    fn bits(&self, number: u64) -> u64 {
        let mut bits = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93);
        for _ in 0..3 {
            bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        }
        bits ^ (bits >> 32)
    }

    fn share(&self, number: u64) -> f64 {
        (self.bits(number ^ 0x5eed_0000_0000) >> 11) as f64 / (1u64 << 53) as f64
    }
}
