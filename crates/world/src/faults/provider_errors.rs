//! # What happens
//! The third party with which messages are settled fails a large share of the attempts.
//!
//! # What an operator sees
//! Attempts fail with its answer, and more messages than usual end as dead letters; all else is well.
//!
//! # How it is fixed
//! Allow more attempts: most messages get through sooner or later. The third party is out of reach.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A third party that fails.
pub struct ProviderErrors;

const KEY: &str = "RETRY_LIMIT";

impl Fault for ProviderErrors {
    fn name(&self) -> &'static str {
        "provider_errors"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the queue"), ("share", "the share of attempts that it fails beyond the usual (0.4)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Consumers)?;
        let share = args.share("share", 0.4)?;
        let state = ServiceState::Provider { slow: 1.0, errors: share };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Message
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.2, severe: 0.44 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        // With many attempts allowed all messages get through sooner or later.
        let hasty = |s: &&crate::blueprint::ServiceInfo| s.setting(KEY).is_some_and(|v| v.int() <= 6.0);
        plan.services.iter().filter(hasty).map(|s| kit::site(&[("service", &s.name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let service = args.said("service").to_string();
        let Some(usual) = plan.service(&service).and_then(|s| plan.services[s].setting(KEY)) else {
            return Vec::new();
        };
        let (enough, value) = (1.6 * usual.int(), 3.0 * usual.int());
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
