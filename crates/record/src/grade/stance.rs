//! Where a text stands to what it mentions: what is only planned, doubted, supposed, over or was tried in vain is not
//! asserted. Cues work on what follows them in the sentence, on what stands before them in the same thought, or, as
//! a short sentence of their own, on the sentence before.

use super::cues::{CLOSING, GUESSES, OPENING, TAKING_BACK};
use super::mentions::Mention;
use super::words::{WordList, Words, word_list};

/// Verbs that open an order: what is to be done or looked at is not said to be so.
static ORDERS: WordList = word_list!(
    "check verify inspect look compare set raise increase investigate review confirm ensure consider try please restore \
    examine monitor watch recheck test"
);

/// What one does to see whether it helps.
static REPAIRS: WordList =
    word_list!("doubled raised increased added recreated restarted reset lowered disabled enabled turned changed");

/// Times that are over.
static FORMER: WordList = word_list!(
    "yesterday earlier previously formerly morning week month months weeks ago june july august january february march april \
    september october november december monday tuesday wednesday thursday friday saturday sunday night recently quarter year"
);

/// What is said of an incident that is over.
static OVER: WordList = word_list!(
    "removed fixed solved resolved repaired mended reverted undone closed rolled corrected renewed replaced recovered"
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
        && next >= after.end
        && TAKING_BACK.lie_in(words, after)
}

/// `Check the certificate of the load balancer.`
pub(super) fn is_ordered(words: &Words, mention: &Mention) -> bool {
    let start = words.period(mention.start).start;
    start < mention.start && ORDERS.contains(words.raw(start)) && words.raw(start + 1) != "to"
}

/// `Unconfirmed: the certificate expired`.
fn is_guess(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    let is_headed = words.opened_by(period.start) == ':' && period.start > 0;
    let start = if is_headed { words.period(period.start - 1).start } else { period.start };
    GUESSES.lie_in(words, start..period.end)
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
    let is_over = |word: usize| OVER.contains(words.raw(word)) && !matches!(words.raw(word - 1), "not" | "never");
    let was = |word: usize| words.raw(word) == "until" && FORMER.contains(words.raw(word + 1));
    // `In June it expired. This time it is valid.`
    let is_then = matches!(
        (words.raw(next.start), words.raw(next.start + 1)),
        ("this", "time") | ("today" | "now" | "currently", _)
    );
    let is_former = period.clone().any(|word| FORMER.contains(words.raw(word)));
    (mention.end..period.end).any(was) || is_former && (!next.is_empty() && is_then || (mention.end..end).any(is_over))
}

/// `When the certificate expires we will have an outage`.
fn is_to_come(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    matches!(words.raw(period.start), "when" | "once" | "should" | "if" | "unless" | "as")
        && (mention.end..period.end).any(|word| matches!(words.raw(word), "will" | "would" | "shall"))
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
