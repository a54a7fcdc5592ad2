//! Spans by their traces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The 128 bits that name a trace.
pub type TraceId = u128;

/// The value of a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum TagValue {
    /// A text.
    Text(String),
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
}

impl TagValue {
    /// As searches compare it.
    pub fn as_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => crate::go::number::general(*value),
        }
    }
}

/// Something that a span noted at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanLog {
    /// Microseconds.
    pub time: i64,
    /// What was noted.
    pub fields: Vec<(String, TagValue)>,
}

/// A piece of work in one service.
#[derive(Clone, Debug, PartialEq)]
pub struct JaegerSpan {
    /// The trace it belongs to.
    pub trace: TraceId,
    /// Its own name in the trace.
    pub id: u64,
    /// The span that caused it.
    pub parent: Option<u64>,
    /// The service that did it.
    pub service: String,
    /// What was done.
    pub operation: String,
    /// Microseconds since the epoch.
    pub start: i64,
    /// Microseconds.
    pub duration: i64,
    /// What is known about it.
    pub tags: Vec<(String, TagValue)>,
    /// What is known about the process.
    pub process: Vec<(String, TagValue)>,
    /// What it noted.
    pub logs: Vec<SpanLog>,
}

impl JaegerSpan {
    /// server, client, internal, producer or consumer; empty where it is not said.
    pub fn kind(&self) -> String {
        self.tags.iter().find(|(name, _)| name == "span.kind").map_or_else(String::new, |(_, v)| v.as_text())
    }
}

/// All spans. Clones share every trace that they did not change.
#[derive(Clone, Debug, Default)]
pub struct SpanStore {
    traces: BTreeMap<TraceId, Arc<Vec<JaegerSpan>>>,
    operations: BTreeMap<String, BTreeSet<(String, String)>>,
}

impl SpanStore {
    /// Adds a span.
    pub fn append(&mut self, span: JaegerSpan) {
        self.operations.entry(span.service.clone()).or_default().insert((span.operation.clone(), span.kind()));
        Arc::make_mut(self.traces.entry(span.trace).or_default()).push(span);
    }

    /// The spans of a trace, in the order in which they came.
    pub fn trace(&self, id: TraceId) -> Option<&[JaegerSpan]> {
        self.traces.get(&id).map(|spans| spans.as_slice())
    }

    /// All traces.
    pub fn traces(&self) -> impl Iterator<Item = &[JaegerSpan]> {
        self.traces.values().map(|spans| spans.as_slice())
    }

    /// All services.
    pub fn services(&self) -> Vec<String> {
        self.operations.keys().cloned().collect()
    }

    /// The operations of a service with their kinds.
    pub fn operations(&self, service: &str) -> Vec<(String, String)> {
        self.operations.get(service).into_iter().flatten().cloned().collect()
    }

    /// Forgets traces that ended before a moment, in microseconds.
    pub fn forget_before(&mut self, moment: i64) {
        self.traces.retain(|_, spans| spans.iter().any(|s| s.start + s.duration >= moment));
    }
}
