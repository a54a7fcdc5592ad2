//! What a text says is *not* so: `not the cache`, `rather than a leak`, `the queue is fine`.

use std::sync::LazyLock;

use super::asserted;
use super::faulty;
use super::layout::{self, Part};
use super::mentions::Mention;
use super::stance;
use super::words::{WordList, Words, word_list};

/// Words that deny what follows them.
const DENIALS: &str = "not | no | isnt | wasnt | arent | werent | never | nor | neither | without | didnt | doesnt | hasnt \
    | havent | nobody | dont | unlike | none | nothing | no means | no way | absence of | can hardly | could hardly | cant have | cannot have | couldnt have | nothing wrong with | no point | nowhere | anything but | far from | excluding | exclude | excluded | dismissed | rather than | instead of | ruled out | rule out \
    | ruling out | rules out | other than | opposed to | unrelated to | nothing to do with | free of | kein | keine | nicht | pas";

/// The words that denials end in.
static DENIAL_ENDS: WordList =
    LazyLock::new(|| DENIALS.split('|').filter_map(|denial| denial.split_whitespace().last()).collect());

/// Words that may stand between a denial and what it denies.
static FILLERS: WordList = word_list!(
    "a an the any our its their some real actual actually really simply caused by due to because of from \
    about sign signs evidence indication proof problem problems issue issues with in on related there is was been being be \
    have has get gets got getting case matter it comes come new recent latest that near close single one use uses using show shows suffer suffers see find contain \
    indicate reveal experience exhibit suggest support reproduce confirm detect observe notice spot measure looks look like resembles der die das ein eine le la un une"
);

/// Words that join what is denied together.
static JOINTS: WordList = word_list!("and or nor a an the any our its");

/// Verbs after which a service or mechanism is cleared or blamed.
static VERBS: WordList = word_list!(
    "is was are were looks looked seems seemed appears appeared remains remained has have had been \
    isnt wasnt arent werent stays stayed"
);

/// Words that may stand between the verb and the verdict.
static ADVERBS: WordList = word_list!(
    "the a an only just merely also been be itself really actually root main likely to at completely \
    perfectly all simply still probably"
);

/// Verdicts that blame, so that their denial clears.
static BLAMES: WordList = word_list!(
    "cause problem problems issue issues culprit fault reason blame responsible involved related relevant \
    source it trigger guilty touched changed altered"
);

/// Verdicts that clear.
static CLEARS: WordList = word_list!(
    "fine healthy ok okay normal innocent unaffected unrelated excluded exonerated irrelevant symptom \
    symptoms victim victims ruled red good well nothing nominal unchanged untouched green clean sane intact cleared \
    usual unremarkable correct present right valid alive constant flat even balanced default generous adequate negligible \
    tolerable acceptable minimal stable steady reachable sufficient reasonable appropriate enough"
);

/// Words for what is not there: that none of it is so denies it.
static ABSENT: WordList = word_list!("missing lost gone absent dropped lacking broken");

/// How many words may stand between a mention and its verb.
const REACH: usize = 5;

/// Marks the mentions that the text denies.
pub(super) fn mark(words: &Words, mentions: &mut [Mention]) {
    let parts = layout::parts(words);
    for at in 0..mentions.len() {
        let (part, is_mechanism) = (parts[mentions[at].start], mentions[at].concept().is_some());
        let is_elsewhere = part == Part::Cleared || part == Part::Aside && is_mechanism;
        let negated = is_elsewhere || !names_an_owner(mentions, at) && is_denied(words, mentions, at);
        mentions[at].negated = negated || goes_on_denied(words, mentions, at);
    }
    for at in 0..mentions.len() {
        mentions[at].negated = mentions[at].negated || ends_denied(words, mentions, at);
    }
    for at in 0..mentions.len() {
        mentions[at].negated = mentions[at].negated || is_contradicted(words, mentions, at);
    }
}

/// `Memory grows because requests pile up. There is no leak as such.`: the last word on it is that it is not so.
fn is_contradicted(words: &Words, mentions: &[Mention], at: usize) -> bool {
    let own = &mentions[at];
    if own.concept().is_none() || own.is_key() {
        return false;
    }
    let last = mentions.iter().rposition(|other| other.of_same_concept(own)).unwrap_or(at);
    let sentence = words.period(mentions[last].start);
    last > at
        && mentions[last].thing.is_none()
        && words.period(own.start).end <= sentence.start
        && words.period(words.period(own.start).end) == sentence
        && denied_before(words, mentions, last)
}

/// `Transaction ids are at 12 %, no wraparound in sight`: a thing that is only named, before it is denied.
fn ends_denied(words: &Words, mentions: &[Mention], at: usize) -> bool {
    let own = &mentions[at];
    let is_only_named = own.concept().is_some() && own.thing.is_none() && own.gap.is_empty() && !own.is_key();
    let is_after = |other: &&Mention| {
        other.of_same_concept(own)
            && other.negated
            && other.start >= own.end
            && words.same_period(other.start, own.start)
            && !(own.end..other.start).any(|word| matches!(words.raw(word), "but" | "because" | "so" | "which"))
    };
    is_only_named && mentions[at + 1..].iter().any(|other| is_after(&other))
}

