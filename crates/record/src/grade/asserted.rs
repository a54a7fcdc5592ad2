//! What a text does not assert: questions, conjectures, what was believed at first, headings of what was ruled out, and
//! what is said to be in order.

use super::layout::ANNOUNCED;
use super::measured::{self, IN_ORDER, is_denied};
use super::mentions::Mention;
use super::words::{WordList, Words, word_list};

/// Words that make what follows them in the clause a conjecture.
static CONJECTURES: WordList = word_list!(
    "might may could possibly perhaps maybe whether if unsure unclear either conceivably potentially speculate \
    speculating guess guessing wonder wondering suspect presumably supposedly hunch conceivable plausible peut vielleicht quizás"
);

/// Words for what was believed before it was known better.
static BELIEFS: WordList = word_list!(
    "suspected thought assumed believed initially first originally hypothesis hypothesised hypothesized theory \
    suspicion blamed considered"
);

/// Words of a heading under which suspects are cleared.
static CLEARING_HEADS: WordList = word_list!(
    "excluded cleared eliminated dismissed healthy innocent herring herrings unrelated unaffected fine ok okay \
    discarded symptoms symptom unchanged untouched normal"
);

/// How far behind a mention it may be said that all is as ever.
const AS_EVER: usize = 10;

/// Words by which there is enough of something.
static ENOUGH: WordList = word_list!("unused plenty ample headroom spare comfortable comfortably roomy sufficient");

/// Whether a mention is not asserted for one of these reasons.
pub(super) fn is_open(words: &Words, mention: &Mention) -> bool {
    is_asked(words, mention)
        || is_conjecture(words, mention)
        || is_under_a_clearing_head(words, mention)
        || is_in_order(words, mention)
        || is_switched_on(words, mention)
        || is_left_off(words, mention)
        || is_within(words, mention)
        || measured::is_well(words, mention)
        || is_reported(words, mention)
        || is_before_it_happens(words, mention)
}

/// `before it expires`, `until they run out`: it has not happened yet.
fn is_before_it_happens(words: &Words, mention: &Mention) -> bool {
    let is_yet = |word: &usize| {
        matches!(words.raw(*word), "before" | "until")
            && matches!(words.raw(*word + 1), "it" | "they")
            && *word + 2 < mention.end
    };
    matches!(
        mention.concept().map(|concept| concept.name),
        Some("tls_expired" | "auth_expired" | "wraparound" | "disk_full")
    ) && mention.gap.iter().any(is_yet)
}

/// Those who say things that a diagnosis passes on without making them its own.
static REPORTERS: WordList = word_list!(
    "someone somebody colleague colleagues channel runbook alert page wiki ticket support manager chat rumour developer \
    developers they people everyone everybody thread note notes playbook dashboard"
);

/// What they do.
static SAYING: WordList = word_list!(
    "says said claims claimed thinks thought suspects suspected suggests suggested insists insisted blames blamed believes \
    believed guesses guessed asks asked wonders wondered assumes assumed reads convinced certain mentioned mentions swears"
);

/// How far behind the one who says it the saying stands.
const SAYING_REACH: usize = 5;

/// `Someone in the channel claimed that the limit is too low`.
fn is_reported(words: &Words, mention: &Mention) -> bool {
    let period = words.period(mention.start);
    let is_said =
        |by: usize| (by + 1..mention.start.min(by + 1 + SAYING_REACH)).any(|word| SAYING.contains(words.raw(word)));
    mention.concept().is_some()
        && (period.start..mention.start).any(|word| REPORTERS.contains(words.raw(word)) && is_said(word))
}

/// `USE_CACHE is true`, `READ_REPLICA_ENABLED=true`, `the replica is on`: what should be used is.
fn is_switched_on(words: &Words, mention: &Mention) -> bool {
    let is_use = |key: &str| key.starts_with("USE_") || key.ends_with("_ENABLED") || key.ends_with("_VALID");
    if !mention.concept().is_some_and(|concept| concept.keys.iter().any(|key| is_use(key))) {
        return false;
    }
    // `compression enabled`, without the line that ties a key together.
    if mention.is_key() && words.raw(mention.end - 1) == "enabled" && !words.is_tied(mention.end - 1) {
        return true;
    }
    let clause = words.clause(mention.end - 1);
    let near = mention.end..clause.end.min(mention.end + SWITCH_REACH);
    let is_on = |word: usize| matches!(words.raw(word), "on" | "true" | "enabled" | "active" | "works" | "runs");
    let is_verdict = |word: usize| words.raw(word) != "on" || word + 1 == clause.end || is_verb(words.raw(word - 1));
    near.into_iter().any(|word| is_on(word) && is_verdict(word) && !is_denied(words, word))
}

