//! # What happens
//! Another tenant of a machine takes its processor; what runs there of a service gets slow.
//!
//! # What an operator sees
//! Work takes longer on one node only; the node agent says so; nothing was changed.
//!
//! # How it is fixed
//! Restart the service: its processes are placed on quieter machines.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;

/// A machine that is shared with a greedy neighbour.
pub struct NoisyNeighbour;

/// The first of a service's nodes on which no other service does much work.
fn node(plan: &Blueprint, service: usize) -> Option<usize> {
    let light = |s: usize| !plan.services[s].has(Hazard::Work);
    let mut nodes = plan.services[service].founders().map(|i| plan.placement[i.0 as usize].1);
    nodes.find(|&node| plan.placement.iter().all(|&(s, n)| n != node || s == service || light(s)))
}

impl Fault for NoisyNeighbour {
    fn name(&self) -> &'static str {
        "noisy_neighbour"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("factor", "how many times as long work takes there (5)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let node = node(plan, service).unwrap_or(plan.placement[plan.services[service].first.0 as usize].1);
        let factor = args.number("factor", 5.0)?.max(1.0);
        Ok(vec![kit::befalls(service, Mutation::Slowdown { node, factor })])
    }

    fn family(&self) -> Family {
        Family::Platform
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 16.0, severe: 32.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let heavy = |s: &usize| plan.services[*s].has(Hazard::Work);
        let fits = (0..plan.services.len()).filter(heavy).filter(|&s| node(plan, s).is_some());
        fits.map(|s| kit::site(&[("service", &plan.services[s].name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "noisy_neighbour"
    }
}
