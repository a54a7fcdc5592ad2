//! The published metrics.

use super::{AppliesTo, Better, EpisodeColumn, MetricColumn, MetricUnit, Over, PageTable, SummaryPlace, ValueOf};
use crate::grade::metrics::{marks, share};
use crate::grade::score::Score;

const HIDDEN: MetricColumn = MetricColumn::HIDDEN;

pub(super) const MARKS: MetricColumn = MetricColumn {
    name: "marks",
    about: "40 x success rate + 25 x mean reward + 20 x evidence coverage + 10 x efficiency + 5 x validity, from 0 to 100",
    unit: MetricUnit::Decimals(1),
    over: Over::Figure(marks_of, (0.0, 100.0)),
    kept: SummaryPlace::Field(|m| Some(m.marks)),
    has_interval: true,
    rests_on_success: true,
    terminal: Some((1, "marks", MetricUnit::Decimals(1))),
    page: Some((PageTable::Headline, "Marks")),
    ..HIDDEN
};

pub(super) const SUCCESS_RATE: MetricColumn = MetricColumn {
    name: "success_rate",
    applies: AppliesTo::Both,
    about: "the share of episodes in which the agent resolved and the world was mitigated",
    unit: MetricUnit::Share,
    over: Over::Rate(|score| score.success),
    kept: SummaryPlace::Field(|m| Some(m.success_rate)),
    episode: Some(EpisodeColumn {
        name: "success",
        about: "the incident was resolved and over",
        unit: MetricUnit::Share,
        value: ValueOf::Score(|score| Some(one_if(score.success))),
    }),
    has_interval: true,
    terminal: Some((2, "success", MetricUnit::Decimals(2))),
    page: Some((PageTable::Headline, "Success")),
    ..HIDDEN
};

pub(super) const MEAN_REWARD: MetricColumn = MetricColumn {
    name: "mean_reward",
    applies: AppliesTo::Both,
    about: "the mean reward of an episode, from 0 to 1",
    unit: MetricUnit::Decimals(3),
    over: Over::Share(|score| Some(score.reward)),
    kept: SummaryPlace::Field(|m| Some(m.mean_reward)),
    episode: Some(EpisodeColumn {
        name: "reward",
        about: "the reward, between 0 and 1",
        unit: MetricUnit::Decimals(3),
        value: ValueOf::Score(|score| Some(score.reward)),
    }),
    has_interval: true,
    rests_on_success: true,
    terminal: Some((3, "reward", MetricUnit::Decimals(3))),
    page: Some((PageTable::Headline, "Reward")),
    viewer: Some("Reward"),
    ..HIDDEN
};

pub(super) const EVIDENCE_COVERAGE: MetricColumn = MetricColumn {
    name: "evidence_coverage",
    about: "the mean share of the task's evidence that was seen",
    unit: MetricUnit::Share,
    over: Over::Share(|score| Some(score.evidence_coverage)),
    kept: SummaryPlace::Field(|m| Some(m.evidence_coverage)),
    episode: Some(EpisodeColumn {
        name: "evidence",
        about: "share of the evidence that was seen",
        unit: MetricUnit::Share,
        value: ValueOf::Score(|score| Some(score.evidence_coverage)),
    }),
    has_interval: true,
    terminal: Some((4, "evidence", MetricUnit::Decimals(2))),
    page: Some((PageTable::Headline, "Evidence")),
    viewer: Some("Evidence"),
    ..HIDDEN
};

pub(super) const ROOT_CAUSE_RATE: MetricColumn = MetricColumn {
    name: "root_cause_identification_rate",
    about: "the share of episodes with a right diagnosis",
    unit: MetricUnit::Share,
    over: Over::Rate(|score| score.root_cause_identified),
    kept: SummaryPlace::Field(|m| Some(m.root_cause_identification_rate)),
    episode: Some(EpisodeColumn {
        name: "root_cause",
        about: "the diagnosis was right",
        unit: MetricUnit::Share,
        value: ValueOf::Score(|score| Some(one_if(score.root_cause_identified))),
    }),
    has_interval: true,
    page: Some((PageTable::Diagnosis, "Right cause named")),
    ..HIDDEN
};

pub(super) const FIX_RATE: MetricColumn = MetricColumn {
    name: "fix_identification_rate",
    about: "the share of episodes in which the fix was named in words",
    unit: MetricUnit::Share,
    over: Over::Rate(|score| score.fix_identified),
    kept: SummaryPlace::Field(|m| Some(m.fix_identification_rate)),
    has_interval: true,
    page: Some((PageTable::Diagnosis, "Right fix named")),
    ..HIDDEN
};

pub(super) const CORRECT_SERVICE_RATE: MetricColumn = MetricColumn {
    name: "correct_service_remediation_rate",
    about: "the share of episodes in which something was changed on a service that the fix is about",
    unit: MetricUnit::Share,
    over: Over::Rate(|score| score.correct_service),
    kept: SummaryPlace::Field(|m| Some(m.correct_service_remediation_rate)),
    has_interval: true,
    page: Some((PageTable::Diagnosis, "Right service changed")),
    ..HIDDEN
};

