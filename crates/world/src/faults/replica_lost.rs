//! # What happens
//! The read replica of a database stops answering.
//!
//! # What an operator sees
//! All reads fall back to the primary, which is too small for them; the setting still says that the replica is used.
//!
//! # How it is fixed
//! Restart the database, which brings the replica back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A replica that is gone.
pub struct ReplicaLost;

impl Fault for ReplicaLost {
    fn name(&self) -> &'static str {
        "replica_lost"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Replica)?;
        Ok(vec![kit::befalls(service, Mutation::State { service, state: ServiceState::Replica { lost: true } })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::replicated(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "replica_lost"
    }
}
