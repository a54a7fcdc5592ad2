//! Credentials run out at their time.

use super::{Controller, Observed};
use crate::config::Value;
use crate::mutation::Mutation;
use crate::time::Time;

pub(super) struct ExpiryController;

impl Controller for ExpiryController {
    fn reconcile(&self, seen: &Observed<'_>) -> Vec<Mutation> {
        let mut due = Vec::new();
        for (service, settings) in seen.settings.iter().enumerate() {
            for (key, setting) in settings.template.iter().enumerate().filter(|(_, s)| s.expires <= seen.now) {
                let value = Value::Bool(false);
                due.push(Mutation::Expiry { service, key, at: Time::NEVER });
                due.push(Mutation::Config { service, key, value: value.clone(), since: setting.since });
                due.push(Mutation::Rollout { service, key, value, at: seen.now });
            }
        }
        due
    }

    fn waits(&self, seen: &Observed<'_>) -> bool {
        seen.settings.iter().flat_map(|s| &s.template).any(|s| s.expires != Time::NEVER)
    }
}
