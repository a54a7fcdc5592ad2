//! # What happens
//! No more samples of a service arrive. The service itself is as it was.
//!
//! # What an operator sees
//! Gaps instead of values; alerts that watch them keep silent.
//!
//! # How it is fixed
//! Nothing to fix in the service; look at logs, status and those around it.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, kit};
use crate::blueprint::Blueprint;
use crate::instruments::Series;
use crate::rng::Seed;

/// Series that end.
pub struct MissingMetrics;

impl Fault for MissingMetrics {
    fn name(&self) -> &'static str {
        "missing_metrics"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service"), ("metric", "one of its metrics, or all (all)")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, _: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.service(plan)?;
        Ok(vec![kit::befalls(service, kit::series(args, plan, service, Series::Missing)?)])
    }

    fn family(&self) -> Family {
        Family::Platform
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let all = plan.services.iter();
        all.map(|s| kit::site(&[("service", &s.name), ("metric", "all")])).collect()
    }

    fn cures(&self, _: &FaultArgs, _: &Blueprint) -> Vec<Cure> {
        Vec::new()
    }

    fn concept(&self, _: &FaultArgs) -> &'static str {
        "telemetry"
    }
}
