//! # What happens
//! A build is deployed whose processes die some time after each start; the supervisor starts them again.
//!
//! # What an operator sees
//! Instances come and go, with back-off between; each death takes what the process held with it.
//!
//! # How it is fixed
//! Roll the deployment back. A restart brings the same build.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::release::Build;
use crate::rng::Seed;

/// Processes that die again and again.
pub struct CrashLoop;

impl Fault for CrashLoop {
    fn name(&self) -> &'static str {
        "crash_loop"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("seconds", "how long a process lives (60)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let dies_after = args.number("seconds", 60.0)?.max(5.0) * seed.stream("life").at(0).between(0.9, 1.1);
        let build = Build { dies_after, ..Build::CLEAN };
        Ok(vec![kit::deploy(plan, service, build, seed)])
    }

    fn family(&self) -> Family {
        Family::Crash
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "seconds", mild: 240.0, severe: 45.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::everywhere(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn is_fitful(&self) -> bool {
        true
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "crash_loop"
    }
}
