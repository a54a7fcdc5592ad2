//! The fourth part: nothing else was broken, deleted or switched off on the way.

use std::collections::BTreeSet;

use apps::Site;
use cluster::{Stored, json};
use serde_json::Value;

use crate::harmless::HarmlessChange;
use crate::place::ObjectPlace;
use crate::scene::ProblemScene;

/// Kinds that must still be there.
const KEPT: &[&str] = &[
    "deployments.apps",
    "statefulsets.apps",
    "daemonsets.apps",
    "cronjobs.batch",
    "services",
    "configmaps",
    "secrets",
    "nodes",
    "namespaces",
    "serviceaccounts",
    "ingresses.networking.k8s.io",
    "horizontalpodautoscalers.autoscaling",
];

/// Guards: they must still be there and still guard. With the part of them that says what they do.
const GUARDS: &[(&str, &str)] = &[
    ("networkpolicies.networking.k8s.io", "spec"),
    ("resourcequotas", "spec"),
    ("limitranges", "spec"),
    ("poddisruptionbudgets.policy", "spec"),
    ("validatingwebhookconfigurations.admissionregistration.k8s.io", "webhooks"),
    ("mutatingwebhookconfigurations.admissionregistration.k8s.io", "webhooks"),
    ("priorityclasses.scheduling.k8s.io", "value"),
    ("roles.rbac.authorization.k8s.io", "rules"),
    ("rolebindings.rbac.authorization.k8s.io", "subjects"),
    ("clusterroles.rbac.authorization.k8s.io", "rules"),
    ("clusterrolebindings.rbac.authorization.k8s.io", "subjects"),
];

/// Workloads whose containers are looked at.
const WORKLOADS: &[&str] = &["deployments.apps", "statefulsets.apps", "daemonsets.apps"];

/// What was lost or switched off beside the defect.
pub(super) fn part(scene: &ProblemScene, site: &Site) -> Vec<String> {
    let concerned = concerned(scene);
    let mut found = Vec::new();
    let kinds = KEPT.iter().map(|kind| (*kind, "")).chain(GUARDS.iter().copied());
    for (resource, guards) in kinds {
        for before in scene.healthy.cluster.objects(resource, None).filter(|object| is_own(object)) {
            let place = place(resource, before);
            if concerned.contains(&place) {
                let now = site.cluster.object(resource, &place.1, &place.2);
                found.extend(emptied(scene, resource, before, now));
                continue;
            }
            let now = site.cluster.object(resource, &place.1, &place.2);
            // What was changed after the fault for another reason must stay as well.
            let later = scene.harmless.iter().any(|change| is_of(change, &place));
            let before = if later { scene.broken.cluster.object(resource, &place.1, &place.2) } else { Some(before) };
            found.extend(before.into_iter().flat_map(|before| compared(resource, guards, before, now)));
        }
    }
    found
}

/// By resource, namespace and name.
type Place = (String, String, String);

fn place(resource: &str, object: &Stored) -> Place {
    let text = |path| json::text(object, path).to_string();
    (resource.to_string(), text("metadata.namespace"), text("metadata.name"))
}

fn is_of(change: &HarmlessChange, (resource, namespace, name): &Place) -> bool {
    resource == "deployments.apps" && change.namespace == *namespace && change.name == *name
}

/// Objects that a mitigation may change: those of the causes and of the alternatives, and those that the file names.
fn concerned(scene: &ProblemScene) -> BTreeSet<Place> {
    let (problem, file) = (&scene.problem, &scene.problem.file);
    let causes = file.cause.iter().map(|cause| (&cause.object, &cause.namespace));
    let others = file.gone.iter().map(|other| (&other.object, &other.namespace));
    let named = file.may_change.iter().map(|object| (object, &None));
    let mut found = BTreeSet::new();
    for (object, namespace) in causes.chain(others).chain(named) {
        let namespace = namespace.as_deref().unwrap_or(problem.namespace());
        let Some(place) = ObjectPlace::read(object, namespace) else { continue };
        if !place.name.is_empty() {
            found.insert((place.resource.to_string(), place.namespace, place.name));
            continue;
        }
        let all = scene.healthy.cluster.objects(place.resource, None);
        found.extend(all.map(|one| self::place(place.resource, one)));
    }
    found
}

