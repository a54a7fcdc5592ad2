//! What is really left of what went wrong: questions that graders ask of a world's state.

use std::sync::Arc;

use crate::change::Change;
use crate::links::Link;
use crate::mutation::Mutation;
use crate::release::Build;
use crate::service_state::ServiceState;
use crate::world::{BUSY_NODE, World};

/// A balancer that sends nothing to a canary.
const NO_CANARY: ServiceState = ServiceState::Canary { share: 0.0 };

/// Whether taking a change back sets something of a service.
fn reaches(change: &Change, service: usize) -> bool {
    change.undo.as_ref().is_some_and(|undo| undo.settings().iter().any(|(s, _)| *s == service))
}

impl World {
    /// The state of one aspect of a service; what it does not have is given back as it is.
    pub(crate) fn state_of(&self, service: usize, aspect: ServiceState) -> ServiceState {
        self.models[service].clone_model().set_state(aspect)
    }

    /// Whether a service runs the build of the day before, or is being rolled back to it.
    pub fn build_is_clean(&self, service: usize) -> bool {
        self.releases[service].wanted == Build::CLEAN
    }

    /// Whether a service was taken back to before what ran on a healthy day: an older build, or other machines.
    pub fn is_set_back(&self, service: usize) -> bool {
        self.releases[service].wanted.older || self.releases[service].quota > 1.0
    }

    /// Whether what others deployed to a service is taken back: its build, its share of the machines, its
    /// canary, the settings they pushed (also to others, if the push was filed under this service). What the
    /// operator did besides does not matter.
    pub fn is_rolled_back(&self, service: usize) -> bool {
        let whole = self.releases[service].quota == 1.0 && self.state_of(service, NO_CANARY) == NO_CANARY;
        let guilty = || self.changes.suspects();
        if !guilty().any(|c| c.service == service || reaches(c, service)) {
            // What was not written down cannot be rolled back.
            return false;
        }
        let mut pushed = guilty().filter(|c| !c.reverted);
        let undone =
            |c: &Arc<Change>| c.undo.as_ref().is_none_or(|undo| self.is_undone(undo, service, c.service == service));
        self.build_is_clean(service) && whole && pushed.all(undone)
    }

    /// Whether the settings of a service, or of all, are those that an undo would bring.
    fn is_undone(&self, undo: &Mutation, at: usize, all: bool) -> bool {
        match undo {
            Mutation::Config { service, key, value, .. } if all || *service == at => {
                self.settings[*service].template[*key].wanted == *value
            }
            Mutation::All(parts) => parts.iter().all(|m| self.is_undone(m, at, all)),
            _ => true,
        }
    }

    /// Whether nothing is left in a service that a restart would clear, or the restart is under way.
    pub fn runs_clean(&self, service: usize) -> bool {
        let fleet = self.fleet.of(service);
        if fleet.iter().all(|i| i.process.restarts()) {
            return true;
        }
        let processes = fleet.iter().all(|i| i.process.restarts() || i.process.is_clean());
        let nodes = fleet.iter().all(|i| i.process.restarts() || self.slow_nodes[i.node] <= BUSY_NODE);
        let links = self.links.iter().filter(|l| l.from == service).all(Link::is_sound);
        processes && nodes && links && self.models[service].is_clean()
    }
}
