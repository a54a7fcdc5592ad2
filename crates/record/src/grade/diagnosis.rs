//! The diagnosis: does the text name the cause, and only the cause?
//!
//! Credit needs the service at fault (or a configuration key that stands for the mechanism) and
//! every required mechanism, none of them under a denial. Effects may be told, as an honest account
//! does; guesses may not be piled up: more than [`MOST_CONCEPTS`] mechanisms, blame on more than
//! [`MOST_BLAMED`] services, more than [`MOST_SERVICES`] services in all, three mechanisms or two
//! configuration keys in a bare list, more than [`MOST_KEYS`] keys, or an `or` between two of
//! them, and the text is a list rather than a diagnosis.

use std::collections::BTreeSet;

use super::components;
use super::concepts;
use super::mentions::{self, Mention};
use super::words::{Pattern, Words};
use crate::Fix;

/// As many mechanisms may be named.
pub const MOST_CONCEPTS: usize = 4;
/// As many configuration keys may be named, unless more mechanisms are asked for.
pub const MOST_KEYS: usize = 2;
/// As many services may be named together with a mechanism.
pub const MOST_BLAMED: usize = 3;
/// As many services may be named at all.
pub const MOST_SERVICES: usize = 4;

/// What a text says about the cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the service at fault is named as such.
    pub component_named: bool,
    /// Whether every required mechanism is named, and of no other service.
    pub concepts_named: bool,
    /// Whether it is a list of everything.
    pub too_many: bool,
    /// Whether something required is named only to be denied.
    pub negated: bool,
}

impl Verdict {
    /// Whether the diagnosis earns its credit.
    pub fn credit(&self) -> bool {
        self.component_named && self.concepts_named && !self.too_many
    }
}

/// Judges a diagnosis by the service at fault and the mechanisms that a right one names. A
/// mechanism that the catalogue does not know is never named: check task files with
/// [`concepts::find`].
pub fn judge<S: AsRef<str>>(text: &str, component: &str, required: &[S]) -> Verdict {
    judge_alias(text, component, &[], required)
}

/// The same for a service that people call by other names which the catalogue does not know.
pub fn judge_alias<S: AsRef<str>>(text: &str, component: &str, aliases: &[String], required: &[S]) -> Verdict {
    let words = Words::of(text);
    let reading = Reading { mentions: mentions::find(&words, component, aliases), words };
    let names: Vec<&str> = required.iter().map(AsRef::as_ref).collect();
    let affirmed = |name: &&str| reading.of_concept(name).any(|mention| reading.is_about(mention, component));
    let denied = |name: &&str| reading.named(name).next().is_some() && reading.of_concept(name).next().is_none();
    // Where several services have the key, it does not say which one is meant.
    let is_only = components::sort(component).is_none();
    let by_key = is_only
        && names.iter().any(|name| {
            reading.of_concept(name).any(|mention| mention.is_key() && reading.is_about(mention, component))
        });
    let component_denied = reading.only_denied(component);
    Verdict {
        component_named: by_key || reading.names_service(component),
        concepts_named: names.iter().all(affirmed),
        too_many: reading.is_a_list() || reading.keys() > names.len().max(MOST_KEYS),
        negated: names.iter().any(denied) || (component_denied && !by_key),
    }
}

/// Whether a text names the fix: every key that it sets, or the restart of the right service.
pub fn names_fix(text: &str, fix: &[Fix]) -> bool {
    !fix.is_empty() && fix.iter().all(|condition| names_condition(text, condition))
}

fn names_condition(text: &str, condition: &Fix) -> bool {
    let words = Words::of(text);
    let reading = Reading { mentions: mentions::find(&words, condition.service(), &[]), words };
    if reading.concepts().len() > MOST_CONCEPTS || reading.services().len() > MOST_BLAMED {
        return false;
    }
    match condition.key() {
        None if matches!(condition, Fix::RolledBack { .. }) => {
            reading.orders_rollback() && reading.names_service(condition.service())
        }
        None => reading.orders_restart() && reading.names_service(condition.service()),
        Some(key) => {
            let stands_for = |concept: &&concepts::Concept| concept.keys.contains(&key);
            let known = concepts::ALL.iter().find(stands_for);
            known.is_some_and(|concept| reading.of_concept(concept.name).next().is_some()) || reading.holds(key)
        }
    }
}

