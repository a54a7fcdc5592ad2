//! What came of an episode, told apart: healed or not, clean or not, and what was known when the fix was made.

use super::published::one_if;
use super::{EpisodeColumn, MetricColumn, MetricUnit, Over, PageTable, ValueOf};
use crate::TaskCard;
use crate::grade::causes;
use crate::grade::coverage::share_of;
use crate::grade::score::EpisodeStory;

const HIDDEN: MetricColumn = MetricColumn::HIDDEN;

/// Parts of the verdict that say whether users are served again.
const HEALED: [&str; 4] = ["defect", "objectives", "instances", "alerts"];

pub(super) const HEALED_RATE: MetricColumn = MetricColumn {
    name: "healed_rate",
    about: "the share of episodes after which the defect is gone and users are served, whatever else was left changed or said",
    unit: MetricUnit::Share,
    over: Over::Share(|score| score.more.get("healed")),
    episode: Some(EpisodeColumn {
        name: "healed",
        about: "1 if the defect is gone and users are served",
        unit: MetricUnit::Share,
        value: ValueOf::Record(healed),
    }),
    page: Some((PageTable::Diagnosis, "Healed")),
    ..HIDDEN
};

pub(super) const CLEAN_RATE: MetricColumn = MetricColumn {
    name: "clean_rate",
    about: "of the episodes that healed, the share in which no unrelated setting was left changed and no alert silenced",
    unit: MetricUnit::Share,
    over: Over::Share(|score| score.more.get("clean")),
    episode: Some(EpisodeColumn {
        name: "clean",
        about: "1 if nothing unrelated was left changed where it healed",
        unit: MetricUnit::Share,
        value: ValueOf::Record(clean),
    }),
    page: Some((PageTable::Diagnosis, "Clean among healed")),
    ..HIDDEN
};

pub(super) const EVIDENCE_BEFORE_FIX: MetricColumn = MetricColumn {
    name: "evidence_before_fix",
    about: "the mean share of the evidence that was seen before the fix held; what was looked at afterwards explains, it did not lead there",
    unit: MetricUnit::Share,
    over: Over::Share(|score| score.more.get("evidence_before_fix")),
    episode: Some(EpisodeColumn {
        name: "evidence_before_fix",
        about: "share of the evidence seen before the fix held",
        unit: MetricUnit::Share,
        value: ValueOf::Record(evidence_before_fix),
    }),
    page: Some((PageTable::Diagnosis, "Evidence before the fix")),
    ..HIDDEN
};

pub(super) const CAUSES_IDENTIFIED: MetricColumn = MetricColumn {
    name: "causes_identified",
    about: "where several things broke, the mean share of the causes that were named",
    unit: MetricUnit::Share,
    over: Over::Share(|score| score.more.get("causes_identified")),
    episode: Some(EpisodeColumn {
        name: "causes_identified",
        about: "share of the causes that were named, where there are several",
        unit: MetricUnit::Share,
        value: ValueOf::Record(causes_identified),
    }),
    ..HIDDEN
};

fn healed(story: &EpisodeStory<'_>) -> Option<f64> {
    let checks = &story.seal.checks;
    let is_ok = |check: &&crate::Check| HEALED.contains(&check.name.as_str());
    (!checks.is_empty()).then(|| one_if(checks.iter().filter(is_ok).all(|check| check.ok)))
}

fn clean(story: &EpisodeStory<'_>) -> Option<f64> {
    healed(story).filter(|healed| *healed > 0.0).map(|_| one_if(story.seal.checks.iter().all(|check| check.ok)))
}

fn evidence_before_fix(story: &EpisodeStory<'_>) -> Option<f64> {
    if story.header.task.question.is_some() {
        return None;
    }
    let before = story.steps.iter().take_while(|step| !step.fixed || step.touched.is_empty());
    Some(share_of(&story.header.task.evidence, before.flat_map(|step| &step.facts)))
}

fn causes_identified(story: &EpisodeStory<'_>) -> Option<f64> {
    let card: &TaskCard = &story.header.task;
    if card.also.is_empty() {
        return None;
    }
    let last = story.steps.last().filter(|step| step.tool == "resolve_incident")?;
    let text = |name: &str| last.args.get(name).map_or("", String::as_str);
    Some(causes::judge(card, text("root_cause"), text("causes")).share())
}
