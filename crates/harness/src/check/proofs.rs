//! Healthy, broken, solvable, visible.

use std::sync::Arc;

use record::FactKind;
use world::{Noise, Span, World};

use crate::episode::{Episode, EpisodeOptions};
use crate::grade::{Score, Scorer, judge};
use crate::record::Record;
use crate::record::TaskCard;
use crate::scenario::Scenario;
use crate::task::evidence::look;

/// How long a world is watched.
const LONG: Span = Span::hours(1);
/// How often a broken one is looked at...
const OFTEN: Span = Span::mins(10);
/// ... and a healthy one, which must not even twitch.
const CLOSELY: Span = Span::mins(1);
/// How often is looked for the same with imperfect telemetry.
const LOOKS: usize = 5;
/// Objectives are judged over this long.
const RECENT: Span = Span::mins(5);

/// Without the fault no alert pages and every objective holds.
pub(super) fn healthy(scenario: &Arc<Scenario>) -> Result<String, String> {
    let mut world = scenario.healthy().sketch();
    let end = scenario.begin() + LONG;
    while world.now() < end {
        world.run_until(world.now() + CLOSELY);
        if let Some(symptom) = symptom(&world) {
            return Err(format!("without the fault, at {}: {symptom}", world.now()));
        }
    }
    match world.page() {
        Some(page) => Err(format!("it pages without the fault: {}", world.view().page_text(page))),
        None => Ok(format!("nothing pages until {end}")),
    }
}

/// Doing nothing for an hour resolves nothing.
pub(super) fn broken(scenario: &Arc<Scenario>) -> Result<String, String> {
    let mut world = scenario.at_page().sketch();
    let end = scenario.begin() + LONG;
    let mut last = String::new();
    while world.now() < end {
        world.run_until(world.now() + OFTEN);
        let gone = || format!("it goes away by itself: at {} nothing pages and every objective holds", world.now());
        last = symptom(&world).ok_or_else(gone)?;
    }
    Ok(format!("after an hour: {last}"))
}

/// The task's own solution gets full marks; with imperfect telemetry it may have to look again for some evidence.
pub(super) fn solvable(scenario: &Arc<Scenario>) -> Result<String, String> {
    let solution = scenario.solution();
    let calls: Vec<&str> = solution.iter().map(String::as_str).collect();
    let record = play(scenario, &calls);
    let score = record.score().map_err(|e| e.to_string())?;
    let mut lacks = lacks(&score, &record);
    if !is_said_in_words(scenario, &record) {
        lacks.push("its words do not name the cause".to_string());
    }
    if score.evidence_coverage < 1.0 && is_clean(scenario) {
        lacks.push(format!("evidence {:.2}", score.evidence_coverage));
    }
    if lacks.is_empty() {
        return Ok(format!("in {} steps, reward {:.3}", score.steps, score.reward));
    }
    Err(format!("its own solution falls short: {}", lacks.join("; ")))
}

/// Whether the solution names the first cause in words as well: agents may answer either way.
fn is_said_in_words(scenario: &Scenario, record: &Record) -> bool {
    let task = scenario.task();
    let said = record.steps().last().and_then(|step| step.args.get("root_cause"));
    said.is_some_and(|text| judge(text, &task.component, &task.concepts).is_named())
}

/// Whether the telemetry shows everything as it is.
fn is_clean(scenario: &Scenario) -> bool {
    scenario.noise() == Noise(0)
}

fn lacks(score: &Score, record: &Record) -> Vec<String> {
    let mut lacks = Vec::new();
    let checks = record.seal().map_or(&[][..], |s| &s.checks);
    lacks.extend(checks.iter().filter(|c| !c.ok).map(|c| format!("{}: {}", c.name, c.found)));
    let invalid = record.steps().filter_map(|s| s.invalid.as_ref().map(|why| format!("step {}: {why}", s.index)));
    lacks.extend(invalid);
    for (holds, lack) in [
        (score.success, "it is not resolved".to_string()),
        (score.root_cause_identified, "its root cause gets no credit".to_string()),
        (score.correct_remediation, "its remediation gets no credit".to_string()),
        (score.parts.penalty == 0, format!("penalties of {:.2}", f64::from(score.parts.penalty) / 100.0)),
    ] {
        if !holds {
            lacks.push(lack);
        }
    }
    lacks
}

/// From the page on, the usual look for each piece of evidence really shows it: at once, or within a few looks where chance is in
/// what is seen: samples wander, and with imperfect telemetry a scrape may be lost and a line may be late.
pub(super) fn visible(scenario: &Arc<Scenario>) -> Result<String, String> {
    let mut hidden = Vec::new();
    for evidence in &scenario.task().evidence {
        let card = TaskCard { evidence: vec![evidence.to_string()], ..TaskCard::clone(scenario.card()) };
        let is_certain = is_clean(scenario) && evidence.kind != FactKind::Metrics;
        let (call, times) = (look(evidence), if is_certain { 1 } else { LOOKS });
        let record = play(scenario, &vec![call.as_str(); times]);
        let mut scorer = Scorer::new(&card);
        for step in record.steps() {
            scorer.feed(step);
        }
        if scorer.parts().coverage < 1.0 {
            hidden.push(evidence.to_string());
        }
    }
    if hidden.is_empty() {
        Ok("all evidence is shown at the page".to_string())
    } else {
        Err(format!("not shown: {}", hidden.join(", ")))
    }
}

/// Whether all evidence is shown so, for those who ask no more.
pub(crate) fn shows_evidence(scenario: &Arc<Scenario>) -> bool {
    visible(scenario).is_ok()
}

/// What is wrong with a world, if anything: an alert that pages, or an objective that is missed.
pub(crate) fn symptom(world: &World) -> Option<String> {
    let alert = world.view().alerts().into_iter().find(|a| a.pages && a.firing.is_some());
    let missed = || world.objectives(RECENT).into_iter().find(|o| !o.holds());
    alert.map(|a| a.text).or_else(|| missed().map(|o| format!("{} misses its objective", o.route)))
}

/// Whether there is a symptom: the same without words for it.
pub(crate) fn is_ill(world: &World) -> bool {
    world.is_paging() || world.objectives(RECENT).iter().any(|o| !o.holds())
}

/// Objectives that are missed by this factor are missed however closely one looks.
const BY_FAR: f64 = 2.0;

/// Whether some objective was missed by far over the last `window`: asked of worlds that pass in long ticks.
pub(crate) fn is_clearly_ill(world: &World, window: Span) -> bool {
    world.objectives(window).iter().any(|o| !o.holds_within(BY_FAR))
}

pub(super) fn play(scenario: &Arc<Scenario>, calls: &[&str]) -> Record {
    let mut episode =
        Episode::start(scenario, EpisodeOptions { agent: "check".to_string(), ..EpisodeOptions::default() });
    for call in calls {
        episode.step(call);
    }
    episode.finish()
}
