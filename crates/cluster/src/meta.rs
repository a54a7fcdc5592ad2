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
    let mut new = json!({"type": kind, "status": status, "lastTransitionTime": now.rfc3339()});
    if is_pod {
        new["lastProbeTime"] = Value::Null;
    }
    for (field, value) in [("reason", reason), ("message", message)] {
        if !value.is_empty() {
            new[field] = value.into();
        }
    }
    let Some(at) = at else {
        list.push(new);
        return true;
    };
    if json::text(&list[at], "status") == status {
        new["lastTransitionTime"] = list[at]["lastTransitionTime"].clone();
    }
    if list[at] == new {
        return false;
    }
    list[at] = new;
    true
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
