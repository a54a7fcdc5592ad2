//! # What happens
//! A push of a setting reaches some instances of a service and stops: half of them run with the new value.
//!
//! # What an operator sees
//! The lines of some instances tell of the new value, those of the others do not; users fail by chance.
//!
//! # How it is fixed
//! Set the key back, or roll the change back: those that still run as before need nothing.

use super::{Act, Cure, Family, Fault, FaultArgs, FaultError, config_push, kit};
use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::services::Hazard;
use crate::settings::RevisionId;

/// A push that stopped half way.
pub struct HalfRollout;

/// What the instances run with that the push did not reach.
const LEFT_BEHIND: RevisionId = RevisionId(1);

/// Settings that hurt where half of the instances have them.
const KEYS: &[&str] = &["TIMEOUT_MS", "MAX_WORKERS", "QUEUE_PUBLISH_TIMEOUT_MS"];

impl Fault for HalfRollout {
    fn name(&self) -> &'static str {
        "half_rollout"
    }

    fn args(&self) -> &'static [(&'static str, &'static str)] {
        &[("service", "the service, which has several instances"), ("key", "its key"), ("value", "the value pushed")]
    }

    fn plan(&self, args: &FaultArgs, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError> {
        let service = args.exposed(plan, Hazard::Workers)?;
        let info = &plan.services[service];
        if info.replicas < 2 {
            let problem = format!("{} has one instance; a rollout stops between several", info.name);
            return Err(FaultError::Bad { name: "service", problem });
        }
        let mut acts = config_push::ConfigPush.plan(args, plan, seed)?;
        let (revision, values) = (LEFT_BEHIND, Some(info.config.to_vec()));
        let mut behind = vec![Mutation::Revision { service, revision, values }];
        let left = info.founders().skip(info.replicas / 2);
        behind.extend(left.map(|instance| Mutation::Adopt { instance, revision }));
        acts.insert(0, kit::befalls(service, Mutation::All(behind)));
        Ok(acts)
    }

    fn family(&self) -> Family {
        Family::Configuration
    }

    fn sites(&self, plan: &Blueprint) -> Vec<FaultArgs> {
        let fits = |site: &FaultArgs| {
            let several = |s: usize| plan.services[s].replicas > 1 && plan.services[s].has(Hazard::Workers);
            KEYS.contains(&site.said("key")) && plan.service(site.said("service")).is_some_and(several)
        };
        config_push::ConfigPush.sites(plan).into_iter().filter(fits).collect()
    }

    fn cures(&self, args: &FaultArgs, plan: &Blueprint) -> Vec<Cure> {
        config_push::ConfigPush.cures(args, plan)
    }

    fn concept(&self, args: &FaultArgs) -> &'static str {
        config_push::ConfigPush.concept(args)
    }
}