pub(super) const CORRECT_REMEDIATION_RATE: MetricColumn = MetricColumn {
    name: "correct_remediation_rate",
    about: "the share of episodes in which the fix held at the end",
    unit: MetricUnit::Share,
    over: Over::Rate(|score| score.correct_remediation),
    kept: SummaryPlace::Field(|m| Some(m.correct_remediation_rate)),
    episode: Some(EpisodeColumn {
        name: "remediation",
        about: "the fix held at the end",
        unit: MetricUnit::Share,
        value: ValueOf::Score(|score| Some(one_if(score.correct_remediation))),
    }),
    has_interval: true,
    page: Some((PageTable::Diagnosis, "Right fix held")),
    ..HIDDEN
};

pub(super) const REMEDIATION_PRECISION: MetricColumn = MetricColumn {
    name: "remediation_precision",
    about: "right changes among all changes",
    unit: MetricUnit::Share,
    over: Over::Figure(
        |scores| share(scores, |s| s.right_remediations.into(), |s| s.remediations().into()),
        (0.0, 1.0),
    ),
    kept: SummaryPlace::Field(|m| m.remediation_precision),
    page: Some((PageTable::Diagnosis, "Right among changes")),
    ..HIDDEN
};

pub(super) const MEAN_STEPS: MetricColumn = MetricColumn {
    name: "mean_steps",
    applies: AppliesTo::Both,
    about: "the mean number of steps",
    better: Better::Lower,
    over: Over::Mean(|score| Some(f64::from(score.steps))),
    kept: SummaryPlace::Field(|m| Some(m.mean_steps)),
    episode: Some(EpisodeColumn {
        name: "steps",
        about: "steps taken",
        unit: MetricUnit::Decimals(0),
        value: ValueOf::Score(|score| Some(f64::from(score.steps))),
    }),
    has_interval: true,
    terminal: Some((6, "steps", MetricUnit::Decimals(2))),
    ..HIDDEN
};

pub(super) const WRONG_REMEDIATION_RATE: MetricColumn = MetricColumn {
    name: "wrong_remediation_rate",
    about: "the share of episodes with a change that brought the fix no nearer",
    unit: MetricUnit::Share,
    better: Better::Lower,
    over: Over::Rate(|score| score.wrong_remediations > 0),
    kept: SummaryPlace::Field(|m| Some(m.wrong_remediation_rate)),
    episode: Some(EpisodeColumn {
        name: "wrong_remediations",
        about: "changes that brought the fix no nearer",
        unit: MetricUnit::Decimals(0),
        value: ValueOf::Score(|score| Some(f64::from(score.wrong_remediations))),
    }),
    has_interval: true,
    viewer: Some("Wrong fixes"),
    ..HIDDEN
};

pub(super) const DISTRACTOR_FAILURE_RATE: MetricColumn = MetricColumn {
    name: "distractor_failure_rate",
    about: "the share of episodes with a wrong change on a distractor",
    unit: MetricUnit::Share,
    better: Better::Lower,
    over: Over::Rate(|score| score.distractor_remediations > 0),
    kept: SummaryPlace::Field(|m| Some(m.distractor_failure_rate)),
    has_interval: true,
    ..HIDDEN
};

pub(super) const PREMATURE_RESOLUTION_RATE: MetricColumn = MetricColumn {
    name: "premature_resolution_rate",
    about: "the share of episodes that were resolved while the incident was not over",
    unit: MetricUnit::Share,
    better: Better::Lower,
    over: Over::Rate(|score| score.premature_resolution),
    kept: SummaryPlace::Field(|m| Some(m.premature_resolution_rate)),
    has_interval: true,
    ..HIDDEN
};

pub(super) const INVALID_ACTION_RATE: MetricColumn = MetricColumn {
    name: "invalid_action_rate",
    applies: AppliesTo::Both,
    about: "invalid actions per step, over all episodes together",
    unit: MetricUnit::Share,
    better: Better::Lower,
    over: Over::Figure(|scores| share(scores, |s| s.invalid_actions.into(), |s| s.steps.into()), (0.0, 1.0)),
    kept: SummaryPlace::Field(|m| Some(m.invalid_action_rate)),
    episode: Some(EpisodeColumn {
        name: "invalid_actions",
        about: "steps that were no valid action",
        unit: MetricUnit::Decimals(0),
        value: ValueOf::Score(|score| Some(f64::from(score.invalid_actions))),
    }),
    has_interval: true,
    terminal: Some((5, "invalid", MetricUnit::Decimals(2))),
    ..HIDDEN
};

fn marks_of(scores: &[&Score]) -> Option<f64> {
    let of = |column: &MetricColumn| column.over(scores).unwrap_or(0.0);
    let (success, reward, evidence) = (of(&SUCCESS_RATE), of(&MEAN_REWARD), of(&EVIDENCE_COVERAGE));
    let (steps, invalid) = (of(&MEAN_STEPS), of(&INVALID_ACTION_RATE));
    (!scores.is_empty()).then(|| marks(success, reward, evidence, steps, invalid))
}

pub(super) fn one_if(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}
