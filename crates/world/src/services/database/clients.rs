//! Who calls a database: how many can stand in line, what becomes of those who are refused, and when those who lost their
//! connections have them again.

use std::sync::Arc;

use crate::services::{ModelSetup, Tick};

/// Clients that lost their connections and connect again, after a wait that doubles with each try.
#[derive(Clone, Copy)]
pub(super) struct Reconnects {
    /// The first wait, in seconds; 0 where they connect as soon as the database is back.
    pub first: f64,
    /// Since when they have none, in seconds.
    lost_for: f64,
}

impl Reconnects {
    pub fn new(first: f64) -> Reconnects {
        Reconnects { first, lost_for: 0.0 }
    }

    /// The database is down for so many seconds more.
    pub fn lose(&mut self, dt: f64) {
        if self.first > 0.0 {
            self.lost_for += dt;
        }
    }

    /// Whether they still wait while the database is up for so many seconds more.
    pub fn waits(&mut self, dt: f64) -> bool {
        if self.lost_for <= 0.0 {
            return false;
        }
        let mut next = self.first;
        while next < self.lost_for {
            next = 2.0 * next + self.first;
        }
        let waits = next >= self.lost_for + dt;
        self.lost_for = if waits { self.lost_for + dt } else { 0.0 };
        waits
    }
}

/// One call of each service that calls this one, and that service: by it we know how many can stand in line at all.
#[derive(Clone)]
pub(super) struct Callers(Arc<[(usize, usize)]>);

impl Callers {
    pub fn of(setup: &ModelSetup<'_>) -> Callers {
        let mut known = std::collections::BTreeMap::new();
        for &call in &setup.plan.services[setup.me].calls {
            if let Some(parent) = setup.plan.calls[call].parent {
                let caller = setup.plan.calls[parent].service;
                known.entry(caller).or_insert((call, caller));
            }
        }
        Callers(known.into_values().collect())
    }

    /// Connections that callers keep without using them: no more than there are. Also for how long they have kept the first of them.
    pub fn hoarded(&self, tick: &mut Tick<'_>, all: f64) -> (f64, f64) {
        let instances = self.0.iter().flat_map(|(_, caller)| tick.fleet.of(*caller));
        let kept = instances
            .fold((0.0, 0.0f64), |(sum, longest), i| (sum + i.process.hoarded, longest.max(i.process.hoarded_for)));
        if kept.0 > all {
            self.let_go(tick, all / kept.0);
        }
        (kept.0.min(all), kept.1)
    }

    /// Who finds none left takes none.
    #[cold]
    fn let_go(&self, tick: &mut Tick<'_>, by: f64) {
        for (_, caller) in self.0.iter() {
            tick.fleet.of_mut(*caller).iter_mut().for_each(|i| i.process.hoarded *= by);
        }
    }

    pub fn count(&self, tick: &Tick<'_>) -> f64 {
        self.0.iter().map(|(call, _)| tick.flows[*call].callers).sum()
    }
}

/// The share that finds all of so many connections in use where none waits: Erlang's loss formula.
pub(super) fn blocked(connections: f64, offered: f64) -> f64 {
    (1..=connections as usize).fold(1.0, |lost, n| offered * lost / (n as f64 + offered * lost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_connections_refuse_as_many_as_erlang_says() {
        assert!((blocked(2.0, 1.77) - 0.361).abs() < 1e-3);
        assert_eq!(blocked(0.0, 3.0), 1.0);
    }

    #[test]
    fn the_wait_before_connections_are_opened_again_doubles() {
        let mut reconnects = Reconnects::new(1.0);
        (0..37).for_each(|_| reconnects.lose(1.0));
        // Tries come after 1, 3, 7, 15, 31 and 63 seconds.
        let more = (0..100).take_while(|_| reconnects.waits(1.0)).count();
        assert_eq!(37 + more, 63);
        assert!(!reconnects.waits(1.0));
        assert!(!Reconnects::new(0.0).waits(1.0));
    }
}
