//! # What happens
//! A share of the messages can never be processed.
//!
//! # What an operator sees
//! The same messages fail again and again; with many attempts allowed they crowd out the others.
//!
//! # How it is fixed
//! Let them go to the dead-letter queue after a few attempts.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::time::Span;

/// Messages that always fail.
pub struct PoisonMessages;

impl Fault for PoisonMessages {
    fn name(&self) -> &'static str {
        "poison_messages"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the queue"), ("share", "the share of messages (0.03)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let share = args.number("share", 0.03)? * seed.stream("poison").at(0).between(0.9, 1.1);
        Ok(vec![Act {
            after: Span::ZERO,
            service,
            mutation: Mutation::State { service, state: ServiceState::Poison { share } },
            change: None,
            filed: None,
        }])
    }

    fn family(&self) -> Family {
        Family::Message
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.03, severe: 0.08 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        // With few attempts allowed they die unnoticed.
        let patient = |s: &&crate::blueprint::ServiceInfo| s.setting("RETRY_LIMIT").is_some_and(|v| v.int() > 10.0);
        plan.services.iter().filter(patient).map(|s| kit::site(&[("service", &s.name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        let (service, key) = (args.said("service").to_string(), "RETRY_LIMIT".to_string());
        vec![Cure::Config { service, key, is: "<= 5".to_string(), value: "3".to_string() }]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "poison_messages"
    }
}
