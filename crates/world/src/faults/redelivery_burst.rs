//! # What happens
//! A batch job publishes a great many messages at once.
//!
//! # What an operator sees
//! A backlog that the consumers work off, unless messages wait so long with them that they are delivered again.
//!
//! # How it is fixed
//! It passes by itself. If it does not: give messages more time before they are delivered again.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// The trigger of a storm of redeliveries.
pub struct RedeliveryBurst;

impl Fault for RedeliveryBurst {
    fn name(&self) -> &'static str {
        "redelivery_burst"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the queue"), ("messages", "how many (4000)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Consumers)?;
        let ready = args.number("messages", 4000.0)?;
        Ok(vec![kit::befalls(service, Mutation::State { service, state: ServiceState::Messages { ready } })])
    }

    fn family(&self) -> Family {
        Family::Message
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "messages", mild: 1500.0, severe: 12000.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Consumers)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let name = args.said("service").to_string();
        let usual = plan.service(&name).and_then(|s| plan.services[s].setting("VISIBILITY_TIMEOUT_MS"));
        let Some(usual) = usual.map(|v| v.int() as i64) else { return Vec::new() };
        let (key, is) = ("VISIBILITY_TIMEOUT_MS".to_string(), format!(">= {}", 3 * usual));
        vec![Cure::Config { service: name, key, is, value: (6 * usual).min(3_600_000).to_string() }]
    }

    fn is_trigger(&self) -> bool {
        true
    }

    fn levers(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<(usize, usize)> {
        const OWN: &[&str] = &["VISIBILITY_TIMEOUT_MS", "CONSUMER_CONCURRENCY", "MAX_IN_FLIGHT"];
        plan.service(args.said("service")).map_or(Vec::new(), |queue| kit::settings(plan, queue, OWN))
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "redelivery"
    }
}
