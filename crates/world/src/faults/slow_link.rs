//! # What happens
//! The path that the connections of one service to another take gets slow.
//!
//! # What an operator sees
//! Calls between the two take longer, while the callee answers as fast as ever; new connections are fast.
//!
//! # How it is fixed
//! Restart the caller: its new connections take another path.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::links::Paths;
use crate::mutation::Mutation;
use crate::rng::Seed;

/// A slow path between two services.
pub struct SlowLink;

impl Fault for SlowLink {
    fn name(&self) -> &'static str {
        "slow_link"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the caller"), ("to", "the service it calls"), ("ms", "extra delay in milliseconds (600)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let (service, to) = kit::link(args, plan)?;
        let delay = args.number("ms", 600.0)? / 1000.0;
        let mutation = Mutation::Link { from: service, to, delay, loss: 0.0, gone: 0.0, paths: Paths::Every };
        Ok(vec![kit::befalls(service, mutation)])
    }

    fn family(&self) -> Family {
        Family::Network
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "ms", mild: 500.0, severe: 2500.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::links(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "slow_link"
    }
}
