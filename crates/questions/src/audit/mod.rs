//! The shortcut audit: how far rules get that never understand a question.
//!
//! A set is only as good as its worst shortcut. Every rule gives each option a number and takes the highest; ties share
//! the credit. A set fails if the lower end of a rule's interval is more than five points above chance: then a score on
//! it may be that rule's. It works on any set, imported ones too.

mod centre;
mod distance;
mod floor;
mod lexical;
mod rules;
mod structure;
mod trained;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::words::words;
use crate::{Expected, Question, Skill};
pub use floor::FloorResult;
pub(crate) use rules::LETTERS;
pub use rules::names;

/// How far above chance a lower bound may lie.
pub const ALLOWED: f64 = 0.05;

/// A family with fewer choices than this is audited with the whole set only: its intervals say nothing.
const ENOUGH: usize = 40;

/// What the audit found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShortcutAudit {
    /// The whole set first, then the nine Terraform choices together, then each family that is large enough.
    pub parts: Vec<AuditPart>,
    /// What replies earn that say nothing, for families without options.
    pub floors: Vec<FloorResult>,
}

/// The shortcuts on one part of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditPart {
    /// `all`, `terraform`, or a family.
    pub name: String,
    /// Questions with options.
    pub questions: usize,
    /// What guessing gets.
    pub chance: f64,
    /// Every rule, the best first.
    pub shortcuts: Vec<ShortcutResult>,
}

/// One rule on one part of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShortcutResult {
    /// The rule.
    pub rule: String,
    /// Its share of right answers.
    pub accuracy: f64,
    /// Wilson's interval of 95 %.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Whether the lower end is more than [`ALLOWED`] above chance.
    pub fails: bool,
}

/// A question as a rule sees it: text, options, and which of them are right.
pub(crate) struct AuditItem<'a> {
    pub(crate) text: &'a str,
    pub(crate) options: Vec<&'a str>,
    pub(crate) right: Vec<bool>,
    pub(crate) skill: Skill,
    pub(crate) repository: &'a str,
    pub(crate) id: &'a str,
    /// The question's words.
    pub(crate) asked: TextWords,
    /// Each option's words.
    pub(crate) held: Vec<TextWords>,
}

/// A text's words, cut once: a dozen rules look at them.
pub(crate) struct TextWords {
    /// In the order of the text.
    pub(crate) all: Vec<String>,
    /// The distinct ones.
    pub(crate) distinct: BTreeSet<String>,
}

impl TextWords {
    fn of(text: &str) -> Self {
        let all = words(text);
        let distinct = all.iter().cloned().collect();
        TextWords { all, distinct }
    }
}

/// Holds every shortcut against a set.
pub fn audit(questions: &[Question]) -> ShortcutAudit {
    let items: Vec<AuditItem> = questions.iter().filter_map(view).collect();
    let credits = rules::credits(&items);
    let mut parts = vec![part("all", &items, &credits, &|_| true)];
    parts.push(part("terraform", &items, &credits, &|item| item.skill.is_terraform()));
    for skill in Skill::ALL {
        if items.iter().filter(|item| item.skill == skill).count() >= ENOUGH {
            parts.push(part(skill.name(), &items, &credits, &|item| item.skill == skill));
        }
    }
    parts.retain(|part| part.questions > 0);
    ShortcutAudit { parts, floors: floor::floors(questions) }
}

/// What the rules that need no training would be credited for each question; empty where it has no options.
/// A maker keeps a set level with these.
pub fn credits(questions: &[Question]) -> Vec<Vec<f64>> {
    let known: Vec<AuditItem> = questions.iter().filter_map(view).collect();
    let mut of_known = rules::plain_credits(&known).into_iter();
    let credits = |question: &Question| if has_options(question) { of_known.next() } else { None };
    questions.iter().map(credits).map(Option::unwrap_or_default).collect()
}

fn has_options(question: &Question) -> bool {
    matches!(question.expected, Expected::Choice(_) | Expected::Places(_))
}

fn view(question: &Question) -> Option<AuditItem<'_>> {
    let (options, right): (Vec<&str>, Vec<bool>) = match &question.expected {
        Expected::Choice(choice) => {
            let right = (0..choice.options.len()).map(|at| at == choice.key);
            (choice.options.iter().map(String::as_str).collect(), right.collect())
        }
        Expected::Places(places) => {
            let right = places.tree.iter().map(|path| places.files.contains(path));
            (places.tree.iter().map(String::as_str).collect(), right.collect())
        }
        Expected::Region(_) | Expected::Account(_) => return None,
    };
    let repository = question.clusters.get("repository").map_or(question.provenance.source.as_str(), String::as_str);
    let (asked, held) = (TextWords::of(&question.text), options.iter().map(|option| TextWords::of(option)).collect());
    let (text, skill, id) = (question.text.as_str(), question.skill, question.id.as_str());
    Some(AuditItem { text, options, right, skill, repository, id, asked, held })
}

