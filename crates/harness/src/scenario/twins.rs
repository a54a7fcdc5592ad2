//! The two runs that an episode is compared with: no action was taken, and nothing broke.

use world::{RouteImpact, TICK, Time, World};

use super::timeline::ticks;
use super::{Scenario, WINDOW};
use crate::record::UserImpact;

/// What users felt in both runs, tick by tick from the page on, and how the fault spread.
pub(crate) struct Twins {
    untouched: Vec<UserImpact>,
    healthy: Vec<UserImpact>,
    chain: Vec<String>,
}

impl Twins {
    /// Runs both for as long as an episode can take.
    pub fn run(scenario: &Scenario) -> Twins {
        let ticks = ticks(scenario.begin(), scenario.last_end() + WINDOW) as u64;
        let mut untouched = scenario.at_page().clone();
        let mut healthy = scenario.healthy().clone();
        let felt = |world: &mut World| {
            let since_onset = |tick| {
                world.run_until(Time(scenario.begin().0 + tick * TICK.0));
                harm(world).less(scenario.felt_before())
            };
            (0..=ticks).map(since_onset).collect()
        };
        let (harmed, unharmed) = (felt(&mut untouched), felt(&mut healthy));
        Twins { untouched: harmed, healthy: unharmed, chain: chain(scenario, &untouched, &healthy) }
    }

    /// What the untouched and the healthy twin felt from the onset up to a tick after the page,
    /// unless no episode can take so long by its actions alone.
    pub fn felt(&self, tick: usize) -> Option<(UserImpact, UserImpact)> {
        Some((*self.untouched.get(tick)?, *self.healthy.get(tick)?))
    }

    /// Services in the order in which they began to differ from the healthy twin, the cause first.
    pub fn chain(&self) -> &[String] {
        &self.chain
    }
}

/// The same for an episode in which time passed between the actions: simulated for it alone.
pub(crate) fn felt_late(scenario: &Scenario, until: Time) -> (UserImpact, UserImpact) {
    let felt = |world: &World| {
        let mut world = world.clone();
        world.run_until(until);
        harm(&world).less(scenario.felt_before())
    };
    (felt(scenario.at_page()), felt(scenario.healthy()))
}

/// What users of all routes felt since the world began.
pub(crate) fn harm(world: &World) -> UserImpact {
    let add = |sum: UserImpact, route: &RouteImpact| UserImpact {
        requests: sum.requests + route.requests,
        failed: sum.failed + route.failed,
        slow: sum.slow + route.slow,
        minutes_out: sum.minutes_out + route.minutes_out,
    };
    world.impact().routes.iter().fold(UserImpact::default(), add)
}

fn chain(scenario: &Scenario, untouched: &World, healthy: &World) -> Vec<String> {
    let plan = &scenario.task().plan;
    let cause = plan.service(&scenario.task().component);
    let first = |service: usize| {
        if Some(service) == cause { Some(Time(0)) } else { first_differs(scenario, service, untouched, healthy) }
    };
    let mut order: Vec<(Time, usize)> = (0..plan.services.len()).filter_map(|s| Some((first(s)?, s))).collect();
    order.sort();
    order.into_iter().map(|(_, service)| plan.services[service].name.to_string()).collect()
}

/// When a series of a service first left the band of the usual around the healthy twin's.
fn first_differs(scenario: &Scenario, service: usize, untouched: &World, healthy: &World) -> Option<Time> {
    let columns = &scenario.task().plan.services[service].metrics;
    let (one, other) = (untouched.history(), healthy.history());
    let rows = (0..one.len().min(other.len())).map(|i| (one.row(i), other.row(i)));
    let differ = |column: usize, a: &[f32], b: &[f32]| {
        f64::from((a[column] - b[column]).abs()) > untouched.baseline().band(column).slack
    };
    let after = rows.filter(|(row, _)| row.time > scenario.onset());
    let mut found = after.filter(|(a, b)| columns.clone().any(|c| differ(c, a.cells, b.cells)));
    found.next().map(|(row, _)| row.time)
}