/// `STICKY_SESSIONS is false`, `maintenance mode is off`: what should not be in use is not.
fn is_left_off(words: &Words, mention: &Mention) -> bool {
    const HARMFUL: [&str; 2] = ["sticky_sessions", "maintenance_mode"];
    if !mention.concept().is_some_and(|concept| HARMFUL.contains(&concept.name)) {
        return false;
    }
    let near = mention.end..words.sentence(mention.end - 1).end.min(mention.end + SWITCH_REACH);
    let is_off = |word: usize| matches!(words.raw(word), "off" | "false" | "disabled" | "inactive");
    let is_wish =
        |word: usize| matches!(words.raw(word), "should" | "must" | "needs" | "to" | "forgot" | "switched" | "turned");
    near.clone().any(|word| is_off(word) && !is_denied(words, word)) && !near.into_iter().any(is_wish)
}

/// `health checks pass`, `the pool is half empty`: what is watched is well.
fn is_passed(words: &Words, mention: &Mention) -> bool {
    let clause = words.clause(mention.end - 1);
    let near = mention.end..clause.end.min(mention.end + SWITCH_REACH);
    let passes = |word: usize| {
        matches!(words.raw(word), "pass" | "passes" | "passed" | "succeed" | "succeeds")
            || words.raw(word) == "200"
                && matches!(words.raw(word - 1), "return" | "returns" | "answer" | "answers" | "get" | "gets" | "with")
    };
    let is_roomy = |word: usize| {
        matches!(words.raw(word), "half" | "mostly" | "largely")
            && matches!(words.raw(word + 1), "empty" | "free" | "unused" | "idle")
    };
    near.into_iter().any(|word| (passes(word) || is_roomy(word)) && !is_denied(words, word))
}

/// How far behind a switch its position stands.
const SWITCH_REACH: usize = 6;

fn is_verb(word: &str) -> bool {
    matches!(word, "is" | "was" | "are" | "stays" | "remains" | "still" | "enabled" | "seconds" | "ms")
}

/// `far below its connection limit`, `nowhere near the pool size`: it was not reached.
fn is_within(words: &Words, mention: &Mention) -> bool {
    let clause = words.clause(mention.start);
    let before = clause.start.max(mention.start.saturating_sub(4))..mention.start;
    let is_small = |word: usize| {
        matches!(words.raw(word), "its" | "the" | "their" | "our" | "near" | "from" | "any" | "close" | "to")
    };
    let is_part = |word: usize| {
        words.raw(word) == "of"
            && matches!(words.raw(word - 1), "third" | "half" | "quarter" | "tenth" | "fraction" | "part" | "percent")
            && (clause.start..word).any(|verb| matches!(words.raw(verb), "uses" | "used" | "using" | "fills" | "needs"))
    };
    before.rev().find(|word| !is_small(*word)).is_some_and(|word| {
        let is_far = matches!(words.raw(word), "below" | "within" | "nowhere" | "far") && !is_denied(words, word);
        is_far || word > clause.start && is_part(word)
    })
}

fn is_asked(words: &Words, mention: &Mention) -> bool {
    words.closed_by(mention.start) == '?'
}

/// `the cache may have crashed`, `at first I suspected the pool`.
fn is_conjecture(words: &Words, mention: &Mention) -> bool {
    let clause = words.clause(mention.start);
    let opens = |word: usize| {
        let (raw, next) = (words.raw(word), words.raw(word + 1));
        let is_denied = matches!(next, "not" | "no") || next.bytes().all(|b| b.is_ascii_digit());
        // `only 8 may be in flight` is a rule.
        let is_rule = raw == "may"
            && (next == "only"
                || (clause.start..word).any(|before| matches!(words.raw(before), "only" | "all" | "most" | "just")));
        (CONJECTURES.contains(raw) && !is_denied && !is_rule) || (BELIEFS.contains(raw) && is_belief(words, word))
    };
    let head = words.period(mention.start).start.checked_sub(1).filter(|end| words.closed_by(*end) == ':');
    let is_headed = head.is_some_and(|end| words.period(end).len() <= 6 && words.period(end).any(opens));
    is_headed || (clause.start..mention.end).any(opens) || would(words, mention)
}

/// `too few consumers would show as idle brokers`, `its timeout could be too low`, `had it been full, writes would fail`.
fn would(words: &Words, mention: &Mention) -> bool {
    let clause = words.clause(mention.end - 1);
    let near = mention.end..clause.end.min(mention.end + 5);
    let supposes = |word: usize| {
        let is_open = match words.raw(word) {
            "would" => true,
            "could" | "might" | "may" => matches!(words.raw(word + 1), "be" | "have"),
            _ => false,
        };
        is_open && !matches!(words.raw(word - 1), "that" | "which" | "who")
    };
    let period = words.period(mention.start);
    let is_unreal = matches!(words.raw(period.start), "had" | "were" | "should")
        && (mention.end..period.end).any(|word| words.raw(word) == "would");
    is_unreal || near.into_iter().any(supposes)
}