fn part(name: &str, items: &[AuditItem], credits: &[Vec<f64>], wanted: &dyn Fn(&AuditItem) -> bool) -> AuditPart {
    let chosen: Vec<usize> = (0..items.len()).filter(|at| wanted(&items[*at])).collect();
    let count = chosen.len();
    let guess = |at: &usize| {
        let right = items[*at].right.iter().filter(|right| **right).count();
        right as f64 / items[*at].right.len().max(1) as f64
    };
    let chance = chosen.iter().map(guess).sum::<f64>() / count.max(1) as f64;
    let result = |(rule, name): (usize, String)| {
        let hits: f64 = chosen.iter().map(|at| credits[*at][rule]).sum();
        let (low, high) = wilson(hits, count as f64);
        let accuracy = hits / count.max(1) as f64;
        ShortcutResult { rule: name, accuracy, low, high, fails: low > chance + ALLOWED }
    };
    let mut shortcuts: Vec<ShortcutResult> = names().into_iter().enumerate().map(result).collect();
    shortcuts.sort_by(|one, other| other.accuracy.total_cmp(&one.accuracy).then(one.rule.cmp(&other.rule)));
    AuditPart { name: name.into(), questions: count, chance, shortcuts }
}

/// Wilson's interval of 95 % for a share. Ties give fractions of a hit, which it takes as they are.
pub fn wilson(hits: f64, count: f64) -> (f64, f64) {
    if count <= 0.0 {
        return (0.0, 1.0);
    }
    let z = 1.959_963_984_540_054;
    let share = hits / count;
    let scale = 1.0 + z * z / count;
    let middle = (share + z * z / (2.0 * count)) / scale;
    let half = z * libm::sqrt((share * (1.0 - share) / count + z * z / (4.0 * count * count)).max(0.0)) / scale;
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

impl ShortcutAudit {
    /// Whether no shortcut works.
    pub fn passes(&self) -> bool {
        self.parts.iter().all(AuditPart::passes) && !self.floors.iter().any(|floor| floor.fails)
    }

    /// What the best shortcut reaches in each family. A family that is too small to be told alone takes the figure of the
    /// Terraform choices or of the whole set; where there are no options, it is the best score of an empty reply.
    pub fn by_family(&self, questions: &[Question]) -> BTreeMap<String, f64> {
        let part = |name: &str| self.parts.iter().find(|part| part.name == name).map(AuditPart::best);
        let floor = |skill: Skill| {
            let scores = self.floors.iter().filter(|floor| floor.skill == skill.name()).map(|floor| floor.score);
            scores.reduce(f64::max)
        };
        let families: BTreeSet<Skill> = questions.iter().map(|question| question.skill).collect();
        let best = |skill: Skill| {
            let wider = if skill.is_terraform() { "terraform" } else { "all" };
            part(skill.name()).or_else(|| floor(skill)).or_else(|| part(wider))
        };
        families.into_iter().filter_map(|skill| Some((skill.name().to_string(), best(skill)?))).collect()
    }

    /// A table in plain text: for each part its best shortcuts, and every one that fails.
    pub fn table(&self, most: usize) -> String {
        let mut text = String::new();
        for part in &self.parts {
            let chance = 100.0 * part.chance;
            text.push_str(&format!("{} ({} questions, chance {chance:.1} %)\n", part.name, part.questions));
            for (at, found) in part.shortcuts.iter().enumerate().filter(|(at, found)| *at < most || found.fails) {
                let (low, high) = (100.0 * found.low, 100.0 * found.high);
                let verdict = if found.fails { "  FAILS" } else { "" };
                let accuracy = 100.0 * found.accuracy;
                text.push_str(&format!(
                    "{:>4}. {:<44}{accuracy:>6.1} %  [{low:.1}, {high:.1}]{verdict}\n",
                    at + 1,
                    found.rule
                ));
            }
        }
        for floor in &self.floors {
            let verdict = if floor.fails { "  FAILS" } else { "" };
            let mean = 100.0 * floor.score;
            text.push_str(&format!(
                "{} ({}): {} earns {mean:.1} %{verdict}\n",
                floor.skill, floor.questions, floor.reply
            ));
        }
        text.push_str(if self.passes() { "passes: no shortcut works\n" } else { "FAILS: a shortcut works\n" });
        text
    }
}

impl AuditPart {
    /// Whether no shortcut works on this part.
    pub fn passes(&self) -> bool {
        !self.shortcuts.iter().any(|found| found.fails)
    }

    /// The best shortcut's accuracy, never below chance.
    pub fn best(&self) -> f64 {
        self.shortcuts.iter().map(|found| found.accuracy).fold(self.chance, f64::max)
    }

    /// How far a model is above the best shortcut: 1 is perfect, 0 is no better than it.
    pub fn skill(&self, accuracy: f64) -> f64 {
        let best = self.best();
        if best >= 1.0 { 0.0 } else { (accuracy - best) / (1.0 - best) }
    }
}

#[cfg(test)]
mod tests;
