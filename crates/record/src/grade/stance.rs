//! Where a text stands to what it mentions: what is only planned, doubted, supposed, over or was tried in vain is not
//! asserted. Cues work on what follows them in the sentence, on what stands before them in the same thought, or, as
//! a short sentence of their own, on the sentence before.

use std::ops::Range;

use super::cues::{CLOSING, GUESSES, OPENING, RETRACTING, TAKING_BACK};
use super::mentions::Mention;
use super::words::{WordList, Words, word_list};

/// Verbs that open an order: what is to be done or looked at is not said to be so.
static ORDERS: WordList = word_list!(
    "check verify inspect look compare set raise increase investigate review confirm ensure consider try please restore \
    examine monitor watch recheck test forget ignore disregard"
);

/// Deeds that open a sentence: `Raised MAX_WORKERS to 64.`
static DONE: WordList = word_list!(
    "scaled raised increased bumped restored restarted reset renewed reverted updated rebuilt recreated doubled reenabled"
);

/// What one does to see whether it helps.
static REPAIRS: WordList =
    word_list!("doubled raised increased added recreated restarted reset lowered disabled enabled turned changed");

/// Times that are over.
static FORMER: WordList = word_list!(
    "yesterday earlier previously formerly morning week month months weeks ago june july august january february march april \
    spring summer autumn winter september october november december monday tuesday wednesday thursday friday saturday sunday night recently quarter year"
);

/// What is said of an incident that is over.
static OVER: WordList = word_list!(
    "removed fixed solved resolved repaired mended reverted undone closed rolled corrected renewed replaced recovered lifted"
);

/// Words after which another thought begins.
static TURNS: WordList = word_list!("but however yet though although instead whereas");

/// The longest sentence that only takes back the one before.
const SHORT: usize = 12;

/// Whether a text does not stand by what it mentions. `next` is where the next mechanism is mentioned.
pub(super) fn is_unheld(words: &Words, mention: &Mention, next: usize) -> bool {
    is_opened(words, mention)
        || is_closed(words, mention, next)
        || is_taken_back(words, mention, next)
        || is_over(words, mention)
        || is_ruled_out(words, mention)
        || is_to_come(words, mention)
        || is_tried(words, mention)
        || is_guess(words, mention)
        || is_retracted(words, mention)
        || is_put_last_to_be_denied(words, mention)
}

/// How many sentences behind it a text may take something back.
const RETRACTION_REACH: usize = 3;

/// `The queue went down... no wait, it is up.`
fn is_retracted(words: &Words, mention: &Mention) -> bool {
    let mut at = words.period(mention.start).end;
    for _ in 0..RETRACTION_REACH {
        let period = words.period(at);
        if period.is_empty() {
            return false;
        }
        if RETRACTING.lie_in(words, period.start..period.end.min(period.start + 4)) {
            return true;
        }
        at = period.end;
    }
    false
}

/// `Stale DNS it is not.`
fn is_put_last_to_be_denied(words: &Words, mention: &Mention) -> bool {
    let is_it = |at: usize, word: &str| words.raw(at) == word;
    let at = mention.end;
    let denial = match (words.raw(at), words.raw(at + 1)) {
        ("it" | "this" | "that", "isnt" | "wasnt") => at + 1,
        ("it" | "this" | "that", "is" | "was") if is_it(at + 2, "not") => at + 2,
        _ => return false,
    };
    words.same_sentence(mention.start, denial) && !words.same_sentence(denial, denial + 1)
}

/// `I do not believe in a bad build`.
fn is_opened(words: &Words, mention: &Mention) -> bool {
    let sentence = words.sentence(mention.start);
    let turn = (sentence.start..mention.start).rev().find(|word| TURNS.contains(words.raw(*word)));
    OPENING.lie_in(words, turn.unwrap_or(sentence.start)..mention.start)
}

/// `a full volume can be crossed off`.
fn is_closed(words: &Words, mention: &Mention, next: usize) -> bool {
    let period = words.period(mention.start);
    let end = (mention.end..period.end.min(next)).find(|word| TURNS.contains(words.raw(*word)));
    CLOSING.lie_in(words, mention.start..end.unwrap_or(period.end.min(next)).max(mention.end))
}

