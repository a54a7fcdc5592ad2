//! Traces: sampled requests walked through the call tree at the latencies and errors of the tick.

use std::sync::Arc;

use crate::flow::Reason;
use crate::operator::View;
use crate::rng::Stream;
use crate::services::Role;

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
    /// A few requests of a route as they are now.
    pub fn traces(self, route: usize, count: usize) -> Vec<Trace> {
        let world = self.world;
        let stream = world.seed.stream("traces").within(route as u64).within(world.now.0);
        (0..count as u64).map(|k| self.trace(route, stream.within(k))).collect()
    }

    fn trace(self, route: usize, draws: Stream) -> Trace {
        let id = format!("{:016x}", draws.at(0).bits());
        let mut spans = Vec::new();
        self.walk(self.world.plan.routes[route].entry, 0, draws, &mut spans);
        Trace { id, spans }
    }

    /// Adds the span of a call and of what it called; tells whether it failed.
    fn walk(self, call: usize, depth: usize, draws: Stream, spans: &mut Vec<TraceSpan>) -> bool {
        let (info, flow) = (&self.world.plan.calls[call], &self.world.flows[call]);
        let draws = draws.within(call as u64);
        let latency = flow.latency.at_z(draws.at(1).normal()) + flow.delay;
        let failed = draws.at(2).chance(flow.felt());
        let error = failed.then(|| self.reason(call, draws.at(3).unit()).text());
        let at = spans.len();
        spans.push(TraceSpan {
            depth,
            service: info.service,
            op: info.op.name.as_str().into(),
            ms: latency * 1000.0,
            error,
        });
        // A call that was turned away at the door has no children.
        let turned_away = failed && self.reason(call, draws.at(3).unit()) as usize != Reason::TimedOut as usize;
        let mut inner = 0.0;
        let mut missed = vec![];
        for &child in &info.children {
            let child_info = &self.world.plan.calls[child];
            let reached = match child_info.miss_of {
                Some(sibling) => missed.contains(&sibling),
                None => child_info.times >= 1.0 || draws.at(child as u64).chance(child_info.times),
            };
            if turned_away && depth == 0 || !reached || self.world.flows[child].offered <= 0.0 {
                if self.world.flows[child].offered <= 0.0 && child_info.role == Role::Lookup {
                    missed.push(child);
                }
                continue;
            }
            let before = spans.len();
            let child_failed = self.walk(child, depth + 1, draws, spans);
            inner += spans[before].ms;
            let draw = draws.at(child as u64 | 1 << 32);
            if child_info.role == Role::Lookup && (child_failed || draw.chance(self.world.flows[child].miss)) {
                missed.push(child);
            }
        }
        spans[at].ms = spans[at].ms.max(inner * 1.02);
        failed
    }

    fn reason(self, call: usize, unit: f64) -> Reason {
        let flow = &self.world.flows[call];
        let mut left = unit * flow.felt() - flow.lost();
        if left < 0.0 {
            return if unit * flow.felt() < flow.gone { Reason::Astray } else { Reason::TimedOut };
        }
        for reason in Reason::ALL {
            left -= flow.fails.get(reason);
            if left <= 0.0 {
                return self.world.plan.calls[call].shown(reason);
            }
        }
        Reason::Internal
    }
}
