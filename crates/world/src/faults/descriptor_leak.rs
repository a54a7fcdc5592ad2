//! # What happens
//! The processes of a service open files and sockets and never close them.
//!
//! # What an operator sees
//! Open files climb to the limit; then connections fail with "too many open files".
//!
//! # How it is fixed
//! Restart the service; a fresh process has none of them open.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::fleet::Process;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// Descriptors that are never closed.
pub struct DescriptorLeak;

impl Fault for DescriptorLeak {
    fn name(&self) -> &'static str {
        "descriptor_leak"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("per_s", "how many each instance loses per second (20)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let opening = args.number("per_s", 20.0)? * seed.stream("files").at(0).between(0.9, 1.1);
        Ok(vec![kit::all_processes(plan, service, Process { opening, ..Process::fresh(Time(0)) })])
    }

    fn family(&self) -> Family {
        Family::Resource
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "per_s", mild: 8.0, severe: 45.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Descriptors)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "descriptor_leak"
    }
}
