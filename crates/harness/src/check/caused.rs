//! Caused: take the fault away, and the symptoms go.

use std::sync::Arc;

use faces::ToolSet;
use world::{Span, Standing, World};

use super::proofs::{play, symptom};
use crate::episode::{Episode, EpisodeOptions};
use crate::scenario::{Scenario, verdict};

/// What piled up needs this long to drain when its cause is gone.
const LONGEST: Span = Span::mins(30);
/// How often is looked.
const OFTEN: Span = Span::mins(1);

/// The symptoms come with the fault and go with it: everything that it did is taken back at the page, and nothing else.
/// Where a trigger has passed and left a loop behind, there is nothing to take back; then the fix has to break it.
pub(super) fn caused(scenario: &Arc<Scenario>) -> Result<String, String> {
    let mut twin = scenario.before_it_broke();
    twin.run_until(scenario.begin());
    if let Some(symptom) = symptom(&twin) {
        return Err(format!("the twin without the fault has symptoms too: {symptom}"));
    }
    let mut lifted = without_the_fault(scenario, &twin);
    match gone_after(&mut lifted) {
        Ok(after) => Ok(format!("without what the fault did the symptoms go within {after}")),
        Err(_) if is_trigger(scenario) => broken_loop(scenario),
        Err(symptom) => Err(format!("{LONGEST} after the fault was taken away: {symptom}")),
    }
}

/// Whether [`caused`] holds, where the twin without the fault is known to be well. Mostly a loop that a trigger left behind is broken
/// by the fix: then it need not be seen to last without its trigger.
pub(super) fn is_caused(scenario: &Arc<Scenario>) -> bool {
    let is_broken_by_the_fix = || {
        let mut episode = Episode::start(scenario, EpisodeOptions::default());
        let calls = changes(scenario);
        let (_, before_the_end) = calls.split_last().expect("a solution says that it is over");
        for call in before_the_end {
            episode.step(call);
        }
        verdict::is_mitigated(scenario, episode.world())
    };
    (is_trigger(scenario) && is_broken_by_the_fix()) || caused(scenario).is_ok()
}

/// The world at the page in which the fault never was, nor what earlier responders did about it.
fn without_the_fault(scenario: &Scenario, twin: &World) -> World {
    let mut world = scenario.at_page().clone();
    for responder in &scenario.task().responders {
        if let Some((key, _)) = &responder.set {
            let info = &world.plan().services[responder.service];
            let (name, value) = (info.kind.keys()[*key].name, info.config[*key].to_string());
            drop(world.operator().set_config(responder.service, name, &value));
        }
    }
    world.lift(&scenario.acts().concat(), twin);
    world
}

/// How long it takes until nothing is wrong any more and stays so for some minutes; or what is still wrong.
fn gone_after(world: &mut World) -> Result<Span, String> {
    let (begin, end) = (world.now(), world.now() + LONGEST);
    let mut last = String::new();
    while world.now() < end {
        world.run_until(world.now() + OFTEN);
        match symptom(world) {
            None => return Ok(world.now().since(begin)),
            Some(symptom) => last = symptom,
        }
    }
    Err(last)
}

fn is_trigger(scenario: &Scenario) -> bool {
    let faults = scenario.task().faults.iter().zip(scenario.acts());
    let passed = |(f, acts): (&crate::task::PlannedFault, &Vec<world::faults::Act>)| {
        f.fault.is_trigger() && f.fault.standing(&f.args, acts, scenario.at_page()) != Standing::Stands
    };
    faults.into_iter().any(passed)
}

/// The solution from the first change on. The looks in between are part of it: they give a loop the time to wind down before more
/// load is let in.
fn changes(scenario: &Scenario) -> Vec<String> {
    let view = scenario.at_page().view();
    let writes = |text: &String| faces::parse(text, ToolSet::FULL, view).is_ok_and(|call| !call.reads());
    scenario.solution().into_iter().skip_while(|call| !writes(call)).collect()
}

fn broken_loop(scenario: &Arc<Scenario>) -> Result<String, String> {
    let calls = changes(scenario);
    let record = play(scenario, &calls.iter().map(String::as_str).collect::<Vec<&str>>());
    let seal = record.seal().ok_or("the record has no seal")?;
    if seal.mitigated {
        return Ok("the trigger has passed and what it left keeps itself alive; the fix alone breaks it".to_string());
    }
    let bad: Vec<String> = seal.checks.iter().filter(|c| !c.ok).map(|c| format!("{}: {}", c.name, c.found)).collect();
    Err(format!("the trigger has passed, and the fix does not break what it left: {}", bad.join("; ")))
}
