//! # What happens
//! Most worker processes of a service die, and their supervisor does not bring them back.
//!
//! # What an operator sees
//! The instances answer their probes, with a fraction of their capacity; requests queue.
//!
//! # How it is fixed
//! Restart the service.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::fleet::Process;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::{Span, Time};

/// Workers that are gone.
pub struct WorkerDeaths;

impl Fault for WorkerDeaths {
    fn name(&self) -> &'static str {
        "worker_deaths"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("share", "the share of workers that die (0.8)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let share = args.number("share", 0.8)? * seed.stream("deaths").at(0).between(0.95, 1.05);
        let process = Process { lost: share.min(1.0), ..Process::fresh(Time(0)) };
        let kill = |instance| Mutation::Process { instance, process };
        let mutation = Mutation::All(plan.services[service].founders().map(kill).collect());
        Ok(vec![Act { after: Span::ZERO, service, mutation, change: None, filed: None }])
    }

    fn family(&self) -> Family {
        Family::Crash
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.65, severe: 0.95 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Workers)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "worker_crash"
    }
}
