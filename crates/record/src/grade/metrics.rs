//! Many scores, summed up: the published metrics, those beyond them, and the marks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::columns;
use super::ending::EndingClass;
use super::failure::FailureMode;
use super::score::Score;
use crate::events::is_zero;
use crate::model::Usage;

/// The step budget that the published marks measure efficiency against.
const PUBLISHED_BUDGET: f64 = 8.0;

/// Many episodes, summed up. Episodes whose provider failed are counted apart and are in no rate;
/// `None` means that no episode had anything to measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Episodes that count.
    pub episodes: u32,
    /// Of these: questions, for which the figures of incidents are nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub questions: u32,
    /// Episodes that do not: their provider failed.
    pub provider_failures: u32,
    /// Both together: the other denominator.
    pub attempted: u32,
    /// Share of the attempted episodes that count.
    pub coverage: f64,
    /// Marks, 0 to 100.
    pub marks: f64,
    /// Share of episodes resolved while the incident was over.
    pub success_rate: f64,
    /// Mean reward.
    pub mean_reward: f64,
    /// Mean share of the evidence that was seen.
    pub evidence_coverage: f64,
    /// Invalid actions per step.
    pub invalid_action_rate: f64,
    /// Mean number of steps.
    pub mean_steps: f64,
    /// Share of episodes with a wrong remediation.
    pub wrong_remediation_rate: f64,
    /// Share of episodes with a wrong remediation on a distractor.
    pub distractor_failure_rate: f64,
    /// Share of episodes resolved while the incident was not over.
    pub premature_resolution_rate: f64,
    /// Share of episodes with a right diagnosis.
    pub root_cause_identification_rate: f64,
    /// Share of episodes in which the fix was named in words.
    pub fix_identification_rate: f64,
    /// Share of episodes in which something was changed on a service that the fix is about.
    pub correct_service_remediation_rate: f64,
    /// Share of episodes in which the fix held at the end.
    pub correct_remediation_rate: f64,
    /// Right remediations among all remediations.
    pub remediation_precision: Option<f64>,
    /// Attempted episodes by how they ended: `agent/resolved`, `provider/timeout`.
    pub endings: BTreeMap<String, u32>,
    /// Episodes by how they went.
    pub failure_modes: BTreeMap<String, u32>,
    /// Mean simulated minutes from the page to the resolution, over successes.
    pub mean_minutes_to_resolution: Option<f64>,
    /// Mean failed and slow requests beyond those of the healthy twin.
    pub mean_impact: f64,
    /// The share of the untouched twins' harm that was avoided, over all episodes together.
    pub harm_avoided: Option<f64>,
    /// Share of the episodes with a wrong fix that still were a success; `None` without a wrong fix.
    pub recovery_rate: Option<f64>,
    /// Share of the episodes with a wrong change that could be taken back in which all of them were;
    /// `None` if there was none: restarts cannot be taken back.
    pub undo_rate: Option<f64>,
    /// Mean steps from the first wrong fix to the right one, over the episodes that
    /// [`Metrics::recovery_rate`] counts as recovered; `None` if there are none.
    pub mean_recovery_steps: Option<f64>,
    /// Mean share of the changes that were needed.
    pub remediation_specificity: Option<f64>,
    /// Share of the remediations that no distractor drew, over tasks that have distractors.
    pub distractor_robustness: Option<f64>,
    /// Mean share of the budget left, counting failures as 0.
    pub step_efficiency: f64,
    /// How often models were asked, in all attempted episodes.
    pub model_calls: u64,
    /// Tokens that models used, in all attempted episodes.
    pub usage: Usage,
    /// What they cost in US dollars; `None` if no model was asked or a price is not known.
    pub cost_usd: Option<f64>,
    /// Metrics without a field of their own, by name.
    #[serde(flatten)]
    pub more: BTreeMap<String, Option<f64>>,
}

/// Marks, 0 to 100, as published.
pub fn marks(success_rate: f64, mean_reward: f64, evidence: f64, mean_steps: f64, invalid_rate: f64) -> f64 {
    let spent = (mean_steps - 1.0).max(0.0) / (PUBLISHED_BUDGET - 1.0);
    let efficiency = success_rate * (1.0 - spent).max(0.0);
    let validity = 1.0 - invalid_rate;
    40.0 * success_rate + 25.0 * mean_reward + 20.0 * evidence + 10.0 * efficiency + 5.0 * validity
}

