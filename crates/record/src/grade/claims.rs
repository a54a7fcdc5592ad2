//! How many causes a text claims. An honest account has one for each that there is, and effects of it; guesses stand
//! side by side, in one sentence or in several.

use std::collections::BTreeSet;

use super::concepts;
use super::mentions::Mention;
use super::words::{WordList, Words, word_list};

/// Words after which effects follow.
static THEN: WordList = word_list!(
    "so which causing leading leaving making therefore hence thus then resulting result until overloading exhausting \
    saturating raising increasing sending forcing driving pushing filling flooding starving consequently caused causes made \
    makes led leads drove turned triggering triggered producing tying holding why while and saturated overloaded floods \
    fills exhausts saturates overloads starves exhausted pile piled piling leaves leave means meant brings brought creates created produces produced keeps"
);

/// Words after which the cause follows.
static BECAUSE: WordList = word_list!(
    "because since due owing thanks caused driven triggered blame traced from behind consequence result outcome symptom fallout happens"
);

/// Words that tie a sentence to the one before.
static TIES: WordList = word_list!(
    "this that these those which so thus hence therefore consequently then as because since downstream later after result \
    the-result symptoms symptom effect effects impact evidence meanwhile users everything also fix fixed remediation \
    action hence afterwards note seen"
);

/// What sets something off without being what is wrong: it takes nothing from what it led to.
pub(super) const TRIGGERS: [&str; 6] =
    ["bad_build", "traffic_surge", "failover", "correlated_push", "traffic_mix", "canary"];

/// The mechanisms that a text claims as causes, as far as sentences show it.
pub(super) fn claims<'m>(words: &Words, mentions: impl Iterator<Item = &'m Mention> + Clone) -> BTreeSet<&'static str> {
    let mut claimed = BTreeSet::new();
    for mention in mentions.clone() {
        let Some(concept) = mention.concept() else { continue };
        // What a frame makes of everyday words is too loose to be held against a long account.
        if mention.thing.is_none() && is_claim(words, mention, mentions.clone()) {
            claimed.insert(concept.name);
        }
    }
    // A crash of workers is a crash: one claim.
    let implied =
        |name: &str| claimed.iter().any(|other| concepts::find(other).is_some_and(|one| one.implies.contains(&name)));
    claimed.iter().copied().filter(|name| !implied(name)).collect()
}

/// Whether one of them is claimed as a cause.
pub(super) fn is_claim<'m>(words: &Words, mention: &Mention, all: impl Iterator<Item = &'m Mention> + Clone) -> bool {
    !is_reading(words, mention)
        && !is_tied(words, mention)
        && !is_circumstance(words, mention)
        && !is_effect(words, mention, all)
}

/// `after its failover`, `during the rush`: what set it off, or when it was.
fn is_circumstance(words: &Words, mention: &Mention) -> bool {
    let is_trigger = mention.concept().is_some_and(|concept| TRIGGERS.contains(&concept.name));
    let is_when = |word: usize| matches!(words.raw(word), "after" | "during" | "following" | "since" | "before");
    is_trigger && (mention.start.saturating_sub(3)..mention.start).any(is_when)
}

/// `Pool: 30 of 200 in use.`, `Dead rows: 80 %.`: a reading beside others, with no word of something being wrong.
fn is_reading(words: &Words, mention: &Mention) -> bool {
    let head = words.period(mention.start);
    let value = words.period(head.end);
    let is_one = |head: &std::ops::Range<usize>, value: &std::ops::Range<usize>| {
        !value.is_empty() && words.closed_by(head.start) == ':' && head.len() <= 3 && value.len() <= 6
    };
    let is_wrong = |word: usize| WRONG.contains(words.raw(word));
    let beside = value.end < words.len() && {
        let next = words.period(value.end);
        is_one(&next, &words.period(next.end))
    } || head.start > 0 && {
        let before = words.period(head.start - 1);
        before.start > 0 && is_one(&words.period(before.start - 1), &before)
    };
    is_one(&head, &value) && beside && !head.chain(value).any(is_wrong)
}

/// Words by which a reading says that something is wrong.
static WRONG: WordList = word_list!(
    "off down dead gone full false expired missing lost exhausted disabled empty failed failing broken wrong crashed stuck \
    too only low high none zero refused rejected maxed starved cause culprit"
);

/// Whether the sentence goes on from the one before.
fn is_tied(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    let is_aside = period.start > 0 && matches!(words.opened_by(period.start), '(' | '→' | '[');
    is_aside || TIES.contains(words.raw(period.start))
}

/// Whether it is what something else led to.
fn is_effect<'m>(words: &Words, mention: &Mention, all: impl Iterator<Item = &'m Mention> + Clone) -> bool {
    follows_from(words, mention, all, |_| true)
}

/// The same, where only words after which effects follow count that `is_link` takes.
pub(super) fn follows_from<'m>(
    words: &Words,
    mention: &Mention,
    all: impl Iterator<Item = &'m Mention> + Clone,
    is_link: impl Fn(&str) -> bool,
) -> bool {
    let period = words.period(mention.start);
    let told_before = |word: usize| {
        all.clone().any(|other| other.concept().is_some() && other.end <= word && other.start >= period.start)
    };
    let told_after = |word: usize| {
        all.clone().any(|other| other.concept().is_some() && other.start > word && other.end <= period.end)
    };
    let follows = (period.start..mention.end).any(|word| {
        let is_passive = words.raw(word) == "caused" && words.raw(word + 1) == "by";
        THEN.contains(words.raw(word)) && is_link(words.raw(word)) && !is_passive && told_before(word)
    });
    // `was cut, throttling the consumers`.
    let sentence = words.sentence(mention.start).start;
    let is_participle =
        sentence > period.start && words.raw(sentence).len() > 4 && words.raw(sentence).ends_with("ing");
    let follows = follows || is_participle && told_before(sentence);
    let explained = (mention.end..period.end).any(|word| {
        let is_cause =
            BECAUSE.contains(words.raw(word)) && (words.raw(word) != "caused" || words.raw(word + 1) == "by");
        // `dead since 04:12` says when, `cut from 800` how far.
        let is_time = matches!(words.raw(word), "since" | "from") && is_time(words.raw(word + 1));
        is_cause && !is_time && told_after(word)
    });
    follows || explained
}

fn is_time(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        || matches!(word, "noon" | "midnight" | "yesterday" | "today" | "then" | "last" | "this" | "about" | "around")
}
