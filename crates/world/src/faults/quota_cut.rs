//! # What happens
//! The platform gives a service a smaller part of its machines.
//!
//! # What an operator sees
//! Its own work takes many times as long; the log says that it is throttled; the cut stands in the change history.
//!
//! # How it is fixed
//! Roll the cut back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;

/// A quota that is too small.
pub struct QuotaCut;

impl Fault for QuotaCut {
    fn name(&self) -> &'static str {
        "quota_cut"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("share", "the share of the usual that is left (0.12)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let share = args.share("share", 0.12)?;
        let summary = plan.resize_summary(service, 1.0, share);
        Ok(vec![kit::changed(service, Mutation::Quota { service, share }, seed, summary)])
    }

    fn family(&self) -> Family {
        Family::Platform
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.1, severe: 0.04 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Work)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "cpu_quota"
    }
}
