//! # What happens
//! A pushed configuration value that does not fit the load.
//!
//! # What an operator sees
//! Whatever the key does to the service; the push stands in the change history.
//!
//! # How it is fixed
//! Set the key to a value that fits, or roll the change back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::{Blueprint, ServiceInfo};
use crate::config::{Bad, INDEX, Key, Value};
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services;
use crate::time::Time;

/// A configuration value that does not fit.
pub struct ConfigPush;

/// The value that hurts this service, if it differs from the healthy one and the key takes it.
fn bad_value(service: &ServiceInfo, at: usize) -> Option<String> {
    let key = &service.kind.keys()[at];
    let text = match key.hurts?.0 {
        Bad::Is(text) => text.to_string(),
        Bad::Times(by) => ((service.config[at].int() * by).round() as i64).to_string(),
    };
    let value = key.parse(&text).ok()?;
    (value != service.config[at]).then_some(text)
}

impl Fault for ConfigPush {
    fn name(&self) -> &'static str {
        "config_push"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("key", "its configuration key"), ("value", "the value pushed")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let key = args.key(plan, service)?;
        let info = &plan.services[service].kind.keys()[key];
        let bad = |problem| FaultError::Bad { name: "value", problem };
        let value = info.parse(args.text("value")?).map_err(bad)?;
        let old = &plan.services[service].config[key];
        if *old == value {
            return Err(bad(format!("{} is {value} already, so nothing would change", info.name)));
        }
        let summary = super::set_summary(info.name, old, &value);
        let mutation = Mutation::Config { service, key, value, since: Time(0) };
        Ok(vec![kit::changed(service, mutation, seed, summary)])
    }

    fn family(&self) -> Family {
        Family::Configuration
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let mut sites = Vec::new();
        for service in &plan.services {
            for (at, key) in service.kind.keys().iter().enumerate() {
                if let Some(value) = bad_value(service, at) {
                    sites.push(kit::site(&[("service", &service.name), ("key", key.name), ("value", &value)]));
                }
            }
        }
        sites
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let (service, key) = (args.said("service"), args.said("key"));
        let bad: Option<Value> = args.said("value").parse().ok().map(Value::Int);
        let mut cures = Cure::config(plan, service, key, bad.as_ref());
        cures.push(Cure::rollback(service));
        cures
    }

    fn concept(&self, args: &FaultArgs) -> &'static str {
        let mut keys = services::ALL.iter().flat_map(|kind| kind.keys());
        // An index is called after the tables of its place.
        let said = |k: &&Key| k.name == args.said("key") || (k.is_index() && args.said("key").starts_with(INDEX));
        let key = keys.find(|k| said(k) && k.hurts.is_some());
        key.and_then(|k| k.hurts).map_or("", |(_, concept)| concept)
    }
}
