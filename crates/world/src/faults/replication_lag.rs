//! # What happens
//! Replay on the read replica of a database hangs behind a conflicting query.
//!
//! # What an operator sees
//! The lag grows; reads find rows older than what their session wrote, and fail.
//!
//! # How it is fixed
//! Restart the database, after which the replica catches up; or read from the primary, if it can carry that.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A replica that falls behind.
pub struct ReplicationLag;

impl Fault for ReplicationLag {
    fn name(&self) -> &'static str {
        "replication_lag"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("per_s", "seconds that it loses each second (1)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Replica)?;
        let per_s = args.number("per_s", 1.0)?;
        Ok(vec![kit::befalls(service, Mutation::State { service, state: ServiceState::Lag { per_s } })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "per_s", mild: 0.3, severe: 2.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::replicated(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "replication_lag"
    }
}
