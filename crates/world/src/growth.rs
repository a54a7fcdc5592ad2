//! How a place differs from how it was written down: larger or smaller as a whole, and by its own habits. What it needs
//! of each setting follows from these, and an operator sees them only in what is measured.

use crate::math::{exp, ln};
use crate::rng::Stream;
use crate::station::mean_wait;

/// Factors on what was written down; 1 leaves everything as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Requests, machines, and what is counted of them.
    pub size: f64,
    /// How much heavier the heavy statements are; they come the more rarely.
    pub heavy: f64,
    /// How much longer the longest requests are; they come the more rarely.
    pub long: f64,
    /// How long a queue takes to confirm a message.
    pub confirm: f64,
    /// How long messages take to settle.
    pub settle: f64,
    /// A consumer's own work.
    pub work: f64,
    /// How long clients keep a connection to a balancer.
    pub keepalive: f64,
    /// How long a pooler keeps a connection after its use.
    pub linger: f64,
    /// Data on disks.
    pub data: f64,
    /// The size of what caches hold.
    pub entries: f64,
    /// Time between two uses of a cached entry.
    pub reuse: f64,
    /// How many workers one request takes.
    pub threads: f64,
    /// How many connections one client of a database takes.
    pub parts: f64,
    /// How many consumers one message takes.
    pub lanes: f64,
    /// How much of the load one zone takes.
    pub zoned: f64,
    /// How few messages a queue delivers at once.
    pub batched: f64,
}

impl Growth {
    /// A place that differs by chance; `reach` says how far, from 0 for not at all to 1. Of the settings in `much` it needs
    /// much: what is too little there is then no less than what is enough elsewhere.
    pub fn draw(draws: Stream, reach: f64, much: &[&str]) -> Growth {
        let upper = |n: u64| {
            let own = HABITS.iter().find(|(habit, _, keys)| *habit == n && much.iter().any(|k| keys.contains(k)));
            own.map_or(1.0, |(_, upper, _)| *upper)
        };
        let factor = |n: u64, least: f64, most: f64| {
            let at = 1.0 - upper(n) * (1.0 - draws.at(n).unit());
            let far = ln(least) + (ln(most) - ln(least)) * at;
            exp(far * reach)
        };
        Growth {
            size: factor(0, 0.2, 10.0),
            heavy: factor(1, 0.2, 8.0),
            long: factor(2, 0.2, 4.0),
            confirm: factor(3, 0.08, 4.0),
            settle: factor(4, 0.12, 6.0),
            work: factor(5, 0.3, 8.0),
            keepalive: factor(6, 0.15, 6.0),
            linger: factor(7, 0.2, 9.0),
            data: factor(8, 0.1, 12.0),
            entries: factor(9, 0.25, 12.0),
            reuse: factor(10, 0.03, 25.0),
            threads: factor(11, 0.5, 6.0),
            parts: factor(12, 0.5, 6.0),
            lanes: factor(13, 0.3, 8.0),
            zoned: factor(14, 0.12, 2.5),
            batched: factor(15, 0.12, 3.0),
        }
    }

    /// As it was written down.
    pub const NONE: Growth = Growth {
        size: 1.0,
        heavy: 1.0,
        long: 1.0,
        confirm: 1.0,
        settle: 1.0,
        work: 1.0,
        keepalive: 1.0,
        linger: 1.0,
        data: 1.0,
        entries: 1.0,
        reuse: 1.0,
        threads: 1.0,
        parts: 1.0,
        lanes: 1.0,
        zoned: 1.0,
        batched: 1.0,
    };
}

/// Which habit the need of a setting goes by, as they are drawn, and the part of the habit's range from which it is drawn where
/// much of the setting is needed: the smaller, the more a fault leaves of it.
const HABITS: &[(u64, f64, &[&str])] = &[
    (1, 0.45, &["TIMEOUT_MS", "QUERY_TIMEOUT_MS"]),
    (2, 0.4, &["IDLE_TIMEOUT_MS"]),
    (3, 0.35, &["QUEUE_PUBLISH_TIMEOUT_MS"]),
    (4, 0.4, &["VISIBILITY_TIMEOUT_MS"]),
    (6, 0.35, &["MAX_CONNECTIONS"]),
    (8, 0.6, &["DISK_QUOTA_GB"]),
    (9, 0.6, &["MAX_MEMORY_MB"]),
    (10, 0.4, &["TTL_SECONDS"]),
    (11, 0.4, &["MAX_WORKERS"]),
    (12, 0.5, &["DB_POOL_SIZE"]),
    (13, 0.3, &["CONSUMER_CONCURRENCY"]),
    (14, 0.4, &["RATE_LIMIT_RPS"]),
    (15, 0.3, &["MAX_IN_FLIGHT"]),
];

/// How many times as much of a setting is needed.
pub type Needs = Vec<(&'static str, f64)>;

/// A statement is heavy from so many milliseconds on.
pub const HEAVY_MS: f64 = 200.0;

/// So busy are machines of a healthy place, for the sake of comparing their waits.
const BUSY: f64 = 0.6;

/// How many servers a place of another size needs so that no request waits longer than in a place with `servers`: few
/// servers need more room each than many.
pub(crate) fn servers(servers: f64, size: f64) -> f64 {
    const STEPS: usize = 37;
    let work = BUSY * servers * size;
    let most = mean_wait(servers, 1.0, BUSY);
    let will_do = |needed: f64| mean_wait(needed, 1.0, work / needed) <= most || needed >= 2.0 * servers * size;
    if will_do(servers * size) {
        return servers * size;
    }
    let mut tried = [servers * size; STEPS];
    (1..STEPS).for_each(|at| tried[at] = tried[at - 1] * 1.02);
    // More servers never wait longer, so the first that will do is found by halves.
    tried[tried.partition_point(|needed| !will_do(*needed)).min(STEPS - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_servers_need_more_room_each() {
        assert!(servers(12.0, 0.25) > 3.0);
        assert!(servers(12.0, 0.25) < 6.1);
        assert_eq!(servers(12.0, 4.0), 48.0);
        assert_eq!(servers(12.0, 1.0), 12.0);
    }
}
