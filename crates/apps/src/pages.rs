//! What pages: routes outside their objective, and workloads that are not as they should be.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::{Cluster, Stamp, json};
use serde_json::Value;

use crate::catalogue::AppCatalogue;
use crate::route::{RouteHistory, RouteWindow};

/// An alert that is firing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagingAlert {
    /// `HighErrorRate`.
    pub name: String,
    /// What it is about, in order of names.
    pub labels: Vec<(String, String)>,
    /// Since when it fires.
    pub since: Stamp,
    /// One sentence for the page.
    pub summary: String,
}

/// The name of an alert and its labels.
type AlertKey = (String, Vec<(String, String)>);

/// What is pending and what is firing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pager {
    pending: BTreeMap<AlertKey, Pending>,
    now: Stamp,
}

/// A condition that holds, or did a moment ago.
#[derive(Clone, Debug)]
struct Pending {
    since: Stamp,
    last: Stamp,
    holds_for: i64,
    lingers: i64,
    summary: String,
}

/// One condition that holds now.
pub(crate) struct Finding {
    name: &'static str,
    labels: Vec<(String, String)>,
    /// Seconds for which it must hold.
    holds_for: i64,
    /// Seconds for which it counts after it was last seen: what restarts is up for a moment between its ends.
    lingers: i64,
    summary: String,
}

pub(crate) type RouteHistories = BTreeMap<(Arc<str>, usize), RouteHistory>;

/// Seconds over which a route is judged.
pub(crate) const WINDOW: i64 = 60;

impl Pager {
    /// Looks at everything once.
    pub(crate) fn look(
        &mut self,
        cluster: &Cluster,
        catalogue: &AppCatalogue,
        routes: &RouteHistories,
        of_programs: Vec<Finding>,
        now: Stamp,
    ) {
        let mut found = of_programs;
        route_findings(catalogue, routes, now, &mut found);
        workload_findings(cluster, now, &mut found);
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain(|key, own| {
            let is_seen = found.iter().any(|finding| finding.name == key.0 && finding.labels == key.1);
            is_seen || own.last.after_secs(own.lingers) > now
        });
        for Finding { name, labels, holds_for, lingers, summary } in found {
            let key = (name.to_string(), labels);
            let since = pending.get(&key).map_or(now, |own| own.since);
            pending.insert(key, Pending { since, last: now, holds_for, lingers, summary });
        }
        self.pending = pending;
        self.now = now;
    }

    pub(crate) fn firing(&self) -> Vec<PagingAlert> {
        let due = self.pending.iter().filter(|(_, own)| own.since.after_secs(own.holds_for) <= self.now);
        due.map(|((name, labels), own)| PagingAlert {
            name: name.clone(),
            labels: labels.clone(),
            since: own.since.after_secs(own.holds_for),
            summary: own.summary.clone(),
        })
        .collect()
    }
}

impl Finding {
    /// Consumers that have fallen behind.
    pub(crate) fn lag(namespace: &str, group: &str, topic: &str, records: f64) -> Option<Self> {
        let labels = vec![label("consumergroup", group), label("namespace", namespace), label("topic", topic)];
        let summary = format!("Group {group} is {records:.0} records behind in {topic}");
        (records > MOST_LAG).then_some(Self { name: "KafkaConsumerLag", labels, holds_for: 60, lingers: 0, summary })
    }

    /// An operator that cannot do what a resource asks for.
    pub(crate) fn reconcile(namespace: &str, name: &str, why: &str) -> Self {
        let labels = vec![label("name", name), label("namespace", namespace)];
        let summary = format!("Reconciling {name} fails: {why}");
        Self { name: "OperatorReconcileErrors", labels, holds_for: 60, lingers: 0, summary }
    }
}

/// Records that a consumer may be behind.
const MOST_LAG: f64 = 1000.0;

fn label(name: &str, value: &str) -> (String, String) {
    (name.into(), value.into())
}

fn route_findings(catalogue: &AppCatalogue, routes: &RouteHistories, now: Stamp, found: &mut Vec<Finding>) {
    for ((app, number), history) in routes {
        let Some((spec, route)) =
            catalogue.application(app).and_then(|spec| spec.routes.get(*number).map(|route| (spec, route)))
        else {
            continue;
        };
        let window = RouteWindow::of(history, now.secs() - WINDOW);
        let labels = vec![label("application", app), label("namespace", &spec.namespace), label("route", &route.name)];
        if window.seconds < 30 {
            continue;
        }
        if window.success < route.objective.success {
            let summary = format!(
                "{}: {:.1} % of requests fail, mostly: {}",
                route.name,
                100.0 * (1.0 - window.success),
                window.reason
            );
            found.push(Finding { name: "HighErrorRate", labels: labels.clone(), holds_for: 60, lingers: 0, summary });
        }
        if window.p95 * 1000.0 > route.objective.p95_ms {
            let summary = format!("{}: 95 of 100 requests take up to {:.0} ms", route.name, window.p95 * 1000.0);
            found.push(Finding { name: "HighRequestLatency", labels, holds_for: 60, lingers: 0, summary });
        }
    }
}

fn workload_findings(cluster: &Cluster, now: Stamp, found: &mut Vec<Finding>) {
    for pod in cluster.objects("pods", None) {
        let labels = || {
            vec![
                label("namespace", json::text(pod, "metadata.namespace")),
                label("pod", json::text(pod, "metadata.name")),
            ]
        };
        let waits = |reason: &str| {
            let lists = ["status.containerStatuses", "status.initContainerStatuses"];
            let mut all = lists.iter().flat_map(|list| json::list(pod, list));
            all.any(|status| json::text(status, "state.waiting.reason") == reason)
        };
        if waits("CrashLoopBackOff") {
            let summary = format!("Pod {} restarts again and again", json::text(pod, "metadata.name"));
            found.push(Finding { name: "KubePodCrashLooping", labels: labels(), holds_for: 60, lingers: 240, summary });
        }
        let phase = json::text(pod, "status.phase");
        let is_ready = condition(pod, "Ready") == "True";
        if !is_ready && !matches!(phase, "Succeeded" | "Failed") {
            let summary = format!("Pod {} has not been ready", json::text(pod, "metadata.name"));
            found.push(Finding { name: "KubePodNotReady", labels: labels(), holds_for: 180, lingers: 0, summary });
        }
    }
    for node in cluster.objects("nodes", None).filter(|node| condition(node, "Ready") != "True") {
        let name = json::text(node, "metadata.name");
        let summary = format!("Node {name} is not ready");
        found.push(Finding {
            name: "KubeNodeNotReady",
            labels: vec![label("node", name)],
            holds_for: 60,
            lingers: 0,
            summary,
        });
    }
    let _ = now;
}

fn condition<'a>(object: &'a Value, name: &str) -> &'a str {
    let mut own = json::list(object, "status.conditions").iter().filter(|own| json::text(own, "type") == name);
    own.next().map_or("", |own| json::text(own, "status"))
}
