//! # What happens
//! A build is deployed whose own code takes many times as long.
//!
//! # What an operator sees
//! Latency of the service rises with its deployment while those behind it are well; its workers fill up.
//!
//! # How it is fixed
//! Roll the deployment back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::release::Build;
use crate::rng::Seed;
use crate::services::Hazard;

/// A build that is slow.
pub struct BadBuildSlow;

impl Fault for BadBuildSlow {
    fn name(&self) -> &'static str {
        "bad_build_slow"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("factor", "how many times as long its work takes (10)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let slow = args.number("factor", 10.0)?.max(1.0);
        let build = Build { slow, ..Build::CLEAN };
        Ok(vec![kit::deploy(plan, service, build, seed)])
    }

    fn family(&self) -> Family {
        Family::Build
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "factor", mild: 9.0, severe: 20.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Work)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "bad_build"
    }
}
