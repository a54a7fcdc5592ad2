//! The light certificate: what a draw must show before it is the situation. It is healthy without the fault, it
//! pages, it stays broken, its evidence is shown, and its solution ends it. The full certificates prove more.
//! Whether a place is well or broken is asked in long ticks first, and a clear yes will do. What is unclear is looked at closely.

use std::sync::Arc;

use world::{Noise, Objective, SCRAPE, Span, TICK, World};

use super::follow::follow;
use crate::check;
use crate::episode::{Episode, EpisodeOptions};
use crate::scenario::{self, Scenario, verdict};

/// The healthy twin is watched for so long after the agent took over...
const WATCHED: Span = Span::mins(6);
/// ... and often for an hour where telemetry is imperfect, because passing disturbances slow machines down.
const WATCHED_IN_NOISE: Span = Span::mins(60);
const OFTEN: Span = Span::mins(1);
/// It must be well with a little more load than it has then: load wanders, and it is well for an hour.
const MORE_LOAD: f64 = 1.04;
/// A broken place must be broken whenever it is looked at: in ticks of what length, how often, and how many times.
type Looks = &'static [(Span, Span, u32)];
/// What keeps itself alive from tick to tick is looked at in those; ...
const DELICATE: Looks = &[(TICK, Span::mins(10), 6)];
/// ... where there are passing disturbances, in longer ones and with less load first; ...
const NOISY_GLANCES: Looks = &[(LONG_TICK, Span::mins(10), 6)];
/// ... elsewhere the hour passes at a glance where far more goes wrong than may, ...
const GLANCES: Looks = &[(Span::mins(4), Span::mins(4), 2), (Span::mins(10), Span::mins(10), 5)];
/// ... with this share of the usual load, after a breath of so long with that one, ...
const LESS_LOAD: f64 = 0.96;
const BREATH: Span = Span::mins(2);
const BREATH_LOAD: f64 = 0.3;
/// ... from which it falls ill again within this time, looked at so often, ...
const RELAPSE: Span = Span::mins(8);
const RELAPSING: Span = Span::mins(2);
const RELAPSING_TICK: Span = Span::secs(30);
/// ... and where that is unclear, another situation is drawn, up to this one: from there on solutions are played, and ten minutes
/// are looked at closely, ...
const LOOKED_AT_CLOSELY: u32 = 6;
const SOON: Looks = &[(TICK, Span::mins(2), 5)];
/// ... and the rest of the hour at a glance, or in the ticks of play.
const LATER_GLANCES: Looks = &[(Span::mins(5), Span::mins(10), 5)];
const LATER: Looks = &[(TICK, Span::mins(10), 5)];
/// A place that is only watched passes in ticks of this length, ...
const LONG_TICK: Span = Span::mins(1);
/// ... and one that is most probably well in ticks of this one...
const LONGER_TICK: Span = Span::mins(3);
/// ... if no more than this share of what may go wrong does.
const CLEARLY: f64 = 0.75;

/// What was tried out roughly shows of a draw: most that is not fit shows that already. What is delicate is looked at again when it
/// is staged, and the rest is not.
pub(super) fn seen(tried: World, is_delicate: bool) -> Glance {
    if is_delicate { after_a_rest(&mut { tried }) } else { glance(tried) }
}

/// Whether an incident is fit to be played, of which that much was seen before. The cheapest question comes first.
pub(super) fn passes(scenario: &Arc<Scenario>, seen: Option<Glance>) -> bool {
    let breaks_its_loop = || !scenario.task().is_loop() || check::is_caused(scenario);
    is_healthy(scenario) && lasts(scenario, seen) && is_solvable(scenario) && breaks_its_loop()
}

/// Whether quick looks tell nothing.
fn is_delicate(scenario: &Scenario) -> bool {
    scenario::is_delicate(scenario.task(), scenario.noise())
}

/// Without the fault nothing is wrong at the time of the page, nor some minutes later.
fn is_healthy(scenario: &Scenario) -> bool {
    let is_ill = |twin: &World| twin.page().is_some() || check::is_ill(twin);
    if scenario.noise() == Noise(0) {
        if !is_delicate(scenario) && is_clearly_healthy(scenario) {
            return true;
        }
        let mut twin = scenario.healthy().sketch();
        twin.ask_for(MORE_LOAD);
        twin.run_in_ticks(scenario.begin(), LONG_TICK);
        let at_once = is_ill(&twin);
        twin.run_in_ticks(scenario.begin() + WATCHED, LONG_TICK);
        return !at_once && !is_ill(&twin);
    }
    let is_well = |load: f64, tick: Span, is_ill: &dyn Fn(&World) -> bool| {
        let mut twin = scenario.healthy().sketch();
        twin.ask_for(load);
        while !is_ill(&twin) && twin.now() < scenario.begin() + WATCHED_IN_NOISE {
            twin.run_in_ticks(twin.now() + OFTEN, tick);
        }
        !is_ill(&twin)
    };
    let may_be_ill = |twin: &World| is_ill(twin) || !twin.objectives(OFTEN).iter().all(|o| o.holds_within(CLEARLY));
    is_well(MORE_LOAD, SCRAPE, &may_be_ill) || is_well(1.0, TICK, &is_ill)
}