/// `Lock contention looked likely. The tables show none.`
fn is_taken_back(words: &Words, mention: &Mention, next: usize) -> bool {
    let after = words.period(words.period(mention.start).end);
    !after.is_empty()
        && after.len() <= SHORT
        && matches!(words.opened_by(after.start), '.' | ';' | '!' | '\n' | '—')
        && (takes_up(words, mention, &after) || next >= after.end && !names_another(words, &after))
        && TAKING_BACK.lie_in(words, after)
}

/// `The connection limit was hit; the limit is what it always was.`
fn takes_up(words: &Words, mention: &Mention, after: &Range<usize>) -> bool {
    let is_again = |word: usize| (mention.start..mention.end).any(|own| words.stem(own) == words.stem(word));
    words.raw(after.start) == "the" && is_again(after.start + 1)
}

/// Whether a sentence is about a thing of its own: `The limit is ...`.
fn names_another(words: &Words, after: &Range<usize>) -> bool {
    words.raw(after.start) == "the" && matches!(words.raw(after.start + 2), "is" | "was" | "has" | "are" | "were")
}

/// `Check the certificate of the load balancer.`
pub(super) fn is_ordered(words: &Words, mention: &Mention) -> bool {
    let start = words.period(mention.start).start;
    if start < mention.start && DONE.contains(words.raw(start)) {
        return true;
    }
    start < mention.start && ORDERS.contains(words.raw(start)) && words.raw(start + 1) != "to"
}

/// `Unconfirmed: the certificate expired`.
fn is_guess(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    let is_headed = words.opened_by(period.start) == ':' && period.start > 0;
    let start = if is_headed { words.period(period.start - 1).start } else { period.start };
    // `A or B: any of them would fit`.
    let end =
        if words.closed_by(period.start) == ':' { words.period(period.end).end.max(period.end) } else { period.end };
    GUESSES.lie_in(words, start..end)
}

/// `The crash of last week was fixed`.
fn is_over(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    let next = words.period(period.end);
    let end = if matches!(words.raw(next.start), "we" | "i" | "it" | "that" | "they" | "this") {
        next.end
    } else {
        period.end
    };
    let is_back = |word: usize| words.raw(word) == "again" && words.raw(word + 1) == "since";
    let is_over = |word: usize| {
        (OVER.contains(words.raw(word)) || is_back(word)) && !matches!(words.raw(word - 1), "not" | "never")
    };
    let was = |word: usize| words.raw(word) == "until" && FORMER.contains(words.raw(word + 1));
    // `In June it expired. This time it is valid.`
    let is_then = matches!(
        (words.raw(next.start), words.raw(next.start + 1)),
        ("this", "time") | ("today" | "now" | "currently", _)
    );
    let is_former = (period.start..end).any(|word| FORMER.contains(words.raw(word)));
    (mention.end..period.end).any(was) || is_former && (!next.is_empty() && is_then || (mention.end..end).any(is_over))
}

/// `When the certificate expires we will have an outage`.
fn is_to_come(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    matches!(
        words.raw(period.start),
        "when" | "once" | "should" | "if" | "unless" | "as" | "provided" | "assuming" | "were" | "had" | "suppose"
    ) && period.clone().any(|word| matches!(words.raw(word), "will" | "would" | "shall"))
}

/// `We doubled the limit and users were still refused`.
fn is_tried(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    let tried = |word: usize| {
        let is_ours = word > period.start && matches!(words.raw(word - 1), "we" | "i");
        is_ours && REPAIRS.contains(words.raw(word))
    };
    let unchanged =
        |word: usize| matches!(words.raw(word), "still" | "stayed" | "remained" | "persisted" | "continued");
    (period.start..mention.start).any(tried)
        && (mention.end..words.period(period.end).end.max(period.end)).any(unchanged)
}

/// `I can rule autovacuum out`.
fn is_ruled_out(words: &Words, mention: &Mention) -> bool {
    words.raw(mention.end) == "out"
        && (mention.start.saturating_sub(4)..mention.start)
            .any(|word| matches!(words.raw(word), "rule" | "ruled" | "rules"))
}
