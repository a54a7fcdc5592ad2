//! A kind in the words of a place. What the shop calls orders and checkouts is rides and bookings elsewhere: the same
//! physics under the names that people there gave to their tables, indexes and measurements.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{
    CallerLine, DrawnUse, Gauge, Hazard, Kind, LookupKeys, Metric, Occupancy, Quirk, RelativeLoad, Repeated, Role,
    Rule, Template,
};
use crate::config::Key;
use crate::flow::Reason;
use crate::growth::{Growth, Needs};
use crate::spec::{Op, ServiceSpec};

/// What a place says for words of the shop.
type Words = BTreeMap<String, String>;

/// A kind with tables of its own.
struct Spoken {
    plain: &'static dyn Kind,
    keys: &'static [Key],
    metrics: &'static [Metric],
    logs: &'static [Template],
    rules: &'static [Rule],
    quirks: &'static [Quirk],
}

/// A kind in some words, and the next one that was asked for.
struct Known {
    words: Words,
    kind: Spoken,
    next: OnceLock<Box<Known>>,
}

/// What was asked for so far. A kind follows from its name and its words alone, so that the order says nothing; they are
/// kept for good, because there are as many as there are ways to speak, not as worlds.
static KNOWN: OnceLock<Box<Known>> = OnceLock::new();

/// A kind in these words.
pub(crate) fn spoken(plain: &'static dyn Kind, words: &Words) -> &'static dyn Kind {
    if words.is_empty() {
        return plain;
    }
    let mut place = &KNOWN;
    loop {
        let learn = || Box::new(Known { words: words.clone(), kind: learn(plain, words), next: OnceLock::new() });
        let known = place.get_or_init(learn);
        if known.kind.plain.name() == plain.name() && known.words == *words {
            return &known.kind;
        }
        place = &known.next;
    }
}

fn learn(plain: &'static dyn Kind, words: &Words) -> Spoken {
    let said = |text: &'static str| said(text, words);
    Spoken {
        plain,
        keys: table(plain.keys(), |key| Key { name: said(key.name), about: said(key.about), ..*key }),
        metrics: table(plain.metrics(), |metric| Metric { name: said(metric.name), ..*metric }),
        logs: table(plain.logs(), |line| Template { text: said(line.text), ..*line }),
        rules: table(plain.rules(), |rule| Rule { name: said(rule.name), metric: said(rule.metric), ..*rule }),
        quirks: table(plain.quirks(), |quirk| Quirk { key: said(quirk.key), ..*quirk }),
    }
}

fn table<T>(rows: &[T], said: impl Fn(&T) -> T) -> &'static [T] {
    rows.iter().map(said).collect::<Vec<T>>().leak()
}

/// A text with the words of a place. What stands in braces is filled in and no word.
fn said(text: &'static str, words: &Words) -> &'static str {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_braces, mut is_start) = (text, false, true);
    while let Some(next) = rest.chars().next() {
        let found = words.iter().filter(|_| is_start && !in_braces).find(|(word, _)| begins_with(rest, word));
        if let Some((word, other)) = found {
            let is_loud = rest[..word.len()].bytes().all(|b| !b.is_ascii_lowercase());
            out += &if is_loud { other.to_ascii_uppercase() } else { other.clone() };
            rest = &rest[word.len()..];
            is_start = false;
            continue;
        }
        in_braces = (in_braces || next == '{') && next != '}';
        is_start = !next.is_ascii_alphanumeric();
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    if out == text { text } else { out.leak() }
}

/// Whether a text begins with a whole word, in small letters or in capitals.
fn begins_with(text: &str, word: &str) -> bool {
    let is_same = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    is_same && !text[word.len()..].starts_with(|next: char| next.is_ascii_alphanumeric())
}

impl Kind for Spoken {
    fn name(&self) -> &'static str {
        self.plain.name()
    }

    fn title(&self) -> &'static str {
        self.plain.title()
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.plain.aliases()
    }

    fn tier(&self) -> u32 {
        self.plain.tier()
    }

    fn role(&self) -> Role {
        self.plain.role()
    }

    fn words(&self) -> &'static [&'static str] {
        self.plain.words()
    }

    fn keys(&self) -> &'static [Key] {
        self.keys
    }

    fn params(&self) -> &'static [(&'static str, f64)] {
        self.plain.params()
    }

    fn metrics(&self) -> &'static [Metric] {
        self.metrics
    }

    fn logs(&self) -> &'static [Template] {
        self.logs
    }

    fn gauges(&self) -> &'static [Gauge] {
        self.plain.gauges()
    }

    fn repeated(&self) -> &'static [Repeated] {
        self.plain.repeated()
    }

    fn answers_within(&self) -> Option<usize> {
        self.plain.answers_within()
    }

    fn deadline(&self, role: Role) -> Option<&'static str> {
        self.plain.deadline(role)
    }

    fn lookup_keys(&self) -> Option<LookupKeys> {
        self.plain.lookup_keys()
    }

    fn limit(&self, reason: Reason) -> Option<&'static str> {
        self.plain.limit(reason)
    }

    fn rules(&self) -> &'static [Rule] {
        self.rules
    }

    fn hazards(&self) -> &'static [Hazard] {
        self.plain.hazards()
    }

    fn caller_logs(&self) -> &'static [CallerLine] {
        self.plain.caller_logs()
    }

    fn shows(&self, reason: Reason) -> Reason {
        self.plain.shows(reason)
    }

    fn upkeep(&self) -> &'static [&'static str] {
        self.plain.upkeep()
    }

    fn restart_secs(&self) -> u64 {
        self.plain.restart_secs()
    }

    fn size(&self, service: &mut ServiceSpec, load: RelativeLoad) {
        self.plain.size(service, load);
    }

    fn grow(&self, service: &mut ServiceSpec, by: &Growth) -> Needs {
        self.plain.grow(service, by)
    }

    fn quirks(&self) -> &'static [Quirk] {
        self.quirks
    }

    fn drawn(&self) -> Option<DrawnUse> {
        self.plain.drawn()
    }

    fn occupancy(&self, op: &Op, inner_ms: f64) -> Occupancy {
        self.plain.occupancy(op, inner_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_said_otherwise() {
        let words = [("orders", "rides"), ("user_id", "rider_id"), ("checkout", "booking")];
        let words: Words = words.iter().map(|(word, other)| (word.to_string(), other.to_string())).collect();
        let check = |text: &'static str, expect: &str| assert_eq!(said(text, &words), expect);
        check("INDEX_ORDERS_USER_ID", "INDEX_RIDES_RIDER_ID");
        check("checkout_error_rate", "booking_error_rate");
        check(
            "{=orders_ms} ms  seq scan on orders WHERE user_id=$1",
            "{=orders_ms} ms  seq scan on rides WHERE rider_id=$1",
        );
        check("user={user} reorders", "user={user} reorders");
    }
}