/// The same at a glance. It looks no further back than the onset: what was before is healthy, and would have to be worked out.
fn is_clearly_healthy(scenario: &Scenario) -> bool {
    let mut twin = scenario.healthy().sketch();
    twin.ask_for(MORE_LOAD);
    [scenario.begin(), scenario.begin() + WATCHED].into_iter().all(|until| {
        let since = until.since(twin.now());
        twin.run_in_ticks(until, LONGER_TICK);
        twin.page().is_none() && twin.objectives(since).iter().all(|o| o.holds_within(CLEARLY))
    })
}

fn lasts(scenario: &Scenario, seen: Option<Glance>) -> bool {
    !verdict::is_fixed(scenario.task(), scenario.acts(), scenario.at_page())
        && !verdict::is_mitigated(scenario, scenario.at_page())
        && is_broken(scenario, seen)
}

/// Whether it is broken whenever it is looked at for an hour.
fn is_broken(scenario: &Scenario, seen: Option<Glance>) -> bool {
    let is_ill = |world: &World, _: Span| check::is_ill(world);
    let mut world = scenario.at_page().sketch();
    if is_delicate(scenario) {
        let mut quieter = world.clone();
        quieter.ask_for(LESS_LOAD);
        let at_a_glance = !scenario.task().is_loop() && is_at_every_look(&mut quieter, NOISY_GLANCES, is_ill);
        return at_a_glance || is_at_every_look(&mut world, DELICATE, is_ill);
    }
    let seen = seen.unwrap_or_else(|| glance(world.clone()));
    if let Glance::Broken = seen {
        return true;
    }
    if !seen.may_pass(scenario.number()) {
        return false;
    }
    let soon = is_at_every_look(&mut world, SOON, is_ill);
    let mut quieter = world.clone();
    quieter.ask_for(LESS_LOAD);
    soon && (is_at_every_look(&mut quieter, LATER_GLANCES, check::is_clearly_ill)
        || is_at_every_look(&mut world, LATER, is_ill))
}

/// What a glance shows of a broken place.
#[derive(Clone, Copy)]
pub(super) enum Glance {
    /// It is broken for an hour.
    Broken,
    /// A rest ended it: only its own backlog kept it alive, and the fault alone breaks nothing.
    Rested,
    /// It has to be looked at closely.
    Unclear,
}

impl Glance {
    /// Whether a draw of that number may be fit to be played.
    pub fn may_pass(self, number: u32) -> bool {
        match self {
            Glance::Broken => true,
            Glance::Rested => false,
            Glance::Unclear => number >= LOOKED_AT_CLOSELY,
        }
    }
}

/// Looks at a broken place in long ticks. They would keep alive what only its own backlog keeps alive, and what a little less load
/// would end: so users hold back until that is gone, and ask for less than they would from then on.
fn glance(mut world: World) -> Glance {
    match after_a_rest(&mut world) {
        Glance::Broken if !is_at_every_look(&mut world, GLANCES, check::is_clearly_ill) => Glance::Unclear,
        seen => seen,
    }
}

/// What a place is soon after a rest. Up to here it takes a fraction of the time.
fn after_a_rest(world: &mut World) -> Glance {
    world.ask_for(BREATH_LOAD);
    world.run_in_ticks(world.now() + BREATH, LONG_TICK);
    world.ask_for(LESS_LOAD / BREATH_LOAD);
    if relapses(world) {
        return Glance::Broken;
    }
    let is_well = world.objectives(RELAPSING).iter().all(Objective::holds);
    if is_well { Glance::Rested } else { Glance::Unclear }
}

/// Lets time pass until it is ill again, if that is soon.
fn relapses(world: &mut World) -> bool {
    let latest = world.now() + RELAPSE;
    while world.now() < latest {
        world.run_in_ticks(world.now() + RELAPSING, RELAPSING_TICK);
        if check::is_clearly_ill(world, RELAPSING) {
            return true;
        }
    }
    false
}

/// Whether something holds at every look, of the world and of the time since the last.
fn is_at_every_look(world: &mut World, looks: Looks, holds: impl Fn(&World, Span) -> bool) -> bool {
    looks.iter().all(|(tick, often, times)| {
        (0..*times).all(|_| {
            world.run_in_ticks(world.now() + *often, *tick);
            holds(world, *often)
        })
    })
}

/// The solution finds all evidence on its way, does nothing wrong, and ends it. Where a glance shows that, it is so; where a glance
/// shows that it does not end, that is mostly so, and another situation is drawn.
fn is_solvable(scenario: &Arc<Scenario>) -> bool {
    let solution = scenario.solution();
    let (_, calls) = solution.split_last().expect("a solution says that it is over");
    let followed = if is_delicate(scenario) { None } else { follow(scenario, calls) };
    match followed {
        Some(end) => {
            let is_ended = verdict::is_clearly_mitigated(scenario, &end);
            if is_ended || scenario.number() < LOOKED_AT_CLOSELY {
                return is_ended;
            }
        }
        // What the solution comes upon later may not be there at the page.
        None if !is_delicate(scenario) && !check::shows_evidence(scenario) => return false,
        None => {}
    }
    let episode = played(Episode::start(scenario, EpisodeOptions::default()), calls);
    episode.is_some_and(|episode| verdict::is_mitigated(scenario, episode.world()))
}

/// An episode after some calls, if they found all evidence and did nothing wrong.
fn played(mut episode: Episode, calls: &[String]) -> Option<Episode> {
    for call in calls {
        episode.step(call);
    }
    let is_understood = episode.steps().iter().all(|step| step.invalid.is_none());
    let parts = episode.parts();
    (is_understood && parts.coverage >= 1.0 && parts.penalty == 0).then_some(episode)
}
