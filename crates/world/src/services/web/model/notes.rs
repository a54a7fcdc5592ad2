//! What a server measures of itself and writes into its log.

use super::round::Totals;
use super::{MEMORY, Seen, Tally, WebModel};
use crate::flow::{Mix, Reason};
use crate::services::Tick;
use crate::services::web::tables::Log;

impl WebModel {
    /// Lines that most services never print.
    fn note_rare(&self, tick: &mut Tick<'_>, tally: &Tally, fleet: &Totals) {
        let build = *tick.build();
        let database = |r: Reason| tally.database.get(r);
        let others = tally.cache.get(Reason::Astray) + tally.queue.get(Reason::Astray);
        let busy = database(Reason::Overloaded);
        let calls = database(Reason::Stale) + database(Reason::Astray) + others + busy;
        if calls + fleet.hoarded + build.errors + build.hedges == 0.0 {
            return;
        }
        tick.count(Log::Unhandled, tally.broken);
        tick.count(Log::Hedged, if build.hedges > 0.0 { 0.3 } else { 0.0 });
        tick.count(Log::UpstreamBusy, busy);
        tick.count(Log::Stale, database(Reason::Stale));
        tick.count(Log::DbAstray, database(Reason::Astray));
        tick.count(Log::Astray, others);
        tick.count(Log::NotReturned, if fleet.hoarded > 8.0 { 0.2 } else { 0.0 });
    }

    /// What others failed at, in the words of their kind.
    fn note_others(&self, tick: &mut Tick<'_>, tally: &Tally) {
        let plan = tick.plan;
        for (lent, mix) in plan.services[tick.me].borrowed.iter().zip(&tally.borrowed) {
            for (at, caller) in lent.kind.caller_logs().iter().enumerate() {
                tick.count_at(lent.first + at, mix.get(caller.reason));
            }
        }
    }

    pub(super) fn note(&mut self, tick: &mut Tick<'_>, by: &Mix, tally: &Tally, fleet: &Totals, rate: f64) {
        let limited = by.get(Reason::RateLimited);
        let aborts = tally.aborted / rate.max(1e-9);
        let kills = fleet.killed * 60.0;
        self.seen = Seen {
            rate,
            errors: by.total() - limited + aborts,
            timeouts: (tally.database.get(Reason::TimedOut) + tally.queue.get(Reason::TimedOut)) / rate.max(1e-9),
            workers: fleet.workers,
            memory: fleet.memory * 100.0,
            restarts: kills,
            utilisation: fleet.busiest * 100.0,
            queued: fleet.queued,
            limited: limited * rate,
            bypass: if tally.lookups > 0.0 { tally.bypassed / tally.lookups } else { 0.0 },
            checkout: if tally.writes > 0.0 { tally.writes_failed / tally.writes } else { 0.0 },
            aborts: aborts + tally.left / rate.max(1e-9),
            files: fleet.files * 100.0,
            hoarded: fleet.hoarded,
            hoarders: fleet.hoarders,
            hoarded_for: fleet.hoarded_for,
            memory_mb: fleet.memory * MEMORY,
            drag: 1.0,
            wait: fleet.wait,
            load: if tally.slow_misses > 0.0 { 1000.0 * tally.slow_loads / tally.slow_misses } else { 0.0 },
        };
        if !tick.logged {
            return;
        }
        let db = |r: Reason| tally.database.get(r);
        // A few late answers are nothing to log.
        let usual = |events: f64| (events - 0.002 * rate).max(0.0);
        let queue_down = tally.queue.get(Reason::Refused) + tally.queue.get(Reason::Unreachable);
        let off = tally.bypassed - tally.cache.total();
        let all_use_it = self.groups().all(|g| g.settings.use_cache);
        tick.count(Log::Request, rate * (1.0 - fleet.refused));
        tick.count(Log::Session, rate * 0.02);
        tick.count(Log::SlowTemplate, rate * 0.0006);
        tick.count(Log::BadInput, tally.buggy * self.bugs);
        tick.count(Log::DbTimeout, usual(db(Reason::TimedOut)));
        tick.count(Log::DbPool, db(Reason::PoolExhausted));
        tick.count(Log::DbRefused, db(Reason::Refused));
        tick.count(Log::DbReadonly, db(Reason::ReadOnly));
        tick.count(Log::DbDisk, db(Reason::DiskFull));
        tick.count(Log::DbCancelled, db(Reason::StatementTimeout));
        tick.count(Log::CacheRefused, tally.cache.get(Reason::Refused));
        tick.count(Log::CacheHost, tally.cache.get(Reason::Unreachable));
        tick.count(Log::CacheAuth, tally.cache.get(Reason::Unauthorised));
        tick.count(Log::CacheOff, if all_use_it { 0.0 } else { off.max(0.0) });
        tick.count(Log::PublishTimeout, usual(tally.queue.get(Reason::TimedOut)));
        tick.count(Log::PublishRefused, queue_down);
        // Some may have been turned away by a server behind this one.
        tick.count(Log::QueueFull, (rate * by.get(Reason::Overloaded) - db(Reason::Overloaded)).max(0.0));
        tick.count(Log::Saturated, if fleet.busiest > 0.97 { 0.2 } else { 0.0 });
        tick.count(Log::RateLimited, rate * limited);
        tick.count(Log::WorkerExit, if fleet.lost > 1.0 { 0.1 } else { 0.0 });
        tick.count(Log::OomKill, kills / 60.0);
        tick.count(Log::Gc, if fleet.memory > 0.85 { 0.2 } else { 0.0 });
        tick.count(Log::ClientAbort, tally.aborted + tally.left);
        tick.count(Log::CacheSlow, tally.slow_misses);
        self.note_rare(tick, tally, fleet);
        self.note_others(tick, tally);
    }
}
