//! One finished episode, graded.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::columns;
use super::ending::Ending;
use super::failure::{FailureMode, FailureSigns};
use super::more::NamedFigures;
use super::parts::Parts;
use super::reward::Scorer;
use crate::events::is_zero;
use crate::model::{ModelTurn, ProviderFault, Usage};
use crate::name::{Name, NamePool};
use crate::problem::StageScore;
use crate::question::QuestionVerdict;
use crate::{AgentFault, EndReason, Event, Header, Seal, Step, UserImpact};

/// All that is known of one finished episode. `None` means that there was nothing to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The agent's name.
    pub agent: Name,
    /// The suite that the run asked for.
    pub suite: Name,
    /// The task's id.
    pub task: Name,
    /// The kind of thing that breaks in it.
    pub family: Name,
    /// The service at fault.
    pub component: Name,
    /// `easy`, `medium` or `hard`.
    pub difficulty: Name,
    /// `train`, `dev` or `test`.
    pub split: Name,
    /// The world's seed.
    pub seed: u64,
    /// Which of the run's seeds this is, from 0.
    pub episode: u32,
    /// Which repetition of the same task under the same seed this is, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// Whether rewards were shown while it was played: then it is training, and is ranked beside nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewards: bool,
    /// The model behind the agent, as `provider/model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Name>,
    /// Why the episode ended.
    pub end: EndReason,
    /// The same in one word, with whose doing it was.
    pub ending: Ending,
    /// How it went, in one word.
    pub failure_mode: FailureMode,
    /// Whether the agent resolved the incident and it was over.
    pub success: bool,
    /// The reward, between 0 and 1.
    pub reward: f64,
    /// The reward before clipping, part by part.
    pub parts: Parts,
    /// Steps taken.
    pub steps: u32,
    /// The step budget.
    pub budget: u32,
    /// Steps that were no valid action.
    pub invalid_actions: u32,
    /// Share of the evidence that was seen.
    pub evidence_coverage: f64,
    /// Steps that made a condition of the fix true.
    pub right_remediations: u32,
    /// Steps that changed something and brought the fix no nearer.
    pub wrong_remediations: u32,
    /// Steps that took back a wrong change.
    pub undone_remediations: u32,
    /// Wrong remediations on a distractor.
    pub distractor_remediations: u32,
    /// Whether the task has distractors.
    pub has_distractors: bool,
    /// Whether the agent resolved while it was not over.
    pub premature_resolution: bool,
    /// Whether the diagnosis was right.
    pub root_cause_identified: bool,
    /// Whether the fix was named in words.
    pub fix_identified: bool,
    /// Whether something was changed on a service that the fix is about.
    pub correct_service: bool,
    /// Whether the fix held at the end through the agent's doing.
    pub correct_remediation: bool,
    /// From the page to the resolution, in simulated minutes; successes only.
    pub minutes_to_resolution: Option<f64>,
    /// Failed and slow requests beyond those of the healthy twin.
    pub impact: f64,
    /// The same for the untouched twin.
    pub impact_untouched: f64,
    /// The share of the untouched twin's harm that was avoided; negative if it became worse, and at least -1.
    pub harm_avoided: Option<f64>,
    /// What happened after a wrong fix, if there was one.
    pub recovery: Option<Recovery>,
    /// The share of the settings and services changed that needed it.
    pub remediation_specificity: Option<f64>,
    /// Share of the budget left at a success, else 0.
    pub step_efficiency: f64,
    /// How often the model was asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub model_calls: u32,
    /// Tokens that the model used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What they cost in US dollars; `None` if the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// What a question shares with others: its template, commit or repository. Intervals are clustered by it.
    #[serde(default, skip_serializing_if = "is_unnamed")]
    pub cluster: Name,
    /// What came of the reply, if it was a question. Figures of incidents are nothing then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<QuestionVerdict>>,
    /// What came of the stages, if it was a problem in a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Box<StageScore>>,
    /// What metric columns have read from the record, by name.
    #[serde(default, skip_serializing_if = "NamedFigures::is_empty")]
    pub more: NamedFigures,
}

fn is_unnamed(name: &Name) -> bool {
    name.is_empty()
}

/// What happened after the first wrong fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// Whether all wrong settings and silences were taken back. `None` if there was none to take
    /// back: a restart leaves nothing behind, nor does a wrong value that became the right one.
    pub undone: Option<bool>,
    /// Whether the episode still was a success.
    pub resolved: bool,
    /// For a success: steps from the first wrong fix until the right one held and nothing wrong was
    /// left, or until the resolution if no step saw that before. 0 if the right fix held already.
    pub steps: Option<u32>,
}

