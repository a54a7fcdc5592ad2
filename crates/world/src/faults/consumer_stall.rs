//! # What happens
//! Most consumers of a queue hang on a lock and take no more messages; they still answer their probes.
//!
//! # What an operator sees
//! The backlog grows while the consumers that are left are busy; the log says who has not polled.
//!
//! # How it is fixed
//! Restart the queue with its consumers.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::fleet::Process;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// Consumers that hang.
pub struct ConsumerStall;

impl Fault for ConsumerStall {
    fn name(&self) -> &'static str {
        "consumer_stall"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the queue"), ("share", "the share of consumers (0.85)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Consumers)?;
        let lost = args.share("share", 0.85)?;
        Ok(vec![kit::all_processes(plan, service, Process { lost, ..Process::fresh(Time(0)) })])
    }

    fn family(&self) -> Family {
        Family::Message
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.65, severe: 0.97 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Consumers)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "consumer_stall"
    }
}
