//! Sessions: many clients far away, each in an episode of its own. A table with caps; who is idle for
//! too long gives up; every episode ends as a sealed record. No sockets, no randomness and no clock
//! in here: ids and times are handed in.

mod id;
mod offer;
mod order;
mod pace;
mod refusal;
mod seat;
pub mod shapes;
mod sight;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::episode::{Episode, EpisodeOptions};
use crate::record::Record;
use crate::scenario::Scenario;
use crate::task::Task;

pub use id::SessionId;
pub use offer::{Listed, Offer};
pub use order::Order;
pub use pace::Pace;
pub use refusal::Refusal;
pub use seat::Session;
pub use sight::Sight;

/// So many incidents at most are kept for the next one who asks, whether anybody plays them or not.
const RECENT: usize = 256;
/// So many ids of closed sessions may lie about.
const STALE: usize = 64;

/// How much there may be of everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Sessions at a time.
    pub sessions: usize,
    /// Different incidents (task and seed) being played at a time: each takes about a megabyte, while
    /// a session on a shared one takes kilobytes.
    pub incidents: usize,
    /// Who does nothing for so long has given up.
    pub idle: Duration,
}

/// All sessions of a server.
pub struct Sessions {
    offer: Offer,
    limits: Limits,
    pace: Pace,
    table: Mutex<Table>,
    keep: Box<dyn Fn(Record) + Send + Sync>,
}

#[derive(Default)]
struct Table {
    seats: BTreeMap<SessionId, Arc<Mutex<Session>>>,
    /// Sessions whose episode has ended, oldest first: they make room for new ones.
    over: VecDeque<SessionId>,
    /// Incidents that are in memory, by the task's digest and the seed.
    incidents: BTreeMap<(String, u64), Weak<Scenario>>,
    /// The latest of them.
    recent: VecDeque<Arc<Scenario>>,
}

impl Sessions {
    /// An empty table. `keep` gets every sealed record.
    pub fn new(offer: Offer, limits: Limits, pace: Pace, keep: Box<dyn Fn(Record) + Send + Sync>) -> Sessions {
        Sessions { offer, limits, pace, table: Mutex::default(), keep }
    }

    /// What can be played.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// How many sessions there are, and how many there may be.
    pub fn count(&self) -> (usize, usize) {
        (self.table().seats.len(), self.limits.sessions)
    }

    /// Opens a session without an episode, under an id that nobody has.
    pub fn open(&self, id: SessionId, now: Duration) -> Result<(), Refusal> {
        // Those who left without a word make room before anybody is refused.
        let seated = self.seat(id, now) || (self.reap(now) > 0 && self.seat(id, now));
        if seated { Ok(()) } else { Err(Refusal::Full(self.limits.sessions)) }
    }

    fn seat(&self, id: SessionId, now: Duration) -> bool {
        let mut table = self.table();
        let room = table.seats.len() < self.limits.sessions || table.make_room();
        if room {
            table.seats.insert(id, Arc::new(Mutex::new(Session::new(self.pace, now))));
        }
        room
    }

    /// Begins an episode in a session; one that is going on there is given up.
    pub fn start(&self, id: SessionId, order: Order, now: Duration) -> Result<Sight, Refusal> {
        let (task, seed) = self.offer.pick(&order)?;
        let scenario = self.incident(task, seed)?;
        let options = EpisodeOptions {
            tools: self.offer.tools,
            agent: order.agent.unwrap_or_else(|| self.offer.agent.clone()),
            suite: self.offer.suite.clone(),
            ..EpisodeOptions::default()
        };
        self.with(id, now, |session| {
            session.start(&scenario, options, order.episode_id);
            session.sight()
        })?
    }

    /// Opens a session and begins an episode in it.
    pub fn open_with(&self, id: SessionId, order: Order, now: Duration) -> Result<Sight, Refusal> {
        self.open(id, now)?;
        self.start(id, order, now).inspect_err(|_| drop(self.close(id, now)))
    }

    /// Opens a session for an episode that was begun elsewhere.
    pub fn adopt(&self, id: SessionId, episode: Episode, now: Duration) -> Result<(), Refusal> {
        self.open(id, now)?;
        self.with(id, now, |session| session.adopt(episode))
    }

    /// Does something in a session. Episodes that end by it are sealed and kept.
    pub fn with<T>(&self, id: SessionId, now: Duration, act: impl FnOnce(&mut Session) -> T) -> Result<T, Refusal> {
        let seat = self.table().seats.get(&id).cloned().ok_or(Refusal::UnknownSession)?;
        let mut session = lock(&seat);
        session.touch(now);
        let result = act(&mut session);
        let sealed = std::mem::take(&mut session.sealed);
        let over = !sealed.is_empty() && !session.is_live();
        drop(session);
        if over {
            self.table().note_over(id);
        }
        sealed.into_iter().for_each(&self.keep);
        Ok(result)
    }