/// What is at fault may be changed, but neither removed nor emptied, unless the file says that its absence ends the defect.
fn emptied(scene: &ProblemScene, resource: &str, before: &Stored, now: Option<&Stored>) -> Vec<String> {
    let kind = resource.split('.').next().unwrap_or(resource).trim_end_matches('s');
    let name = json::text(before, "metadata.name");
    let was = scene.broken.cluster.object(resource, json::text(before, "metadata.namespace"), name);
    match now {
        None if was.is_some() && !may_go(scene, name) => vec![format!("{kind} {name} was deleted")],
        Some(now) if matches!(resource, "configmaps" | "secrets") => {
            let mut lost = Vec::new();
            losses("", json::at(before, "data"), json::at(now, "data"), &mut lost);
            lost.iter().map(|entry| format!("{kind} {name} lost {entry}")).collect()
        }
        _ => Vec::new(),
    }
}

fn may_go(scene: &ProblemScene, name: &str) -> bool {
    let file = &scene.problem.file;
    let ends = |object: &str| object.rsplit('/').next() == Some(name);
    file.gone.iter().any(|other| ends(&other.object) && other.is.as_deref() == Some("absent"))
        || file.may_change.iter().any(|object| ends(object))
}

/// Entries that were there before, also inside a file that holds JSON, and are no longer.
fn losses(path: &str, before: &Value, now: &Value, lost: &mut Vec<String>) {
    let inside = |value: &Value| value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let (Some(before), now) = (inside(before).filter(Value::is_object), inside(now)) {
        return losses(path, &before, &now.unwrap_or_default(), lost);
    }
    for (key, value) in before.as_object().into_iter().flatten() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match now.get(key) {
            None => lost.push(path),
            Some(now) => losses(&path, value, now, lost),
        }
    }
}

/// Objects that controllers make and remove by themselves do not count.
fn is_own(object: &Stored) -> bool {
    json::list(object, "metadata.ownerReferences").is_empty()
        && json::text(object, "metadata.name") != "kube-root-ca.crt"
        && json::text(object, "metadata.deletionTimestamp").is_empty()
}

fn compared(resource: &str, guards: &str, before: &Stored, now: Option<&Stored>) -> Vec<String> {
    let kind = resource.split('.').next().unwrap_or(resource).trim_end_matches('s');
    let name = json::text(before, "metadata.name");
    let Some(now) = now else { return vec![format!("{kind} {name} was deleted")] };
    if !guards.is_empty() && json::at(before, guards) != json::at(now, guards) {
        return vec![format!("{kind} {name} guards something else than before")];
    }
    match resource {
        _ if WORKLOADS.contains(&resource) => template(kind, name, before, now),
        "services" if json::at(before, "spec.selector") != json::at(now, "spec.selector") => {
            vec![format!("service {name} selects other pods than before")]
        }
        "configmaps" | "secrets" if json::at(before, "data") != json::at(now, "data") => {
            vec![format!("{kind} {name} was changed")]
        }
        "cronjobs.batch" if json::flag(now, "spec.suspend") && !json::flag(before, "spec.suspend") => {
            vec![format!("cronjob {name} was suspended")]
        }
        "nodes" if json::flag(now, "spec.unschedulable") && !json::flag(before, "spec.unschedulable") => {
            vec![format!("node {name} was left cordoned")]
        }
        _ => Vec::new(),
    }
}

/// What the containers of a workload lost: containers, programs, variables, probes. More is no harm.
fn template(kind: &str, name: &str, before: &Stored, now: &Stored) -> Vec<String> {
    let path = "spec.template.spec.containers";
    let mut found = Vec::new();
    for container in json::list(before, path) {
        let own = json::text(container, "name");
        let Some(now) = json::list(now, path).iter().find(|one| json::text(one, "name") == own) else {
            found.push(format!("{kind} {name} lost its container {own}"));
            continue;
        };
        for field in ["image", "command", "args", "livenessProbe", "readinessProbe"] {
            if json::at(container, field) != json::at(now, field) {
                found.push(format!("{kind} {name} has another {field} than before"));
            }
        }
        let has = |variable: &Value| json::list(now, "env").contains(variable);
        let lost = json::list(container, "env").iter().filter(|variable| !has(variable));
        found.extend(lost.map(|one| format!("{kind} {name} lost its variable {}", json::text(one, "name"))));
    }
    found
}
