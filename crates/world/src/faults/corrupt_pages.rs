//! # What happens
//! Pages of a table were damaged below the database; whatever reads one of them loses its session.
//!
//! # What an operator sees
//! A share of the statements ends with a reset connection, on all routes; the log says that checksums do not match.
//!
//! # How it is fixed
//! Restart the database: recovery writes the damaged pages again from its log.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// Pages that fail their checksum.
pub struct CorruptPages;

impl Fault for CorruptPages {
    fn name(&self) -> &'static str {
        "corrupt_pages"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("share", "the share of statements that come across one (0.08)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Tables)?;
        let share = args.share("share", 0.08)?;
        let state = ServiceState::Pages { share };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.04, severe: 0.3 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Tables)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "corruption"
    }
}
