//! # What happens
//! The path that the connections of one service to another take loses a part of the calls.
//!
//! # What an operator sees
//! Some calls between the two never come back and run into their deadline; the callee sees nothing wrong.
//!
//! # How it is fixed
//! Restart the caller: its new connections take another path.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::links::Paths;
use crate::mutation::Mutation;
use crate::rng::Seed;

/// A path that loses calls.
pub struct LossyLink;

impl Fault for LossyLink {
    fn name(&self) -> &'static str {
        "lossy_link"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the caller"), ("to", "the service it calls"), ("share", "the share of calls lost (0.15)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let (service, to) = kit::link(args, plan)?;
        let loss = args.share("share", 0.15)?;
        let mutation = Mutation::Link { from: service, to, delay: 0.0, loss, gone: 0.0, paths: Paths::Every };
        Ok(vec![kit::befalls(service, mutation)])
    }

    fn family(&self) -> Family {
        Family::Network
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.05, severe: 0.4 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::links(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "lossy_link"
    }
}
