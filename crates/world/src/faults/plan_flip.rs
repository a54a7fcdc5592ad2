//! # What happens
//! Statistics are out of date because the vacuum, which gathers them, was off; the planner picks another plan for a frequent read.
//!
//! # What an operator sees
//! Reads through an index take many times as long though the index exists; the log tells of a changed plan.
//!
//! # How it is fixed
//! Switch the vacuum on again, which analyses the tables. A restart changes no plan.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::config::Value;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;
use crate::time::Time;

/// Plans that are no longer good.
pub struct PlanFlip;

const KEY: &str = "AUTOVACUUM_ENABLED";

impl Fault for PlanFlip {
    fn name(&self) -> &'static str {
        "plan_flip"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("factor", "how many times as long such a read takes (8)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Tables)?;
        let key = plan.services[service].key(KEY).ok_or(FaultError::Missing("key"))?;
        let factor = args.number("factor", 8.0)?;
        // It was switched off long ago: no change history goes back so far.
        let off = Mutation::Config { service, key, value: Value::Bool(false), since: Time(0) };
        let state = ServiceState::Plans { factor: factor.max(1.0) };
        Ok(vec![kit::befalls(service, off), kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 5.0, severe: 14.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let on = |s: &&crate::blueprint::ServiceInfo| s.setting(KEY).is_some_and(Value::bool);
        plan.services.iter().filter(on).map(|s| kit::site(&[("service", &s.name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        Cure::config(plan, args.said("service"), KEY, None)
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "plan_flip"
    }
}
