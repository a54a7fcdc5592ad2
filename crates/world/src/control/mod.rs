//! The control plane: one file for each controller. A controller looks at what is wanted and what is,
//! and answers with mutations; it changes nothing by itself. To add one, copy a file, change its middle,
//! and list it in [`ALL`].

mod deployment;
mod expiry;
mod rollout;
mod supervisor;

use std::sync::Arc;

use crate::blueprint::Blueprint;
use crate::fleet::Fleet;
use crate::mutation::Mutation;
use crate::process::Process;
use crate::release::Release;
use crate::settings::ServiceSettings;
use crate::time::{Span, Time};
use crate::world::World;

/// All controllers, in the order in which they act: each sees what those before it did.
const ALL: &[&dyn Controller] =
    &[&expiry::ExpiryController, &rollout::Rollout, &deployment::Deployment, &supervisor::Supervisor];

/// What wakes a controller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakes {
    /// Something is wanted that does not run yet, or will be at some time.
    WhenUnsettled,
    /// Something was ever done to this world.
    WhenDisturbed,
}

/// Something that brings what is nearer to what is wanted.
trait Controller: Sync {
    /// When it has to look at all.
    fn wakes(&self) -> Wakes {
        Wakes::WhenUnsettled
    }

    /// What has to be changed now.
    fn reconcile(&self, seen: &Observed<'_>) -> Vec<Mutation>;

    /// Whether it has work to come, at some time or as soon as something else changes.
    fn waits(&self, _: &Observed<'_>) -> bool {
        false
    }
}

/// What controllers see of a world: its control plane, not its physics and not its instruments.
struct Observed<'w> {
    now: Time,
    plan: &'w Blueprint,
    settings: &'w [Arc<ServiceSettings>],
    releases: &'w [Release],
    fleet: &'w Fleet,
    /// Lasting slowness of each node.
    nodes: &'w [f64],
}

impl Observed<'_> {
    /// Restarts the instances of a service one after another, so that the others carry the load meanwhile.
    fn restart_in_turn(&self, service: usize) -> impl Iterator<Item = Mutation> {
        let each = Span::secs(self.plan.services[service].kind.restart_secs() + 5);
        self.fleet.of(service).iter().enumerate().map(move |(i, instance)| {
            let restart_at = self.now + Span(i as u64 * each.0);
            Mutation::Process { instance: instance.id, process: Process { restart_at, ..instance.process } }
        })
    }
}

impl World {
    /// Lets every controller that is awake act once.
    pub(crate) fn control(&mut self) {
        let unsettled = self.unsettled;
        if !unsettled && !self.disturbed {
            return;
        }
        for controller in ALL {
            let awake = match controller.wakes() {
                Wakes::WhenUnsettled => unsettled,
                Wakes::WhenDisturbed => self.disturbed,
            };
            if awake {
                controller.reconcile(&self.observed()).iter().for_each(|mutation| drop(self.put(mutation)));
            }
        }
        self.unsettled = unsettled && ALL.iter().any(|controller| controller.waits(&self.observed()));
    }

    fn observed(&self) -> Observed<'_> {
        Observed {
            now: self.now,
            plan: &self.plan,
            settings: &self.settings,
            releases: &self.releases,
            fleet: &self.fleet,
            nodes: &self.slow_nodes,
        }
    }
}
