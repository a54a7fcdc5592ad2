//! # What happens
//! The processes of a service gain memory and never give it back.
//!
//! # What an operator sees
//! Memory climbs, collection pauses grow, then workers are killed for want of memory.
//!
//! # How it is fixed
//! Restart the service; a fresh process does not carry the leak.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::fleet::Process;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::{Span, Time};

/// Memory that is never given back.
pub struct MemoryLeak;

impl Fault for MemoryLeak {
    fn name(&self) -> &'static str {
        "memory_leak"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("mb_per_s", "how fast each instance leaks (8)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let leak = args.number("mb_per_s", 8.0)? * seed.stream("leak").at(0).between(0.85, 1.15);
        let process = Process { leak, ..Process::fresh(Time(0)) };
        let start = |instance| Mutation::Process { instance, process };
        let mutation = Mutation::All(plan.services[service].founders().map(start).collect());
        Ok(vec![Act { after: Span::ZERO, service, mutation, change: None, filed: None }])
    }

    fn family(&self) -> Family {
        Family::Resource
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "mb_per_s", mild: 5.0, severe: 16.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Memory)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "memory_leak"
    }
}
