//! Whether it is said of a thing that something is wrong with it. `The certificate has 80 days to go` names a certificate
//! and no fault; `the certificate`, `certificate: expired` and `it is the certificate` do.

use super::mentions::Mention;
use super::words::{WordList, Words, word_list};

/// Verbs with which a thing is described.
static STATES: WordList = word_list!(
    "is are was were has have had runs run ran works work worked resolves resolve answers answer shows show showed looks look \
    stays stay remains remain gets get holds hold uses use performs perform reports report goes go takes take covers cover"
);

/// Signs of a fault.
static FAULTS: WordList = word_list!(
    "not no never nobody nothing none without cannot cant dont doesnt didnt isnt arent wasnt hasnt wont off false disabled \
    wrong bad too low lower lowered high higher small smaller short shorter few fewer tiny large larger long longer little \
    less tight missing lost gone dropped deleted removed absent exhausted full empty expired stale outdated old lapsed \
    invalid broken failed failing fails fail failure corrupt corrupted damaged slow slower stuck stalled hung blocked dead \
    died down crashed killed refused refuses rejected rejects rejecting rejection cancelled canceled cancels cut cuts \
    cutting closes closed drops throttled throttles misconfigured misrouted changed switched turned set reset left still \
    reduced raised increased decreased halved trimmed shrunk doubled flipped pushed put dialled tightened capped limited \
    only just merely maxed saturated starved starves overloaded overloads flooded bloated pinned pins uneven skewed \
    lopsided evicts evicted evicting leaks leaking leaked storm cause causes caused causing culprit because due problem \
    issue fault guilty blame blamed responsible reason broke breaks break kills kill stops stopped hurts bottleneck \
    trouble must should needs need instead unable forgot forgotten wait waits waiting queue queued pile piles piling \
    beyond above below exceeded hit hits reached redelivered duplicates duplicated twice again retried retries loop errors \
    error 429 404 500 503 502 one true on enabled sends sent pegged points pointed out late early soon aggressive \
    excessive insufficient undersized oversized premature"
);

/// Whether a mention tells of a fault by itself or in its sentence. A note without a verb always does.
pub(super) fn is_told(words: &Words, mention: &Mention) -> bool {
    let mut period = words.period(mention.start);
    // `has MAX_MEMORY_MB: 96`: the value belongs to it.
    if mention.end == period.end && matches!(words.closed_by(mention.start), ':' | '(') {
        period.end = words.period(period.end).end.max(period.end);
    }
    let opens_with_it = matches!(words.raw(period.start), "it" | "this" | "that" | "what" | "its");
    let is_own = |word: usize| (mention.start..mention.end).contains(&word);
    let is_state = |word: usize| STATES.contains(words.raw(word)) && !is_own(word);
    let is_sign = |word: usize| FAULTS.contains(words.raw(word)) || is_value(words, word);
    !is_thing(mention) || opens_with_it || !period.clone().any(is_state) || period.clone().any(is_sign)
}

/// Whether only a thing was named, such as a setting, and not what befell it.
fn is_thing(mention: &Mention) -> bool {
    let is_setting = mention.concept().is_some_and(|concept| !concept.keys.is_empty() || concept.name == "stale_dns");
    // An address or a path is wrong by what it is, whatever it is.
    let is_address =
        mention.concept().is_some_and(|concept| matches!(concept.name, "cache_host" | "health_check_path"));
    is_setting && !is_address && mention.thing.is_none() && mention.gap.is_empty()
}

/// `MAX_WORKERS is 4`: a value is what is wrong with a setting, but not `150 free` and not `80 days to go`.
fn is_value(words: &Words, word: usize) -> bool {
    let is_rest = |at: usize| {
        matches!(
            words.raw(at),
            "free" | "unused" | "available" | "spare" | "idle" | "days" | "months" | "weeks" | "years"
        )
    };
    words.raw(word).bytes().any(|b| b.is_ascii_digit()) && !(word + 1..word + 3).any(is_rest)
}
