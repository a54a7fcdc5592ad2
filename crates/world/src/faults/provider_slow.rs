//! # What happens
//! The third party with which messages are settled answers several times as slowly.
//!
//! # What an operator sees
//! Messages run out of time while they wait for it and are delivered again; the log says how long settling takes.
//!
//! # How it is fixed
//! Give messages more time before they are delivered again; the third party is out of reach.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A third party that takes its time.
pub struct ProviderSlow;

const KEY: &str = "VISIBILITY_TIMEOUT_MS";

impl Fault for ProviderSlow {
    fn name(&self) -> &'static str {
        "provider_slow"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the queue"), ("factor", "how many times as long settling takes (2.6)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Consumers)?;
        let factor = args.number("factor", 2.6)?;
        let state = ServiceState::Provider { slow: factor.max(1.0), errors: 0.0 };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Message
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 2.0, severe: 2.8 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Consumers)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let service = args.said("service").to_string();
        let Some(usual) = plan.service(&service).and_then(|s| plan.services[s].setting(KEY)) else {
            return Vec::new();
        };
        let (enough, value) = (1.8 * usual.int(), 3.0 * usual.int());
        vec![Cure::Config {
            service,
            key: KEY.to_string(),
            is: format!(">= {enough:.0}"),
            value: format!("{value:.0}"),
        }]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "third_party"
    }
}
