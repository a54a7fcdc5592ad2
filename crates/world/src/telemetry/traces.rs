//! Traces: requests of the last scrape, call by call. Their lines in the logs have the same ids.

use std::sync::Arc;

use crate::flow::Reason;
use crate::operator::View;
use crate::telemetry::requests::{Step, StepKind};

/// So many requests are looked through for each that is shown.
const LOOKED_THROUGH: u64 = 6;

/// One step of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceSpan {
    /// How deep in the tree.
    pub depth: usize,
    /// Index of the service.
    pub service: usize,
    /// What was asked.
    pub op: Arc<str>,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// How it failed, if it did.
    pub error: Option<&'static str>,
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Its id.
    pub id: String,
    /// Its spans in the order of the calls.
    pub spans: Vec<TraceSpan>,
}

impl View<'_> {
    /// A few requests of a route, from the last scrape.
    pub fn traces(self, route: usize, count: usize) -> Vec<Trace> {
        let Some(row) = self.world.history.last() else { return Vec::new() };
        let entry = self.world.plan.routes[route].entry;
        let trace = |number: u64| {
            let request = self.request(row, route, number);
            let root = request.spans[0];
            let is_late = root.failed == Some(Reason::TimedOut);
            if is_late && !self.waited_so_long(row, entry, (request.time, root.ms), request.draws) {
                return None;
            }
            let spans = request.spans.iter().map(|step| self.span(step)).collect();
            Some(Trace { id: format!("{:016x}", request.id), spans })
        };
        (0..LOOKED_THROUGH * count as u64).filter_map(trace).take(count).collect()
    }

    fn span(self, step: &Step) -> TraceSpan {
        let info = &self.world.plan.calls[step.call];
        let op: Arc<str> = match step.kind {
            StepKind::Queued => "queued".into(),
            StepKind::Network => format!("network to {}", self.world.plan.services[info.service].name).into(),
            StepKind::Call => info.op.name.clone(),
        };
        let op = if step.times > 1 { format!("{op} ({} times)", step.times).into() } else { op };
        let caller = info.parent.map(|parent| self.world.plan.calls[parent].service);
        // The way to a service is none of its own time.
        let service = if step.kind == StepKind::Network { caller.unwrap_or(info.service) } else { info.service };
        let error = step.failed.map(|reason| info.shown(reason).text());
        TraceSpan { depth: step.depth, service, op, ms: step.ms, error }
    }
}
