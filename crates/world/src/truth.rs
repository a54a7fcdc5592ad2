//! What is really left of what went wrong: questions that graders ask of a world's state.

use std::sync::Arc;

use crate::change::Change;
use crate::links::Link;
use crate::mutation::Mutation;
use crate::release::Build;
use crate::service_state::ServiceState;
use crate::time::Time;
use crate::world::{BUSY_NODE, World};

/// A balancer that sends nothing to a canary.
const NO_CANARY: ServiceState = ServiceState::Canary { share: 0.0 };

/// A metric that differs by this part of itself tells something.
const TELLING: f64 = 0.2;

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

    /// When a metric of a service was first so far from that of another course of events as tells something; chance and noise aside.
    pub fn first_differs(&self, other: &World, service: usize, since: Time) -> Option<Time> {
        let info = &self.plan.services[service];
        let slack = |at: usize, usual: f64| {
            let metric = &info.kind.metrics()[at];
            let least = metric.slack * if metric.sized { info.size } else { 1.0 };
            least.max(TELLING * usual.abs())
        };
        let differs = |(at, (a, b)): (usize, (&f32, &f32))| {
            let (a, b) = (f64::from(*a), f64::from(*b));
            (a - b).abs() > slack(at, b)
        };
        // Percentiles are worked out where they are read: the oldest first, up to the row that differs.
        let [own, others] = [self, other].map(|world| world.history.newest_first(since, self.now).collect::<Vec<_>>());
        let found = own.iter().zip(&others).rev().find(|(a, b)| {
            let [a, b] = [a, b].map(|row| row.plain_metrics(service, info.metrics.clone()));
            a.iter().zip(b.iter()).enumerate().any(differs)
        });
        found.map(|(row, _)| row.time)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruments::Series;
    use crate::time::Span;
    use crate::{Blueprint, Noise, Seed, shop};

    #[test]
    fn what_instruments_show_is_no_matter_of_what_differs_first() {
        let plan = Arc::new(Blueprint::compile(&shop()).expect("the shop compiles"));
        let database = plan.service("database").expect("the shop has one");
        let since = World::healthy(&plan, Seed(7), Noise(2)).now();
        let course = |mutations: &[Mutation]| {
            let mut world = World::healthy(&plan, Seed(7), Noise(2));
            mutations.iter().for_each(|mutation| drop(world.apply(mutation)));
            world.run_until(since + Span::mins(20));
            world
        };
        let broken = Mutation::Quota { service: database, share: 0.3 };
        let healthy = course(&[]);
        let first = |a: &World, b: &World| {
            let services = 0..plan.services.len();
            services.map(|service| a.first_differs(b, service, since)).collect::<Vec<_>>()
        };
        for series in [Series::Stale, Series::Missing] {
            let of_one = |service: usize| {
                let metrics = 0..plan.services[service].metrics.len();
                metrics.map(move |metric| Mutation::Series { service, metric, series })
            };
            let blind: Vec<_> = (0..plan.services.len()).flat_map(of_one).collect();
            let disturbed = course(&blind);
            let both = course(&[std::slice::from_ref(&broken), &*blind].concat());
            let seen = first(&course(std::slice::from_ref(&broken)), &healthy);
            assert!(seen[database].is_some(), "the database is slow");
            assert_eq!(first(&both, &healthy), seen);
            assert_eq!(first(&disturbed, &healthy), vec![None; plan.services.len()], "nothing broke");
        }
    }
}
