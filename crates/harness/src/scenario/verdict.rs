//! Was it really dealt with? Judged on the world's state, in named parts, never on what was typed.

use std::sync::{Mutex, PoisonError};

use world::faults::Act;
use world::{Span, Standing, Time, World};

use super::twins::harm;
use super::{Scenario, WINDOW};
use crate::record::{Check, Seal, UserImpact};
use crate::task::{Task, wanted};

/// Objectives must hold over this last part of the verification window.
const JUDGED: Span = Span::mins(3);

/// A window passes quickly in ticks of this length, which tells if no more than this share of what may go wrong does.
const QUICK_TICK: Span = Span::mins(2);
const CLEARLY: f64 = 0.5;

/// What became of the incident by the end of an episode and of its verification window. It compares with no twin, so
/// asking whether an incident is mitigated runs none, and harm is counted when it is asked for.
pub(crate) struct Judgement {
    checks: Vec<Check>,
    /// Whether the agent acted: users of a world that was left alone felt what those of its untouched twin did.
    touched: bool,
    /// The end of the longest episode: harm is counted up to the end of its window, so that an agent that takes longer gains
    /// nothing by it.
    counted: Time,
    verified: Time,
    world_digest: u64,
    felt_before: UserImpact,
    harm: Mutex<CountedHarm>,
}

/// What users felt from the onset until the horizon.
enum CountedHarm {
    /// Not counted yet: the world after the verification window.
    Ahead(Box<World>),
    /// Counted.
    Known { horizon: Time, impact: UserImpact },
}

impl Judgement {
    /// Judges the world at the end of an episode, and lets the window pass for it, of which only what users feel and what
    /// pages is scraped. `touched` says whether the agent acted in it.
    pub fn of(scenario: &Scenario, end: &World, touched: bool) -> Judgement {
        let after = after_window(scenario, end.sketch());
        let before = [defect(scenario, end), settings(scenario, end), silences(end)];
        let checks = before.into_iter().chain([objectives(&after), instances(&after), alerts(&after)]).collect();
        Judgement {
            checks,
            touched,
            counted: end.now().max(scenario.last_end()),
            verified: after.now(),
            world_digest: end.digest(),
            felt_before: scenario.felt_before(),
            harm: Mutex::new(CountedHarm::Ahead(Box::new(after.unscraped()))),
        }
    }

    /// Whether it was really dealt with.
    pub fn mitigated(&self) -> bool {
        self.checks.iter().all(|c| c.ok)
    }

    /// The horizon, and what users felt until then.
    fn felt(&self, scenario: &Scenario) -> (Time, UserImpact) {
        // A panic elsewhere leaves a world that stands at a whole tick.
        let mut harm_counted = self.harm.lock().unwrap_or_else(PoisonError::into_inner);
        if let CountedHarm::Ahead(after) = &mut *harm_counted {
            scenario.pass_unwatched(after, self.counted + WINDOW);
            let (horizon, impact) = (after.now(), harm(after).less(self.felt_before));
            *harm_counted = CountedHarm::Known { horizon, impact };
        }
        match &*harm_counted {
            CountedHarm::Known { horizon, impact } => (*horizon, *impact),
            CountedHarm::Ahead(_) => unreachable!("it was just counted"),
        }
    }

    /// The same beside what the twins felt, as a record keeps it.
    pub fn seal(&self, scenario: &Scenario) -> Seal {
        let (impact_untouched, impact_healthy) = scenario.twins_felt(self.counted);
        let untouched = || (self.counted + WINDOW, impact_untouched);
        let (horizon, impact) = if self.touched { self.felt(scenario) } else { untouched() };
        Seal {
            mitigated: self.mitigated(),
            checks: self.checks.clone(),
            onset: scenario.onset().0,
            paged: scenario.page().time.0,
            verified: self.verified.0,
            horizon: horizon.0,
            impact,
            impact_untouched,
            impact_healthy,
            chain: scenario.chain(),
            fault: scenario.task().fault_text(),
            world_digest: format!("{:016x}", self.world_digest),
            question: None,
            stages: None,
        }
    }
}

/// Whether an incident would be dealt with, had the episode ended with this world: as [`Judgement::mitigated`] says, and no
/// time passes for a world that cannot pass.
pub(crate) fn is_mitigated(scenario: &Scenario, end: &World) -> bool {
    let passes = |after: &World| objectives(after).ok && instances(after).ok && !after.is_paging();
    is_mended(scenario, end) && !is_littered(scenario, end) && passes(&after_window(scenario, end.sketch()))
}

/// The same at a glance: it says yes where there is room to spare, and where it says no [`is_mitigated`] may still say yes.
pub(crate) fn is_clearly_mitigated(scenario: &Scenario, end: &World) -> bool {
    let passes = |after: &World| {
        let objectives = || after.objectives(JUDGED).iter().all(|o| o.holds_within(CLEARLY));
        instances(after).ok && !after.is_paging() && objectives()
    };
    let after = || {
        let mut after = end.sketch();
        after.run_quickly(end.now() + WINDOW, QUICK_TICK);
        after
    };
    is_mended(scenario, end) && !is_littered(scenario, end) && passes(&after())
}

/// A world after the verification window, in which no action is taken.
pub(crate) fn after_window(scenario: &Scenario, mut end: World) -> World {
    let until = end.now() + WINDOW;
    scenario.pass_unwatched(&mut end, until);
    end
}

