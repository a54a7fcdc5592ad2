//! LimitRanges: defaults and bounds of what containers, pods and claims may ask for.

use serde_json::Value;

use super::accounts::shown_name;
use crate::Cluster;
use crate::json;
use crate::quantity::Quantity;
use crate::resource::Resource;
use crate::status::ApiError;

/// Gives containers the default requests and limits of their namespace, and notes which.
pub(super) fn set_defaults(cluster: &Cluster, pod: &mut Value) {
    let namespace = json::text(pod, "metadata.namespace").to_string();
    let mut notes = Vec::new();
    for range in cluster.store.list("limitranges", Some(&namespace)) {
        let limits = json::list(range, "spec.limits").iter().filter(|limit| json::text(limit, "type") == "Container");
        for limit in limits {
            for (list, word) in [("spec.initContainers", "init container"), ("spec.containers", "container")] {
                for container in json::items_mut(pod, list) {
                    for (from, to) in [("defaultRequest", "requests"), ("default", "limits")] {
                        default_one(container, limit, from, to, word, &mut notes);
                    }
                }
            }
        }
    }
    if !notes.is_empty() {
        let note = format!("LimitRanger plugin set: {}", notes.join("; "));
        let mut annotations = json::at(pod, "metadata.annotations").as_object().cloned().unwrap_or_default();
        annotations.insert("kubernetes.io/limit-ranger".into(), note.into());
        json::set(pod, "metadata.annotations", annotations);
    }
}

fn default_one(container: &mut Value, limit: &Value, from: &str, to: &str, word: &str, notes: &mut Vec<String>) {
    let name = json::text(container, "name").to_string();
    let mut own = json::at(container, &format!("resources.{to}")).as_object().cloned().unwrap_or_default();
    let mut set = Vec::new();
    for (resource, value) in json::entries(limit, from) {
        if !own.contains_key(resource) {
            own.insert(resource.clone(), value.clone());
            set.push(resource.clone());
        }
    }
    if !set.is_empty() {
        notes.push(format!("{} {} for {word} {name}", set.join(", "), to.trim_end_matches('s')));
        json::set(container, &format!("resources.{to}"), own);
    }
}

/// Refuses what lies outside the bounds of the namespace.
pub(super) fn check(cluster: &Cluster, resource: &Resource, object: &Value) -> Result<(), ApiError> {
    let namespace = json::text(object, "metadata.namespace");
    let mut problems = Vec::new();
    for range in cluster.store.list("limitranges", Some(namespace)) {
        for limit in json::list(range, "spec.limits") {
            match (json::text(limit, "type"), &*resource.storage) {
                ("Container", "pods") => {
                    for container in
                        json::list(object, "spec.containers").iter().chain(json::list(object, "spec.initContainers"))
                    {
                        let part = |kind: &str, name: &str| {
                            json::at(container, "resources")
                                .get(kind)
                                .and_then(|map| map.get(name))
                                .and_then(Value::as_str)
                                .and_then(Quantity::parse)
                        };
                        bounds(limit, "Container", part, &mut problems);
                    }
                }
                ("Pod", "pods") => bounds(limit, "Pod", |kind, name| total(object, kind, name), &mut problems),
                ("PersistentVolumeClaim", "persistentvolumeclaims") => {
                    let part = |_: &str, name: &str| {
                        json::at(object, "spec.resources.requests")
                            .get(name)
                            .and_then(Value::as_str)
                            .and_then(Quantity::parse)
                    };
                    bounds(limit, "PersistentVolumeClaim", part, &mut problems);
                }
                _ => {}
            }
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let why = if problems.len() == 1 { problems.concat() } else { format!("[{}]", problems.join(", ")) };
    Err(ApiError::forbidden(resource, shown_name(object), &why))
}

fn total(pod: &Value, kind: &str, name: &str) -> Option<Quantity> {
    let parts = json::list(pod, "spec.containers").iter().filter_map(|container| {
        json::at(container, "resources").get(kind)?.get(name)?.as_str().and_then(Quantity::parse)
    });
    parts.reduce(Quantity::plus)
}

fn bounds(limit: &Value, word: &str, part: impl Fn(&str, &str) -> Option<Quantity>, problems: &mut Vec<String>) {
    for (name, least) in json::entries(limit, "min") {
        let least_text = least.as_str().unwrap_or_default();
        let Some(least) = Quantity::parse(least_text) else { continue };
        match part("requests", name) {
            None => problems.push(format!("minimum {name} usage per {word} is {least_text}.  No request is specified")),
            Some(own) if own.amount() < least.amount() => {
                problems
                    .push(format!("minimum {name} usage per {word} is {least_text}, but request is {}", own.text()));
            }
            Some(_) => {}
        }
    }
    for (name, most) in json::entries(limit, "max") {
        let most_text = most.as_str().unwrap_or_default();
        let Some(most) = Quantity::parse(most_text) else { continue };
        match (part("limits", name), part("requests", name)) {
            (None, _) if word != "PersistentVolumeClaim" => {
                problems.push(format!("maximum {name} usage per {word} is {most_text}.  No limit is specified"));
            }
            (Some(own), _) if own.amount() > most.amount() => {
                let kind = if word == "PersistentVolumeClaim" { "request" } else { "limit" };
                problems.push(format!("maximum {name} usage per {word} is {most_text}, but {kind} is {}", own.text()));
            }
            _ => {}
        }
    }
}
