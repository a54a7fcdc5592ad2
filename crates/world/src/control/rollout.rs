//! A template's settings reach the instances that follow it some time after they were asked for, all at once.

use super::{Controller, Observed};
use crate::mutation::Mutation;

pub(super) struct Rollout;

impl Controller for Rollout {
    fn reconcile(&self, seen: &Observed<'_>) -> Vec<Mutation> {
        let mut due = Vec::new();
        for (service, settings) in seen.settings.iter().enumerate() {
            for (key, (setting, info)) in
                settings.template.iter().zip(seen.plan.services[service].kind.keys()).enumerate()
            {
                if !settings.moves(key) || setting.since + info.rollout > seen.now {
                    continue;
                }
                due.push(Mutation::Rollout { service, key, value: setting.wanted.clone(), at: seen.now });
                if info.restarts {
                    due.extend(seen.restart_in_turn(service));
                }
            }
        }
        due
    }

    fn waits(&self, seen: &Observed<'_>) -> bool {
        seen.settings.iter().any(|s| s.any_moves())
    }
}
