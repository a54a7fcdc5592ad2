//! How a text is laid out: what stands under a heading or behind a label is meant as the heading says. `Ruled out:` clears,
//! `Fix:` and `Impact:` tell of something else, `Root cause:` is the conclusion.

use std::ops::Range;

use super::words::{WordList, Words, word_list};

/// What a part of a text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    /// An account, as any text.
    #[default]
    Plain,
    /// The conclusion.
    Conclusion,
    /// What was cleared.
    Cleared,
    /// What follows from the cause, and what was or should be done.
    Aside,
}

/// The most words of a heading or label.
const LONGEST_HEAD: usize = 6;

/// The most words of a heading that nothing marks as one.
const LONGEST_BARE: usize = 4;

static CONCLUDING: WordList = word_list!("cause conclusion diagnosis verdict culprit answer broken therefore reason");
static CLEARING: WordList = word_list!(
    "ruled rejected excluded cleared innocent healthy herring herrings unaffected dismissed eliminated discarded exonerated \
    unrelated fine considered hypotheses alternatives involved"
);
/// What a heading announces, however it is called: `unrelated causes`.
pub(super) static ANNOUNCED: WordList = word_list!("causes faults problems failures defects reasons things");
static ASIDES: WordList = word_list!(
    "fix fixes action actions remediation mitigation resolution next impact consequence consequences effects symptom \
    symptoms follow recommendation recommendations prevention confidence result results todo page alert reminder"
);

/// The part that each word belongs to.
pub(super) fn parts(words: &Words) -> Vec<Part> {
    let mut parts = vec![Part::Plain; words.len()];
    let (mut under, mut labelled, mut from_line, mut at, mut headed) = (Part::Plain, None, 0, 0, false);
    while at < words.len() {
        let period = words.period(at);
        let line = words.line(at);
        if line != from_line {
            labelled = None;
            // A blank line ends what a label alone on its line began.
            under = if line > from_line + 1 && !headed { Part::Plain } else { under };
        }
        let ends_line = words.line(period.end) != line || period.end == words.len();
        headed = words.is_heading(line) || ends_line && is_bare_head(words, &period);
        if headed || ends_line && is_label(words, &period) {
            under = of_head(words, &period);
        } else if is_label(words, &period) {
            labelled = of_label(words, &period).or(labelled);
        }
        parts[period.clone()].fill(labelled.unwrap_or(under));
        // A label inside a line reaches to the end of its sentence, a conclusion to the end of the line.
        let ends_sentence = matches!(words.closed_by(at), '.' | '!') && labelled != Some(Part::Conclusion);
        labelled = labelled.filter(|_| !ends_sentence);
        (from_line, at) = (line, period.end);
    }
    parts
}

fn is_label(words: &Words, period: &Range<usize>) -> bool {
    words.closed_by(period.start) == ':' && period.len() <= LONGEST_HEAD
}

/// `Ruled out` alone on its line, with a blank line below.
fn is_bare_head(words: &Words, period: &Range<usize>) -> bool {
    let line = words.line(period.start);
    let begins_line = period.start == 0 || words.line(period.start - 1) != line;
    let stands_alone = period.end < words.len() && words.line(period.end) > line + 1;
    begins_line && stands_alone && period.len() <= LONGEST_BARE && of_head(words, period) != Part::Plain
}

/// A label inside a line counts if its word is known; any other is a thought of its own.
fn of_label(words: &Words, period: &Range<usize>) -> Option<Part> {
    let part = of_head(words, period);
    (part != Part::Plain).then_some(part)
}

fn of_head(words: &Words, head: &Range<usize>) -> Part {
    let has = |list: &WordList| head.clone().any(|word| list.contains(words.raw(word)));
    let is_denied = head.clone().any(|word| matches!(words.raw(word), "not" | "isnt" | "non"));
    // `Two unrelated causes:` announces them.
    let announces = head.clone().any(|word| ANNOUNCED.contains(words.raw(word)));
    let asks_what = matches!(words.raw(head.start), "what" | "not");
    if has(&CLEARING) && !announces || is_denied && asks_what && (has(&CONCLUDING) || words.raw(head.start) == "what") {
        Part::Cleared
    } else if has(&CONCLUDING) && !is_denied {
        Part::Conclusion
    } else if has(&ASIDES) {
        Part::Aside
    } else {
        Part::Plain
    }
}

/// Whether the sentence of a word says by itself that it names the cause: `the real culprit is the pool`.
pub(super) fn concludes(words: &Words, at: usize) -> bool {
    let period = words.period(at);
    let says = |word: usize| {
        let next = words.raw(word + 1);
        match words.raw(word) {
            "root" | "real" | "actual" | "true" | "underlying" => {
                matches!(next, "cause" | "culprit" | "reason" | "problem")
            }
            "culprit" => true,
            "what" => matches!(next, "started" | "caused" | "broke" | "triggered" | "happened"),
            "turned" | "turns" => next == "out",
            _ => false,
        }
    };
    period.clone().any(|word| {
        says(word) && !period.clone().any(|word| matches!(words.raw(word), "not" | "isnt" | "wasnt" | "no"))
    })
}
