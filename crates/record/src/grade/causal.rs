//! Cause and effect: a mechanism that a text tells only as what another one led to is not its diagnosis, and where a
//! text says what the root cause is, nothing else is.

use super::claims::{self, TRIGGERS};
use super::layout::{self, Part};
use super::mentions::Mention;
use super::words::Words;

/// Mechanisms that go together: one of them may be told as what the other led to.
const KIN: [&[&str]; 7] = [
    &["disk_full", "cpu_quota"],
    &[
        "poison_messages",
        "retry_storm",
        "retry_limit",
        "redelivery",
        "visibility_timeout",
        "consumer_stall",
        "in_flight_limit",
    ],
    &["memory_limit", "eviction"],
    &["crash", "worker_crash", "crash_loop", "memory_leak", "descriptor_leak"],
    &["failover", "cold_cache", "connection_storm", "replica_lost", "read_replica", "replication_lag", "split_brain"],
    &["autovacuum", "table_bloat", "wraparound", "plan_flip", "lock_contention"],
    &["slow_link", "lossy_link", "partition", "stale_dns", "cache_host", "clock_skew", "auth_expired"],
];

/// Whether a mechanism is only told as what another one led to. `all` are the asserted mechanisms of the text.
pub(super) fn is_effect(words: &Words, mention: &Mention, all: &[&Mention]) -> bool {
    let rivals = all.iter().copied().filter(|other| is_rival(mention, other));
    // What is only said beside or after something is not told as its effect.
    claims::follows_from(words, mention, rivals, |word| !matches!(word, "and" | "while" | "then" | "until" | "which"))
}

/// Whether a text names the root cause as such, and it is another one.
pub(super) fn is_beside_the_conclusion(words: &Words, mention: &Mention, all: &[&Mention]) -> bool {
    let parts = layout::parts(words);
    let concluded = |one: &Mention| parts[one.start] == Part::Conclusion || layout::concludes(words, one.start);
    let named = all.iter().copied().filter(|other| concluded(other)).collect::<Vec<_>>();
    !named.is_empty() && named.iter().all(|other| is_rival(mention, other))
}

fn is_rival(mention: &Mention, other: &Mention) -> bool {
    let (Some(own), Some(other)) = (mention.concept(), other.concept()) else { return false };
    let is_kin = |kin: &&[&str]| kin.contains(&own.name) && kin.contains(&other.name);
    own.name != other.name
        && !own.implies.contains(&other.name)
        && !other.implies.contains(&own.name)
        && !TRIGGERS.contains(&other.name)
        && !KIN.iter().any(is_kin)
}
