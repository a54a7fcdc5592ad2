//! # What happens
//! A migration or a forgotten session holds a lock on a busy table, and every write to it waits in line.
//!
//! # What an operator sees
//! Writes take seconds while the engines are idle; connections are held and run out; the log names the lock.
//!
//! # How it is fixed
//! Restart the database, which ends the session that holds the lock.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// Writes that wait behind one lock.
pub struct LockQueue;

impl Fault for LockQueue {
    fn name(&self) -> &'static str {
        "lock_queue"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("seconds", "how long a write waits, in seconds (2.5)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Tables)?;
        let seconds = args.number("seconds", 2.5)?;
        let state = ServiceState::Lock { wait_s: seconds };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "seconds", mild: 1.5, severe: 5.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Tables)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "lock_contention"
    }
}
