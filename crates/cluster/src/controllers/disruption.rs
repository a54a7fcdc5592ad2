//! PodDisruptionBudgets: how many pods may be missing.

use serde_json::{Value, json};

use super::{is_active, is_ready, share};
use crate::api::LabelSelector;
use crate::events::Told;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

impl Cluster {
    pub(crate) fn sync_budget(&mut self, key: &ObjectKey) {
        let Some(budget) = self.store.at(key).cloned() else { return };
        let selector = json::at(&budget, "spec.selector");
        let parsed = LabelSelector::of(selector);
        let pods: Vec<_> = self
            .store
            .list("pods", Some(&key.namespace))
            .filter(|pod| selector.is_object() && is_active(pod) && parsed.matches(json::at(pod, "metadata.labels")))
            .cloned()
            .collect();
        if pods.is_empty() {
            let told = Told::normal("controllermanager", "NoPods", "No matching pods found");
            self.tell(&budget, built_in("poddisruptionbudgets.policy"), &told);
        }
        let expected = self.expected(&pods, &budget);
        let desired = match (json::at(&budget, "spec.maxUnavailable"), json::at(&budget, "spec.minAvailable")) {
            (Value::Null, Value::Null) => 0,
            (Value::Null, least) => share(least, expected, true),
            (most, _) => (expected - share(most, expected, true)).max(0),
        };
        let healthy = pods.iter().filter(|pod| is_ready(pod)).count() as i64;
        let allowed = if expected > 0 { (healthy - desired).max(0) } else { 0 };
        let now = self.now;
        self.change(key, |budget| {
            json::set(budget, "status.currentHealthy", healthy);
            json::set(budget, "status.desiredHealthy", desired);
            json::set(budget, "status.expectedPods", expected);
            json::set(budget, "status.disruptionsAllowed", allowed);
            json::remove(budget, "status.disruptedPods");
            let generation = json::at(budget, "metadata.generation").clone();
            json::set(budget, "status.observedGeneration", generation.clone());
            let (status, reason) = if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
            let old = json::list(budget, "status.conditions").first().cloned().unwrap_or_default();
            let since = match json::text(&old, "status") == status {
                true => json::text(&old, "lastTransitionTime").to_string(),
                false => now.rfc3339(),
            };
            json::set(
                budget,
                "status.conditions",
                json!([{
                    "type": "DisruptionAllowed",
                    "status": status,
                    "reason": reason,
                    "message": "",
                    "observedGeneration": generation,
                    "lastTransitionTime": since,
                }]),
            );
        });
    }

    /// How many pods there should be: what their controllers want where shares are asked for, else those that are there.
    fn expected(&self, pods: &[Stored], budget: &Value) -> i64 {
        let is_plain = json::at(budget, "spec.minAvailable").is_i64();
        if is_plain {
            return pods.len() as i64;
        }
        let mut seen = Vec::new();
        let mut total = 0;
        for pod in pods {
            let Some(owner) = meta::controller(pod) else { continue };
            let uid = json::text(owner, "uid").to_string();
            if seen.contains(&uid) {
                continue;
            }
            seen.push(uid);
            let found = self
                .owner_key(owner, json::text(pod, "metadata.namespace"))
                .and_then(|key| self.store.at(&key).cloned());
            // A ReplicaSet wants what its deployment wants.
            let above = found.as_ref().and_then(|set| meta::controller(set)).and_then(|owner| {
                let key = self.owner_key(owner, json::text(pod, "metadata.namespace"))?;
                self.store.at(&key).cloned()
            });
            total += above.or(found).and_then(|owner| json::int(&owner, "spec.replicas")).unwrap_or(0);
        }
        if total == 0 { pods.len() as i64 } else { total }
    }
}
