//! A gate that threads wait at.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use harness::Stop;

use super::gate::{Gate, Outcome, Verdict};
use super::policy::Policy;

/// The door to one provider, shared by all workers. It opens as its [`Gate`] says.
pub struct Door {
    gate: Mutex<Gate>,
    changed: Condvar,
    began: Instant,
    stop: Stop,
}

impl Door {
    /// A door; whoever waits at it leaves when somebody asks to stop.
    pub fn new(policy: Policy, stop: &Stop) -> Arc<Door> {
        let gate = Mutex::new(Gate::new(policy));
        let door = Arc::new(Door { gate, changed: Condvar::new(), began: Instant::now(), stop: stop.clone() });
        let waiting = Arc::downgrade(&door);
        stop.on_ask(move || {
            if let Some(door) = waiting.upgrade() {
                // Whoever is between its look at the wish and its wait holds the gate.
                drop(door.gate());
                door.changed.notify_all();
            }
        });
        door
    }

    /// Waits until a call may start; `false` if it is to stop instead.
    pub fn enter(&self) -> bool {
        let mut gate = self.gate();
        loop {
            if self.stop.is_asked() {
                return false;
            }
            let now = self.began.elapsed();
            gate = match gate.ask(now) {
                Verdict::Go => return true,
                Verdict::Busy => self.changed.wait(gate).expect("nobody panics at the gate"),
                Verdict::Wait(until) => self.wait(gate, until.saturating_sub(now)),
            };
        }
    }

    /// A call has ended.
    pub fn leave(&self, outcome: Outcome) {
        let mut gate = self.gate();
        gate.done(self.began.elapsed(), outcome);
        // An answer may have raised the limit by one, so two may go on.
        self.changed.notify_one();
        self.changed.notify_one();
    }

    /// Waits for so long; `false` if it is to stop before.
    pub fn rest(&self, time: Duration) -> bool {
        let until = self.began.elapsed() + time;
        let mut gate = self.gate();
        loop {
            let now = self.began.elapsed();
            if self.stop.is_asked() {
                return false;
            }
            if now >= until {
                return true;
            }
            gate = self.wait(gate, until - now);
        }
    }

    /// Nobody gets through any more: everybody is asked to stop.
    pub fn shut(&self, why: String) {
        self.stop.ask(why);
    }

    /// How long nothing starts, if the gate is closed, and how many calls may be in flight, if limited.
    pub fn state(&self) -> (Option<Duration>, Option<u32>) {
        let (gate, now) = (self.gate(), self.began.elapsed());
        (gate.closed_until(now).map(|until| until - now), gate.limit())
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().expect("nobody panics at the gate")
    }

    fn wait<'a>(&self, gate: MutexGuard<'a, Gate>, time: Duration) -> MutexGuard<'a, Gate> {
        self.changed.wait_timeout(gate, time).expect("nobody panics at the gate").0
    }
}
