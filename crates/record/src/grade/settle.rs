//! Which mentions stand where several compete for the same words.

use super::mentions::Mention;
use super::negation;
use super::words::Words;

/// Where phrases compete for the same words, the one that says more is meant.
pub(super) fn settle(found: Vec<Mention>) -> Vec<Mention> {
    let solid: Vec<Mention> = found.iter().filter(|mention| mention.gap.is_empty()).cloned().collect();
    // A phrase does not reach over another one: `cache [compression] disabled` is about compression.
    let reaches_over = |wide: &Mention| {
        let is_thing = |other: &Mention| wide.thing.is_some_and(|thing| thing + 1 == other.end);
        let is_other = |other: &Mention| other.of != wide.of && !is_finer(wide, other) && !is_thing(other);
        solid.iter().any(|other| wide.gap.contains(&other.start) && is_other(other))
    };
    let kept: Vec<Mention> = found.into_iter().filter(|mention| !reaches_over(mention)).collect();
    // What was hidden by one that is cut off shows again.
    let late = cut_off(&longest(kept.clone()));
    let kept = longest(without(kept, &late));
    let late = cut_off(&kept);
    without(kept, &late)
}

fn without(mentions: Vec<Mention>, others: &[Mention]) -> Vec<Mention> {
    let is_one = |mention: &Mention| others.iter().any(|other| other.place() == mention.place());
    mentions.into_iter().filter(|mention| !is_one(mention)).collect()
}

/// Of two that share some words the first is meant: `query timeout | is too low`.
fn cut_off(kept: &[Mention]) -> Vec<Mention> {
    let is_cut = |late: &&Mention| {
        // A thing may be taken up again by what befell it: `the read replica | fell behind`.
        let is_shared = |first: &Mention| late.thing.is_some_and(|thing| thing + 1 == first.end);
        let differs = |first: &Mention| !first.of_same_concept(late);
        let mut firsts = kept.iter().filter(|first| first.gap.is_empty() && first.start < late.start);
        firsts.any(|first| first.overlaps(late) && differs(first) && !is_shared(first))
    };
    kept.iter().filter(is_cut).cloned().collect()
}

pub(super) fn longest(found: Vec<Mention>) -> Vec<Mention> {
    // A key says more than any phrase of its own mechanism around it.
    let weaker = |big: &Mention, small: &Mention| small.is_key() && big.of_same_concept(small);
    // `lost most of its worker processes`: what says more than the other is no part of it.
    let inside = |small: &Mention| {
        // A frame is looser than a phrase of several words.
        let looser = |big: &Mention| big.thing.is_some() && small.thing.is_none() && small.end - small.start > 1;
        let hides = |big: &&Mention| {
            !big.gap.contains(&small.start) && !weaker(big, small) && !is_finer(small, big) && !looser(big)
        };
        found.iter().any(|big| big.holds(small) && hides(&big))
    };
    found.iter().filter(|mention| !inside(mention)).cloned().collect()
}

/// Whether a mechanism is a sort of the other: a crash of workers is a crash.
fn is_finer(mention: &Mention, other: &Mention) -> bool {
    let (Some(own), Some(other)) = (mention.concept(), other.concept()) else { return false };
    own.implies.contains(&other.name)
}

/// Whether a service's name is only a part of a phrase about something else, as in `CACHE_HOST`.
pub(super) fn swallowed(service: &Mention, concepts: &[Mention]) -> bool {
    concepts.iter().any(|mention| {
        let home = mention.concept().map_or("", |concept| concept.home);
        service.service() != Some(home)
            && mention.thing.is_none()
            && mention.start <= service.start
            && service.end <= mention.end
            && !mention.gap.contains(&service.start)
    })
}

/// A frame is loose: it gives way where a denial stands inside, and where a phrase has its words for something else.
pub(super) fn is_doubtful(words: &Words, frame: &Mention, phrases: &[Mention]) -> bool {
    let is_own = |word: &usize| !frame.gap.contains(word);
    let taken = |phrase: &&Mention| {
        let solid = phrase.gap.is_empty() && phrase.end - phrase.start > 1;
        let is_part = |name: &str| frame.concept().is_some_and(|own| own.name == name || own.implies.contains(&name));
        solid && !phrase.concept().is_some_and(|concept| is_part(concept.name))
    };
    // It stands where it says all that the phrase says, and more.
    let takes = |phrase: &Mention| {
        if phrase.is_key() {
            return phrase.overlaps(frame);
        }
        let shared = (phrase.start..phrase.end)
            .filter(|word| (frame.start..frame.end).contains(word) && is_own(word) && Some(*word) != frame.thing);
        let shared = shared.count();
        shared > 0 && !(phrase.start..phrase.end).all(|word| (frame.start..frame.end).contains(&word) && is_own(&word))
    };
    let said_already = |phrase: &Mention| phrase.overlaps(frame) && phrase.of_same_concept(frame);
    let is_even = |word: &usize| matches!(words.raw(*word), "same" | "equal" | "equally" | "evenly" | "free");
    // `more workers only need more memory` is about what more of them would do.
    let is_more = frame.thing.is_some_and(|thing| thing > 0 && words.raw(thing - 1) == "more");
    is_more
        || negation::denied_inside(words, frame)
        || frame.gap.iter().any(is_even)
        || phrases.iter().any(said_already)
        || phrases.iter().filter(taken).any(takes)
}
