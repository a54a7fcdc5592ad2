//! # What happens
//! Users ask for the same number of things, but far more of them end as messages in a queue.
//!
//! # What an operator sees
//! The request rate is as ever; the backlog of the queue grows, its consumers are all busy.
//!
//! # How it is fixed
//! Let more consumers work.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::{Blueprint, ServiceInfo};
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;

/// A shift of the traffic.
pub struct TrafficMix;

/// Whether users ask for both in the same application.
fn shares(plan: &Blueprint, one: usize, other: usize) -> bool {
    plan.routes[one].rps > 0.0 && plan.routes[one].app == plan.routes[other].app
}

/// The busiest route that publishes to a queue.
fn publisher(plan: &Blueprint, queue: usize) -> Option<usize> {
    let calls = plan.services[queue].calls.iter().map(|&c| plan.calls[c].route);
    calls.filter(|&r| plan.routes[r].rps > 0.0).max_by(|&a, &b| plan.routes[a].rps.total_cmp(&plan.routes[b].rps))
}

/// Messages per second that a queue's consumers can work off when those they call are well.
fn capacity(info: &ServiceInfo, plan: &Blueprint) -> f64 {
    let calls = info.roots.iter().flat_map(|&root| &plan.calls[root].children).map(|&c| &plan.calls[c]);
    let hold = calls.fold(info.params["work_s"], |sum, c| sum + c.times * (c.op.work_ms + c.op.hold_ms) / 1000.0);
    let attempts = 1.0 / (1.0 - info.params["transient"]).max(0.1);
    info.setting("CONSUMER_CONCURRENCY").map_or(0.0, |v| v.int()) / (hold * attempts)
}

impl Fault for TrafficMix {
    fn name(&self) -> &'static str {
        "traffic_mix"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the queue"), ("factor", "how many times what its consumers can do is published (1.2)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Consumers)?;
        let Some(route) = publisher(plan, service) else {
            return Err(FaultError::Bad { name: "service", problem: "no route publishes to it".into() });
        };
        let mine = plan.routes[route].rps;
        let wanted = args.number("factor", 1.2)? * capacity(&plan.services[service], plan) / mine;
        let others: Vec<usize> = (0..plan.routes.len()).filter(|&r| r != route && shares(plan, r, route)).collect();
        let rest: f64 = others.iter().map(|&r| plan.routes[r].rps).sum();
        let left = ((rest - mine * (wanted - 1.0)) / rest).clamp(0.3, 1.0);
        let load = |route, factor| Mutation::Load { route, factor };
        let mut shift = vec![load(route, wanted.max(1.0))];
        shift.extend(others.into_iter().map(|r| load(r, left)));
        Ok(vec![kit::befalls(service, Mutation::All(shift))])
    }

    fn family(&self) -> Family {
        Family::Traffic
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 1.12, severe: 1.3 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let queue = |s: &usize| plan.services[*s].has(Hazard::Consumers) && publisher(plan, *s).is_some();
        let queues = (0..plan.services.len()).filter(queue);
        queues.map(|s| kit::site(&[("service", &plan.services[s].name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let Some(info) = plan.service(args.said("service")).map(|s| &plan.services[s]) else { return Vec::new() };
        let usual = info.setting("CONSUMER_CONCURRENCY").map_or(0, |v| v.int() as i64);
        let (service, key, is) =
            (info.name.to_string(), "CONSUMER_CONCURRENCY".to_string(), format!(">= {}", 2 * usual));
        vec![Cure::Config { service, key, is, value: (3 * usual).min(512).to_string() }]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "traffic_mix"
    }
}