/// `the first index` is no belief; `first I thought` and `we suspected` are.
fn is_belief(words: &Words, word: usize) -> bool {
    match words.raw(word) {
        "first" => word > 0 && words.raw(word - 1) == "at" || matches!(words.raw(word + 1), "i" | "we" | "suspect"),
        _ => true,
    }
}

/// `Ruled out: the cache TTL, the pool`; `Not the cause: the index`.
fn is_under_a_clearing_head(words: &Words, mention: &Mention) -> bool {
    let mut at = words.period(mention.start).start;
    while at > 0 && matches!(words.opened_by(at), ':' | '(' | ')' | ';') {
        let head = words.period(at - 1);
        if words.closed_by(at - 1) == ':' {
            let head = words.sentence(at - 1);
            let clears = |word: usize| {
                CLEARING_HEADS.contains(words.raw(word))
                    || (words.raw(word) == "out" && word > 0 && words.raw(word - 1).starts_with("rul"))
                    || (words.raw(word) == "not" && word == head.start && only_blames(words, &head))
            };
            return head.len() <= 6
                && head.clone().any(clears)
                && !head.clone().any(|word| ANNOUNCED.contains(words.raw(word)));
        }
        at = head.start;
    }
    false
}

/// `not the cause`; `not a load problem` is a thought of its own, and what follows it is meant.
fn only_blames(words: &Words, head: &std::ops::Range<usize>) -> bool {
    let is_blame = |word: &str| matches!(word, "cause" | "culprit" | "it" | "problem" | "reason" | "guilty");
    let is_small = |word: &str| matches!(word, "not" | "the" | "a" | "root" | "causes" | "to" | "blame");
    head.clone().all(|word| is_blame(words.raw(word)) || is_small(words.raw(word)))
}

/// `the pool has plenty of free connections`, `the cache TTL (300 s, normal)`, `disk: fine`.
fn is_in_order(words: &Words, mention: &Mention) -> bool {
    if is_passed(words, mention) {
        return true;
    }
    let clause = words.clause(mention.end - 1);
    let after = mention.end..clause.end.max(mention.end);
    let enough = |word: usize| ENOUGH.contains(words.raw(word)) && !is_denied(words, word);
    if after.clone().any(enough) || (clause.start..mention.start).rev().take(3).any(enough) {
        return true;
    }
    let period = words.period(mention.start);
    // `40 of 1000 messages in flight, plenty of room`; `12 of 40 workers are busy, so there are enough`.
    let next = words.sentence(mention.end - 1).end;
    let goes_on = next < period.end && ENOUGH.contains(words.raw(next));
    let concludes = (mention.end..period.end).any(|word| {
        words.raw(word) == "so"
            && words.raw(word + 1) == "there"
            && (enough(word + 3) || words.raw(word + 3) == "enough")
    });
    if goes_on || concludes {
        return true;
    }
    // `is on, as it should be`, `is 300 as before`.
    let as_ever = |word: usize| {
        let next = (words.raw(word + 1), words.raw(word + 2));
        words.raw(word) == "as"
            && matches!(
                next,
                ("it", "should")
                    | ("they", "should")
                    | ("it" | "they", "must" | "has" | "have" | "ought" | "always")
                    | (
                        "before"
                            | "usual"
                            | "always"
                            | "ever"
                            | "every"
                            | "each"
                            | "expected"
                            | "intended"
                            | "required",
                        _
                    )
            )
    };
    if (mention.end..period.end).take(AS_EVER).any(as_ever) {
        return true;
    }
    // `the TTL is 300 and fine`.
    let sentence = words.sentence(mention.start);
    // `the TTL is 300, which is fine`.
    let is_aside = |word: usize| {
        words.raw(word) == "which"
            && matches!(words.raw(word + 1), "is" | "was" | "are" | "looks" | "seems")
            && IN_ORDER.contains(words.raw(word + 2))
    };
    // `and, unrelated to it, the token expired` is about the other one.
    let is_link = |word: usize| words.raw(word) == "unrelated" && matches!(words.raw(word + 1), "to" | "and");
    let is_joined =
        |word: usize| words.raw(word) == "and" && IN_ORDER.contains(words.raw(word + 1)) && !is_link(word + 1);
    let joined = |word: usize| is_joined(word) || is_aside(word);
    let end = sentence.end.max(words.sentence(sentence.end).end.min(period.end));
    if (mention.end..end).take(8).any(joined) {
        return true;
    }
    let next = after.end;
    let is_aside = words.get(next).is_some()
        && next == words.period(mention.start).end
        && matches!(words.opened_by(next), '(' | ':' | '—' | '[')
        && next - mention.end <= 1;
    let aside = words.period(next);
    is_aside
        && aside.len() <= 6
        && aside.clone().any(|word| IN_ORDER.contains(words.raw(word)) && !is_denied(words, word))
}
