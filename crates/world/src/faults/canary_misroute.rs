//! # What happens
//! A rollout sends a share of the traffic to a canary pool that is not ready for it.
//!
//! # What an operator sees
//! That share fails with 502 at the balancer, whatever the route; the backends in rotation are well.
//!
//! # How it is fixed
//! Roll the change of the share back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A canary that gets real traffic.
pub struct CanaryMisroute;

impl Fault for CanaryMisroute {
    fn name(&self) -> &'static str {
        "canary_misroute"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the balancer"), ("share", "the share of requests (0.2)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Canary)?;
        let share = args.share("share", 0.2)?;
        let summary = format!("canary pool: raise share to {:.0}%", share * 100.0);
        Ok(vec![kit::changed(
            service,
            Mutation::State { service, state: ServiceState::Canary { share } },
            seed,
            summary,
        )])
    }

    fn family(&self) -> Family {
        Family::Traffic
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.06, severe: 0.6 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Canary)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "canary"
    }
}
