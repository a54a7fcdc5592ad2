//! One episode, step by step: what was seen, when it went wrong, and what came of it.

use std::sync::Arc;

use record::Record;
use record::grade::{Score, Scorer, Unscorable};
use record::{Header, Step, TaskCard};
use serde::{Deserialize, Serialize};

use super::category::Category;
use super::tool_use::ToolUse;
use super::wrong_turn::{WrongTurn, first_wrong_turn};

/// What is known of one episode from its record, beyond its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Autopsy {
    /// The agent's name.
    pub agent: String,
    /// The suite that the run asked for.
    pub suite: String,
    /// The task's id.
    pub task: String,
    /// The kind of thing that breaks.
    pub family: String,
    /// The service at fault.
    pub service: String,
    /// `easy`, `medium` or `hard`.
    pub difficulty: String,
    /// The noise dial, 0 to 3.
    pub noise: u8,
    /// How it went, in one word.
    pub category: Category,
    /// The first step that went wrong, and why; `None` if none did.
    pub first_wrong_turn: Option<WrongTurn>,
    /// When the first sign of the cause was seen; `None` if never.
    pub first_evidence: Option<Moment>,
    /// Evidence that was seen.
    pub evidence_seen: Vec<String>,
    /// Evidence that was not.
    pub evidence_missed: Vec<String>,
    /// Whether evidence was seen, and both the diagnosis and every change were about something else.
    pub evidence_unused: bool,
    /// Whether a wrong fix was made.
    pub wrong_fix: bool,
    /// Whether the episode was a success after a wrong fix; `None` without one.
    pub recovered: Option<bool>,
    /// What the steps were used for.
    pub tools: ToolUse,
}

/// A moment of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The step, from 1.
    pub step: u32,
    /// Simulated minutes after the page.
    pub minutes: f64,
}

impl Autopsy {
    /// Examines a record.
    pub fn of(record: &Record) -> Result<Autopsy, Unscorable> {
        Autopsy::graded(record, &record.score()?)
    }

    /// Examines a record whose score is known.
    pub fn graded(record: &Record, score: &Score) -> Result<Autopsy, Unscorable> {
        let header = record.header().ok_or(Unscorable::NoHeader)?;
        let steps: Vec<&Step> = record.steps().collect();
        let seen = evidence(&header.task, &steps);
        let first = seen.iter().filter_map(|(_, at)| *at).min();
        let moment = |at: usize| Moment { step: steps[at].index, minutes: minutes_after_page(record, steps[at]) };
        let listed = |wanted: bool| -> Vec<String> {
            seen.iter().filter(|(_, at)| at.is_some() == wanted).map(|(entry, _)| entry.clone()).collect()
        };
        Ok(Autopsy {
            category: Category::of(score),
            first_wrong_turn: first_wrong_turn(header, &steps, score),
            first_evidence: first.map(moment),
            evidence_seen: listed(true),
            evidence_missed: listed(false),
            evidence_unused: first.is_some() && is_elsewhere(score),
            wrong_fix: score.wrong_remediations > 0,
            recovered: score.recovery.map(|recovery| recovery.resolved),
            tools: ToolUse::of(&steps, score.end),
            ..Autopsy::named(header)
        })
    }

    fn named(header: &Header) -> Autopsy {
        Autopsy {
            agent: header.agent.clone(),
            suite: header.suite.clone(),
            task: header.task.id.clone(),
            family: header.task.family.clone(),
            service: header.task.component.clone(),
            difficulty: header.task.difficulty.clone(),
            noise: header.noise,
            category: Category::Other,
            first_wrong_turn: None,
            first_evidence: None,
            evidence_seen: Vec::new(),
            evidence_missed: Vec::new(),
            evidence_unused: false,
            wrong_fix: false,
            recovered: None,
            tools: ToolUse::default(),
        }
    }
}

/// Each entry of the task's evidence, and the first step that showed it. The grader itself is asked, one
/// entry at a time, so that the two cannot disagree.
fn evidence(card: &TaskCard, steps: &[&Step]) -> Vec<(String, Option<usize>)> {
    let shown_at = |entry: &String| {
        let only = TaskCard { evidence: vec![entry.clone()], ..TaskCard::default() };
        let mut grader = Scorer::sharing(&Arc::new(only));
        let showing = |step: &&Step| {
            grader.feed(&Step { facts: step.facts.clone(), ..Step::default() });
            grader.parts().coverage > 0.0
        };
        (entry.clone(), steps.iter().position(showing))
    };
    card.evidence.iter().map(shown_at).collect()
}

/// Whether neither the diagnosis nor any change was about what is broken. An episode whose provider
/// failed might still have got there.
fn is_elsewhere(score: &Score) -> bool {
    score.counts() && !score.success && !score.root_cause_identified && !score.correct_service
}

fn minutes_after_page(record: &Record, step: &Step) -> f64 {
    let paged = record.seal().map_or(0, |seal| seal.paged);
    (step.time + step.took).saturating_sub(paged) as f64 / 60_000.0
}
