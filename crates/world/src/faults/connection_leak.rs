//! # What happens
//! The processes of a service take connections to the database and never give them back.
//!
//! # What an operator sees
//! The pool of the database empties though little runs in it; many sessions are idle, all of one client.
//!
//! # How it is fixed
//! Restart the service that holds them.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::fleet::Process;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// Connections that are never given back.
pub struct ConnectionLeak;

impl Fault for ConnectionLeak {
    fn name(&self) -> &'static str {
        "connection_leak"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("per_s", "how many each instance keeps per second (0.4)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let hoarding = args.number("per_s", 0.4)? * seed.stream("connections").at(0).between(0.9, 1.1);
        Ok(vec![kit::all_processes(plan, service, Process { hoarding, ..Process::fresh(Time(0)) })])
    }

    fn family(&self) -> Family {
        Family::Resource
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "per_s", mild: 0.2, severe: 1.5 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::callers_of(plan, Hazard::Borrows, Hazard::Sessions)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "connection_leak"
    }
}
