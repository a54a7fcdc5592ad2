//! The diagnosis: does the text name the cause, and only the cause?
//!
//! Credit needs the service at fault (or a mechanism or configuration key that is at home there and nowhere else) and
//! every required mechanism, asserted: not asked, conjectured, denied or said to be in order; and for a number the
//! right direction, its value, or what follows from it. Effects, victims and cleared suspects may be told at any
//! length; guesses may not be piled up: more claims than [`MOST_CLAIMS`] for one cause, three mechanisms or two
//! configuration keys in a bare list, one mechanism said of three services, or an `or` between two mechanisms, and the
//! text is a list rather than a diagnosis.

use std::collections::BTreeSet;

use super::as_lines::as_lines;
use super::causal;
use super::claims;
use super::components;
use super::concepts;
use super::direction::{Said, said};
use super::mentions::{self, Mention};
use super::spelling;
use super::stance;
use super::words::{Pattern, Words};
use crate::Fix;
use crate::cause::Direction;

/// As many mechanisms may be claimed where one cause is asked for; one more for each cause beyond it.
pub const MOST_CLAIMS: usize = 2;
/// As many mechanisms may be named in all, effects included.
pub const MOST_CONCEPTS: usize = 8;
/// As many mechanisms and services a text on the fix may name.
const MOST_IN_FIX: usize = 4;

/// A cause that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    pub component: &'a str,
    pub aliases: &'a [String],
    pub concepts: Vec<&'a str>,
    /// Which way its number is wrong, if it is about one.
    pub direction: Option<Direction>,
}

/// What a text says about the cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the service at fault is named as such.
    pub component_named: bool,
    /// Whether every required mechanism is named, and of no other service.
    pub concepts_named: bool,
    /// Whether it is a list of everything.
    pub too_many: bool,
    /// Whether something required is named only to be denied, asked or supposed.
    pub negated: bool,
    /// Whether a number is said to be wrong in the other direction, or in none.
    pub reversed: bool,
}

impl Verdict {
    /// Whether the diagnosis earns its credit.
    pub fn credit(&self) -> bool {
        self.is_named() && !self.too_many
    }

    /// Whether the cause is named, among whatever else.
    pub fn is_named(&self) -> bool {
        self.component_named && self.concepts_named && !self.reversed
    }
}

/// Judges a diagnosis by the service at fault and the mechanisms that a right one names. A
/// mechanism that the catalogue does not know is never named: check task files with
/// [`concepts::find`].
pub fn judge<S: AsRef<str>>(text: &str, component: &str, required: &[S]) -> Verdict {
    let concepts = required.iter().map(AsRef::as_ref).collect();
    judge_asked(text, &Asked { component, aliases: &[], concepts, direction: None }, 1)
}

/// Judges a text by one of the causes that are asked for; there are `causes` in all.
pub(super) fn judge_asked(text: &str, asked: &Asked<'_>, causes: usize) -> Verdict {
    let (component, names) = (asked.component, &asked.concepts);
    let mut words = Words::of(&as_lines(text));
    spelling::mend(&mut words);
    let reading = Reading { mentions: mentions::find(&words, component, asked.aliases), words };
    let own = |name| reading.blamed(name, component, causes);
    let denied = |name: &&str| reading.named(name).next().is_some() && reading.of_concept(name).next().is_none();
    let at_home = names.iter().any(|&name| own(name).iter().any(|mention| reading.stands_for(mention, component)));
    let turned = |direction: Direction| {
        let all: Vec<Said> =
            names.iter().flat_map(|&name| own(name)).map(|m| said(&reading.words, m, direction)).collect();
        let reversed = all.contains(&Said::Reversed) && !all.contains(&Said::Right);
        reversed || !all.iter().any(|said| matches!(said, Said::Right | Said::Shown))
    };
    Verdict {
        component_named: at_home
            || reading.names_service(component)
            || names.iter().any(|&name| reading.takes_up(&own(name), component)),
        concepts_named: names.iter().all(|&name| !own(name).is_empty()),
        too_many: reading.is_a_list(causes),
        negated: names.iter().any(denied) || (reading.only_denied(component) && !at_home),
        reversed: asked.direction.is_some_and(turned),
    }
}

