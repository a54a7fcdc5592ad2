//! # What happens
//! Somebody pushes a configuration value that does not fit the load.
//!
//! # What an operator sees
//! Whatever the key does to the service; the push stands in the change history.
//!
//! # How it is fixed
//! Set the key to a value that fits, or roll the change back.

use super::{Act, Args, Fault, FaultError};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::time::{Span, Time};

/// A configuration value that does not fit.
pub struct ConfigPush;

impl Fault for ConfigPush {
    fn name(&self) -> &'static str {
        "config_push"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("key", "its configuration key"), ("value", "the value pushed")]
    }

    fn plan(&self, args: &Args, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let key = args.key(plan, service)?;
        let info = &plan.services[service].kind.keys()[key];
        let bad = |problem| FaultError::Bad { name: "value", problem };
        let value = info.parse(args.text("value")?).map_err(bad)?;
        let old = &plan.services[service].config[key];
        if *old == value {
            return Err(bad(format!("{} is {value} already, so nothing would change", info.name)));
        }
        let summary = format!("set {} from {old} to {value}", info.name);
        let mutation = Mutation::Config { service, key, value, since: Time(0) };
        Ok(vec![Act { after: Span::ZERO, service, mutation, change: Some((super::author(seed, &summary), summary)) }])
    }
}