impl Metrics {
    /// Sums up the scores. The order of the scores is part of the result's last bits: sort first.
    pub fn of<'a>(scores: impl IntoIterator<Item = &'a Score>) -> Metrics {
        let (counted, failed): (Vec<&Score>, Vec<&Score>) = scores.into_iter().partition(|score| score.counts());
        let all = || counted.iter().chain(&failed).copied();
        let mut usage = Usage::default();
        all().filter_map(|score| score.usage).for_each(|one| usage += one);
        let asked = all().any(|score| score.model.is_some());
        let cost: Option<f64> = all().filter(|score| score.model.is_some()).map(|score| score.cost_usd).sum();
        let attempted = counted.len() + failed.len();
        let mut metrics = Metrics {
            episodes: counted.len() as u32,
            questions: counted.iter().filter(|score| score.question.is_some()).count() as u32,
            provider_failures: failed.len() as u32,
            attempted: attempted as u32,
            coverage: if attempted == 0 { 0.0 } else { counted.len() as f64 / attempted as f64 },
            endings: endings(all()),
            model_calls: all().map(|score| u64::from(score.model_calls)).sum(),
            usage,
            cost_usd: cost.filter(|_| asked),
            failure_modes: failure_modes(counted.iter().chain(&failed)),
            ..Metrics::default()
        };
        if !counted.is_empty() {
            metrics.fill_published(&counted);
            metrics.fill_beyond(&counted);
            let named = columns::ALL.iter().filter(|column| matches!(column.kept, columns::SummaryPlace::Named));
            metrics.more = named.map(|column| (column.name.to_owned(), column.over(&counted))).collect();
        }
        metrics
    }

    /// Whether nothing but questions was played: the figures of incidents are nothing then.
    pub fn is_of_questions(&self) -> bool {
        self.questions > 0 && self.questions == self.episodes
    }

    fn fill_published(&mut self, scores: &[&Score]) {
        let rate = |holds: fn(&Score) -> bool| mean(scores, |score| if holds(score) { 1.0 } else { 0.0 });
        self.success_rate = rate(|score| score.success);
        self.mean_reward = mean(scores, |score| score.reward);
        self.evidence_coverage = mean(scores, |score| score.evidence_coverage);
        self.mean_steps = mean(scores, |score| f64::from(score.steps));
        self.invalid_action_rate =
            share(scores, |score| score.invalid_actions.into(), |score| score.steps.into()).unwrap_or(0.0);
        self.wrong_remediation_rate = rate(|score| score.wrong_remediations > 0);
        self.distractor_failure_rate = rate(|score| score.distractor_remediations > 0);
        self.premature_resolution_rate = rate(|score| score.premature_resolution);
        self.root_cause_identification_rate = rate(|score| score.root_cause_identified);
        self.fix_identification_rate = rate(|score| score.fix_identified);
        self.correct_service_remediation_rate = rate(|score| score.correct_service);
        self.correct_remediation_rate = rate(|score| score.correct_remediation);
        self.remediation_precision =
            share(scores, |score| score.right_remediations.into(), |score| score.remediations().into());
        if !self.is_of_questions() {
            self.marks = marks(
                self.success_rate,
                self.mean_reward,
                self.evidence_coverage,
                self.mean_steps,
                self.invalid_action_rate,
            );
        }
    }

    fn fill_beyond(&mut self, scores: &[&Score]) {
        self.mean_minutes_to_resolution = mean_of(scores, |score| score.minutes_to_resolution);
        self.mean_impact = mean(scores, |score| score.impact);
        self.harm_avoided =
            share(scores, |score| score.impact.min(2.0 * score.impact_untouched), |score| score.impact_untouched)
                .map(|left| 1.0 - left);
        let one_if = |holds: bool| if holds { 1.0 } else { 0.0 };
        self.recovery_rate = mean_of(scores, |score| Some(one_if(score.recovery?.resolved)));
        self.undo_rate = mean_of(scores, |score| score.recovery?.undone.map(one_if));
        self.mean_recovery_steps = mean_of(scores, |score| score.recovery?.steps.map(f64::from));
        self.remediation_specificity = mean_of(scores, |score| score.remediation_specificity);
        self.step_efficiency = mean(scores, |score| score.step_efficiency);
        let tempted: Vec<&Score> = scores.iter().copied().filter(|score| score.has_distractors).collect();
        self.distractor_robustness =
            share(&tempted, |score| score.distractor_remediations.into(), |score| score.remediations().into())
                .map(|drawn| 1.0 - drawn);
    }
}

fn endings<'a>(scores: impl Iterator<Item = &'a Score>) -> BTreeMap<String, u32> {
    let mut endings = BTreeMap::new();
    for score in scores {
        let class = match score.ending.class {
            EndingClass::Agent => "agent",
            EndingClass::Provider => "provider",
        };
        *endings.entry(format!("{class}/{}", score.ending.word)).or_default() += 1;
    }
    endings
}

fn failure_modes<'a>(scores: impl Iterator<Item = &'a &'a Score>) -> BTreeMap<String, u32> {
    let mut modes: BTreeMap<String, u32> = FailureMode::ALL.iter().map(|mode| (mode.name().to_owned(), 0)).collect();
    for score in scores {
        *modes.entry(score.failure_mode.name().to_owned()).or_default() += 1;
    }
    modes
}

fn mean(scores: &[&Score], value: impl Fn(&Score) -> f64) -> f64 {
    mean_of(scores, |score| Some(value(score))).unwrap_or(0.0)
}

pub(super) fn mean_of(scores: &[&Score], value: impl Fn(&Score) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = scores.iter().filter_map(|score| value(score)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A share of sums, so that an episode weighs as much as it has to share.
pub(super) fn share(scores: &[&Score], part: impl Fn(&Score) -> f64, whole: impl Fn(&Score) -> f64) -> Option<f64> {
    let (part, whole) = scores.iter().fold((0.0, 0.0), |sum, score| (sum.0 + part(score), sum.1 + whole(score)));
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_as_published() {
        let cases = [
            ((1.0, 1.0, 1.0, 1.0, 0.0), 100.0),
            ((0.0, 0.0, 0.0, 8.0, 0.0), 5.0),
            ((0.0, 0.0, 0.0, 8.0, 1.0), 0.0),
            ((1.0, 0.9425, 1.0, 4.6, 0.0), 93.42),
            ((1.0, 0.9, 1.0, 20.0, 0.0), 87.5),
            ((0.0, 0.004, 0.04, 8.0, 0.11), 5.35),
        ];
        for ((success, reward, evidence, steps, invalid), expect) in cases {
            let found = marks(success, reward, evidence, steps, invalid);
            assert!((found - expect).abs() < 0.01, "{found} is not {expect}");
        }
    }
}
