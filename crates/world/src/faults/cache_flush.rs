//! # What happens
//! A cache loses all of its entries at once.
//!
//! # What an operator sees
//! The hit rate falls to nothing and the database takes the misses; it warms again as long as the database can answer.
//!
//! # How it is fixed
//! It heals by itself. Where the database is too slow to fill the cache again, let fewer workers ask it at once.

use std::collections::BTreeSet;

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// Entries that are gone.
pub struct CacheFlush;

impl Fault for CacheFlush {
    fn name(&self) -> &'static str {
        "cache_flush"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the cache")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Entries)?;
        Ok(vec![kit::befalls(service, Mutation::State { service, state: ServiceState::Entries { held: 0.0 } })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Entries)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        kit::thin_out(args.said("service"), plan)
    }

    fn is_trigger(&self) -> bool {
        true
    }

    fn levers(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<(usize, usize)> {
        let Some(cache) = plan.service(args.said("service")) else { return Vec::new() };
        let callers = (0..plan.services.len()).filter(|s| plan.services[*s].depends_on.contains(&cache));
        let behind = callers.flat_map(|s| plan.services[s].depends_on.iter().copied()).collect::<BTreeSet<usize>>();
        let mut levers = kit::intake_of_callers(plan, cache, kit::INTAKE);
        levers.extend(behind.into_iter().flat_map(|s| kit::settings(plan, s, &["DB_POOL_SIZE", "QUERY_TIMEOUT_MS"])));
        levers
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "cold_cache"
    }
}
