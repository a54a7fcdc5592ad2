//! # What happens
//! An index turns out to be broken and is dropped by the database itself; no change was pushed.
//!
//! # What an operator sees
//! Scans of whole tables in the log of the database, slow queries on the routes that need the index.
//!
//! # How it is fixed
//! Build the index again: set its key to true.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::config::{INDEX, Value};
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// An index that is gone.
pub struct LostIndex;

impl Fault for LostIndex {
    fn name(&self) -> &'static str {
        "lost_index"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("key", "the key of the index")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Tables)?;
        let key = args.key(plan, service)?;
        if !args.said("key").starts_with(INDEX) {
            return Err(FaultError::Bad { name: "key", problem: format!("{} is no index", args.said("key")) });
        }
        let mutation = Mutation::Config { service, key, value: Value::Bool(false), since: Time(0) };
        Ok(vec![kit::befalls(service, mutation)])
    }

    fn family(&self) -> Family {
        Family::Data
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let used = plan.calls.iter().filter_map(|c| c.index.map(|key| (c.service, key)));
        let used: std::collections::BTreeSet<(usize, usize)> = used.collect();
        let name = |(s, key): (usize, usize)| (&plan.services[s].name, plan.services[s].kind.keys()[key].name);
        used.into_iter().map(name).map(|(s, key)| kit::site(&[("service", s), ("key", key)])).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        Cure::config(plan, args.said("service"), args.said("key"), None)
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "missing_index"
    }
}
