//! What all objects have in common: owners, conditions, references.

use serde_json::{Value, json};

use crate::json;
use crate::resource::Resource;
use crate::time::Stamp;

/// The status of a condition: `True`, `False`, `Unknown`, or nothing.
pub fn condition<'a>(object: &'a Value, kind: &str) -> &'a str {
    let found = json::list(object, "status.conditions").iter().find(|c| json::text(c, "type") == kind);
    found.map_or("", |condition| json::text(condition, "status"))
}

/// Writes a condition; its time of transition moves only when the status changes. Says whether anything changed.
pub fn set_condition(object: &mut Value, kind: &str, status: &str, reason: &str, message: &str, now: Stamp) -> bool {
    let is_pod = json::text(object, "kind") == "Pod";
    let list = json::list_mut(object, "status.conditions");
    let at = list.iter().position(|c| json::text(c, "type") == kind);
    // Most are written again as they are.
    if at.is_some_and(|at| tells(&list[at], is_pod, status, reason, message)) {
        return false;
    }
    let told = at.map(|at| &list[at]).filter(|told| json::text(told, "status") == status);
    let since = told.map_or_else(|| now.rfc3339().into(), |told| json::at(told, "lastTransitionTime").clone());
    let mut new = json::object([("type", kind.into()), ("status", status.into()), ("lastTransitionTime", since)]);
    if is_pod {
        new["lastProbeTime"] = Value::Null;
    }
    for (field, value) in [("reason", reason), ("message", message)] {
        if !value.is_empty() {
            new[field] = value.into();
        }
    }
    match at {
        Some(at) => list[at] = new,
        None => list.push(new),
    }
    true
}

/// Whether a condition tells this already, and nothing else.
fn tells(condition: &Value, is_pod: bool, status: &str, reason: &str, message: &str) -> bool {
    let is_told = |field: &str, text: &str| match condition.get(field) {
        Some(told) => !text.is_empty() && told.as_str() == Some(text),
        None => text.is_empty(),
    };
    let probe = condition.get("lastProbeTime");
    let known = 3 + usize::from(is_pod) + usize::from(!reason.is_empty()) + usize::from(!message.is_empty());
    json::text(condition, "status") == status
        && is_told("reason", reason)
        && is_told("message", message)
        && condition.get("lastTransitionTime").is_some()
        && probe.is_some_and(Value::is_null) == is_pod
        && condition.as_object().is_some_and(|fields| fields.len() == known)
}

/// The reference by which an object says that this controller made it.
pub fn controlled_by(owner: &Value) -> Value {
    json!({
        "apiVersion": json::text(owner, "apiVersion"),
        "kind": json::text(owner, "kind"),
        "name": json::text(owner, "metadata.name"),
        "uid": json::text(owner, "metadata.uid"),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// The controller that made an object.
pub fn controller(object: &Value) -> Option<&Value> {
    json::list(object, "metadata.ownerReferences").iter().find(|owner| json::flag(owner, "controller"))
}

/// Whether it is being deleted.
pub fn is_going(object: &Value) -> bool {
    !json::at(object, "metadata.deletionTimestamp").is_null()
}

/// The instant at a path.
pub fn stamp(object: &Value, path: &str) -> Option<Stamp> {
    Stamp::parse(json::text(object, path))
}

/// The reference to an object that events carry.
pub fn reference(object: &Value, resource: &Resource, field: &str) -> Value {
    let mut reference = json!({
        "kind": resource.kind,
        "apiVersion": resource.api_version(),
        "name": json::text(object, "metadata.name"),
        "uid": json::text(object, "metadata.uid"),
        "resourceVersion": json::text(object, "metadata.resourceVersion"),
    });
    for (name, value) in [("namespace", json::text(object, "metadata.namespace")), ("fieldPath", field)] {
        if !value.is_empty() {
            reference[name] = value.into();
        }
    }
    reference
}