    /// Closes a session; an episode that is going on is given up, sealed and kept.
    pub fn close(&self, id: SessionId, now: Duration) -> Result<(), Refusal> {
        self.with(id, now, Session::end)?;
        self.table().seats.remove(&id);
        Ok(())
    }

    /// Closes the sessions that were idle for too long; gives how many.
    pub fn reap(&self, now: Duration) -> usize {
        let idle = |session: &Session| now.saturating_sub(session.used()) >= self.limits.idle;
        let all: Vec<(SessionId, Arc<Mutex<Session>>)> =
            self.table().seats.iter().map(|(id, seat)| (*id, seat.clone())).collect();
        // One that is locked is in use.
        let gone = all.iter().filter(|(_, seat)| seat.try_lock().is_ok_and(|session| idle(&session)));
        gone.filter(|(id, _)| self.close(*id, now).is_ok()).count()
    }

    /// Closes all of them: the server stops.
    pub fn close_all(&self, now: Duration) {
        let all: Vec<SessionId> = self.table().seats.keys().copied().collect();
        for id in all {
            // It may have been closed meanwhile, which is what is wanted.
            let _ = self.close(id, now);
        }
    }

    /// The sessions, oldest use first, without their ids: an id is the right to play.
    pub fn list(&self, now: Duration) -> Vec<(Option<Sight>, Duration)> {
        let all: Vec<Arc<Mutex<Session>>> = self.table().seats.values().cloned().collect();
        let mut list: Vec<(Option<Sight>, Duration)> = all
            .iter()
            .map(|seat| {
                let session = lock(seat);
                (session.sight().ok(), now.saturating_sub(session.used()))
            })
            .collect();
        list.sort_by_key(|(_, idle)| std::cmp::Reverse(*idle));
        list
    }

    /// The one that others play or have just played, or else another, if there is room for it.
    fn incident(&self, task: &Arc<Task>, seed: u64) -> Result<Arc<Scenario>, Refusal> {
        let key = (task.digest.clone(), seed);
        if let Some(known) = self.table().incidents.get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let most = self.limits.incidents;
        if !self.table().has_room_for_incident(most) {
            return Err(Refusal::TooManyIncidents(most));
        }
        // Outside of the lock: it takes a while, and at worst two do it at once and one is dropped.
        let scenario = Scenario::prepare(task, seed, self.offer.noise).map_err(|_| Refusal::Unplayable)?;
        Ok(self.table().note_incident(key, scenario))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // A panic elsewhere leaves the maps as they are.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Whether another incident fits; if not, those that nobody plays go first.
    fn has_room_for_incident(&mut self, most: usize) -> bool {
        let alive = |scenario: &Weak<Scenario>| scenario.strong_count() > 0;
        self.incidents.retain(|_, scenario| alive(scenario));
        if self.incidents.len() >= most {
            self.recent.clear();
            self.incidents.retain(|_, scenario| alive(scenario));
        }
        self.incidents.len() < most
    }

    fn note_incident(&mut self, key: (String, u64), scenario: Scenario) -> Arc<Scenario> {
        if let Some(first) = self.incidents.get(&key).and_then(Weak::upgrade) {
            return first;
        }
        let scenario = Arc::new(scenario);
        self.incidents.insert(key, Arc::downgrade(&scenario));
        self.recent.truncate(RECENT - 1);
        self.recent.push_front(scenario.clone());
        scenario
    }

    /// Remembers a session that can make room; what was closed since is forgotten now and then.
    fn note_over(&mut self, id: SessionId) {
        self.over.push_back(id);
        if self.over.len() > 2 * self.seats.len() + STALE {
            let mut seen = BTreeSet::new();
            self.over.retain(|id| self.seats.contains_key(id) && seen.insert(*id));
        }
    }

    /// Removes the session that has been over for longest.
    fn make_room(&mut self) -> bool {
        while let Some(id) = self.over.pop_front() {
            let over = self.seats.get(&id).is_some_and(|seat| seat.try_lock().is_ok_and(|session| !session.is_live()));
            if over {
                self.seats.remove(&id);
                return true;
            }
        }
        false
    }
}

/// A panic in the middle of an episode spoils that episode only; it is given up like any other.
fn lock(seat: &Mutex<Session>) -> MutexGuard<'_, Session> {
    seat.lock().unwrap_or_else(PoisonError::into_inner)
}