/// Why a record cannot be scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unscorable {
    /// The first line is missing.
    #[error("the record has no `started` line: its beginning is lost, run the episode again")]
    NoHeader,
    /// The episode did not end.
    #[error("the record has no `ended` line: the episode was cut off, run it again")]
    NotEnded,
    /// The verdict is missing.
    #[error("the record has no `sealed` line: the episode was cut off before its verdict, run it again")]
    NotSealed,
}

impl Score {
    /// Grades one record.
    pub fn of(events: &[Event]) -> Result<Score, Unscorable> {
        let story = EpisodeStory::read(events)?;
        if story.header.task.question.is_some() {
            return Ok(story.question_score());
        }
        if let Some(card) = &story.header.task.problem {
            return Ok(story.problem_score(card));
        }
        let mut scorer = Scorer::new(&story.header.task);
        for step in &story.steps {
            scorer.feed(step);
        }
        scorer.end(story.end, story.seal.mitigated);
        Ok(story.score(&scorer))
    }

    /// Whether the episode counts in rates; one whose provider failed says nothing of the agent.
    pub fn counts(&self) -> bool {
        self.end != EndReason::ProviderFailed
    }

    /// A figure that no episode can have, if there is one.
    pub fn out_of_range(&self) -> Option<&'static str> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let amount = |value: f64| value.is_finite() && value >= 0.0;
        let finite = |value: f64| value.is_finite();
        let of = |value: Option<f64>, is: fn(f64) -> bool| value.is_none_or(is);
        let sound = [
            ("reward", share(self.reward)),
            ("evidence_coverage", share(self.evidence_coverage)),
            ("step_efficiency", share(self.step_efficiency)),
            ("remediation_specificity", of(self.remediation_specificity, share)),
            ("minutes_to_resolution", of(self.minutes_to_resolution, amount)),
            ("impact", finite(self.impact)),
            ("impact_untouched", finite(self.impact_untouched)),
            ("harm_avoided", of(self.harm_avoided, finite)),
            ("cost_usd", of(self.cost_usd, amount)),
            ("invalid_actions", self.invalid_actions <= self.steps),
        ];
        sound.into_iter().find(|(_, ok)| !ok).map(|(name, _)| name)
    }

    /// Shares its names with those of other episodes.
    pub(crate) fn share(&mut self, pool: &mut NamePool) {
        let Score { agent, suite, task, family, component, difficulty, split, cluster, model, more, .. } = self;
        for name in [agent, suite, task, family, component, difficulty, split, cluster].into_iter().chain(model) {
            pool.share(name);
        }
        more.share(pool);
    }

    /// Steps that changed something, apart from taking back what was wrong.
    pub fn remediations(&self) -> u32 {
        self.right_remediations + self.wrong_remediations
    }
}

/// A record, taken apart.
pub struct EpisodeStory<'a> {
    /// What was played.
    pub header: &'a Header,
    /// What the agent did.
    pub steps: Vec<&'a Step>,
    /// When it ended.
    pub ended: u64,
    /// Why it ended.
    pub end: EndReason,
    cause: Option<ProviderFault>,
    fault: Option<AgentFault>,
    /// What really happened.
    pub seal: Seal,
}

