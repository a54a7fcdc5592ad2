//! What a fleet tells: calls, lines, figures.

use std::collections::BTreeMap;

use cluster::Stamp;

use super::Fleet;
use crate::instance::Instance;
use crate::journal::{EdgeFigures, FleetLine};
use crate::pages::PagingAlert;
use crate::physics::OperationFlow;
use crate::route::{RouteHistory, RouteWindow};

/// Seconds between two lines of a load generator.
const TELL_EVERY: i64 = 30;

impl Fleet {
    /// All calls between programs in the last second.
    pub fn edges(&self) -> Vec<EdgeFigures> {
        let edges = self.plan.edges.iter().zip(&self.flow.edges);
        edges
            .map(|(edge, flow)| {
                let (namespace, pod, _) = &self.plan.stations[edge.caller].key;
                let program = self.instances.get(&self.plan.stations[edge.caller].key);
                let program = program.map_or("", |own| &own.name);
                let millis = |seconds: f64| seconds * 1000.0;
                EdgeFigures {
                    from: (namespace.to_string(), pod.to_string(), program.to_string()),
                    within: edge.within.to_string(),
                    to: format!("{}:{}", edge.host, edge.port),
                    operation: edge.call.operation.clone(),
                    rate: flow.rate,
                    fails: flow.try_fails,
                    reason: flow.reason,
                    latency_ms: (millis(flow.latency.p50), millis(flow.latency.p95), millis(flow.latency.p99)),
                }
            })
            .collect()
    }

    /// What the containers of a namespace, or of all, have printed since then, oldest first.
    pub fn log_lines(&self, namespace: Option<&str>, since: Stamp) -> Vec<FleetLine> {
        let mut all = Vec::new();
        let own = self.instances.iter().filter(|((space, ..), _)| namespace.is_none_or(|wanted| wanted == &**space));
        for ((namespace, pod, container), instance) in own {
            for (at, line) in instance.log.all().filter(|(at, _)| *at >= since) {
                all.push(FleetLine {
                    at: *at,
                    namespace: namespace.to_string(),
                    pod: pod.to_string(),
                    container: container.to_string(),
                    line: line.to_string(),
                });
            }
        }
        all.sort_by_key(|line| line.at);
        all
    }

    /// Load generators print how their requests have fared, twice a minute.
    pub(super) fn tell_success(&mut self, now: Stamp) {
        if now.secs() % TELL_EVERY != 0 {
            return;
        }
        let mut told: BTreeMap<usize, [f64; 3]> = BTreeMap::new();
        for operation in &self.plan.operations {
            let Some((app, number)) = &operation.route else { continue };
            let Some(history) = self.route_history(&app.name, *number) else { continue };
            let window = RouteWindow::of(history, now.secs() - TELL_EVERY);
            let requests = window.rate * window.seconds as f64;
            let sums = told.entry(operation.station).or_default();
            sums[0] += requests;
            sums[1] += requests * (1.0 - window.success);
            sums[2] = sums[2].max(window.p95);
        }
        for (station, [requests, failed, p95]) in told {
            let key = self.plan.stations[station].key.clone();
            // The share is that of the numbers before it.
            let (requests, failed) = (requests.round(), failed.round());
            let share = 100.0 * failed / requests.max(1.0);
            let line = format!(
                "Aggregated {requests:.0} requests, {failed:.0} failed ({share:.2} %), slowest route p95 {:.0} ms",
                p95 * 1000.0
            );
            self.instance_mut(&key).print_all(now, &line);
        }
    }

    /// What pages now.
    pub fn alerts(&self) -> Vec<PagingAlert> {
        self.pager.firing()
    }

    /// A number that two fleets share if, and hardly ever unless, their programs are in the same state.
    pub fn digest(&self) -> u64 {
        let mut digest = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |bits: u64| digest = (digest.rotate_left(7) ^ bits).wrapping_mul(0x100_0000_01b3);
        for instance in self.instances.values() {
            add(u64::from(instance.run.attempt));
            add(instance.queue.to_bits());
            add(instance.memory.to_bits());
            add(instance.cpu.to_bits());
        }
        for store in self.stores.values() {
            add(store.0.digest());
        }
        for flow in &self.flow.operations {
            add(flow.requests.to_bits());
            add(flow.errors.to_bits());
        }
        digest
    }

    pub(crate) fn route_history(&self, app: &str, route: usize) -> Option<&RouteHistory> {
        self.routes.get(&(app.into(), route))
    }

    pub(super) fn flow_of(&self, instance: &Instance, operation: &str) -> Option<&OperationFlow> {
        let at = self.plan.operations.iter().position(|own| {
            let (namespace, pod, container) = &self.plan.stations[own.station].key;
            &*own.name == operation
                && **namespace == instance.run.namespace
                && **pod == instance.run.pod
                && **container == instance.run.name
        })?;
        self.flow.operations.get(at)
    }
}
