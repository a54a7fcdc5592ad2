//! # What happens
//! One push changes settings of several services at once: a profile that was made for a smaller place.
//!
//! # What an operator sees
//! Several services get tight in the same minute, and each looks like the culprit; one entry of the change history names them all.
//!
//! # How it is fixed
//! Roll the one change back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::{Blueprint, ServiceInfo};
use crate::config::{KeyType, Value};
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// One push to several services.
pub struct CorrelatedPush;

/// Key, and how much of the healthy number is left.
type Changes = &'static [(&'static str, f64)];

const PROFILES: &[(&str, Changes)] = &[
    ("small", &[("MAX_WORKERS", 0.3), ("DB_POOL_SIZE", 0.4), ("CONSUMER_CONCURRENCY", 0.3)]),
    ("impatient", &[("TIMEOUT_MS", 0.2), ("QUERY_TIMEOUT_MS", 0.1), ("VISIBILITY_TIMEOUT_MS", 0.3)]),
    ("lean", &[("MAX_MEMORY_MB", 0.2), ("TTL_SECONDS", 0.03), ("DB_POOL_SIZE", 0.5)]),
];

/// What a profile changes around a web service: service, key, value.
fn pushes(plan: &Blueprint, web: usize, changes: Changes) -> impl Iterator<Item = (usize, usize, Value)> {
    let around = move || std::iter::once(web).chain(plan.services[web].depends_on.iter().copied());
    changes.iter().flat_map(move |&(key, left)| {
        around().filter_map(move |service| {
            let info: &ServiceInfo = &plan.services[service];
            let key = info.key(key)?;
            let KeyType::Int { min, max, .. } = info.kind.keys()[key].takes else { return None };
            let pushed = (info.config[key].int() * left).round() as i64;
            let value = Value::Int(pushed);
            ((min..=max).contains(&pushed) && value != info.config[key]).then_some((service, key, value))
        })
    })
}

impl Fault for CorrelatedPush {
    fn name(&self) -> &'static str {
        "correlated_push"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the web service in the middle"), ("profile", "small, impatient or lean")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Workers)?;
        let name = args.text("profile")?;
        let profile = PROFILES.iter().find(|p| p.0 == name).ok_or_else(|| FaultError::Bad {
            name: "profile",
            problem: format!("there is no `{name}`; there are small, impatient, lean"),
        })?;
        let pushes: Vec<(usize, usize, Value)> = pushes(plan, service, profile.1).collect();
        if pushes.len() < 2 {
            return Err(FaultError::Bad { name: "profile", problem: "it would change one service only".into() });
        }
        let hit: std::collections::BTreeSet<&str> = pushes.iter().map(|p| &*plan.services[p.0].name).collect();
        let names = hit.into_iter().collect::<Vec<_>>().join(", ");
        let set = |(service, key, value)| Mutation::Config { service, key, value, since: Time(0) };
        let mutation = Mutation::All(pushes.into_iter().map(set).collect());
        Ok(vec![kit::changed(service, mutation, seed, format!("apply profile `{name}` to {names}"))])
    }

    fn family(&self) -> Family {
        Family::Configuration
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let webs = plan.services.iter().enumerate().filter(|(_, info)| info.has(Hazard::Workers));
        let profiles = webs.flat_map(|(web, info)| {
            let hurts = move |p: &&(&str, Changes)| pushes(plan, web, p.1).nth(1).is_some();
            PROFILES.iter().filter(hurts).map(|p| (&*info.name, p.0))
        });
        profiles.map(|(service, name)| kit::site(&[("service", service), ("profile", name)])).collect()
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "correlated_push"
    }
}