/// `AUTOVACUUM_ENABLED is true, and dead rows are few`: the rest of the sentence is of a piece with its beginning.
fn goes_on_denied(words: &Words, mentions: &[Mention], at: usize) -> bool {
    let own = &mentions[at];
    let turns = |from: usize| {
        (from..own.start).any(|word| matches!(words.raw(word), "but" | "however" | "yet" | "instead" | "it"))
    };
    let is_before = |other: &&Mention| {
        other.of_same_concept(own)
            && other.negated
            && other.end <= own.start
            && words.same_period(other.start, own.start)
    };
    own.concept().is_some() && mentions[..at].iter().filter(is_before).any(|other| !turns(other.end))
}

fn is_denied(words: &Words, mentions: &[Mention], at: usize) -> bool {
    denied_before(words, mentions, at)
        || denied_with_its_subject(words, &mentions[at])
        || denied_inside(words, &mentions[at])
        || cleared_after(words, &mentions[at])
        || asserted::is_open(words, &mentions[at])
        || (mentions[at].concept().is_some() && !faulty::is_told(words, &mentions[at]))
        || (mentions[at].concept().is_some()
            && stance::is_unheld(words, &mentions[at], next_thought(words, mentions, at)))
        || joined_to_denied(words, mentions, at)
}

/// `not the cache TTL but its memory`: what is denied is the mechanism, not the service that has it.
fn names_an_owner(mentions: &[Mention], at: usize) -> bool {
    let has = |concept: &Mention| concept.concept().is_some() && concept.start == mentions[at].end;
    mentions[at].service().is_some() && mentions.iter().any(has)
}

/// Where the next mechanism is mentioned that is not joined to this one by an `and` or a comma.
fn next_thought(words: &Words, mentions: &[Mention], at: usize) -> usize {
    let mut end = mentions[at].end;
    for other in mentions[at + 1..].iter().filter(|other| other.concept().is_some()) {
        if other.start >= end && !(end..other.start).all(|word| JOINTS.contains(words.raw(word))) {
            return other.start;
        }
        end = end.max(other.end);
    }
    words.len()
}

fn denied_before(words: &Words, mentions: &[Mention], at: usize) -> bool {
    let start = mentions[at].start;
    let others = |word: usize| {
        mentions.iter().any(|other| other.service().is_some() && (other.start..other.end).contains(&word))
    };
    let spoken_for = |word: usize| {
        let is_other = |other: &&Mention| other.concept().is_some() && !other.overlaps(&mentions[at]);
        mentions.iter().filter(is_other).any(|other| (other.start..other.end).contains(&word))
    };
    for word in (0..start).rev().take_while(|word| words.same_sentence(*word, start)) {
        // `no index` is a mechanism of its own: its `no` denies nothing else.
        if spoken_for(word) {
            return false;
        }
        if denial_ends_at(words, word) {
            return true;
        }
        if !FILLERS.contains(words.raw(word)) && !others(word) {
            return false;
        }
    }
    false
}

/// `no session waits for a lock`, `none of the workers has died`: what nobody does is not done.
fn denied_with_its_subject(words: &Words, mention: &Mention) -> bool {
    let clause = words.clause(mention.start);
    let first = clause.clone().find(|word| !matches!(words.raw(*word), "and" | "but" | "so" | "there" | "also"));
    first.is_some_and(|first| {
        let denies = match words.raw(first) {
            "no" => !matches!(words.raw(first + 1), "longer" | "more" | "free" | "wait"),
            "none" | "not" => matches!(words.raw(first + 1), "of" | "one" | "a" | "single"),
            "nothing" => !matches!(words.raw(first + 1), "but" | "listens" | "else"),
            _ => false,
        };
        denies && first + 1 < mention.start && mention.concept().is_some()
    })
}

fn denial_ends_at(words: &Words, end: usize) -> bool {
    if !DENIAL_ENDS.contains(words.raw(end)) {
        return false;
    }
    let stands = |back: usize, part: &str| end.checked_sub(back).is_some_and(|at| words.raw(at) == part);
    DENIALS.split('|').any(|denial| denial.split_whitespace().rev().enumerate().all(|(back, part)| stands(back, part)))
}

pub(super) fn denied_inside(words: &Words, mention: &Mention) -> bool {
    // `no index is missing`.
    let is_doubled = words.raw(mention.start) == "no"
        && VERBS.contains(words.raw(mention.end))
        && ABSENT.contains(words.raw(mention.end + 1));
    // `log that no one reads fills the disk` denies something else.
    let is_aside = |word: usize| word > 0 && matches!(words.raw(word - 1), "that" | "which");
    // `had not been renewed and expired`: the denial ends before the `and`.
    let is_spent = |word: usize| {
        let joined = |at: &usize| words.raw(*at) == "and" && mention.gap.contains(at);
        (word + 1..mention.end).any(|at| joined(&at) && at > word + 1)
    };
    let denies = |word: usize| denial_ends_at(words, word) && !is_aside(word) && !is_spent(word);
    is_doubled || mention.gap.iter().any(|word| denies(*word))
}

