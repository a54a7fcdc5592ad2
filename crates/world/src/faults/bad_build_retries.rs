//! # What happens
//! A build is deployed that sends a query again when the answer is not quick, while the first still runs.
//!
//! # What an operator sees
//! The database gets many times the reads at the same traffic; the log says that queries are sent again.
//!
//! # How it is fixed
//! Roll the deployment back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::release::Build;
use crate::rng::Seed;
use crate::services::Hazard;

/// A build with an impatient retry policy.
pub struct BadBuildRetries;

impl Fault for BadBuildRetries {
    fn name(&self) -> &'static str {
        "bad_build_retries"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("service", "the service"),
            ("attempts", "how often it sends again (3)"),
            ("after_ms", "how long it waits (150)"),
        ]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let hedges = args.number("attempts", 3.0)?;
        let hedge_after = args.number("after_ms", 150.0)?.max(1.0) / 1000.0;
        let build = Build { hedges, hedge_after, ..Build::CLEAN };
        Ok(vec![kit::deploy(plan, service, build, seed)])
    }

    fn family(&self) -> Family {
        Family::Build
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "attempts", mild: 2.0, severe: 6.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::callers_of(plan, Hazard::Repeats, Hazard::Tables)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "bad_build"
    }
}
