//! # What happens
//! The volume under a database gets slow.
//!
//! # What an operator sees
//! All statements take longer at the same traffic; checkpoints take minutes; the pool fills up.
//!
//! # How it is fixed
//! Restart the database, which mounts another volume.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A volume that is slow.
pub struct SlowDisk;

impl Fault for SlowDisk {
    fn name(&self) -> &'static str {
        "slow_disk"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("factor", "how many times as long it takes (4)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Disk)?;
        let state = ServiceState::Disk { factor: args.number("factor", 4.0)?.max(1.0) };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Platform
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 2.0, severe: 6.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Disk)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "slow_disk"
    }
}
