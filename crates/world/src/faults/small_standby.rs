//! # What happens
//! The primary of a database lost its lease, and a standby took over that was never sized for the writes.
//!
//! # What an operator sees
//! Writes wait for processors of the primary; reads from the replica are well; status and log tell of the election.
//!
//! # How it is fixed
//! Restart the database, which hands back to the usual primary.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A primary that is too small.
pub struct SmallStandby;

impl Fault for SmallStandby {
    fn name(&self) -> &'static str {
        "small_standby"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("size", "its size as a share of the usual one (0.25)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Replica)?;
        let size = args.share("size", 0.25)?;
        let state = ServiceState::Primary { size: size.max(0.01) };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "size", mild: 0.3, severe: 0.12 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::replicated(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "failover"
    }
}
