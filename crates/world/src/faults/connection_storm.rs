//! # What happens
//! All clients of a database lose their connections at once and open new ones.
//!
//! # What an operator sees
//! Thousands of new connections, each of which costs the database work; statements wait. It passes, unless those who wait too long reconnect as well.
//!
//! # How it is fixed
//! It passes by itself. If it does not: let fewer clients wait in line, by fewer workers or less traffic.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// The trigger of a storm of connections.
pub struct ConnectionStorm;

impl Fault for ConnectionStorm {
    fn name(&self) -> &'static str {
        "connection_storm"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("clients", "how many (10000)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Sessions)?;
        let waiting = args.number("clients", 10_000.0)?;
        Ok(vec![kit::befalls(service, Mutation::State { service, state: ServiceState::Clients { waiting } })])
    }

    fn family(&self) -> Family {
        Family::Network
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "clients", mild: 3000.0, severe: 60000.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Sessions)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        kit::thin_out(args.said("service"), plan)
    }

    fn is_trigger(&self) -> bool {
        true
    }

    fn levers(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<(usize, usize)> {
        let Some(database) = plan.service(args.said("service")) else { return Vec::new() };
        let mut levers = kit::settings(plan, database, &["DB_POOL_SIZE", "QUERY_TIMEOUT_MS"]);
        levers.extend(kit::intake_of_callers(plan, database, kit::INTAKE));
        levers
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "connection_storm"
    }
}
