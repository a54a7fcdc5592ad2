//! Metrics beyond the published ones.

use super::published::one_if;
use super::{Better, EpisodeColumn, MetricColumn, MetricUnit, Over, PageTable, SummaryPlace, ValueOf};
use crate::grade::metrics::share;
use crate::grade::score::Score;

const HIDDEN: MetricColumn = MetricColumn::HIDDEN;

pub(super) const REMEDIATION_SPECIFICITY: MetricColumn = MetricColumn {
    name: "remediation_specificity",
    about: "the share of settings and services touched that the fix needed",
    unit: MetricUnit::Share,
    over: Over::Share(|score| score.remediation_specificity),
    kept: SummaryPlace::Field(|m| m.remediation_specificity),
    page: Some((PageTable::Diagnosis, "Needed among touched")),
    ..HIDDEN
};

pub(super) const DISTRACTOR_ROBUSTNESS: MetricColumn = MetricColumn {
    name: "distractor_robustness",
    about: "1 - the share of acting steps on distractors, over tasks that have distractors",
    unit: MetricUnit::Share,
    over: Over::Figure(distractor_robustness, (0.0, 1.0)),
    kept: SummaryPlace::Field(|m| m.distractor_robustness),
    page: Some((PageTable::Diagnosis, "Distractors left alone")),
    ..HIDDEN
};

pub(super) const RECOVERY_RATE: MetricColumn = MetricColumn {
    name: "recovery_rate",
    about: "the share of the episodes with a wrong change that still were a success",
    unit: MetricUnit::Share,
    over: Over::Share(|score| Some(one_if(score.recovery?.resolved))),
    kept: SummaryPlace::Field(|m| m.recovery_rate),
    page: Some((PageTable::Diagnosis, "Recovered after a wrong change")),
    ..HIDDEN
};

pub(super) const UNDO_RATE: MetricColumn = MetricColumn {
    name: "undo_rate",
    about: "of the episodes with a wrong setting or a silence to take back, the share in which all were taken back",
    unit: MetricUnit::Share,
    over: Over::Share(|score| score.recovery?.undone.map(one_if)),
    kept: SummaryPlace::Field(|m| m.undo_rate),
    page: Some((PageTable::Diagnosis, "Wrong changes taken back")),
    ..HIDDEN
};

pub(super) const MEAN_RECOVERY_STEPS: MetricColumn = MetricColumn {
    name: "mean_recovery_steps",
    about: "over successes after a wrong change, steps from the first wrong change until the fix held and nothing wrong was left",
    better: Better::Lower,
    over: Over::Mean(|score| score.recovery?.steps.map(f64::from)),
    kept: SummaryPlace::Field(|m| m.mean_recovery_steps),
    ..HIDDEN
};

pub(super) const STEP_EFFICIENCY: MetricColumn = MetricColumn {
    name: "step_efficiency",
    about: "the mean share of the budget that was left, counting failures as 0",
    unit: MetricUnit::Share,
    over: Over::Share(|score| Some(score.step_efficiency)),
    kept: SummaryPlace::Field(|m| Some(m.step_efficiency)),
    episode: Some(EpisodeColumn {
        name: "efficiency",
        about: "share of the budget left at a success",
        unit: MetricUnit::Share,
        value: ValueOf::Score(|score| Some(score.step_efficiency)),
    }),
    ..HIDDEN
};

pub(super) const MEAN_IMPACT: MetricColumn = MetricColumn {
    name: "mean_impact",
    about: "failed and slow requests beyond those of the healthy twin, from the onset to the end of the window",
    unit: MetricUnit::Decimals(0),
    better: Better::Lower,
    over: Over::Mean(|score| Some(score.impact)),
    kept: SummaryPlace::Field(|m| Some(m.mean_impact)),
    has_interval: true,
    ..HIDDEN
};

pub(super) const MEAN_IMPACT_UNTOUCHED: MetricColumn = MetricColumn {
    name: "mean_impact_untouched",
    about: "the same for the twin in which no agent acted",
    unit: MetricUnit::Decimals(0),
    better: Better::Lower,
    over: Over::Mean(|score| Some(score.impact_untouched)),
    kept: SummaryPlace::Nowhere,
    has_interval: true,
    ..HIDDEN
};

pub(super) const HARM_AVOIDED: MetricColumn = MetricColumn {
    name: "harm_avoided",
    about: "1 - impact / impact had no agent acted, over one time for all agents; below 0 the agent made it worse",
    unit: MetricUnit::Share,
    over: Over::Figure(harm_avoided, (-1.0, 1.0)),
    kept: SummaryPlace::Field(|m| m.harm_avoided),
    episode: Some(EpisodeColumn {
        name: "harm_avoided",
        about: "share of the users' harm that was avoided",
        unit: MetricUnit::Share,
        value: ValueOf::Score(|score| score.harm_avoided),
    }),
    has_interval: true,
    terminal: Some((8, "harm avoided", MetricUnit::Share)),
    viewer: Some("Harm avoided"),
    ..HIDDEN
};

pub(super) const MEAN_MINUTES: MetricColumn = MetricColumn {
    name: "mean_minutes_to_resolution",
    about: "simulated minutes from the page to the resolution, successes only",
    unit: MetricUnit::Minutes,
    better: Better::Lower,
    over: Over::Mean(|score| score.minutes_to_resolution),
    kept: SummaryPlace::Field(|m| m.mean_minutes_to_resolution),
    episode: Some(EpisodeColumn {
        name: "minutes_to_resolution",
        about: "simulated minutes from the page to the resolution",
        unit: MetricUnit::Minutes,
        value: ValueOf::Score(|score| score.minutes_to_resolution),
    }),
    has_interval: true,
    terminal: Some((7, "resolved in", MetricUnit::Minutes)),
    viewer: Some("Resolved in"),
    ..HIDDEN
};

fn harm_avoided(scores: &[&Score]) -> Option<f64> {
    // As in each episode, at most twice the harm counts that was to come anyway.
    let impact = |score: &Score| score.impact.min(2.0 * score.impact_untouched);
    share(scores, impact, |score| score.impact_untouched).map(|left| 1.0 - left)
}

fn distractor_robustness(scores: &[&Score]) -> Option<f64> {
    let tempted: Vec<&Score> = scores.iter().copied().filter(|score| score.has_distractors).collect();
    share(&tempted, |s| s.distractor_remediations.into(), |s| s.remediations().into()).map(|drawn| 1.0 - drawn)
}
