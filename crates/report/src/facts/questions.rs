//! What came of the questions that one agent was asked.

use std::collections::BTreeMap;

use record::grade::Score;
use record::{QuestionVerdict, ReplyReading};
use serde::Serialize;

use super::merge::EpisodeSource;
use crate::stats;
use crate::tables::Estimate;
use crate::tables::guard::shown;

/// What came of an agent's questions. Provider failures are in none of the shares.
#[derive(Clone, Debug, Default, Serialize)]
pub struct QuestionFacts {
    /// Replies by how they could be read.
    pub readings: BTreeMap<&'static str, u32>,
    /// By family.
    pub skills: BTreeMap<String, SkillFacts>,
    /// Questions with options that were asked under several seeds, each of which permutes them.
    pub permuted: u32,
    /// Over these: the share of pairs of answers that choose the same option.
    pub agreement: Option<f64>,
    /// Over these: the share that was answered rightly under every seed.
    pub always_right: Option<f64>,
    /// Configurations by the stage that failed first; `passed` if none did.
    pub stages: BTreeMap<String, u32>,
}

/// One family of questions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SkillFacts {
    /// Episodes that count.
    pub counted: u32,
    /// Templates, commits or repositories among them: intervals are clustered by these.
    pub clusters: u32,
    /// The share that is right.
    pub accuracy: Option<Estimate>,
    /// Our mean score, with credit for parts.
    pub score: Option<Estimate>,
    /// The published scoring; nothing where it needs a judge or does not know the family.
    pub published: Option<Estimate>,
    /// What the best shortcut reaches, which never understands a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortcut: Option<f64>,
    /// How far the agent stands above it: 1 is perfect, 0 is no better than it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<f64>,
}

impl QuestionFacts {
    pub(super) fn of(scores: &[&Score]) -> Option<QuestionFacts> {
        let asked: Vec<(&Score, &QuestionVerdict)> =
            scores.iter().filter_map(|score| Some((*score, score.question.as_deref()?))).collect();
        if asked.is_empty() {
            return None;
        }
        let mut facts = QuestionFacts::default();
        let mut families: BTreeMap<&str, Vec<&Score>> = BTreeMap::new();
        for (score, verdict) in asked.iter().filter(|(score, _)| score.counts()) {
            *facts.readings.entry(verdict.reading.name()).or_default() += 1;
            families.entry(&score.family).or_default().push(score);
            if let Some(lifecycle) = &verdict.lifecycle {
                let stage = lifecycle.category.as_deref().unwrap_or("passed");
                *facts.stages.entry(shown(stage)).or_default() += 1;
            }
        }
        facts.skills = families.into_iter().map(|(name, scores)| (shown(name), SkillFacts::of(&scores))).collect();
        facts.compare_permutations(&asked);
        Some(facts)
    }

    /// How far each family stands above its best shortcut. If folders were audited apart, the better shortcut counts.
    pub(super) fn compare_shortcuts(&mut self, sources: &[EpisodeSource]) {
        for (family, facts) in &mut self.skills {
            let known = sources.iter().filter_map(|source| source.shortcuts.get(family).copied());
            facts.shortcut = known.reduce(f64::max);
            let best = facts.shortcut.filter(|best| *best < 1.0);
            facts.skill = best.zip(facts.accuracy).map(|(best, accuracy)| (accuracy.value - best) / (1.0 - best));
        }
    }

    /// Whether an option is meant or a letter: the same question under several seeds.
    fn compare_permutations(&mut self, asked: &[(&Score, &QuestionVerdict)]) {
        let mut by_question: BTreeMap<&str, Vec<&QuestionVerdict>> = BTreeMap::new();
        for (score, verdict) in asked.iter().filter(|(score, _)| score.counts()) {
            by_question.entry(&score.task).or_default().push(verdict);
        }
        let (mut pairs, mut same, mut always) = (0_u64, 0_u64, 0_u32);
        for verdicts in by_question.values().filter(|all| all.len() > 1 && all.iter().any(|v| v.chosen.is_some())) {
            self.permuted += 1;
            always += u32::from(verdicts.iter().all(|v| v.correct && v.reading == ReplyReading::Answered));
            let chosen: Vec<usize> = verdicts.iter().filter_map(|verdict| verdict.chosen).collect();
            for (at, one) in chosen.iter().enumerate() {
                pairs += chosen[at + 1..].len() as u64;
                same += chosen[at + 1..].iter().filter(|other| *other == one).count() as u64;
            }
        }
        self.agreement = (pairs > 0).then(|| same as f64 / pairs as f64);
        self.always_right = (self.permuted > 0).then(|| f64::from(always) / f64::from(self.permuted));
    }
}

impl SkillFacts {
    fn of(scores: &[&Score]) -> SkillFacts {
        let all = || scores.iter().copied();
        let published = stats::share(all(), |score| score.question.as_deref()?.published);
        SkillFacts {
            counted: scores.len() as u32,
            clusters: stats::clusters(all(), |_| Some(1.0)).len() as u32,
            accuracy: stats::rate(all(), |score| score.success).map(Estimate::from),
            score: stats::share(all(), |score| Some(score.reward)).map(Estimate::from),
            published: published.map(Estimate::from),
            shortcut: None,
            skill: None,
        }
    }
}