/// Whether a text names the fix: every key that it sets, or the restart of the right service.
pub fn names_fix(text: &str, fix: &[Fix]) -> bool {
    !fix.is_empty() && fix.iter().all(|condition| names_condition(text, condition))
}

fn names_condition(text: &str, condition: &Fix) -> bool {
    let words = Words::of(text);
    let reading = Reading { mentions: mentions::find(&words, condition.service(), &[]), words };
    if reading.concepts().len() > MOST_IN_FIX || reading.services().len() >= MOST_IN_FIX {
        return false;
    }
    match condition.key() {
        None if matches!(condition, Fix::RolledBack { .. }) => {
            reading.orders_rollback() && reading.names_service(condition.service())
        }
        None => reading.orders_restart() && reading.names_service(condition.service()),
        Some(key) => {
            let stands_for = |concept: &&concepts::Concept| concept.has_key(key);
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

    /// Affirmed mentions of a mechanism that are about this service.
    fn about<'a>(&'a self, name: &'a str, component: &str) -> Vec<&'a Mention> {
        self.of_concept(name).filter(|mention| self.is_about(mention, component)).collect()
    }

    /// Those of them that are told as the cause.
    fn blamed<'a>(&'a self, name: &'a str, component: &str, causes: usize) -> Vec<&'a Mention> {
        let all: Vec<&Mention> = self.affirmed_concepts().collect();
        let is_aside = |mention: &Mention| {
            stance::is_ordered(&self.words, mention)
                || causes < 2
                    && (causal::is_effect(&self.words, mention, &all)
                        || causal::is_beside_the_conclusion(&self.words, mention, &all))
        };
        if causes < 2 && self.is_anothers(name, component) {
            return Vec::new();
        }
        self.about(name, component).into_iter().filter(|mention| !is_aside(mention)).collect()
    }

    /// `The token of the cache ran out; the web server is told so`: a mechanism belongs to the service that it is said of
    /// first.
    fn is_anothers(&self, name: &str, component: &str) -> bool {
        let sort = components::sort(component);
        let owned = self.of_concept(name).find_map(|mention| {
            let owners: Vec<&str> = self
                .owners_beside(mention)
                .into_iter()
                .chain(self.owner_before(mention))
                .chain(self.subject_of(mention))
                .collect();
            (!owners.is_empty()).then_some(owners)
        });
        let is_home = concepts::find(name).is_some_and(|concept| concept.home == component);
        // A path has two ends.
        let is_between = matches!(name, "partition" | "slow_link" | "lossy_link");
        !is_home
            && !is_between
            && owned.is_some_and(|owners| !owners.iter().any(|owner| *owner == component || Some(*owner) == sort))
    }

    fn names_service(&self, name: &str) -> bool {
        self.mentions.iter().any(|mention| mention.service() == Some(name) && !mention.negated)
    }

    /// `The web server is fine. Its metrics are stale.`: the service that was named last is the one that is meant.
    fn takes_up(&self, own: &[&Mention], component: &str) -> bool {
        own.iter().any(|mention| {
            let start = self.words.period(mention.start).start;
            let last = self.mentions.iter().rev().filter(|other| other.end <= start).find_map(Mention::service);
            matches!(self.words.raw(start), "its" | "it" | "their" | "they") && last == Some(component)
        })
    }

    fn only_denied(&self, name: &str) -> bool {
        let mut named = self.mentions.iter().filter(|mention| mention.service() == Some(name)).peekable();
        named.peek().is_some() && named.all(|mention| mention.negated)
    }

    fn concepts(&self) -> BTreeSet<&'static str> {
        self.affirmed_concepts().filter_map(|mention| mention.concept().map(|concept| concept.name)).collect()
    }

    fn affirmed_concepts(&self) -> impl Iterator<Item = &Mention> + Clone {
        self.mentions.iter().filter(|mention| mention.concept().is_some() && !mention.negated)
    }

    fn services(&self) -> BTreeSet<&str> {
        self.mentions.iter().filter(|mention| !mention.negated).filter_map(Mention::service).collect()
    }

    /// Whether a mechanism says by itself which service is meant: it is at home there, and of no other is it said. A
    /// service that is one of several of its sort must be named.
    fn stands_for(&self, mention: &Mention, component: &str) -> bool {
        let is_home = mention.concept().is_some_and(|concept| concept.home == component);
        let mut owners = self.owners_beside(mention).into_iter().chain(self.owner_before(mention));
        is_home && owners.all(|owner| owner == component)
    }

    /// Whether a mechanism is said of this service, or of none in particular. One that is at home
    /// there needs no other word; one that can befall any service belongs to its neighbour.
    fn is_about(&self, mention: &Mention, component: &str) -> bool {
        let sort = components::sort(component);
        let at_home = mention.concept().is_some_and(|concept| concept.home == component || Some(concept.home) == sort);
        // `uses a stale address of the queue`: who uses it is at fault.
        let is_address = mention.concept().is_some_and(|concept| concept.name == "stale_dns");
        if is_address && let Some(owner) = self.subject_of(mention) {
            return owner == component || Some(owner) == sort;
        }
        let owners = if mention.is_key() || at_home {
            self.owners_beside(mention)
        } else {
            self.owners_beside(mention).into_iter().chain(self.owner_before(mention)).collect()
        };
        // What is at home elsewhere must be said of this one.
        let is_elsewhere = !at_home && mention.concept().is_some_and(|concept| !concept.home.is_empty());
        let is_known = components::ALL.iter().any(|one| one.name == component);
        if is_known && is_elsewhere && owners.is_empty() && !mention.is_key() {
            return false;
        }
        let lenient = at_home && !mention.is_key();
        let is_own = |owner: &&str| **owner == *component || Some(*owner) == sort;
        lenient || owners.is_empty() || owners.iter().any(is_own)
    }

    /// The first service of its clause, if it stands before it.
    fn subject_of(&self, mention: &Mention) -> Option<&str> {
        let before =
            |other: &&Mention| other.end <= mention.start && self.words.same_clause(other.start, mention.start);
        self.mentions.iter().filter(before).find_map(Mention::service)
    }

    /// The last service before it in the same clause: `the database has crashed`.
    fn owner_before(&self, mention: &Mention) -> Option<&str> {
        let before =
            |other: &&Mention| other.end <= mention.start && self.words.same_clause(other.start, mention.start);
        let own = self.mentions.iter().rev().filter(before).find_map(Mention::service);
        // `the database, whose disk is slow`.
        let clause = self.words.clause(mention.start).start;
        let is_relative = matches!(self.words.raw(clause), "whose" | "which" | "where");
        let beyond = |other: &&Mention| {
            !other.negated && other.end <= clause && self.words.same_period(other.start, mention.start)
        };
        own.or_else(|| self.mentions.iter().rev().filter(beyond).find_map(Mention::service).filter(|_| is_relative))
            .or_else(|| self.label_of(mention))
    }

    /// `message_queue: disk full`: the service that a line begins with.
    fn label_of(&self, mention: &Mention) -> Option<&str> {
        let start = self.words.period(mention.start).start;
        if start == 0 || self.words.opened_by(start) != ':' {
            return None;
        }
        let label = self.words.period(start - 1);
        let is_label = |other: &&Mention| other.start == label.start && other.end == label.end;
        self.mentions.iter().filter(is_label).find_map(Mention::service)
    }

    /// The services right beside it: `database.MAX_CONNECTIONS`, `crash of the cache`, and those inside it.
    fn owners_beside(&self, mention: &Mention) -> Vec<&str> {
        const LINKS: [&str; 16] = [
            "of", "on", "in", "at", "for", "inside", "by", "the", "its", "our", "a", "s", "to", "under", "behind",
            "below",
        ];
        let linked = |from: usize, to: usize| (from..to).all(|word| LINKS.contains(&self.words.raw(word)));
        let beside = |other: &&Mention| {
            let inside = mention.overlaps(other);
            let before = other.end == mention.start;
            let after = other.start >= mention.end && linked(mention.end, other.start);
            // `the web backend` is what a balancer sends to.
            let is_target = matches!(self.words.raw(other.end), "backend" | "backends");
            self.words.same_sentence(mention.start, other.start) && (inside || before || after) && !is_target
        };
        self.mentions.iter().filter(beside).filter_map(Mention::service).collect()
    }

    fn is_a_list(&self, causes: usize) -> bool {
        let claimed = claims::claims(&self.words, self.affirmed_concepts());
        claimed.len() >= MOST_CLAIMS + causes
            || self.concepts().len() > MOST_CONCEPTS + causes
            || self.piles_up(causes)
            || (causes < 2 && self.lists_keys())
            || self.accuses_all()
            || self.accuses_one_by_one(causes)
            || self.offers_alternatives()
    }

    /// Whether one mechanism is claimed of three services, each by itself: `The cache crashed. The queue crashed. ...`.
    fn accuses_one_by_one(&self, causes: usize) -> bool {
        let all: Vec<&Mention> = self.affirmed_concepts().collect();
        let mut accused: BTreeSet<(&str, &str)> = BTreeSet::new();
        for mention in all.iter().filter(|mention| claims::is_claim(&self.words, mention, all.iter().copied())) {
            let name = mention.concept().map_or("", |concept| concept.name);
            accused.extend(self.owner_before(mention).map(|owner| (name, owner)));
        }
        accused.iter().any(|(name, _)| accused.iter().filter(|(other, _)| other == name).count() >= 2 + causes)
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
                None if row.len() >= 3
                    && mention.start - affirmed[at - 1].end <= 2
                    && self.words.raw(mention.start - 1) != "so" =>
                {
                    return true;
                }
                None => row.clear(),
            }
        }
        false
    }

    /// `short of CPU, or of workers, or of memory`.
    fn offers_alternatives(&self) -> bool {
        self.affirmed_concepts().any(|mention| {
            let period = self.words.period(mention.start);
            let opens = |word: &usize| {
                self.words.raw(*word) == "or" && *word > period.start && !self.words.same_sentence(*word - 1, *word)
            };
            let is_or = |word: &usize| self.words.raw(*word) == "or";
            let others = |other: &&Mention| period.contains(&other.start) && !other.of_same_concept(mention);
            period.clone().filter(opens).count() >= 2
                || period.clone().filter(is_or).count() >= 2 && self.affirmed_concepts().any(|other| others(&other))
        })
    }

    /// Whether mechanisms are offered as alternatives, or three stand in a row with nothing said of them.
    fn piles_up(&self, causes: usize) -> bool {
        let affirmed: Vec<&Mention> = self.affirmed_concepts().collect();
        let mut row = 1;
        for pair in affirmed.windows(2) {
            let (one, next) = (pair[0], pair[1]);
            let different = one.concept().map(|concept| concept.name) != next.concept().map(|concept| concept.name);
            let joined = different && one.end <= next.start && self.only_joints(one.end, next.start);
            row = if joined { row + 1 } else { 1 };
            if row >= 2 + causes || (joined && (one.end..next.start).any(|word| self.words.raw(word) == "or")) {
                return true;
            }
        }
        false
    }

    /// Whether two configuration keys stand side by side, as if either would do.
    fn lists_keys(&self) -> bool {
        let keys: Vec<&Mention> = self.affirmed_concepts().filter(|mention| mention.is_key()).collect();
        let side_by_side = |one: &Mention, next: &Mention| {
            !one.of_same_concept(next) && one.end <= next.start && self.only_joints(one.end, next.start)
        };
        keys.iter().any(|one| keys.iter().any(|next| side_by_side(one, next)))
    }

    fn only_joints(&self, from: usize, to: usize) -> bool {
        const JOINTS: [&str; 30] = [
            "and", "or", "the", "a", "an", "also", "plus", "maybe", "possibly", "perhaps", "likely", "either", "on",
            "in", "of", "s", "no", "low", "small", "short", "high", "bad", "wrong", "missing", "expired", "broken",
            "stale", "too", "few", "lost",
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
