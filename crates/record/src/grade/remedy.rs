//! Remediation: what an acting step did for the incident, and what it left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Fix, TaskCard, Touch};

/// What a step did for the incident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// Nothing changed.
    #[default]
    Nothing,
    /// It took back a wrong change of the agent's own: recovery, free of charge.
    Undo,
    /// It changed something and brought the fix no nearer.
    Wrong,
    /// It made a condition of the fix true.
    Right,
}

/// Everything that the agent has changed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    card: Arc<TaskCard>,
    original: BTreeMap<Setting, String>,
    set_right: BTreeSet<String>,
    standing: BTreeSet<Setting>,
    silenced: bool,
    touched: BTreeMap<Setting, bool>,
}

/// A service and one of its keys, or `restart`.
type Setting = (String, String);

impl Ledger {
    pub fn new(card: &Arc<TaskCard>) -> Ledger {
        Ledger { card: card.clone(), ..Ledger::default() }
    }

    /// Judges one step by all that it touched. One right change makes the step right: several
    /// conditions are usually met one after another, and a rollback may carry more than the fix.
    pub fn judge(&mut self, touched: &[Touch]) -> Remedy {
        let own = restarts_of_their_own(touched);
        own.iter().map(|touch| self.judge_one(touch)).max().unwrap_or_default()
    }

    /// Whether nothing wrong of the agent's own is left standing.
    pub fn is_clean(&self) -> bool {
        self.standing.is_empty() && !self.silenced
    }

    /// The share of the settings and services touched that the fix needed.
    pub fn specificity(&self) -> Option<f64> {
        let needed = self.touched.values().filter(|needed| **needed).count();
        (!self.touched.is_empty()).then(|| needed as f64 / self.touched.len() as f64)
    }

    /// Whether one of the restarts was of a service that neither the fix nor the cause is about.
    pub fn restarts_unrelated(&self, touched: &[Touch]) -> bool {
        restarts_of_their_own(touched).iter().any(|touch| match touch {
            Touch::Restart { service } => !self.is_related(service),
            _ => false,
        })
    }

    /// Whether a setting was touched that the fix is about.
    pub fn touches_the_fix(&self, touched: &[Touch]) -> bool {
        touched.iter().any(|touch| match touch {
            Touch::Config { service, key, .. } => self.card.fix.iter().any(|fix| fix.is_setting(service, key)),
            _ => false,
        })
    }

    /// Whether a setting was touched by which the incident may be ended in another way.
    pub fn touches_a_lever(&self, touched: &[Touch]) -> bool {
        !self.card.levers.is_empty()
            && touched.iter().any(|touch| match touch {
                Touch::Config { service, key, .. } => self.card.levers.contains(&format!("{service}.{key}")),
                _ => false,
            })
    }

    /// Whether the fix has a condition on this service.
    pub fn is_target(&self, service: &str) -> bool {
        self.card.fix.iter().any(|fix| fix.service() == service)
    }

    fn is_related(&self, service: &str) -> bool {
        self.is_target(service) || self.card.component == service
    }

    fn judge_one(&mut self, touch: &Touch) -> Remedy {
        match touch {
            Touch::Config { from, to, .. } if from == to => Remedy::Nothing,
            Touch::Config { service, key, from, to } => self.judge_setting(service, key, from, to),
            Touch::Restart { service } => self.judge_restart(service),
            Touch::Rollback { service } => self.judge_rollback(service),
            Touch::Silence { .. } => {
                self.silenced = true;
                Remedy::Wrong
            }
            Touch::Other { service, verb, .. } => {
                // No fix asks for such an act by name; one that ends the incident is paid back when that is verified.
                self.touched.insert((service.clone(), verb.clone()), false);
                Remedy::Wrong
            }
        }
    }

    fn judge_setting(&mut self, service: &str, key: &str, from: &str, to: &str) -> Remedy {
        let setting = (service.to_owned(), key.to_ascii_uppercase());
        let original = self.original.entry(setting.clone()).or_insert_with(|| from.to_owned()).clone();
        let wanted = self.card.fix.iter().find(|fix| fix.is_setting(service, key));
        let met_by = |value: &str| matches!(wanted, Some(Fix::Config { is, .. }) if super::fix::satisfies(value, is));
        let (was_met, is_met) = (met_by(from), met_by(to));
        self.touched.insert(setting.clone(), wanted.is_some());
        if is_met {
            self.set_right.insert(service.to_owned());
            self.standing.remove(&setting);
            return Remedy::Right;
        }
        if to == original && !was_met && self.standing.remove(&setting) {
            return Remedy::Undo;
        }
        self.standing.insert(setting);
        Remedy::Wrong
    }

