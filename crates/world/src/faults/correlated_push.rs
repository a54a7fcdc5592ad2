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
fn pushes(plan: &Blueprint, web: usize, changes: Changes) -> Vec<(usize, usize, Value)> {
    let around: Vec<usize> = [web].into_iter().chain(plan.services[web].depends_on.iter().copied()).collect();
    let mut pushes = Vec::new();
    for &(key, left) in changes {
        for &service in &around {
            let info: &ServiceInfo = &plan.services[service];
            let Some(key) = info.key(key) else { continue };
            let KeyType::Int { min, max, .. } = info.kind.keys()[key].takes else { continue };
            let pushed = (info.config[key].int() * left).round() as i64;
            let value = Value::Int(pushed);
            if (min..=max).contains(&pushed) && value != info.config[key] {
                pushes.push((service, key, value));
            }
        }
    }
    pushes
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
        let pushes = pushes(plan, service, profile.1);
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
        let mut sites = Vec::new();
        for site in kit::exposed(plan, Hazard::Workers) {
            let service = plan.service(site.said("service")).expect("sites name services");
            for (name, _) in PROFILES.iter().filter(|p| pushes(plan, service, p.1).len() > 1) {
                sites.push(kit::site(&[("service", site.said("service")), ("profile", name)]));
            }
        }
        sites
    }

    fn cures(&self, args: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        vec![Cure::rollback(args.said("service"))]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "correlated_push"
    }
}