/// A text and what it mentions.
struct Reading {
    words: Words,
    mentions: Vec<Mention>,
}

impl Reading {
    /// Every mention of a mechanism, denied or not.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Mention> {
        self.mentions.iter().filter(move |mention| {
            mention.concept().is_some_and(|concept| concept.name == name || concept.implies.contains(&name))
        })
    }

    fn of_concept<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Mention> {
        self.named(name).filter(|mention| !mention.negated)
    }

    fn names_service(&self, name: &str) -> bool {
        self.mentions.iter().any(|mention| mention.service() == Some(name) && !mention.negated)
    }

    fn only_denied(&self, name: &str) -> bool {
        let mut named = self.mentions.iter().filter(|mention| mention.service() == Some(name)).peekable();
        named.peek().is_some() && named.all(|mention| mention.negated)
    }

    fn concepts(&self) -> BTreeSet<&'static str> {
        self.affirmed_concepts().filter_map(|mention| mention.concept().map(|concept| concept.name)).collect()
    }

    fn affirmed_concepts(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| mention.concept().is_some() && !mention.negated)
    }

    /// How many mechanisms are named by a configuration key.
    fn keys(&self) -> usize {
        let keys = self.affirmed_concepts().filter(|mention| mention.is_key());
        keys.filter_map(|mention| mention.concept().map(|concept| concept.name)).collect::<BTreeSet<_>>().len()
    }

    fn services(&self) -> BTreeSet<&str> {
        self.mentions.iter().filter(|mention| !mention.negated).filter_map(Mention::service).collect()
    }

    /// Services that stand in one clause with a mechanism.
    fn blamed(&self) -> BTreeSet<&str> {
        let with_concept = |mention: &&Mention| {
            self.affirmed_concepts().any(|concept| self.words.same_clause(concept.start, mention.start))
        };
        self.mentions
            .iter()
            .filter(|mention| !mention.negated)
            .filter(with_concept)
            .filter_map(Mention::service)
            .collect()
    }

    /// Whether a mechanism is said of this service, or of none in particular. One that is at home
    /// there needs no other word; one that can befall any service belongs to its neighbour.
    fn is_about(&self, mention: &Mention, component: &str) -> bool {
        let sort = components::sort(component);
        let at_home = mention.concept().is_some_and(|concept| concept.home == component || Some(concept.home) == sort);
        let owners = if mention.is_key() || at_home {
            self.owners_beside(mention)
        } else {
            self.owners_beside(mention).into_iter().chain(self.owner_before(mention)).collect()
        };
        let lenient = at_home && !mention.is_key();
        let is_own = |owner: &&str| **owner == *component || Some(*owner) == sort;
        lenient || owners.is_empty() || owners.iter().any(is_own)
    }

    /// The last service before it in the same clause: `the database has crashed`.
    fn owner_before(&self, mention: &Mention) -> Option<&str> {
        let before =
            |other: &&Mention| other.end <= mention.start && self.words.same_clause(other.start, mention.start);
        self.mentions.iter().rev().filter(before).find_map(Mention::service)
    }

    /// The services right beside it: `database.MAX_CONNECTIONS`, `crash of the cache`, and those inside it.
    fn owners_beside(&self, mention: &Mention) -> Vec<&str> {
        const LINKS: [&str; 12] = ["of", "on", "in", "at", "for", "inside", "by", "the", "its", "our", "a", "s"];
        let linked = |from: usize, to: usize| (from..to).all(|word| LINKS.contains(&self.words.raw(word)));
        let beside = |other: &&Mention| {
            let inside = mention.start <= other.start && other.end <= mention.end;
            let before = other.end == mention.start;
            let after = other.start >= mention.end && linked(mention.end, other.start);
            self.words.same_sentence(mention.start, other.start) && (inside || before || after)
        };
        self.mentions.iter().filter(beside).filter_map(Mention::service).collect()
    }

    fn is_a_list(&self) -> bool {
        self.concepts().len() > MOST_CONCEPTS
            || self.blamed().len() > MOST_BLAMED
            || self.services().len() > MOST_SERVICES
            || self.piles_up()
            || self.lists_keys()
            || self.accuses_all()
    }

    /// Whether one mechanism is said of three services in a row: `the cache, the queue and the database crashed`.
    fn accuses_all(&self) -> bool {
        let affirmed: Vec<&Mention> = self.mentions.iter().filter(|mention| !mention.negated).collect();
        let joined = |one: &Mention, next: &Mention| one.end <= next.start && self.only_joints(one.end, next.start);
        let mut row: Vec<&str> = Vec::new();
        for (at, mention) in affirmed.iter().enumerate() {
            let follows = at > 0 && joined(affirmed[at - 1], mention);
            match mention.service() {
                Some(name) if follows && !row.contains(&name) => row.push(name),
                Some(name) if !follows => row = vec![name],
                Some(_) => {}
                None if row.len() >= 3 && mention.start - affirmed[at - 1].end <= 2 => return true,
                None => row.clear(),
            }
        }
        false
    }

    /// Whether mechanisms are offered as alternatives, or three stand in a row with nothing said of them.
    fn piles_up(&self) -> bool {
        let affirmed: Vec<&Mention> = self.affirmed_concepts().collect();
        let mut row = 1;
        for pair in affirmed.windows(2) {
            let (one, next) = (pair[0], pair[1]);
            let different = one.concept().map(|concept| concept.name) != next.concept().map(|concept| concept.name);
            let joined = different && one.end <= next.start && self.only_joints(one.end, next.start);
            row = if joined { row + 1 } else { 1 };
            if row >= 3 || (joined && (one.end..next.start).any(|word| self.words.raw(word) == "or")) {
                return true;
            }
        }
        false
    }

    /// Whether two configuration keys stand side by side, as if either would do.
    fn lists_keys(&self) -> bool {
        let keys: Vec<&Mention> = self.affirmed_concepts().filter(|mention| mention.is_key()).collect();
        let side_by_side =
            |one: &Mention, next: &Mention| one.end <= next.start && self.only_joints(one.end, next.start);
        keys.iter().any(|one| keys.iter().any(|next| side_by_side(one, next)))
    }

    fn only_joints(&self, from: usize, to: usize) -> bool {
        const JOINTS: [&str; 16] = [
            "and", "or", "the", "a", "an", "also", "plus", "maybe", "possibly", "perhaps", "likely", "either", "on",
            "in", "of", "s",
        ];
        let service = |word: usize| {
            self.mentions
                .iter()
                .any(|mention| mention.service().is_some() && (mention.start..mention.end).contains(&word))
        };
        (from..to).all(|word| service(word) || JOINTS.contains(&self.words.raw(word)))
    }

    fn orders_restart(&self) -> bool {
        let order =
            |word: &usize| matches!(self.words.stem(*word), "restart" | "reboot" | "bounc" | "recycl" | "relaunch");
        let denied =
            |word: usize| word > 0 && matches!(self.words.raw(word - 1), "not" | "no" | "without" | "never" | "dont");
        (0..self.words.len()).filter(order).any(|word| !denied(word))
    }

    fn orders_rollback(&self) -> bool {
        ["roll back", "rolled back", "rollback", "revert", "undo", "undid", "took back", "previous build", "last good"]
            .iter()
            .any(|phrase| self.holds(phrase))
    }

    fn holds(&self, phrase: &str) -> bool {
        let pattern = Pattern::new(phrase);
        (0..self.words.len()).any(|start| pattern.find_at(&self.words, start).is_some())
    }
}
