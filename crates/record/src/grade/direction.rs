//! Which way a text says that a number is wrong.

use super::mentions::Mention;
use super::words::{WordList, Words, word_list};
use crate::cause::Direction;

/// Words for too little.
static LOW: WordList = word_list!(
    "low lower lowest small smaller short shorter few fewer little less tight tighter tiny lowered reduced cut decreased \
    shrunk dropped insufficient undersized aggressive soon early quickly below under halved trimmed shortened minimal \
    meagre scarce starved eager prematurely premature squeezed"
);

/// Words for too much.
static HIGH: WordList = word_list!(
    "high higher highest large larger long longer big bigger many more raised increased excessive huge generous oversized \
    loose doubled tripled lengthened endless unlimited infinite enormous inflated bumped above"
);

/// Words before a judgement: `too long`, `is high`, `set very large`.
static JUDGES: WordList =
    word_list!("too far way very so is was are were excessively extremely much set being been overly");

/// Changes that name their own direction without a judgement before them.
static MOVES: WordList =
    word_list!("raised increased doubled tripled lengthened bumped lowered reduced decreased shortened halved cut");

/// What happens where there is too little of something: its direction need not be said.
static STARVED: WordList = word_list!(
    "exhaust exhaustion saturat saturation starv starvation full reject refus expir cancel abort kill insufficient \
    enough out throttl evict eviction undersiz maxed bottleneck backlog queu wait occupi busy hit reach capp limit dead \
    duplicat twic redeliver mid free giv attempt keep onc 429"
);

/// What a text says of the direction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// The right one, or a value, or what follows from it.
    Right,
    /// The other one.
    Reversed,
    /// Nothing.
    Nothing,
}

/// What is said of a number near its mention.
pub(super) fn said(words: &Words, mention: &Mention, is: Direction) -> Said {
    let (right, wrong) = match is {
        Direction::Low => (&LOW, &HIGH),
        Direction::High => (&HIGH, &LOW),
    };
    let sentence = words.sentence(mention.start);
    let clause = words.clause(mention.start).start..words.clause(mention.end - 1).end;
    let reversed = clause.clone().any(|word| wrong.contains(words.raw(word)) && is_judged(words, mention, word));
    let stated = sentence.clone().any(|word| right.contains(words.raw(word)) && !is_turned(words, word));
    if reversed && !clause.clone().any(|word| right.contains(words.raw(word)) && is_judged(words, mention, word)) {
        return Said::Reversed;
    }
    // What stands in brackets or behind a colon belongs to it: `MAX_WORKERS (16)`.
    let end = words.period(words.period(mention.start).end).end.max(sentence.end);
    let has_value = (sentence.start..end).any(|word| is_number(words.raw(word)));
    let shows = words.period(mention.start).any(|word| STARVED.contains(words.stem(word)));
    if stated || has_value || shows { Said::Right } else { Said::Nothing }
}

/// Whether a word of direction is a judgement of this mention, and not turned round by what stands beside it.
fn is_judged(words: &Words, mention: &Mention, word: usize) -> bool {
    let before = |back: usize| word.checked_sub(back).map_or("", |at| words.raw(at));
    let inside = (mention.start..mention.end).contains(&word);
    let adjacent = word + 1 == mention.start;
    let near = word >= mention.end && word - mention.end <= 8;
    let judged = near && (JUDGES.contains(before(1)) || MOVES.contains(words.raw(word)));
    // `too many messages are allowed in flight`: what is let through is the limit.
    let is_let =
        |at: usize| matches!(words.raw(at), "allowed" | "permitted" | "admitted" | "accepted" | "allows" | "lets");
    let early = word < mention.start && before(1) == "too" && (word..mention.start).any(is_let);
    (inside || adjacent || judged || early) && !is_turned(words, word)
}

/// `not long enough` is short; `should be higher` and `I raised it` speak of what was done about it.
fn is_turned(words: &Words, word: usize) -> bool {
    let clause = words.clause(word);
    let turned = |other: usize| {
        matches!(
            words.raw(other),
            "should"
                | "must"
                | "needs"
                | "need"
                | "ought"
                | "i"
                | "we"
                | "not"
                | "isnt"
                | "wasnt"
                | "arent"
                | "never"
                | "fix"
                | "fixed"
                | "than"
        )
    };
    (clause.start..word).any(turned)
}

fn is_number(word: &str) -> bool {
    const NUMBERS: [&str; 13] = [
        "one", "two", "three", "four", "five", "six", "eight", "ten", "twelve", "twenty", "thirty", "sixty", "hundred",
    ];
    word.bytes().any(|b| b.is_ascii_digit()) || NUMBERS.contains(&word)
}
