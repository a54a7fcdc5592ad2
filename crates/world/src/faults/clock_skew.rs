//! # What happens
//! The clocks of a service run wrong, so that credentials look as if they were not valid.
//!
//! # What an operator sees
//! Handshakes or tokens are rejected although the credential is valid; the status page shows the clock.
//!
//! # How it is fixed
//! Restart the service; its clock is set at the start.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::fleet::Process;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// A clock that is wrong.
pub struct ClockSkew;

impl Fault for ClockSkew {
    fn name(&self) -> &'static str {
        "clock_skew"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("seconds", "by how much (900)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let skew = args.number("seconds", 900.0)?;
        Ok(vec![kit::all_processes(plan, service, Process { skew, ..Process::fresh(Time(0)) })])
    }

    fn family(&self) -> Family {
        Family::Credential
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "seconds", mild: 240.0, severe: 3600.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Clock)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "clock_skew"
    }
}
