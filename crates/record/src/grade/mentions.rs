//! Where a text mentions mechanisms and services.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::components;
use super::concepts::{self, Concept};
use super::negation;
use super::words::{Pattern, Words};

/// A mention of a mechanism or of a service.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub of: Subject,
    /// The first word.
    pub start: usize,
    /// One past the last word.
    pub end: usize,
    /// Words inside that are no part of the phrase.
    pub gap: Vec<usize>,
    /// Whether it was said that this is *not* so.
    pub negated: bool,
}

/// What is mentioned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// A mechanism, as its place in the catalogue; `key` if a configuration key stood for it.
    Concept { at: usize, key: bool },
    /// A service, by its name.
    Service(String),
}

impl Mention {
    /// The mechanism, if it is one.
    pub fn concept(&self) -> Option<&'static Concept> {
        match self.of {
            Subject::Concept { at, .. } => concepts::ALL.get(at),
            Subject::Service(_) => None,
        }
    }

    /// The service, if it is one.
    pub fn service(&self) -> Option<&str> {
        match &self.of {
            Subject::Service(name) => Some(name),
            Subject::Concept { .. } => None,
        }
    }

    /// Whether a configuration key was written.
    pub fn is_key(&self) -> bool {
        matches!(self.of, Subject::Concept { key: true, .. })
    }

    fn place(&self) -> (usize, usize, &Subject) {
        (self.start, self.end, &self.of)
    }

    fn holds(&self, other: &Mention) -> bool {
        self.start <= other.start && other.end <= self.end && self.end - self.start > other.end - other.start
    }

    pub fn overlaps(&self, other: &Mention) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// All mentions in a text, in order. `service` is looked for even if the catalogue has no nicknames for it, by its
/// own name and by these.
pub(super) fn find(words: &Words, service: &str, aliases: &[String]) -> Vec<Mention> {
    let concepts = settle(matches(words, &CONCEPTS));
    let mut services = matches(words, &SERVICES);
    if !components::ALL.iter().any(|component| component.name == service) {
        let names = std::iter::once(service).chain(aliases.iter().map(String::as_str));
        let names = names.map(|name| (Subject::Service(service.to_owned()), name));
        services.extend(matches(words, &index(names)));
    }
    let services = longest(services).into_iter().filter(|service| !swallowed(service, &concepts));
    let mut all: Vec<Mention> = services.chain(concepts.iter().cloned()).collect();
    all.sort_by(|one, other| one.place().cmp(&other.place()));
    all.dedup_by(|one, other| one.place() == other.place());
    negation::mark(words, &mut all);
    all
}

/// Patterns by the stem that they begin with.
type Index = BTreeMap<String, Vec<(Subject, Pattern)>>;

static CONCEPTS: LazyLock<Index> = LazyLock::new(|| {
    index(concepts::ALL.iter().enumerate().flat_map(|(at, concept)| {
        let keys = concept.keys.iter().map(move |phrase| (Subject::Concept { at, key: true }, *phrase));
        keys.chain(concept.phrases().map(move |phrase| (Subject::Concept { at, key: false }, phrase)))
    }))
});

static SERVICES: LazyLock<Index> = LazyLock::new(|| {
    index(components::ALL.iter().flat_map(|component| {
        let names = components::names(component.name).into_iter();
        names.map(|phrase| (Subject::Service(component.name.to_owned()), phrase))
    }))
});

fn index<'a>(phrases: impl IntoIterator<Item = (Subject, &'a str)>) -> Index {
    let mut index = Index::new();
    for (subject, phrase) in phrases {
        let pattern = Pattern::new(phrase);
        index.entry(pattern.first().to_owned()).or_default().push((subject, pattern));
    }
    index
}

fn matches(words: &Words, index: &Index) -> Vec<Mention> {
    let mut found = Vec::new();
    for start in 0..words.len() {
        for (of, pattern) in index.get(words.stem(start)).into_iter().flatten() {
            if let Some((end, gap)) = pattern.find_at(words, start) {
                found.push(Mention { of: of.clone(), start, end, gap, negated: false });
            }
        }
    }
    found
}

/// Where phrases compete for the same words, the one that says more is meant.
fn settle(found: Vec<Mention>) -> Vec<Mention> {
    let solid: Vec<Mention> = found.iter().filter(|mention| mention.gap.is_empty()).cloned().collect();
    // A phrase does not reach over another one: `cache [compression] disabled` is about compression.
    let reaches_over =
        |wide: &Mention| solid.iter().any(|other| wide.gap.contains(&other.start) && other.of != wide.of);
    let kept: Vec<Mention> = found.into_iter().filter(|mention| !reaches_over(mention)).collect();
    let kept = longest(kept);
    // Of two that share some words the first is meant: `query timeout | is too low`.
    let cut_off = |late: &Mention| {
        let firsts = kept.iter().filter(|first| first.gap.is_empty() && first.start < late.start);
        firsts
            .into_iter()
            .any(|first| first.overlaps(late) && first.concept().map(|c| c.name) != late.concept().map(|c| c.name))
    };
    kept.iter().filter(|mention| !cut_off(mention)).cloned().collect()
}

fn longest(found: Vec<Mention>) -> Vec<Mention> {
    // A key says more than any phrase of its own mechanism around it.
    let weaker = |big: &Mention, small: &Mention| {
        small.is_key() && big.concept().map(|c| c.name) == small.concept().map(|c| c.name)
    };
    let inside = |small: &Mention| {
        found.iter().any(|big| big.holds(small) && !big.gap.contains(&small.start) && !weaker(big, small))
    };
    found.iter().filter(|mention| !inside(mention)).cloned().collect()
}

/// Whether a service's name is only a part of a phrase about something else, as in `CACHE_HOST`.
fn swallowed(service: &Mention, concepts: &[Mention]) -> bool {
    concepts.iter().any(|mention| {
        let home = mention.concept().map_or("", |concept| concept.home);
        service.service() != Some(home)
            && mention.start <= service.start
            && service.end <= mention.end
            && !mention.gap.contains(&service.start)
    })
}