/// Whether something is left changed that has nothing to do with the fault. Only an agent can do that
/// and only an agent can undo it, so time need not pass to know.
pub(crate) fn is_littered(scenario: &Scenario, world: &World) -> bool {
    world.any_silenced() || strays(scenario, world).next().is_some() || set_back(world).next().is_some()
}

/// What is left of a task's faults in a world where each did its acts: of the worst of them.
pub(crate) fn standing(task: &Task, acts: &[Vec<Act>], world: &World) -> Standing {
    let faults = task.faults.iter().zip(acts);
    faults.map(|(f, acts)| f.fault.standing(&f.args, acts, world)).max().unwrap_or(Standing::Gone)
}

/// Whether all faults are gone, by the listed fix or by another way, and what people did about them is undone.
pub(crate) fn is_fixed(task: &Task, acts: &[Vec<Act>], world: &World) -> bool {
    task.conditions.iter().all(|c| c.holds(world))
        || (is_undone(task, world) && standing(task, acts, world) == Standing::Gone)
}

/// Whether no fault is as it was: the others are gone, or altered so that only the users can tell.
pub(crate) fn is_mended(scenario: &Scenario, world: &World) -> bool {
    let (task, acts) = (scenario.task(), scenario.acts());
    task.conditions.iter().all(|c| c.holds(world))
        || (is_undone(task, world) && standing(task, acts, world) != Standing::Stands)
}

/// Whether what earlier responders set is as the task wants it: no other value may do as well for that.
fn is_undone(task: &Task, world: &World) -> bool {
    let touched = |setting| task.responders.iter().any(|r| r.set.as_ref().map(|s| (r.service, s.0)) == setting);
    task.conditions.iter().filter(|c| c.setting().is_some() && touched(c.setting())).all(|c| c.holds(world))
}

/// Whether a change is still being rolled out, which may restart processes by itself.
pub(crate) fn is_moving(world: &World) -> bool {
    (0..world.plan().services.len()).any(|service| world.view().config(service).any(|c| c.rolling_out))
}

fn defect(scenario: &Scenario, world: &World) -> Check {
    let mended = is_mended(scenario, world);
    let found = match mended {
        true if is_fixed(scenario.task(), scenario.acts(), world) => "gone: the fix holds",
        true => "neutralised: it is not as the fault left it",
        false => "still there",
    };
    Check { name: "defect".into(), ok: mended, found: found.into() }
}

fn settings(scenario: &Scenario, world: &World) -> Check {
    let plan = world.plan();
    let name = |(service, key): (usize, usize)| {
        let info = &plan.services[service];
        let (key_name, was) = (info.kind.keys()[key].name, &info.config[key]);
        format!("{}.{key_name} is {}, was {was}", info.name, wanted(world, service, key))
    };
    let back =
        set_back(world).map(|s| format!("{} was set back to an older build or other machines", plan.services[s].name));
    check("settings", strays(scenario, world).map(name).chain(back).collect(), "no unrelated setting is changed")
}

/// Services that were taken back to before what ran on a healthy day.
fn set_back(world: &World) -> impl Iterator<Item = usize> + '_ {
    (0..world.plan().services.len()).filter(|service| world.is_set_back(*service))
}

/// Settings that differ from the day before and have nothing to do with the fault or its fix.
fn strays<'a>(scenario: &'a Scenario, world: &'a World) -> impl Iterator<Item = (usize, usize)> + 'a {
    let services = world.plan().services.iter().enumerate();
    let all = services.flat_map(|(service, info)| (0..info.config.len()).map(move |key| (service, key)));
    all.filter(move |&(service, key)| world.is_changed(service, key) && !scenario.related().contains(&(service, key)))
}

fn silences(world: &World) -> Check {
    let found = if world.any_silenced() { vec!["an alert is silenced".to_string()] } else { Vec::new() };
    check("silences", found, "no alert is silenced")
}

fn objectives(world: &World) -> Check {
    let missed = world.objectives(JUDGED).into_iter().filter(|o| !o.holds()).map(|o| {
        let (wrong, allowed) = (100.0 * (o.failed + o.slow), 100.0 * o.allowed);
        format!("{wrong:.1}% of {} requests fail or are slow, {allowed:.1}% may", o.route)
    });
    check("objectives", missed.collect(), "every route holds its objective")
}

fn instances(world: &World) -> Check {
    let down = |(service, info): (usize, &world::blueprint::ServiceInfo)| {
        let (all, up) = (world.processes(service).count(), world.processes(service).filter(|p| p.up()).count());
        (up < all).then(|| format!("{up} of {all} instances of {} run", info.name))
    };
    check("instances", world.plan().services.iter().enumerate().filter_map(down).collect(), "every instance runs")
}

fn alerts(world: &World) -> Check {
    let paging = world.view().alerts().into_iter().filter(|a| a.pages && a.firing.is_some());
    check("alerts", paging.map(|a| format!("{}: {}", a.name, a.text)).collect(), "nothing pages")
}

fn check(name: &str, problems: Vec<String>, fine: &str) -> Check {
    let found = if problems.is_empty() { fine.to_string() } else { problems.join("; ") };
    Check { name: name.to_string(), ok: problems.is_empty(), found }
}
