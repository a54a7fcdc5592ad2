//! The light certificate: what a draw must show before it is the situation. It is healthy without the fault, it
//! pages, it stays broken, its evidence is shown, and its solution ends it. The full certificates prove more.
//! Whether a place is well is asked in long ticks first, and a clear yes will do. What is unclear is looked at closely, and
//! so is all that changes from tick to tick: what keeps itself alive, and places with passing disturbances.

use std::sync::Arc;

use world::{Noise, SCRAPE, Span, TICK, World};

use crate::check;
use crate::episode::{Episode, EpisodeOptions};
use crate::scenario::Scenario;
use crate::scenario::verdict;

/// The healthy twin is watched for so long after the agent took over...
const WATCHED: Span = Span::mins(6);
/// ... and closely for an hour where telemetry is imperfect, because passing disturbances slow machines down.
const WATCHED_IN_NOISE: Span = Span::mins(60);
const CLOSELY: Span = Span::mins(1);
/// A broken place must be broken whenever it is looked at: in ticks of what length, how often, and how many times.
type Looks = &'static [(Span, Span, u32)];
/// What changes from tick to tick is looked at in those; ...
const DELICATE: Looks = &[(TICK, Span::mins(10), 6)];
/// ... elsewhere ten minutes tell, and the rest of the hour passes quickly.
const ROBUST: Looks = &[(SCRAPE, Span::mins(2), 5), (LONG_TICK, Span::mins(5), 10)];
/// A place that is only watched passes in ticks of this length, ...
const LONG_TICK: Span = Span::mins(1);
/// ... and one that is most probably well in ticks of this one...
const LONGER_TICK: Span = Span::mins(3);
/// ... if no more than this share of what may go wrong does.
const CLEARLY: f64 = 0.75;

/// Whether an incident is fit to be played. The cheapest question comes first.
pub(super) fn passes(scenario: &Arc<Scenario>) -> bool {
    is_healthy(scenario) && lasts(scenario) && is_solvable(scenario)
}

/// Whether quick looks tell: not where passing disturbances come and go, nor of what keeps itself alive from tick to tick.
fn is_delicate(scenario: &Scenario) -> bool {
    scenario.noise() != Noise(0) || scenario.task().is_loop()
}

/// Without the fault nothing is wrong at the time of the page, nor some minutes later.
fn is_healthy(scenario: &Scenario) -> bool {
    let is_ill = |twin: &World| twin.page().is_some() || check::is_ill(twin);
    if scenario.noise() == Noise(0) {
        if !is_delicate(scenario) && is_clearly_healthy(scenario) {
            return true;
        }
        let mut twin = scenario.healthy().sketch();
        twin.run_in_ticks(scenario.begin(), LONG_TICK);
        let at_once = is_ill(&twin);
        twin.run_in_ticks(scenario.begin() + WATCHED, LONG_TICK);
        return !at_once && !is_ill(&twin);
    }
    let mut twin = scenario.healthy().sketch();
    twin.run_until(scenario.begin());
    while !is_ill(&twin) && twin.now() < scenario.begin() + WATCHED_IN_NOISE {
        twin.run_until(twin.now() + CLOSELY);
    }
    !is_ill(&twin)
}

/// The same at a glance. It looks no further back than the onset: what was before is healthy, and would have to be worked out.
fn is_clearly_healthy(scenario: &Scenario) -> bool {
    let mut twin = scenario.healthy().sketch();
    [scenario.begin(), scenario.begin() + WATCHED].into_iter().all(|until| {
        let since = until.since(twin.now());
        twin.run_in_ticks(until, LONGER_TICK);
        twin.page().is_none() && twin.objectives(since).iter().all(|o| o.holds_within(CLEARLY))
    })
}

fn lasts(scenario: &Scenario) -> bool {
    !verdict::is_fixed(scenario.task(), scenario.acts(), scenario.at_page())
        && !verdict::is_mitigated(scenario, scenario.at_page())
        && is_broken(scenario, if is_delicate(scenario) { DELICATE } else { ROBUST })
}

/// Whether it is broken at every look.
fn is_broken(scenario: &Scenario, looks: Looks) -> bool {
    let mut world = scenario.at_page().sketch();
    looks.iter().all(|(tick, often, times)| {
        (0..*times).all(|_| {
            world.run_in_ticks(world.now() + *often, *tick);
            check::is_ill(&world)
        })
    })
}

/// The solution finds all evidence on its way, does nothing wrong, and ends it.
fn is_solvable(scenario: &Arc<Scenario>) -> bool {
    let mut episode = Episode::start(scenario, EpisodeOptions::default());
    let solution = scenario.solution();
    let (_, calls) = solution.split_last().expect("a solution says that it is over");
    for call in calls {
        episode.step(call);
    }
    if episode.steps().iter().any(|step| step.invalid.is_some()) {
        return false;
    }
    if episode.parts().coverage < 1.0 || episode.parts().penalty != 0 {
        return false;
    }
    let end = episode.world();
    !is_delicate(scenario) && verdict::is_clearly_mitigated(scenario, end) || verdict::is_mitigated(scenario, end)
}
