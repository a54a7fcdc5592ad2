//! # What happens
//! A certificate is installed for another host name.
//!
//! # What an operator sees
//! Handshakes fail from one moment to the next; the installation stands in the change history.
//!
//! # How it is fixed
//! Install the right one: set the key back to true, or roll the change back.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::config::Value;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::time::Time;

/// A certificate that does not fit.
pub struct CertificateMismatch;

const KEY: &str = "TLS_CERT_VALID";

impl Fault for CertificateMismatch {
    fn name(&self) -> &'static str {
        "certificate_mismatch"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the balancer")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Certificate)?;
        let key = plan.services[service].key(KEY).ok_or(FaultError::Missing("key"))?;
        let serial = seed.stream("serial").at(0).bits() as u32;
        let mutation = Mutation::Config { service, key, value: Value::Bool(false), since: Time(0) };
        Ok(vec![kit::changed(service, mutation, seed, format!("install certificate {serial:08x} on listener :443"))])
    }

    fn family(&self) -> Family {
        Family::Credential
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Certificate)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let mut cures = Cure::config(plan, args.said("service"), KEY, None);
        cures.push(Cure::rollback(args.said("service")));
        cures
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "certificate_mismatch"
    }
}
