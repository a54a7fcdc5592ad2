//! The score of a problem in a cluster: what came of the diagnosis and of the mitigation. Figures that only an incident of
//! services has stay at nothing.

use super::failure::{FailureMode, FailureSigns};
use super::more::NamedFigures;
use super::reward::Scorer;
use super::score::{EpisodeStory, Score};
use super::tool_kinds::tool_kinds;
use crate::EndReason;
use crate::problem::{ProblemCard, StageScore};

impl EpisodeStory<'_> {
    /// Grades a problem by its sealed verdict.
    pub(super) fn problem_score(&self, card: &ProblemCard) -> Score {
        let unfed = self.score(&Scorer::new(&self.header.task));
        let verdict = self.seal.stages.clone().unwrap_or_default();
        let minutes = |time: u64| time.saturating_sub(self.seal.paged) as f64 / 60_000.0;
        let mitigated = self.end == EndReason::Resolved && self.seal.mitigated;
        let diagnosis = verdict.diagnosis.as_ref();
        let diagnosed = diagnosis.map(|one| one.is_right());
        let stages = StageScore {
            layer: card.layer.clone(),
            mode: card.mode.clone(),
            diagnosed,
            mitigated,
            minutes_to_diagnosis: diagnosis.map(|one| minutes(one.time)),
            minutes_to_mitigation: verdict.submitted.filter(|_| mitigated).map(minutes),
            steps: verdict.steps,
            applications: card.applications.clone(),
            uses: tool_kinds(&self.steps),
        };
        let steps = self.steps.len() as u32;
        let invalid = self.steps.iter().filter(|step| step.invalid.is_some()).count() as u32;
        let signs = FailureSigns { end: self.end, success: mitigated, wrong: false, steps, invalid };
        let half = |holds: bool| if holds { 0.5 } else { 0.0 };
        Score {
            success: mitigated,
            failure_mode: FailureMode::of(&signs),
            reward: half(mitigated) + half(diagnosed == Some(true)),
            premature_resolution: self.end == EndReason::Resolved && !mitigated,
            root_cause_identified: diagnosed == Some(true),
            correct_remediation: mitigated,
            minutes_to_resolution: stages.minutes_to_mitigation,
            steps,
            invalid_actions: invalid,
            more: NamedFigures::default(),
            stages: Some(Box::new(stages)),
            ..unfed
        }
    }
}
