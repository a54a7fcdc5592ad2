//! # What happens
//! A build is deployed that fails a share of what it is asked.
//!
//! # What an operator sees
//! Unhandled errors in the log of the service from its deployment on, of some of its routes more than of others; those behind it are
//! well.
//!
//! # How it is fixed
//! Roll the deployment back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::release::Build;
use crate::rng::Seed;
use crate::services::Hazard;

/// A build with an error path.
pub struct BadBuildErrors;

impl Fault for BadBuildErrors {
    fn name(&self) -> &'static str {
        "bad_build_errors"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("share", "the share that fails (0.2)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let errors = args.share("share", 0.2)?;
        let flaw = seed.stream("broken code").within(service as u64).at(0).bits();
        let build = Build { errors, flaw, ..Build::CLEAN };
        Ok(vec![kit::deploy(plan, service, build, seed)])
    }

    fn family(&self) -> Family {
        Family::Build
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.06, severe: 0.6 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Code)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "bad_build"
    }
}
