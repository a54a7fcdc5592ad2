//! What was measured and found well: a count of none, a limit that nothing ran into, a share that leaves room.

use std::ops::Range;

use super::mentions::Mention;
use super::words::{WordList, Words, word_list};

/// Words by which something is said to be in order.
pub(super) static IN_ORDER: WordList = word_list!(
    "fine healthy ok okay normal nominal innocent unaffected unrelated excluded exonerated irrelevant good well correct \
    unchanged untouched green clean sane present intact up ample plenty cleared usual unremarkable idle enabled"
);

/// Whether figures or a word beside them say that there is nothing wrong with what is mentioned.
pub(super) fn is_well(words: &Words, mention: &Mention) -> bool {
    is_nil(words, mention)
        || is_partly_used(words, mention)
        || is_unreached(words, mention)
        || is_said_to_be_the_same(words, mention)
        || is_slight(words, mention)
        || is_ticked(words, mention)
}

/// `Evictions on the cache: zero.`, `redeliveries: none`: a count of what is wrong, and there is none of it.
fn is_nil(words: &Words, mention: &Mention) -> bool {
    let counts = mention.concept().is_some_and(|concept| concept.keys.is_empty());
    let end = words.period(mention.start).end;
    let is_none = |word: usize| matches!(words.raw(word), "zero" | "none" | "nil" | "0" | "nothing" | "no");
    counts && words.closed_by(mention.start) == ':' && end - mention.end <= 4 && is_none(end)
}

/// `only 10 of 64 workers are busy`, `30 of 200 connections in use`: the rest is free.
fn is_partly_used(words: &Words, mention: &Mention) -> bool {
    let limits = mention.concept().is_some_and(|concept| !concept.keys.is_empty());
    let period = words.period(mention.start);
    let is_number = |word: usize| words.raw(word).bytes().all(|b| b.is_ascii_digit()) && !words.raw(word).is_empty();
    let is_share = |word: usize| {
        let whole = if words.raw(word + 1) == "the" { word + 2 } else { word + 1 };
        words.raw(word) == "of"
            && word > 0
            && is_number(word - 1)
            && is_number(whole)
            && part_is_small(words.raw(word - 1), words.raw(whole))
    };
    let is_use = |word: usize| {
        matches!(words.raw(word), "busy" | "used" | "taken" | "occupied")
            || words.raw(word) == "in" && words.raw(word + 1) == "use"
    };
    limits && period.clone().any(is_share) && period.clone().any(is_use)
}

fn part_is_small(part: &str, whole: &str) -> bool {
    matches!((part.parse::<u64>(), whole.parse::<u64>()), (Ok(part), Ok(whole)) if part * 4 <= whole * 3)
}

/// `no request reached it`, `consumers never came close`: a limit that nothing ran into.
fn is_unreached(words: &Words, mention: &Mention) -> bool {
    let limits = mention.concept().is_some_and(|concept| !concept.keys.is_empty());
    let end = words.period(mention.start).end;
    let is_no = |word: usize| matches!(words.raw(word), "no" | "not" | "never" | "nobody" | "nothing" | "none");
    let is_it = |word: usize| matches!(words.raw(word), "it" | "them" | "that") || !words.same_sentence(word - 1, word);
    let is_met = |word: usize| match words.raw(word) {
        "reached" | "reaches" | "hit" | "hits" | "exceeded" | "fired" | "triggered" | "touched" | "approached" => {
            is_it(word + 1)
        }
        "close" => words.raw(word + 1) == "to",
        _ => false,
    };
    limits && (mention.end..end).any(|word| is_no(word) && (word + 1..end.min(word + 4)).any(is_met))
}

/// `TTL_SECONDS, compared with last week: the same`: what stands behind the colon is all there is to say.
fn is_said_to_be_the_same(words: &Words, mention: &Mention) -> bool {
    let next = words.period(mention.start).end;
    let is_as_ever = matches!(words.raw(next), "same" | "unchanged" | "flat" | "normal" | "fine" | "healthy" | "valid")
        || words.raw(next) == "the" && words.raw(next + 1) == "same";
    words.closed_by(mention.start) == ':' && is_as_ever && words.period(next).len() <= 4
}

/// `CACHE_HOST: cache.internal (correct)`: a verdict in brackets behind the value.
fn is_ticked(words: &Words, mention: &Mention) -> bool {
    let value = words.period(words.period(mention.start).end);
    let verdict = words.period(value.end);
    let is_note = |period: &Range<usize>| !period.is_empty() && period.len() <= 4;
    words.closed_by(mention.start) == ':'
        && is_note(&value)
        && is_note(&verdict)
        && matches!(words.opened_by(verdict.start), '(' | '[' | '—')
        && verdict.clone().any(|word| IN_ORDER.contains(words.raw(word)) && !is_denied(words, word))
}

/// `few dead rows`, `negligible packet loss`: too little of it to matter.
fn is_slight(words: &Words, mention: &Mention) -> bool {
    let is_switch = |key: &&str| key.ends_with("_ENABLED");
    let counts = mention.concept().is_some_and(|concept| concept.keys.iter().all(is_switch));
    let is_little =
        |word: usize| matches!(words.raw(word), "few" | "little" | "negligible" | "minimal" | "minor" | "slight");
    counts
        && mention.thing.is_none()
        && mention.gap.is_empty()
        && mention.start > 0
        && is_little(mention.start - 1)
        && words.same_sentence(mention.start - 1, mention.start)
}

/// Whether a word stands under a denial.
pub(super) fn is_denied(words: &Words, word: usize) -> bool {
    (word.saturating_sub(2)..word).any(|before| {
        let raw = words.raw(before);
        matches!(raw, "not" | "no" | "never" | "without" | "longer" | "isnt" | "hardly" | "barely")
            || raw.ends_with("nt") && raw.len() > 4
    })
}
