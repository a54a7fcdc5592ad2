//! # What happens
//! The vacuum was off for so long that a database is about to run out of transaction ids, and takes no more writes.
//!
//! # What an operator sees
//! Every write fails at once while reads are well; the log says why; the setting says that the vacuum is off.
//!
//! # How it is fixed
//! Switch the vacuum on again: it frees ids within a minute. A restart frees none.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::config::Value;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;
use crate::time::Time;

/// No transaction ids are left.
pub struct IdWraparound;

const KEY: &str = "AUTOVACUUM_ENABLED";

impl Fault for IdWraparound {
    fn name(&self) -> &'static str {
        "id_wraparound"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Tables)?;
        let key = plan.services[service].key(KEY).ok_or(FaultError::Missing("key"))?;
        // It was switched off long ago: no change history goes back so far.
        let off = Mutation::Config { service, key, value: Value::Bool(false), since: Time(0) };
        let state = ServiceState::Ids { used_up: true };
        Ok(vec![kit::befalls(service, off), kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let on = |s: &&crate::blueprint::ServiceInfo| s.setting(KEY).is_some_and(Value::bool);
        plan.services.iter().filter(on).map(|s| kit::site(&[("service", &s.name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        Cure::config(plan, args.said("service"), KEY, None)
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "wraparound"
    }
}
