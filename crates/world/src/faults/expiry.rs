//! # What happens
//! A certificate or a token runs out.
//!
//! # What an operator sees
//! Handshakes or authentication fail from one moment to the next; nothing stands in the change history.
//!
//! # How it is fixed
//! Install a valid one: set the key back to true.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::config::KeyType;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services;
use crate::time::{Span, Time};

/// A credential that ran out.
pub struct Expiry;

impl Fault for Expiry {
    fn name(&self) -> &'static str {
        "expiry"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("key", "the key that says whether the credential is valid")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        let key = args.key(plan, service)?;
        let info = &plan.services[service].kind.keys()[key];
        if info.takes != KeyType::Bool {
            return Err(FaultError::Bad { name: "key", problem: format!("{} is no credential", info.name) });
        }
        let mutation = Mutation::Expiry { service, key, at: Time(0) };
        Ok(vec![Act { after: Span::ZERO, service, mutation, change: None, filed: None }])
    }

    fn family(&self) -> Family {
        Family::Credential
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let of = |s: &crate::blueprint::ServiceInfo| {
            let keys = s.kind.keys().iter().filter(|k| k.runs_out.is_some());
            keys.map(|key| kit::site(&[("service", &s.name), ("key", key.name)])).collect::<Vec<_>>()
        };
        plan.services.iter().flat_map(of).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        Cure::config(plan, args.said("service"), args.said("key"), None)
    }

    fn concept(&self, args: &FaultArgs) -> &'static str {
        let mut keys = services::ALL.iter().flat_map(|kind| kind.keys());
        keys.find(|k| k.name == args.said("key")).and_then(|k| k.runs_out).unwrap_or("auth_expired")
    }
}
