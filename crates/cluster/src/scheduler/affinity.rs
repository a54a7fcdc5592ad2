//! Pods that want to be near others, or far from them, or spread evenly.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Obstacle;
use super::filters::matches_node;
use crate::api::LabelSelector;
use crate::store::Stored;
use crate::{Cluster, json, meta};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

impl Cluster {
    /// Required affinity and anti-affinity between pods, both ways.
    pub(super) fn affinity_obstacle(&self, pod: &Value, node: &Stored, without: &[Stored]) -> Option<Obstacle> {
        // Without any rule in the cluster there is no need to look at every pod.
        if !self.has_rules {
            return None;
        }
        for term in json::list(pod, &format!("spec.affinity.podAffinity.{REQUIRED}")) {
            let is_first = !self.placed(without).any(|(other, _)| term_matches(term, pod, other, self));
            let matches_itself = term_matches(term, pod, pod, self);
            let has_near = self.placed(without).any(|(other, place)| {
                same_domain(json::text(term, "topologyKey"), node, place) && term_matches(term, pod, other, self)
            });
            let domain = domain(json::text(term, "topologyKey"), node);
            let is_met = has_near || (is_first && matches_itself);
            if domain.is_none() || !is_met {
                return Some(Obstacle::fixed("node(s) didn't match pod affinity rules"));
            }
        }
        for term in json::list(pod, &format!("spec.affinity.podAntiAffinity.{REQUIRED}")) {
            let has_near = self.placed(without).any(|(other, place)| {
                same_domain(json::text(term, "topologyKey"), node, place) && term_matches(term, pod, other, self)
            });
            if has_near {
                return Some(Obstacle::clearable("node(s) didn't match pod anti-affinity rules"));
            }
        }
        let repels = self.placed(without).any(|(other, place)| {
            let terms = json::list(other, &format!("spec.affinity.podAntiAffinity.{REQUIRED}"));
            terms.iter().any(|term| {
                same_domain(json::text(term, "topologyKey"), node, place) && term_matches(term, other, pod, self)
            })
        });
        repels.then(|| Obstacle::clearable("node(s) didn't satisfy existing pods anti-affinity rules"))
    }

    /// Pods that have a node, with it.
    fn placed<'a>(&'a self, without: &'a [Stored]) -> impl Iterator<Item = (&'a Stored, &'a Stored)> {
        let is_left = move |pod: &&Stored| {
            !without.iter().any(|gone| json::text(gone, "metadata.uid") == json::text(pod, "metadata.uid"))
        };
        let alive = |pod: &&Stored| !matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed");
        let pods = self.store.list("pods", None).filter(alive).filter(is_left);
        pods.filter_map(|pod| Some((pod, self.store.get("nodes", "", json::text(pod, "spec.nodeName"))?)))
    }

    /// Hard constraints on an even spread.
    pub(super) fn spread_obstacle(&self, pod: &Value, node: &Stored, without: &[Stored]) -> Option<Obstacle> {
        let constraints = json::list(pod, "spec.topologySpreadConstraints").iter();
        for constraint in constraints.filter(|c| json::text(c, "whenUnsatisfiable") == "DoNotSchedule") {
            let key = json::text(constraint, "topologyKey");
            let Some(own) = domain(key, node) else {
                return Some(Obstacle::fixed(
                    "node(s) didn't match pod topology spread constraints (missing required label)",
                ));
            };
            let selector = LabelSelector::of(json::at(constraint, "labelSelector"));
            let mut counts: BTreeMap<String, i64> = BTreeMap::new();
            for other in self.store.list("nodes", None).filter(|other| matches_node(json::at(pod, "spec"), other)) {
                if let Some(domain) = domain(key, other) {
                    counts.entry(domain.into()).or_default();
                }
            }
            let namespace = json::text(pod, "metadata.namespace");
            for other in self.store.list("pods", Some(namespace)).filter(|other| !meta::is_going(other)) {
                let is_gone =
                    without.iter().any(|gone| json::text(gone, "metadata.uid") == json::text(other, "metadata.uid"));
                let place = self.store.get("nodes", "", json::text(other, "spec.nodeName"));
                let place = place.and_then(|place| domain(key, place)).map(ToString::to_string);
                if let Some(count) = place.and_then(|place| counts.get_mut(&place)).filter(|_| !is_gone) {
                    *count += i64::from(selector.matches(json::at(other, "metadata.labels")));
                }
            }
            let least = counts.values().min().copied().unwrap_or(0);
            let itself = i64::from(selector.matches(json::at(pod, "metadata.labels")));
            let skew = counts.get(own).copied().unwrap_or(0) + itself - least;
            if skew > json::int(constraint, "maxSkew").unwrap_or(1) {
                return Some(Obstacle::clearable("node(s) didn't match pod topology spread constraints"));
            }
        }
        None
    }
}

fn domain<'a>(key: &str, node: &'a Value) -> Option<&'a str> {
    json::at(node, "metadata.labels").get(key).and_then(Value::as_str)
}

fn same_domain(key: &str, one: &Value, other: &Value) -> bool {
    domain(key, one).is_some_and(|own| domain(key, other) == Some(own))
}

/// Whether a term of one pod is about another.
fn term_matches(term: &Value, owner: &Value, other: &Value, cluster: &Cluster) -> bool {
    let namespace = json::text(other, "metadata.namespace");
    let named = json::list(term, "namespaces");
    let selector = json::at(term, "namespaceSelector");
    let in_namespace = match (named.is_empty(), selector.is_object()) {
        (true, false) => namespace == json::text(owner, "metadata.namespace"),
        (_, selects) => {
            let space = cluster.store.get("namespaces", "", namespace);
            let labels = space.map(|space| json::at(space, "metadata.labels").clone()).unwrap_or_default();
            named.iter().any(|name| name == namespace) || (selects && LabelSelector::of(selector).matches(&labels))
        }
    };
    let labels = json::at(term, "labelSelector");
    in_namespace && labels.is_object() && LabelSelector::of(labels).matches(json::at(other, "metadata.labels"))
}

/// Whether a pod has a rule about other pods.
pub(crate) fn has_rules(pod: &Value) -> bool {
    let affinity = json::at(pod, "spec.affinity");
    affinity.get("podAffinity").is_some() || affinity.get("podAntiAffinity").is_some()
}
