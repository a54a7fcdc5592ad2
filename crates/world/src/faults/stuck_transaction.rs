//! # What happens
//! A forgotten transaction keeps dead rows from being cleaned up, and a great deletion has left many.
//!
//! # What an operator sees
//! Dead rows far above the usual though the vacuum is on; reads slow down; the log names the old transaction.
//!
//! # How it is fixed
//! Restart the database, which ends the transaction; the vacuum does the rest.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// Dead rows that cannot be removed.
pub struct StuckTransaction;

impl Fault for StuckTransaction {
    fn name(&self) -> &'static str {
        "stuck_transaction"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("pct", "the share of dead rows, in percent (70)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Tables)?;
        let state = ServiceState::Rows { bloat: args.number("pct", 70.0)?.min(90.0), pinned: true };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "pct", mild: 40.0, severe: 88.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Tables)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "table_bloat"
    }
}
