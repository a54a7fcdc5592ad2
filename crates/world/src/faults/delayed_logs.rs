//! # What happens
//! The log pipeline of a service falls behind. The service itself is as it was.
//!
//! # What an operator sees
//! Lines arrive minutes after they were written; the last ones shown are old.
//!
//! # How it is fixed
//! Nothing to fix in the service; look at the time of the lines, at metrics and at status.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::time::Span;

/// Logs that come late.
pub struct DelayedLogs;

impl Fault for DelayedLogs {
    fn name(&self) -> &'static str {
        "delayed_logs"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("seconds", "by how much (600)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let by = Span::secs(args.number("seconds", 600.0)? as u64);
        Ok(vec![kit::befalls(service, Mutation::LogDelay { service, by })])
    }

    fn family(&self) -> Family {
        Family::Platform
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "seconds", mild: 120.0, severe: 1800.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::everywhere(plan)
    }

    fn cures(&self, _: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        Vec::new()
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "telemetry"
    }
}
