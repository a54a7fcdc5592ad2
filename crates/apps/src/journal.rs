//! What programs have printed, and the figures of the calls between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{LogRecord, Stamp};

/// A line that a container printed, for those who collect lines of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetLine {
    /// When.
    pub at: Stamp,
    /// The namespace of the pod.
    pub namespace: String,
    /// The pod.
    pub pod: String,
    /// The container.
    pub container: String,
    /// What.
    pub line: String,
}

/// What a program's calls of one operation came to, in the last second and since it started.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeFigures {
    /// Namespace, pod and program of the caller.
    pub from: (String, String, String),
    /// The operation in which it calls.
    pub within: String,
    /// The target's address as it was configured.
    pub to: String,
    /// The operation that it calls.
    pub operation: String,
    /// Calls per second.
    pub rate: f64,
    /// The share of calls that fail.
    pub fails: f64,
    /// The main reason: `refused`, `deadline`.
    pub reason: &'static str,
    /// Milliseconds of half, 95 and 99 of 100 calls.
    pub latency_ms: (f64, f64, f64),
}

/// The lines of one container's attempts: the present one and the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContainerLog {
    attempts: BTreeMap<u32, Vec<(Stamp, Arc<str>)>>,
}

/// The most lines that are kept of an attempt, and how many go at once when there are more.
const MOST: usize = 6000;
const GOES: usize = 1000;

impl ContainerLog {
    pub(crate) fn push(&mut self, attempt: u32, at: Stamp, line: impl Into<Arc<str>>) {
        let lines = self.attempts.entry(attempt).or_default();
        lines.push((at, line.into()));
        if lines.len() > MOST {
            lines.drain(..GOES);
        }
        while self.attempts.len() > 2 {
            self.attempts.pop_first();
        }
    }

    pub(crate) fn of(&self, attempt: u32) -> Vec<LogRecord> {
        let lines = self.attempts.get(&attempt).map_or(&[][..], |lines| lines);
        lines.iter().map(|(at, line)| LogRecord { at: *at, line: line.to_string() }).collect()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &(Stamp, Arc<str>)> {
        self.attempts.values().flatten()
    }
}
