//! # What happens
//! After a short partition two servers of a database take writes, each without the rows of the other.
//!
//! # What an operator sees
//! Reads miss what was just written though the replica is not behind; status and log tell of a second primary.
//!
//! # How it is fixed
//! Restart the database: it comes back with one primary, the other is fenced and follows.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// Two primaries.
pub struct SplitBrain;

impl Fault for SplitBrain {
    fn name(&self) -> &'static str {
        "split_brain"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("share", "the share of reads that miss something (0.12)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Replica)?;
        let share = args.share("share", 0.12)?;
        let state = ServiceState::Twofold { share };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.05, severe: 0.3 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::replicated(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "split_brain"
    }
}
