//! A build reaches a service by restarting its instances one after another.

use super::{Controller, Observed};
use crate::mutation::Mutation;
use crate::time::Span;

/// How long it takes until a new build is started everywhere.
const BUILD_ROLLOUT: Span = Span::secs(15);

pub(super) struct Deployment;

impl Controller for Deployment {
    fn reconcile(&self, seen: &Observed<'_>) -> Vec<Mutation> {
        let mut due = Vec::new();
        for (service, release) in seen.releases.iter().enumerate() {
            if release.moves() && release.since + BUILD_ROLLOUT <= seen.now {
                due.push(Mutation::Deploy { service, build: release.wanted });
                due.extend(seen.restart_in_turn(service));
            }
        }
        due
    }

    fn waits(&self, seen: &Observed<'_>) -> bool {
        seen.releases.iter().any(|r| r.moves())
    }
}
