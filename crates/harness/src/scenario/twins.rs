//! The two runs that an episode is compared with: no action was taken, and nothing broke. The first is the untouched
//! course; the second is kept here. Both are run only as far as they are read, once for all episodes on the incident.

use std::sync::{Mutex, MutexGuard, PoisonError};

use world::{RouteImpact, SCRAPE, Span, Time, World};

use super::{Scenario, WINDOW};
use crate::record::UserImpact;

/// The healthy twin is looked at in steps of this: users of a healthy place feel the same for minutes.
const STEP: Span = Span::mins(3);

/// What users felt where nothing broke, and how the fault spread where it did.
#[derive(Default)]
pub(crate) struct HealthyTwin(Mutex<Option<Run>>);

struct Run {
    world: World,
    /// From the onset to the moment at which the agent takes over, and to every step after it.
    felt: Vec<UserImpact>,
    /// Worked out when it is asked for.
    chain: Option<Vec<String>>,
}

impl HealthyTwin {
    /// What its users felt from the onset until some time after the agent took over.
    pub fn felt(&self, scenario: &Scenario, until: Time) -> UserImpact {
        let since = until.since(scenario.begin()).0;
        let (step, part) = ((since / STEP.0) as usize, (since % STEP.0) as f64 / STEP.0 as f64);
        let mut kept = self.lock();
        let run = kept.get_or_insert_with(|| Run::new(scenario));
        run.reach(scenario, step + 1);
        run.felt[step].towards(run.felt[step + 1], part)
    }

    /// Services in the order in which they began to differ from the healthy twin until the agent took over, the cause
    /// first.
    pub fn chain(&self, scenario: &Scenario) -> Vec<String> {
        let mut kept = self.lock();
        let Run { world, chain: known, .. } = kept.get_or_insert_with(|| Run::new(scenario));
        known.get_or_insert_with(|| chain(scenario, scenario.at_page(), world)).clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Run>> {
        // A panic elsewhere leaves a run that stands at a whole step, or none.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    fn new(scenario: &Scenario) -> Run {
        let mut world = scenario.before_it_broke().without_alerts();
        world.run_in_ticks(scenario.begin(), SCRAPE);
        let felt = vec![harm(&world).less(scenario.felt_before())];
        // The chain is read from the rows up to now.
        Run { world: world.unscraped(), felt, chain: None }
    }

    fn reach(&mut self, scenario: &Scenario, step: usize) {
        while self.felt.len() <= step {
            self.world.run_in_ticks(scenario.begin() + Span(self.felt.len() as u64 * STEP.0), STEP);
            self.felt.push(harm(&self.world).less(scenario.felt_before()));
        }
    }
}

/// What users felt until the end of the verification window of an episode that ended then, had no action been taken. It
/// begins with the page, whatever is known of the course, so that it is the same for all who ask.
pub(crate) fn untouched(scenario: &Scenario, end: Time) -> UserImpact {
    let mut world = scenario.at_page().clone().unscraped();
    scenario.pass_unwatched(&mut world, end + WINDOW);
    harm(&world).less(scenario.felt_before())
}

/// What users of all routes felt since the world began.
pub(crate) fn harm(world: &World) -> UserImpact {
    let RouteImpact { requests, failed, slow, minutes_out } = world.impact().total();
    UserImpact { requests, failed, slow, minutes_out }
}

fn chain(scenario: &Scenario, untouched: &World, healthy: &World) -> Vec<String> {
    let plan = &scenario.task().plan;
    let cause = plan.service(&scenario.task().component);
    let first = |service: usize| {
        if Some(service) == cause { Some(Time(0)) } else { untouched.first_differs(healthy, service, scenario.onset()) }
    };
    let mut order: Vec<(Time, usize)> = (0..plan.services.len()).filter_map(|s| Some((first(s)?, s))).collect();
    order.sort();
    order.into_iter().map(|(_, service)| plan.services[service].name.to_string()).collect()
}
