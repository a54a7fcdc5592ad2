//! What has lived long enough: events after an hour, finished jobs after their time; and quotas counted again.

use crate::admission;
use crate::api::DeleteOptions;
use crate::store::ObjectKey;
use crate::{Cluster, json, meta};

const EVENT_SECONDS: u64 = 3600;

impl Cluster {
    pub(crate) fn expire(&mut self, key: &ObjectKey) {
        let Some(object) = self.store.at(key).cloned() else {
            if &*key.resource == "events" {
                self.forget_event(key);
            }
            return;
        };
        match &*key.resource {
            "events" => {
                // A count that rises gives an event another hour.
                let times = ["lastTimestamp", "eventTime"];
                let last = times.iter().find_map(|path| meta::stamp(&object, path)).unwrap_or(self.now);
                let due = last.after(std::time::Duration::from_secs(EVENT_SECONDS));
                if due > self.now {
                    return self.plan(crate::agenda::Actor::Expiry, key.clone(), due.since(self.now));
                }
                self.remove(key);
                self.forget_event(key);
            }
            _ if json::int(&object, "spec.ttlSecondsAfterFinished").is_some() => {
                self.unmake(key, &DeleteOptions { propagation: "Foreground".into(), ..DeleteOptions::default() });
            }
            _ => {}
        }
    }

    pub(crate) fn sync_quota(&mut self, key: &ObjectKey) {
        if let Some(quota) = self.store.at(key).cloned() {
            admission::recount(self, &quota);
        }
    }
}
