//! Innocent changes around the onset: a company goes on working while something breaks, so the last
//! entry of the change history proves nothing.

use world::faults::TEAMS;
use world::rng::Stream;
use world::{Mutation, Seed, Span, Time, World};

/// What people do to any service, unnoticed.
const EVERYWHERE: &[&str] = &[
    "set LOG_SAMPLING_PCT from 10 to 20",
    "set METRICS_INTERVAL_S from 30 to 15",
    "set AUDIT_ENABLED from false to true",
    "set TRACE_SAMPLING_PCT from 1 to 2",
    "set DEBUG_ENDPOINT_ENABLED from true to false",
    "set SUPPORT_CONTACT from ops to oncall",
    "set MAINTAINER_TEAM from web to storefront",
    "set LOG_RETENTION_DAYS from 14 to 7",
    "set HEARTBEAT_LOG_ENABLED from true to false",
    "set STATS_PREFIX from app to shop",
];

/// When they happen, in seconds from the onset: shortly before it, before the page, while it is dealt with.
const WHEN: [(i64, i64); 4] = [(-240, -30), (15, 75), (60, 200), (150, 420)];

/// Writes them into the change history, each at its time. They can be taken back and bring nothing.
pub(crate) fn add(world: &mut World, seed: Seed, onset: Time) {
    let stream = seed.stream("bustle");
    for (n, (from, to)) in WHEN.into_iter().enumerate() {
        let draws = stream.within(n as u64);
        let offset = from + draws.at(0).below((to - from) as u64) as i64;
        one(world, draws, onset, offset);
    }
}

fn one(world: &mut World, draws: Stream, onset: Time, offset: i64) {
    let service = draws.at(1).below(world.plan().services.len() as u64) as usize;
    let (author, summary) = (draws.at(2).pick(TEAMS), draws.at(3).pick(EVERYWHERE));
    let (nothing, span) = (Mutation::All(Vec::new()), Span::secs(offset.unsigned_abs()));
    if offset < 0 {
        world.note_change(author, service, summary, Some(nothing), false, onset.back(span));
    } else {
        world.schedule_change(onset + span, author, service, summary, nothing);
    }
}
