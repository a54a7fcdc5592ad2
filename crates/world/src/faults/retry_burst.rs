//! # What happens
//! A burst of traffic comes and goes. Where people and programs try again what failed, it can leave a storm behind.
//!
//! # What an operator sees
//! Traffic far above the usual for some minutes. If retries outlive it: load stays high, most answers come too late.
//!
//! # How it is fixed
//! It passes by itself. If it leaves a storm: take no more than the usual load for a while, so that the queue drains.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Span;

/// The trigger of a retry storm.
pub struct RetryBurst;

impl Fault for RetryBurst {
    fn name(&self) -> &'static str {
        "retry_burst"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("service", "the web service that takes it"),
            ("factor", "how many times the usual load (2.5)"),
            ("seconds", "for how long (300)"),
        ]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Admission)?;
        let factor = args.number("factor", 2.5)?;
        let over = Span::secs(args.number("seconds", 300.0)? as u64);
        let routes = kit::routes_through(plan, service);
        let load = |factor: f64| Mutation::All(routes.iter().map(|&route| Mutation::Load { route, factor }).collect());
        let end = Act { after: over, ..kit::befalls(service, load(1.0)) };
        Ok(vec![kit::befalls(service, load(factor)), end])
    }

    fn family(&self) -> Family {
        Family::Traffic
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 1.8, severe: 4.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Admission)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        kit::shed(args.said("service"), plan)
    }

    fn is_trigger(&self) -> bool {
        true
    }

    fn levers(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<(usize, usize)> {
        let Some(web) = plan.service(args.said("service")) else { return Vec::new() };
        let mut levers = kit::settings(plan, web, kit::INTAKE);
        levers.extend(kit::intake_of_callers(plan, web, &["MAX_CONNECTIONS"]));
        levers
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "retry_storm"
    }
}
