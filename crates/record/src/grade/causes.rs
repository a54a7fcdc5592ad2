//! Which of the causes that are asked for were named: by structured answers where there are some, else in words.

use super::answers::read_causes;
use super::concepts;
use super::diagnosis::{Asked, judge_asked};
use crate::cause::{CauseAnswer, Direction};
use crate::{Fix, TaskCard};

/// What was named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CausesNamed {
    /// How many of the causes that were asked for.
    pub named: usize,
    /// How many were asked for.
    pub asked: usize,
    /// Whether something was blamed that is no cause, or everything was.
    pub too_much: bool,
}

impl CausesNamed {
    /// Whether all causes were named, and nothing else.
    pub fn all(self) -> bool {
        self.named == self.asked && !self.too_much
    }

    /// The share of the causes that were named.
    pub fn share(self) -> f64 {
        if self.too_much || self.asked == 0 { 0.0 } else { self.named as f64 / self.asked as f64 }
    }
}

/// Judges what an agent gave: the structured answers decide if there are some.
pub(in crate::grade) fn judge(card: &TaskCard, text: &str, answers: &str) -> CausesNamed {
    match read_causes(answers) {
        Ok(answers) if !answers.is_empty() => by_answers(card, &answers),
        _ => by_words(card, text),
    }
}

fn by_answers(card: &TaskCard, answers: &[CauseAnswer]) -> CausesNamed {
    let asked = asked(card);
    let named = asked.iter().filter(|one| answers.iter().any(|answer| answers_it(answer, one, card))).count();
    // One answer for each cause: more are guesses.
    CausesNamed { named, asked: asked.len(), too_much: answers.len() > asked.len() }
}

fn by_words(card: &TaskCard, text: &str) -> CausesNamed {
    let asked = asked(card);
    let verdicts: Vec<_> = asked.iter().map(|one| judge_asked(text, one, asked.len())).collect();
    CausesNamed {
        named: verdicts.iter().filter(|verdict| verdict.is_named()).count(),
        asked: asked.len(),
        too_much: verdicts.iter().any(|verdict| verdict.too_many),
    }
}

/// The answers that name all causes of a task.
pub fn right_answers(card: &TaskCard) -> Vec<CauseAnswer> {
    let key = |one: &Asked<'_>| {
        let mut asked = one.concepts.iter().filter_map(|name| concepts::find(name));
        let own = |fix: &&Fix| fix.service() == one.component;
        let set = |concept: &concepts::Concept| {
            card.fix.iter().filter(own).filter_map(Fix::key).find(|key| concept.has_key(key)).map(str::to_string)
        };
        asked.find_map(set)
    };
    let answer = |one: &Asked<'_>| {
        let cause = one.concepts.first()?.to_string();
        let (component, direction) = (one.component.to_string(), one.direction);
        Some(CauseAnswer { component, cause, direction, key: key(one), instance: None })
    };
    asked(card).iter().filter_map(answer).collect()
}

/// The causes that a task asks for, the first one first.
fn asked<'a>(card: &'a TaskCard) -> Vec<Asked<'a>> {
    let one = |component: &'a str, aliases: &'a [String], named: &'a [String]| Asked {
        component,
        aliases,
        concepts: named.iter().map(String::as_str).collect(),
        direction: direction(card, component, named),
    };
    let first = one(&card.component, &card.aliases, &card.concepts);
    let also = card.also.iter().map(|cause| one(&cause.component, &cause.aliases, &cause.concepts));
    std::iter::once(first).chain(also).collect()
}

/// Which way the number is wrong that a mechanism is about: a fix that asks for more finds it too low.
fn direction(card: &TaskCard, component: &str, named: &[String]) -> Option<Direction> {
    let has = |name: &String, key: &str| concepts::find(name).is_some_and(|concept| concept.has_key(key));
    let is_about = |fix: &&Fix| {
        let key = fix.key().unwrap_or("");
        fix.service() == component && named.iter().any(|name| has(name, key))
    };
    let fix = card.fix.iter().find(is_about)?;
    let Fix::Config { is, .. } = fix else { return None };
    match is.trim() {
        is if is.starts_with(">=") => Some(Direction::Low),
        is if is.starts_with("<=") => Some(Direction::High),
        _ => None,
    }
}

/// Whether an answer names a cause. What is not said is not held against it; what is said must be right.
fn answers_it(answer: &CauseAnswer, asked: &Asked<'_>, card: &TaskCard) -> bool {
    let given = concepts::find(&answer.cause);
    let is_meant = |name: &&str| answer.cause == **name || given.is_some_and(|concept| concept.implies.contains(name));
    let key_is_right = |key: &String| {
        let of_fix = card.fix.iter().any(|fix| fix.is_setting(asked.component, key));
        of_fix || given.is_some_and(|concept| concept.has_key(key))
    };
    let is_own = |instance: &String| instance.starts_with(asked.component);
    answer.component == asked.component
        && asked.concepts.iter().any(is_meant)
        && answer.direction.is_none_or(|said| asked.direction.is_none_or(|is| is == said))
        && answer.key.iter().all(key_is_right)
        && answer.instance.iter().all(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::CauseCard;
    use crate::grade::stage::card;

    fn check(card: &TaskCard, answers: &str, expect: (usize, bool)) {
        let found = judge(card, "the database crashed", answers);
        assert_eq!((found.named, found.all()), expect, "{answers}: {found:?}");
    }

    #[test]
    fn structured_answers_decide_where_they_are_given() {
        let one = card();
        check(&one, "cache/cache_ttl", (1, true));
        check(&one, "cache/cache_ttl/low/TTL_SECONDS", (1, true));
        check(&one, "cache/cache_ttl/high", (0, false));
        check(&one, "cache/cache_ttl/low/MAX_MEMORY_MB", (0, false));
        check(&one, "cache/cache_ttl/cache-1", (1, true));
        check(&one, "cache/cache_ttl/web-1", (0, false));
        check(&one, "database/cache_ttl", (0, false));
        check(&one, "cache/crash", (0, false));
        check(&one, "cache/cache_ttl; cache/crash", (1, false));
        check(&one, "", (0, false));
        assert_eq!(crate::cause::causes_text(&right_answers(&one)), "cache/cache_ttl/low/TTL_SECONDS");
        assert!(judge(&one, "cache TTL_SECONDS is 5, far too low", "").all());
        assert!(!judge(&one, "cache TTL_SECONDS is 5, far too low", "cache/crash").all());
    }

    #[test]
    fn all_causes_are_asked_for_and_each_counts() {
        let also = vec![CauseCard {
            component: "database".into(),
            concepts: vec!["disk_full".into()],
            ..CauseCard::default()
        }];
        let two = TaskCard { also, ..card() };
        check(&two, "cache/cache_ttl/low; database/disk_full", (2, true));
        check(&two, "cache/cache_ttl", (1, false));
        check(&two, "database/disk_full", (1, false));
        check(&two, "cache/cache_ttl; database/disk_full; web_server/crash", (2, false));
        let words = "The cache's TTL_SECONDS of 5 is too low. Besides, the disk of the database is full.";
        assert!(judge(&two, words, "").all());
        assert_eq!(judge(&two, "The cache's TTL_SECONDS of 5 is too low.", "").share(), 0.5);
    }
}