fn cleared_after(words: &Words, mention: &Mention) -> bool {
    let last = mention.end - 1;
    let verb = (mention.end..=mention.end + REACH)
        .take_while(|word| words.same_clause(last, *word))
        .find(|word| VERBS.contains(words.raw(*word)));
    let behind = after_an_aside(words, mention).filter(|word| VERBS.contains(words.raw(*word)));
    verb.or(behind).is_some_and(|verb| verdict_clears(words, verb))
        || cleared_in_a_row(words, mention)
        || cleared_by_name(words, mention)
}

/// `We rolled the build back and the errors stayed, so the build is innocent.`
fn cleared_by_name(words: &Words, mention: &Mention) -> bool {
    let end = words.period(mention.start).end;
    let end = words.period(end).end.max(end);
    let is_own = |word: usize| {
        let own = |at: usize| !words.is_small(at) && !mention.gap.contains(&at) && words.stem(at) == words.stem(word);
        (mention.start..mention.end).any(own)
    };
    let is_again = |word: usize| words.raw(word - 1) == "the" && is_own(word) && VERBS.contains(words.raw(word + 1));
    mention.concept().is_some()
        && (mention.end + 1..end)
            .any(|word| is_again(word) && words.same_clause(word, word + 1) && verdict_clears(words, word + 1))
}

/// Where the sentence goes on behind brackets: `the timeout (60 s) | is sufficient`.
fn after_an_aside(words: &Words, mention: &Mention) -> Option<usize> {
    let aside = words.period(words.period(mention.start).end);
    let is_aside = words.closed_by(mention.start) == '(' && words.opened_by(aside.end) == ')';
    (is_aside && aside.len() <= REACH && aside.end < words.len()).then_some(aside.end)
}

/// The longest row of things that is cleared at its end.
const LONGEST_ROW: usize = 12;

/// `plans, pool and disk are all fine`: settings in a row, and one verdict for all of them.
fn cleared_in_a_row(words: &Words, mention: &Mention) -> bool {
    let is_setting = mention.concept().is_some_and(|concept| !concept.keys.is_empty() || concept.name == "plan_flip");
    let is_only_named = mention.thing.is_none() && mention.gap.is_empty();
    let end = words.period(mention.start).end.min(mention.end + LONGEST_ROW);
    let Some(verb) = (mention.end..end).find(|word| VERBS.contains(words.raw(*word))) else { return false };
    let is_joined = |word: usize| matches!(words.raw(word), "and" | "or" | "as");
    let is_bare =
        !(mention.end..verb).any(|word| matches!(words.raw(word), "but" | "so" | "because" | "which" | "too"));
    let is_plural = matches!(words.raw(verb), "are" | "were" | "look" | "have" | "remain");
    is_setting
        && is_only_named
        && is_plural
        && is_bare
        && (mention.end..verb).any(is_joined)
        && verdict_clears(words, verb)
}

fn verdict_clears(words: &Words, verb: usize) -> bool {
    let mut denied = words.raw(verb).ends_with("nt");
    for word in (verb + 1..).take_while(|word| words.same_clause(verb, *word)) {
        match words.raw(word) {
            "not" | "never" | "no" => denied = true,
            raw if BLAMES.contains(raw) => return denied,
            raw if CLEARS.contains(raw) => return !denied,
            raw if ADVERBS.contains(raw) || VERBS.contains(raw) => {}
            _ => return false,
        }
    }
    false
}

/// `neither the cache nor the database`: what is joined to a denied mention is denied with it.
fn joined_to_denied(words: &Words, mentions: &[Mention], at: usize) -> bool {
    let start = mentions[at].start;
    let Some(before) = mentions[..at].iter().rev().find(|other| other.end <= start) else { return false };
    let between = before.end..start;
    let joined = between.clone().all(|word| JOINTS.contains(words.raw(word)));
    let goes_on =
        || listed(words, before.start) && words.same_period(before.start, start) && !has_verb(words, mentions[at].end);
    before.negated && joined && (words.same_sentence(before.start, start) || goes_on())
}

/// Whether the denial is one that a list follows: `ruled out the cache, the queue, the database`.
fn listed(words: &Words, start: usize) -> bool {
    (0..start).rev().take(3).any(|word| matches!(words.raw(word), "out" | "neither" | "excluded" | "excluding" | "no"))
        || (start > 0 && JOINTS.contains(words.raw(start - 1)))
}

fn has_verb(words: &Words, at: usize) -> bool {
    (at..at + 2).any(|word| VERBS.contains(words.raw(word)))
}
