//! # What happens
//! Some machines of one service no longer reach another service; the rest do.
//!
//! # What an operator sees
//! Calls of some instances run into their deadline and those of the others do not; the callee sees less traffic, nothing else.
//!
//! # How it is fixed
//! Restart the caller: its processes come up with connections on the other side of the partition.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::links::Paths;
use crate::mutation::Mutation;
use crate::rng::Seed;

/// A partition between some instances of one service and another service.
pub struct NetworkPartition;

impl Fault for NetworkPartition {
    fn name(&self) -> &'static str {
        "network_partition"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("service", "the caller, which has several instances"),
            ("to", "the service it calls"),
            ("share", "the share of calls lost on the wrong side (1)"),
        ]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let (service, to) = kit::link(args, plan)?;
        let info = &plan.services[service];
        if info.replicas < 2 {
            let problem = format!("{} has one instance; a partition divides several", info.name);
            return Err(FaultError::Bad { name: "service", problem });
        }
        let loss = args.share("share", 1.0)?;
        let all: Vec<_> = info.founders().collect();
        let cut = all.len() / 2;
        // Which side is cut off is chance.
        let side = if seed.stream("partition").at(0).chance(0.5) { &all[..cut] } else { &all[all.len() - cut..] };
        let paths = Paths::Of(side.to_vec());
        let mutation = Mutation::Link { from: service, to, delay: 0.0, loss, gone: 0.0, paths };
        Ok(vec![kit::befalls(service, mutation)])
    }

    fn family(&self) -> Family {
        Family::Network
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.4, severe: 1.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let several = |site: &FaultArgs| {
            plan.service(site.said("service")).is_some_and(|service| plan.services[service].replicas > 1)
        };
        kit::links(plan).into_iter().filter(several).collect()
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "partition"
    }
}
