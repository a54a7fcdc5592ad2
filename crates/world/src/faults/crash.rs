//! # What happens
//! All instances of a service die and are not started again.
//!
//! # What an operator sees
//! Probes fail, callers are refused; what depends on the service falls back or fails.
//!
//! # How it is fixed
//! Restart the service.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::fleet::{Exit, Process};
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::time::Span;

/// A service that is gone.
pub struct Crash;

impl Fault for Crash {
    fn name(&self) -> &'static str {
        "crash"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let dead = Process::dead(Exit::KILLED);
        let kill = |instance| Mutation::Process { instance, process: dead };
        let mutation = Mutation::All(plan.services[service].founders().map(kill).collect());
        Ok(vec![Act { after: Span::ZERO, service, mutation, change: None, filed: None }])
    }

    fn family(&self) -> Family {
        Family::Crash
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::everywhere(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "crash"
    }
}
