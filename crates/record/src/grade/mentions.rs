//! Where a text mentions mechanisms and services.

use std::sync::LazyLock;

use super::components;
use super::concepts::{self, Concept};
use super::frames;
use super::negation;
use super::settle::{is_doubtful, longest, settle, swallowed};
use super::table::Table;
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
    /// The word for the thing that it is about, where a frame was filled.
    pub thing: Option<usize>,
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

    pub fn place(&self) -> (usize, usize, &Subject) {
        (self.start, self.end, &self.of)
    }

    pub fn holds(&self, other: &Mention) -> bool {
        self.start <= other.start && other.end <= self.end && self.end - self.start > other.end - other.start
    }

    pub fn of_same_concept(&self, other: &Mention) -> bool {
        self.concept().map(|concept| concept.name) == other.concept().map(|concept| concept.name)
    }

    pub fn overlaps(&self, other: &Mention) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// All mentions in a text, in order. `service` is looked for even if the catalogue has no nicknames for it, by its
/// own name and by these.
pub(super) fn find(words: &Words, service: &str, aliases: &[String]) -> Vec<Mention> {
    let phrases = matches(words, &CONCEPTS);
    let is_beside = |phrase: &Mention| is_down_to(words, phrase, &phrases) || is_of_an_instrument(words, phrase);
    let phrases: Vec<Mention> = phrases.iter().filter(|phrase| !is_beside(phrase)).cloned().collect();
    let settled = settle(phrases);
    let framed =
        frames::find(words).into_iter().filter(|frame| !is_doubtful(words, frame, &settled)).collect::<Vec<_>>();
    let named = services_in(words, service, aliases);
    let dead = named.iter().filter_map(|name| dead_after(words, name)).collect::<Vec<_>>();
    let concepts = settle(settled.into_iter().chain(framed).chain(dead).collect());
    let concepts = without_the_other_quota(words, concepts);
    let services = longest(named).into_iter().filter(|service| !swallowed(service, &concepts));
    let mut all: Vec<Mention> = services.chain(concepts.iter().cloned()).collect();
    all.sort_by(|one, other| one.place().cmp(&other.place()));
    all.dedup_by(|one, other| one.place() == other.place());
    negation::mark(words, &mut all);
    all
}

/// `no space left; the quota was cut`: the quota is that of the disk.
fn without_the_other_quota(words: &Words, concepts: Vec<Mention>) -> Vec<Mention> {
    let is = |mention: &Mention, name: &str| mention.concept().is_some_and(|concept| concept.name == name);
    let is_plain = |mention: &Mention| (mention.start..mention.end).all(|word| words.raw(word) != "cpu");
    let of_disk = concepts.iter().any(|mention| is(mention, "disk_full"));
    concepts.into_iter().filter(|mention| !(of_disk && is(mention, "cpu_quota") && is_plain(mention))).collect()
}

/// The services that a text names.
fn services_in(words: &Words, service: &str, aliases: &[String]) -> Vec<Mention> {
    let mut services = matches(words, &SERVICES);
    if !components::ALL.iter().any(|component| component.name == service) {
        let names = std::iter::once(service).chain(aliases.iter().map(String::as_str));
        let names = names.map(|name| (Subject::Service(service.to_owned()), name));
        services.extend(matches(words, &index(names)));
    }
    services.retain(|mention| {
        !is_part_of_a_name(words, mention, service)
            && !is_own_queue(words, mention)
            && words.raw(mention.start) != "cached"
    });
    services
}

/// `the retries keep its queue full`: a service has a queue in front of it, which is no service.
fn is_own_queue(words: &Words, mention: &Mention) -> bool {
    let is_owned =
        mention.start > 0 && matches!(words.raw(mention.start - 1), "its" | "their" | "accept" | "listen" | "run");
    is_owned && mention.end - mention.start == 1 && words.raw(mention.start) == "queue"
}

/// `TTL_SECONDS is down at 3`: a number is down, not a process.
fn is_down_to(words: &Words, mention: &Mention, phrases: &[Mention]) -> bool {
    words.raw(mention.end - 1) == "down" && phrases.iter().any(|key| key.is_key() && key.end == mention.start)
}

/// `the exporter died`, `the probe that crashed`: another program went down, not the service.
fn is_of_an_instrument(words: &Words, mention: &Mention) -> bool {
    let is_crash = mention.concept().is_some_and(|concept| concept.name == "crash");
    let is_one = |word: usize| {
        matches!(
            words.raw(word),
            "exporter" | "scraper" | "sidecar" | "dashboard" | "browser" | "cron" | "script" | "prober"
        )
    };
    let near = mention.start.saturating_sub(3)..mention.start;
    is_crash && near.clone().any(|word| is_one(word) && words.same_clause(word, mention.start))
}

/// `broker down.`, `cache dead since 10:04`: a note in which the verb is left out.
fn dead_after(words: &Words, service: &Mention) -> Option<Mention> {
    let at = service.end;
    let is_dead = matches!(words.raw(at), "down" | "dead" | "gone" | "offline" | "stopped" | "exited")
        && words.same_sentence(service.start, at);
    let ends = !words.same_sentence(at, at + 1)
        || matches!(words.raw(at + 1), "since" | "at" | "for" | "after" | "and" | "because");
    let crash = concepts::ALL.iter().position(|concept| concept.name == "crash")?;
    let of = Subject::Concept { at: crash, key: false };
    (is_dead && ends).then(|| Mention { of, start: at, end: at + 1, gap: Vec::new(), thing: None, negated: false })
}

/// `trips_database` is another service than `rides_database`, though both are databases.
fn is_part_of_a_name(words: &Words, mention: &Mention, asked: &str) -> bool {
    let is_asked = mention.service() == Some(asked);
    is_asked
        && asked.contains('_')
        && mention.end - mention.start < asked.split('_').count()
        && words.is_tied(mention.start)
}

/// Patterns by the stem that they begin with.
type Index = Table<Vec<(Subject, Pattern)>>;

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
    let mut index = Index::default();
    for (subject, phrase) in phrases {
        let pattern = Pattern::new(phrase);
        index.entry(pattern.first(), Vec::new).push((subject, pattern));
    }
    index
}

fn matches(words: &Words, index: &Index) -> Vec<Mention> {
    let mut found = Vec::new();
    for start in 0..words.len() {
        for (of, pattern) in index.get(words.stem(start)).into_iter().flatten() {
            if let Some((end, gap)) = pattern.find_at(words, start) {
                found.push(Mention { of: of.clone(), start, end, gap, thing: None, negated: false });
            }
        }
    }
    found
}
