//! # What happens
//! A build is deployed whose processes gain memory and never give it back.
//!
//! # What an operator sees
//! Memory climbs from the deployment on, collection pauses grow, workers are killed. A restart helps for minutes.
//!
//! # How it is fixed
//! Roll the deployment back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::release::Build;
use crate::rng::Seed;
use crate::services::Hazard;

/// A build that leaks.
pub struct BadBuildLeak;

impl Fault for BadBuildLeak {
    fn name(&self) -> &'static str {
        "bad_build_leak"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("mb_per_s", "how fast each instance leaks (8)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let leak = args.number("mb_per_s", 8.0)? * seed.stream("leak").at(0).between(0.9, 1.1);
        let build = Build { leak, ..Build::CLEAN };
        Ok(vec![kit::deploy(plan, service, build, seed)])
    }

    fn family(&self) -> Family {
        Family::Build
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "mb_per_s", mild: 5.0, severe: 16.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Memory)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "bad_build"
    }
}
