//! Causes that are kept for testing: no task of the splits `train` and `dev` has one of them, in no suite. What was
//! published stands: two of the eight published test tasks have a cause that published train tasks have as well, and one
//! held-out key is that of a published dev task.

use world::Blueprint;
use world::faults::{self, FaultArgs};
use world::services::{self, Kind};

use super::TaskDraft;

/// A cause: a fault at a kind of service, and the key that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeldOut {
    /// The fault.
    pub fault: &'static str,
    /// The kind of service.
    pub kind: &'static str,
    /// The key; empty where the fault is about none.
    pub key: &'static str,
}

const fn held(fault: &'static str, kind: &'static str, key: &'static str) -> HeldOut {
    HeldOut { fault, kind, key }
}

/// All of them.
pub const HELD_OUT: &[HeldOut] = &[
    held("config_push", "queue", "VISIBILITY_TIMEOUT_MS"),
    held("config_push", "web", "USE_CACHE"),
    held("config_push", "balancer", "WEB_WEIGHT_PRIMARY"),
    held("config_push", "balancer", "IDLE_TIMEOUT_MS"),
    held("config_push", "database", "INDEX_PRODUCTS_SKU"),
    held("lost_index", "database", "INDEX_PRODUCTS_SKU"),
    held("poison_messages", "queue", ""),
    held("slow_link", "web", ""),
    held("slow_link", "queue", ""),
    held("slow_link", "balancer", ""),
    held("clock_skew", "cache", ""),
    held("clock_skew", "balancer", ""),
    held("descriptor_leak", "web", ""),
    held("descriptor_leak", "balancer", ""),
    held("replication_lag", "database", ""),
    held("retry_burst", "web", ""),
];

/// Whether a fault at a place is kept for testing.
pub(crate) fn is_held_out(fault: &str, args: &FaultArgs, plan: &Blueprint) -> bool {
    let Some(info) = plan.service(args.said("service")).map(|at| &plan.services[at]) else {
        return is_kept(fault, "", args.said("key"));
    };
    let key = info.key(args.said("key")).map_or("", |key| plain_key(info.kind, key));
    is_kept(fault, info.kind.name(), key)
}

/// What the shop calls a key, whatever it is called in a place.
pub(crate) fn plain_key(kind: &dyn Kind, key: usize) -> &'static str {
    services::find(kind.name()).map_or("", |plain| plain.keys()[key].name)
}

fn is_kept(fault: &str, kind: &str, key: &str) -> bool {
    HELD_OUT.iter().any(|h| h.fault == fault && h.kind == kind && h.key == key)
}

/// Whether a family has a fault that is kept for testing.
pub(crate) fn family_is_held_out(family: &str) -> bool {
    HELD_OUT.iter().filter_map(|h| faults::find(h.fault)).any(|fault| fault.family().text() == family)
}

impl TaskDraft {
    /// Whether one of its causes is kept for testing; what earlier responders set counts as a push.
    pub fn is_held_out(&self) -> bool {
        let fault = self.faults.iter().any(|f| is_held_out(f.fault.name(), &f.args, &self.plan));
        let response = self.responders.iter().any(|r| {
            let kind = self.plan.services[r.service].kind;
            r.set.as_ref().is_some_and(|(key, _)| is_kept("config_push", kind.name(), plain_key(kind, *key)))
        });
        fault || response
    }
}