impl<'a> EpisodeStory<'a> {
    fn read(events: &'a [Event]) -> Result<EpisodeStory<'a>, Unscorable> {
        let (mut header, mut steps, mut ended, mut seal) = (None, Vec::new(), None, None);
        for event in events {
            match event {
                Event::Started(found) => header = Some(found.as_ref()),
                Event::Paged { .. } => {}
                Event::Stepped(step) => steps.push(step.as_ref()),
                Event::Ended { time, reason, cause, fault } => ended = Some((*time, *reason, (*cause, *fault))),
                Event::Sealed(found) => seal = Some(found.as_ref().clone()),
            }
        }
        let header = header.ok_or(Unscorable::NoHeader)?;
        let (ended, end, (cause, fault)) = ended.ok_or(Unscorable::NotEnded)?;
        // Nothing is verified after a provider's failure, so nothing needs to be sealed.
        let excused = (end == EndReason::ProviderFailed).then(Seal::default);
        let seal = seal.or(excused).ok_or(Unscorable::NotSealed)?;
        Ok(EpisodeStory { header, steps, ended, end, cause, fault, seal })
    }

    pub(super) fn score(&self, scorer: &Scorer) -> Score {
        let (card, tally, parts) = (&self.header.task, &scorer.tally, scorer.parts());
        let success = parts.resolution;
        let impact = excess(&self.seal.impact, &self.seal.impact_healthy);
        let impact_untouched = excess(&self.seal.impact_untouched, &self.seal.impact_healthy);
        let signs =
            FailureSigns { end: self.end, success, wrong: tally.wrong > 0, steps: tally.steps, invalid: tally.invalid };
        Score {
            agent: Name::from(&self.header.agent),
            suite: Name::from(&self.header.suite),
            task: Name::from(&card.id),
            family: Name::from(&card.family),
            component: Name::from(&card.component),
            difficulty: Name::from(&card.difficulty),
            split: Name::from(&card.split),
            seed: self.header.seed,
            episode: self.header.episode,
            repeat: self.header.repeat,
            rewards: self.header.rewards,
            model: self.header.model.as_ref().map(|card| Name::from(format!("{}/{}", card.provider, card.model))),
            end: self.end,
            ending: Ending::of(self.end, self.cause, self.fault, &self.steps),
            failure_mode: FailureMode::of(&signs),
            success,
            reward: scorer.reward(),
            parts,
            steps: tally.steps,
            budget: card.steps,
            invalid_actions: tally.invalid,
            evidence_coverage: parts.coverage,
            right_remediations: tally.right,
            wrong_remediations: tally.wrong,
            undone_remediations: tally.undone,
            distractor_remediations: tally.on_distractors,
            has_distractors: !card.distractors.is_empty(),
            premature_resolution: self.end == EndReason::Resolved && !success,
            root_cause_identified: parts.root_cause,
            fix_identified: scorer.fix_named(),
            correct_service: tally.on_target,
            correct_remediation: parts.remediation,
            minutes_to_resolution: success.then(|| minutes(self.seal.paged, self.ended)),
            impact,
            impact_untouched,
            harm_avoided: harm_avoided(impact, impact_untouched),
            recovery: recovery(scorer, success),
            remediation_specificity: scorer.ledger.specificity(),
            step_efficiency: parts.efficiency,
            model_calls: self.turns().map(|turn| turn.calls).sum(),
            usage: self.usage(),
            cost_usd: self.cost(),
            cluster: card.question.as_ref().map(|card| Name::from(card.cluster())).unwrap_or_default(),
            question: None,
            stages: None,
            more: self.more(),
        }
    }

    fn more(&self) -> NamedFigures {
        let own = |column: &columns::EpisodeColumn| Some((Name::from(column.name), column.measured(self)?));
        columns::of_episodes().filter_map(|(_, column)| own(column)).collect()
    }

    fn turns(&self) -> impl Iterator<Item = &ModelTurn> {
        self.steps.iter().filter_map(|step| step.model.as_ref())
    }

    fn usage(&self) -> Option<Usage> {
        let add = |mut sum: Usage, turn: &ModelTurn| {
            sum += turn.usage;
            sum
        };
        self.header.model.as_ref().map(|_| self.turns().fold(Usage::default(), add))
    }

    /// Unknown as soon as one part of it is.
    fn cost(&self) -> Option<f64> {
        self.header.model.as_ref()?;
        self.turns().map(|turn| turn.cost_usd).sum()
    }
}

fn recovery(scorer: &Scorer, resolved: bool) -> Option<Recovery> {
    let (tally, clean) = (&scorer.tally, scorer.ledger.is_clean());
    let first = tally.first_wrong?;
    let undone = (tally.undone > 0 || !clean).then_some(clean);
    let steps = resolved.then(|| tally.recovered.unwrap_or(tally.steps) - first);
    Some(Recovery { undone, resolved, steps })
}

fn excess(harm: &UserImpact, healthy: &UserImpact) -> f64 {
    (harm.failed + harm.slow - healthy.failed - healthy.slow).max(0.0)
}

/// The share of the untouched twin's harm that was avoided. Where little harm was to come, a little more is many
/// times as much: one episode counts for no more than all of it, either way.
fn harm_avoided(impact: f64, untouched: f64) -> Option<f64> {
    (untouched > 0.0).then(|| (1.0 - impact / untouched).max(-1.0))
}

fn minutes(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 60_000.0
}
