//! # What happens
//! A service moves to another address; the processes of a caller keep the old one, where nothing listens.
//!
//! # What an operator sees
//! The caller fails at once on its calls to that host, others reach it; the host itself is idle and well.
//!
//! # How it is fixed
//! Restart the caller: fresh processes resolve the name again.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::Blueprint;
use crate::links::Paths;
use crate::mutation::Mutation;
use crate::rng::Seed;

/// An address that leads nowhere.
pub struct StaleDns;

impl Fault for StaleDns {
    fn name(&self) -> &'static str {
        "stale_dns"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("service", "the caller"),
            ("to", "the service it calls"),
            ("share", "the share of calls that go there (0.9)"),
        ]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let (service, to) = kit::link(args, plan)?;
        let gone = args.share("share", 0.9)?;
        let mutation = Mutation::Link { from: service, to, delay: 0.0, loss: 0.0, gone, paths: Paths::Every };
        Ok(vec![kit::befalls(service, mutation)])
    }

    fn family(&self) -> Family {
        Family::Network
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "share", mild: 0.4, severe: 0.97 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::links(plan)
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::restart(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "stale_dns"
    }
}
