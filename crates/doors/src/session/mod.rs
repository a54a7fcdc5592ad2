//! Sessions: many clients far away, each in an episode of its own. A table with caps; who is idle for
//! too long gives up; every player is handed back when it is over. No sockets, no randomness and no
//! clock in here: ids and times are handed in.

mod client_view;
mod id;
mod pace;
mod refusal;
mod request;
#[allow(clippy::module_inception)]
mod session;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use harness::catalogue::Catalogue;
use harness::{Player, Trainer};
use serde_json::{Map, Value};

pub use client_view::{ClientView, Rewards};
pub use id::SessionId;
pub use pace::Pace;
pub use refusal::Refusal;
pub use request::StartRequest;
pub use session::Session;

/// So many ids of closed sessions may lie about.
const STALE: usize = 64;

/// How much there may be of everything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Sessions at a time.
    pub sessions: usize,
    /// Who does nothing for so long has given up.
    pub idle: Duration,
}

/// All sessions of a server.
pub struct Sessions {
    catalogue: Catalogue,
    limits: Limits,
    pace: Pace,
    trainer: Option<Trainer>,
    table: Mutex<Table>,
    keep: Keep,
}

/// Gets every player that is over.
pub type Keep = Box<dyn Fn(Player) + Send + Sync>;

#[derive(Default)]
struct Table {
    seats: BTreeMap<SessionId, Arc<Mutex<Session>>>,
    /// Sessions whose episode has ended, oldest first: they make room for new ones.
    over: VecDeque<SessionId>,
}

impl Sessions {
    /// An empty table. `keep` gets every player that is over.
    pub fn new(catalogue: Catalogue, limits: Limits, pace: Pace, keep: Keep) -> Sessions {
        Sessions { catalogue, limits, pace, trainer: None, table: Mutex::default(), keep }
    }

    /// The same for clients that train: they are shown rewards, and the catalogue's records say so.
    pub fn for_trainers(self, trainer: Trainer) -> Sessions {
        Sessions { trainer: Some(trainer), ..self }
    }

    /// What can be played.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// How many sessions there are, and how many there may be.
    pub fn count(&self) -> (usize, usize) {
        (self.table().seats.len(), self.limits.sessions)
    }

    /// Opens a session without an episode, under a new id.
    pub fn open(&self, id: SessionId, now: Duration) -> Result<(), Refusal> {
        // Those who left without a word make room before a client is refused.
        let seated = self.seat(id, now) || (self.reap(now) > 0 && self.seat(id, now));
        if seated { Ok(()) } else { Err(Refusal::Full(self.limits.sessions)) }
    }

    fn seat(&self, id: SessionId, now: Duration) -> bool {
        let mut table = self.table();
        let room = table.seats.len() < self.limits.sessions || table.make_room();
        if room {
            table.seats.insert(id, Arc::new(Mutex::new(Session::new(self.pace, self.trainer.clone(), now))));
        }
        room
    }

    /// Begins an episode in a session; one that is going on there is given up.
    pub fn start(&self, id: SessionId, request: StartRequest, now: Duration) -> Result<ClientView, Refusal> {
        let player = self.catalogue.start(&request.choice(), request.agent)?;
        self.with(id, now, |session| {
            session.adopt(player, request.episode_id);
            session.view()
        })?
    }

    /// Opens a session and begins an episode in it.
    pub fn open_with(&self, id: SessionId, request: StartRequest, now: Duration) -> Result<ClientView, Refusal> {
        self.open(id, now)?;
        self.start(id, request, now).inspect_err(|_| drop(self.close(id, now)))
    }

    /// Opens a session for a player that was seated elsewhere.
    pub fn adopt(&self, id: SessionId, player: Player, now: Duration) -> Result<(), Refusal> {
        self.open(id, now)?;
        self.with(id, now, |session| session.adopt(player, None))
    }

    /// Does something in a session. Players that are over by it are handed back.
    pub fn with<T>(&self, id: SessionId, now: Duration, act: impl FnOnce(&mut Session) -> T) -> Result<T, Refusal> {
        let seat = self.table().seats.get(&id).cloned().ok_or(Refusal::UnknownSession)?;
        let mut session = lock(&seat);
        session.touch(now);
        let result = act(&mut session);
        session.settle();
        let left = std::mem::take(&mut session.over);
        let over = !left.is_empty() && !session.is_live();
        drop(session);
        if over {
            self.table().note_over(id);
        }
        left.into_iter().for_each(&self.keep);
        self.make_room();
        Ok(result)
    }

    /// Puts the sessions that were used least recently to rest while more incidents are in memory than should be.
    fn make_room(&self) {
        if !self.catalogue.is_crowded() {
            return;
        }
        let all: Vec<Arc<Mutex<Session>>> = self.table().seats.values().cloned().collect();
        // One that is locked is in use.
        let used = |seat: &Arc<Mutex<Session>>| seat.try_lock().ok().filter(|s| !s.rests()).map(|s| s.used());
        let mut awake: Vec<_> = all.iter().filter_map(|seat| Some((used(seat)?, seat))).collect();
        awake.sort_by_key(|(used, _)| *used);
        // Several at a time, so that this is seldom.
        for few in awake.chunks((awake.len() / 8).max(1)) {
            few.iter().filter_map(|(_, seat)| seat.try_lock().ok()).for_each(|mut session| session.rest());
            if !self.catalogue.is_crowded() {
                return;
            }
        }
    }

    /// Calls a tool in a session. One that is not there is refused as invalid, which costs nothing.
    pub fn call(
        &self,
        id: SessionId,
        name: &str,
        arguments: &Map<String, Value>,
        now: Duration,
    ) -> Result<ClientView, Refusal> {
        let brief = self.with(id, now, |session| session.view())??.brief;
        let Some(tool) = brief.toolset.tools().iter().find(|tool| tool.name() == name) else {
            let known: Vec<&str> = brief.tools.iter().map(|tool| tool.name).collect();
            return Err(Refusal::Invalid(format!("there is no such tool; there are {}", known.join(", "))));
        };
        let text = faces::action_text(tool.name(), arguments);
        self.with(id, now, |session| session.step(&text))?
    }

    /// Closes a session; an episode that is going on is given up.
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
    pub fn list(&self, now: Duration) -> Vec<(Option<ClientView>, Duration)> {
        let all: Vec<Arc<Mutex<Session>>> = self.table().seats.values().cloned().collect();
        let mut list: Vec<(Option<ClientView>, Duration)> = all
            .iter()
            .map(|seat| {
                let session = lock(seat);
                (session.view().ok(), now.saturating_sub(session.used()))
            })
            .collect();
        list.sort_by_key(|(_, idle)| std::cmp::Reverse(*idle));
        list
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // A panic elsewhere leaves the maps as they are.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
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
