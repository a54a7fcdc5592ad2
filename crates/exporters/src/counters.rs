//! Counters that only ever grow, kept between scrapes.

use std::collections::BTreeMap;

/// What exporters have counted so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    /// CPU seconds by namespace, pod, container and attempt.
    pub(crate) cpu: BTreeMap<(String, String, String, u64), f64>,
    /// CPU seconds of nodes by name: busy and idle.
    pub(crate) node_cpu: BTreeMap<String, (f64, f64)>,
    /// Calls by service, operation, kind and status.
    pub(crate) spans: BTreeMap<SpanKey, SpanCount>,
}

/// Service, operation, kind and status of spans that are counted together.
pub(crate) type SpanKey = (String, String, &'static str, &'static str);

/// Spans that were counted together.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpanCount {
    pub(crate) calls: f64,
    pub(crate) millis: f64,
    /// How many took no longer than each bound.
    pub(crate) buckets: Vec<f64>,
}
