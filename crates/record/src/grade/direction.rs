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
    /// The right one, in words.
    Right,
    /// A value, or what follows from it.
    Shown,
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
    let end = words.clause(mention.end - 1).end;
    // `is so high that` is one clause.
    let is_degree = words.raw(end) == "so" && (LOW.contains(words.raw(end + 1)) || HIGH.contains(words.raw(end + 1)));
    let clause = words.clause(mention.start).start..if is_degree { words.clause(end).end } else { end };
    if let Some(moved) = moved(words, mention).or_else(|| wished(words, mention)) {
        return if moved == is { Said::Right } else { Said::Reversed };
    }
    let reversed = clause.clone().any(|word| wrong.contains(words.raw(word)) && is_judged(words, mention, word));
    let stated = sentence.clone().any(|word| right.contains(words.raw(word)) && !is_turned(words, word));
    let reversed = reversed || exceeds(words, mention, wrong) || is == Direction::Low && abounds(words, mention);
    if reversed && !clause.clone().any(|word| right.contains(words.raw(word)) && is_judged(words, mention, word)) {
        return Said::Reversed;
    }
    // What stands in brackets or behind a colon belongs to it: `MAX_WORKERS (16)`.
    let end = words.period(words.period(mention.start).end).end.max(sentence.end).max(words.period(mention.start).end);
    let has_value = (sentence.start..end).any(|word| is_number(words.raw(word)));
    let shows = words.period(mention.start).any(|word| STARVED.contains(words.stem(word)));
    match () {
        () if stated => Said::Right,
        // What befell a thing shows which way its number is wrong.
        () if has_value || shows || mention.thing.is_some() => Said::Shown,
        () => Said::Nothing,
    }
}

/// `too much memory for its host, MAX_MEMORY_MB is 64000`.
fn abounds(words: &Words, mention: &Mention) -> bool {
    let is_own = |word: usize| (mention.start..mention.end).any(|own| words.stem(own) == words.stem(word));
    words.period(mention.start).any(|word| {
        words.raw(word) == "too" && matches!(words.raw(word + 1), "much" | "many")
            && is_own(word + 2)
            // That is what a full server says.
            && !matches!(words.raw(word + 2), "connections" | "requests")
    })
}

/// `MAX_WORKERS at 900, way more than memory can carry`: a judgement of its own behind the comma.
fn exceeds(words: &Words, mention: &Mention, wrong: &WordList) -> bool {
    let next = words.sentence(mention.end - 1).end;
    let is_strong = matches!(words.raw(next), "way" | "far" | "much" | "many" | "too");
    let judged = (next + 1..next + 3).find(|word| wrong.contains(words.raw(*word)));
    words.same_period(mention.start, next) && is_strong && judged.is_some_and(|word| words.raw(word + 1) != "traffic")
}

/// `it should be lowered` says that it is too high, where nothing says that it was set so.
fn wished(words: &Words, mention: &Mention) -> Option<Direction> {
    let clause = mention.end..words.clause(mention.end - 1).end.max(mention.end);
    let wish = clause.clone().take(3).find(|word| matches!(words.raw(*word), "should" | "must" | "needs" | "ought"))?;
    let mut wanted = (wish + 1..clause.end).take(4).filter(|word| !matches!(words.raw(*word), "not" | "never"));
    wanted.find_map(|word| match words.raw(word) {
        raw if LOW.contains(raw) || raw == "down" => Some(Direction::High),
        raw if HIGH.contains(raw) || raw == "up" => Some(Direction::Low),
        _ => None,
    })
}

/// `from 300 to 5`, `300 -> 5`, `5 instead of 300`: two numbers of one setting tell which way it went.
fn moved(words: &Words, mention: &Mention) -> Option<Direction> {
    let period = words.period(mention.start);
    let next = words.period(period.end);
    let end = if words.closed_by(mention.start) == '→' { next.end } else { period.end };
    let near = mention.start..end.min(mention.end + 14);
    let link = |word: usize| match (words.raw(word), words.opened_by(word)) {
        ("to", _) => Some(false),
        ("instead" | "was" | "from", _) => Some(true),
        (_, '→') if word == next.start => Some(false),
        _ => None,
    };
    let numbers: Vec<(usize, f64)> = near.clone().filter_map(|word| Some((word, amount(words, word)?))).collect();
    let pair = numbers.windows(2).find(|pair| pair[1].0 - pair[0].0 <= 5)?;
    let ((first, before), (second, after)) = (pair[0], pair[1]);
    let is_turned = (first + 1..=second).find_map(link)?;
    let (before, after) = if is_turned { (after, before) } else { (before, after) };
    match before.total_cmp(&after) {
        std::cmp::Ordering::Less => Some(Direction::High),
        std::cmp::Ordering::Greater => Some(Direction::Low),
        std::cmp::Ordering::Equal => None,
    }
}

/// A number with its unit: `2 GB`, `300ms`, `5s`.
fn amount(words: &Words, at: usize) -> Option<f64> {
    let raw = words.raw(at);
    let digits = raw.find(|c: char| !c.is_ascii_digit()).unwrap_or(raw.len());
    let number: f64 = raw[..digits].parse().ok()?;
    let unit = if digits == raw.len() { words.raw(at + 1) } else { &raw[digits..] };
    let scale = match unit {
        "gb" | "gib" | "g" | "s" | "sec" | "second" | "seconds" | "k" => 1000.0,
        "min" | "minute" | "minutes" | "m" => 60_000.0,
        "h" | "hour" | "hours" => 3_600_000.0,
        _ => 1.0,
    };
    Some(number * scale)
}

/// Whether a word of direction is a judgement of this mention, and not turned round by what stands beside it.
fn is_judged(words: &Words, mention: &Mention, word: usize) -> bool {
    let before = |back: usize| word.checked_sub(back).map_or("", |at| words.raw(at));
    let is_phrase = mention.thing.is_none() && !mention.gap.contains(&word);
    let inside = (mention.start..mention.end).contains(&word) && is_phrase;
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
    // `no more than 150` is few.
    (clause.start..word).any(turned) || word > 0 && words.raw(word - 1) == "no"
}

fn is_number(word: &str) -> bool {
    const NUMBERS: [&str; 18] = [
        "fifty", "thousand", "hundreds", "half", "seven", "one", "two", "three", "four", "five", "six", "eight", "ten",
        "twelve", "twenty", "thirty", "sixty", "hundred",
    ];
    word.bytes().any(|b| b.is_ascii_digit()) || NUMBERS.contains(&word)
}
