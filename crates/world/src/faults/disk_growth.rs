//! # What happens
//! Something that is never read is kept on the disk of a database until the disk is full.
//!
//! # What an operator sees
//! Disk use climbs without more traffic; then writes fail for want of space.
//!
//! # How it is fixed
//! Raise the quota beyond what is kept.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, Severity, kit};
use crate::blueprint::{Blueprint, ServiceInfo};
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::service_state::ServiceState;
use crate::services::Hazard;

/// A disk that fills up.
pub struct DiskGrowth;

/// GB that are written in the end: more than there is room for.
fn kept(info: &ServiceInfo) -> f64 {
    let quota = info.setting("DISK_QUOTA_GB").map_or(0.0, |v| v.int());
    (quota - info.params["data_gb"]).max(10.0) * 1.15
}

impl Fault for DiskGrowth {
    fn name(&self) -> &'static str {
        "disk_growth"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the database"), ("gb_per_min", "how fast (30)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Disk)?;
        let gb_per_s = args.number("gb_per_min", 30.0)? / 60.0;
        let state = ServiceState::Filling { gb_per_s, left: kept(&plan.services[service]) };
        Ok(vec![kit::befalls(service, Mutation::State { service, state })])
    }

    fn family(&self) -> Family {
        Family::Resource
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity { arg: "gb_per_min", mild: 12.0, severe: 60.0 })
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        kit::exposed(plan, Hazard::Disk)
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        let Some(info) = plan.service(args.said("service")).map(|s| &plan.services[s]) else { return Vec::new() };
        let needed = ((info.params["data_gb"] + kept(info)) * 1.1).ceil() as i64;
        let (service, key, is) = (info.name.to_string(), "DISK_QUOTA_GB".to_string(), format!(">= {needed}"));
        vec![Cure::Config { service, key, is, value: (2 * needed).min(10_000).to_string() }]
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "disk_full"
    }
}
