//! # What happens
//! One instance of a service dies and is not started again.
//!
//! # What an operator sees
//! One probe fails; the other instances carry its load, which may be more than they can.
//!
//! # How it is fixed
//! Restart the service.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::fleet::{Exit, InstanceId, Process};
use crate::mutation::Mutation;
use crate::rng::Seed;

/// One instance that is gone.
pub struct InstanceDown;

impl Fault for InstanceDown {
    fn name(&self) -> &'static str {
        "instance_down"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("instance", "which one, from 1 (1)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let (info, wanted) = (&plan.services[service], args.number("instance", 1.0)? as usize);
        let count = info.replicas;
        if !(1..=count).contains(&wanted) || count == 1 {
            let problem = format!("{} has {count}; one of several goes down", info.name);
            return Err(FaultError::Bad { name: "instance", problem });
        }
        let process = Process::dead(Exit::KILLED);
        let instance = InstanceId(info.first.0 + wanted as u32 - 1);
        Ok(vec![kit::befalls(service, Mutation::Process { instance, process })])
    }

    fn family(&self) -> Family {
        Family::Crash
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let several = plan.services.iter().filter(|s| s.replicas > 1);
        several.map(|s| kit::site(&[("service", &s.name), ("instance", "1")])).collect()
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "crash"
    }
}
