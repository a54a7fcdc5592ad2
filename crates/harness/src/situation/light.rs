//! The light certificate: what a draw must show before it is the situation. It is healthy without the fault, it
//! pages, it stays broken, its evidence is shown, and its solution ends it. The full certificates prove more.

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
/// A broken place must be broken whenever it is looked at: in ticks of what length, how often, and how many times. What keeps
/// itself alive does so from tick to tick, and so do passing disturbances; ...
const DELICATE: &[(Span, Span, u32)] = &[(TICK, Span::mins(10), 6)];
/// ... elsewhere ten minutes tell, and the rest of the hour passes quickly.
const ROBUST: &[(Span, Span, u32)] = &[(SCRAPE, Span::mins(2), 5), (LONG_TICK, Span::mins(5), 10)];
/// A place that is only watched passes in ticks of this length.
const LONG_TICK: Span = Span::mins(1);

/// Whether an incident is fit to be played. The cheapest question comes first: most draws that fail do so there.
pub(super) fn passes(scenario: &Arc<Scenario>) -> bool {
    is_healthy(scenario) && lasts(scenario) && is_solvable(scenario)
}

/// Without the fault nothing is wrong at the time of the page, nor some minutes later.
fn is_healthy(scenario: &Scenario) -> bool {
    let is_ill = |twin: &World| twin.page().is_some() || check::is_ill(twin);
    if scenario.noise() == Noise(0) {
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

fn lasts(scenario: &Scenario) -> bool {
    let mut world = scenario.at_page().sketch();
    let is_delicate = scenario.noise() != Noise(0) || scenario.task().is_loop();
    let mut still_broken = |(tick, often, looks): &(Span, Span, u32)| {
        (0..*looks).all(|_| {
            world.run_in_ticks(world.now() + *often, *tick);
            check::is_ill(&world)
        })
    };
    !verdict::is_fixed(scenario.task(), scenario.acts(), scenario.at_page())
        && !verdict::is_mitigated(scenario, scenario.at_page())
        && (if is_delicate { DELICATE } else { ROBUST }).iter().all(&mut still_broken)
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
    verdict::is_mitigated(scenario, episode.world())
}
