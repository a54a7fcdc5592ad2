//! What a message queue is set by, what is measured of it, and what it writes.

use crate::config::{self, Bad, int};
use crate::services::{self, Level};
use crate::services::{Template, Unit, error, metric, table, usual, warn};

table! {
    /// What it is set by.
    pub(super) enum Key of config::Key {
        ConsumerConcurrency = int("CONSUMER_CONCURRENCY", 1, 65_536, "consumers", "24")
            .about("consumers; how many a message takes differs; they need database connections")
            .roomy(1.6)
            .hurts(Bad::Times(0.17), "consumer_concurrency"),
        MaxInFlight = int("MAX_IN_FLIGHT", 10, 200_000, "messages", "1000")
            .about("batches of messages delivered and not yet acknowledged; how large they are differs")
            .roomy(4.0)
            .hurts(Bad::Times(0.2), "in_flight_limit"),
        RetryLimit = int("RETRY_LIMIT", 1, 100, "attempts", "5")
            .about("attempts before a message goes to the dead-letter queue")
            .roomy(2.0)
            .hurts(Bad::Is("1"), "retry_limit"),
        VisibilityTimeoutMs = int("VISIBILITY_TIMEOUT_MS", 500, 3_600_000, "milliseconds", "30000")
            .about("a message not acknowledged by then is delivered again")
            .roomy(2.0)
            .hurts(Bad::Times(0.17), "visibility_timeout"),
    }
}

table! {
    /// What is measured of it.
    pub(super) enum Metric of services::Metric {
        QueueDepth = metric("queue_depth", Unit::Count, 40.0),
        OldestMessageAgeMs = metric("oldest_message_age_ms", Unit::Millis, 4000.0),
        PublishErrorRate = metric("publish_error_rate", Unit::Ratio, 0.01),
        PublishP95LatencyMs = metric("publish_p95_latency_ms", Unit::Millis, 120.0).percentile(),
        ConsumerLagMs = metric("consumer_lag_ms", Unit::Millis, 1500.0),
        DeadLetterRate = metric("dead_letter_rate", Unit::Ratio, 0.006),
        DuplicateDeliveryRate = metric("duplicate_delivery_rate", Unit::Ratio, 0.03),
        InFlightMessages = metric("in_flight_messages", Unit::Count, 60.0),
        RetryRate = metric("retry_rate", Unit::Ratio, 0.04),
        ConsumerUtilizationPct = metric("consumer_utilization_pct", Unit::Percent, 15.0),
    }
}

table! {
    /// What it writes into its log.
    pub(super) enum Log of Template {
        Ack = usual(Level::Info, "ack", "{topic} {id} acknowledged; deliveries take {=unacked_s}s on average"),
        Rebalance = usual(Level::Info, "rebalance",
            "consumer group {topic}: heartbeat from {CONSUMER_CONCURRENCY} members"),
        Transient = usual(Level::Warn, "transient",
            "{topic} {id} attempt 1 failed: a third party answered 503, will retry"),
        Backlog = warn("backlog", "{topic} consumers are behind: {=depth} messages waiting, oldest {=age_s}s"),
        ConsumersBusy = warn("consumers_busy", "all {CONSUMER_CONCURRENCY} consumers busy, deliveries wait"),
        InFlight = warn("in_flight",
            "delivery paused: {MAX_IN_FLIGHT} batches in flight, none may be added until some are acknowledged"),
        DeadLetter = error("dead_letter",
            "{topic} {id} moved to dead-letter queue after {RETRY_LIMIT} attempt(s): a third party answered 503"),
        Redelivered = warn("redelivered",
            "{topic} {id} delivered again: not acknowledged within {VISIBILITY_TIMEOUT_MS}ms"),
        Duplicate = error("duplicate", "{topic} {id} acknowledged twice, second result discarded"),
        Poison = error("poison",
            "{topic} {id} attempt {1..RETRY_LIMIT} of {RETRY_LIMIT} failed: cannot decode payload, a field is missing"),
        PoisonDead = warn("poison_dead",
            "{topic} {id} moved to dead-letter queue after {RETRY_LIMIT} attempts: cannot decode payload"),
        PublisherGone = warn("publisher_gone",
            "publisher {ip} closed the connection before {topic} {id} was confirmed"),
        DbSlow = error("db_slow", "consumer: writes to {dep:database} take {=write_ms}ms on average"),
        DbFailed = error("db_failed", "consumer: write to {dep:database} failed for {topic} {id}, will retry"),
        Stopped = error("stopped", "supervisor: {instance} exited with code 137, restart policy is never").once(),
        Refused = error("refused", "supervisor: {instance} not running, publisher {ip} refused"),
        Stalled = error("stalled",
            "consumer {1..CONSUMER_CONCURRENCY} has not polled for {=stalled_s}s: blocked on a lock, its lease is kept alive"),
        Unhandled = error("unhandled",
            "consumer: {topic} {id} failed: unhandled KeyError in code of this build"),
        SettlesLate = warn("settles_late",
            "{topic} {id} waits for a third party, which takes {=settling_s}s on average to settle"),
    }
}

table! {
    /// What its lines tell of.
    pub(super) enum Gauge of services::Gauge {
        UnackedS = services::Gauge("unacked_s"),
        Depth = services::Gauge("depth"),
        AgeS = services::Gauge("age_s"),
        WriteMs = services::Gauge("write_ms"),
        StalledS = services::Gauge("stalled_s"),
        SettlingS = services::Gauge("settling_s"),
        HeldConnections = services::Gauge("held_connections"),
    }
}