    /// A restart is right where the fix asks for one, and as the last part of a rollout: after the
    /// service's own setting was put right. Any other restart is a guess, if a harmless one.
    fn judge_restart(&mut self, service: &str) -> Remedy {
        let asked = self.card.fix.iter().any(|fix| matches!(fix, Fix::Restart { restart } if restart == service));
        self.touched.insert((service.to_owned(), "restart".to_owned()), asked);
        if asked || self.set_right.contains(service) { Remedy::Right } else { Remedy::Wrong }
    }
}

impl Ledger {
    /// Taking back a change is right where the fix asks for it.
    fn judge_rollback(&mut self, service: &str) -> Remedy {
        let asked =
            self.card.fix.iter().any(|fix| matches!(fix, Fix::RolledBack { rolled_back } if rolled_back == service));
        self.touched.insert((service.to_owned(), "rollback".to_owned()), asked);
        if asked { Remedy::Right } else { Remedy::Wrong }
    }
}

/// A changed key may restart its service by itself: that restart belongs to the change.
fn restarts_of_their_own(touched: &[Touch]) -> Vec<&Touch> {
    if touched.len() < 2 {
        return touched.iter().collect();
    }
    let changed: BTreeSet<&str> = touched.iter().filter_map(changed_service).collect();
    let by_itself = |touch: &&Touch| !matches!(touch, Touch::Restart { service } if changed.contains(service.as_str()));
    touched.iter().filter(by_itself).collect()
}

fn changed_service(touch: &Touch) -> Option<&str> {
    match touch {
        Touch::Config { service, .. } | Touch::Rollback { service } => Some(service),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::stage::{card, touches};

    fn check(steps: &[&str], expect: &[Remedy]) {
        let mut ledger = Ledger::new(&Arc::new(card()));
        let found: Vec<Remedy> = steps.iter().map(|step| ledger.judge(&touches(step))).collect();
        assert_eq!(found, expect, "{steps:?}");
    }

    #[test]
    fn steps_are_judged_by_what_they_changed() {
        use Remedy::{Nothing, Right, Undo, Wrong};
        // The stage's fix: cache.TTL_SECONDS >= 120.
        check(&["cache.TTL_SECONDS 5 300"], &[Right]);
        check(&["cache.TTL_SECONDS 5 60"], &[Wrong]);
        check(&["cache.TTL_SECONDS 5 60", "cache.TTL_SECONDS 60 120"], &[Wrong, Right]);
        check(&["cache.TTL_SECONDS 5 60", "cache.TTL_SECONDS 60 5"], &[Wrong, Undo]);
        check(&["cache.TTL_SECONDS 5 300", "cache.TTL_SECONDS 300 5"], &[Right, Wrong]);
        check(&["cache.TTL_SECONDS 5 5"], &[Nothing]);
        check(&["database.DB_POOL_SIZE 50 90", "database.DB_POOL_SIZE 90 50"], &[Wrong, Undo]);
        check(&["database.DB_POOL_SIZE 50 90", "database.DB_POOL_SIZE 90 70"], &[Wrong, Wrong]);
        check(&["restart cache"], &[Wrong]);
        check(&["cache.TTL_SECONDS 5 300", "restart cache"], &[Right, Right]);
        check(&["cache.TTL_SECONDS 5 300; restart cache"], &[Right]);
        check(&["web_server.TIMEOUT_MS 1 2; cache.TTL_SECONDS 5 300"], &[Right]);
        check(&["silence page"], &[Wrong]);
        check(&[""], &[Nothing]);
    }

    #[test]
    fn only_a_restart_beside_the_cause_is_unrelated() {
        let ledger = Ledger::new(&Arc::new(card()));
        assert!(ledger.restarts_unrelated(&touches("restart web_server")));
        assert!(!ledger.restarts_unrelated(&touches("restart cache")));
        assert!(!ledger.restarts_unrelated(&touches("web_server.TIMEOUT_MS 1 2; restart web_server")));
    }

    #[test]
    fn what_was_not_needed_lowers_specificity() {
        let mut ledger = Ledger::new(&Arc::new(card()));
        assert_eq!(ledger.specificity(), None);
        ledger.judge(&touches("cache.TTL_SECONDS 5 300"));
        assert_eq!(ledger.specificity(), Some(1.0));
        ledger.judge(&touches("restart web_server"));
        assert_eq!(ledger.specificity(), Some(0.5));
        assert!(ledger.is_clean());
        ledger.judge(&touches("database.DB_POOL_SIZE 50 90"));
        assert!(!ledger.is_clean());
    }
}
