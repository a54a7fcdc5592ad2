//! Two versions of one thing: how the stored form is shown in another version, and how that one is stored.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::json;
use crate::resource::Resource;

/// The object as the version of this resource shows it.
pub(super) fn from_storage<'a>(object: &'a Value, resource: &Resource) -> Cow<'a, Value> {
    match (resource.group.as_str(), resource.version.as_str(), &*resource.storage) {
        ("events.k8s.io", ..) => Cow::Owned(event_out(object)),
        ("autoscaling", "v1", _) => Cow::Owned(autoscaler_out(object)),
        _ if resource.custom.is_some() && json::text(object, "apiVersion") != resource.api_version() => {
            let mut shown = object.clone();
            shown["apiVersion"] = resource.api_version().into();
            Cow::Owned(shown)
        }
        _ => Cow::Borrowed(object),
    }
}

/// The object as it is stored, from the version of this resource.
pub(super) fn to_storage(object: Value, resource: &Resource) -> Value {
    match (resource.group.as_str(), resource.version.as_str()) {
        ("events.k8s.io", _) => event_in(object),
        ("autoscaling", "v1") => autoscaler_in(object),
        _ => object,
    }
}

/// The fields of an event that have another name in `events.k8s.io`.
const EVENT_NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

fn event_out(object: &Value) -> Value {
    let mut shown = object.clone();
    for (old, new) in EVENT_NAMES {
        if let Some(value) = json::remove(&mut shown, old) {
            json::set(&mut shown, new, value);
        }
    }
    shown["apiVersion"] = "events.k8s.io/v1".into();
    shown
}

fn event_in(mut object: Value) -> Value {
    for (old, new) in EVENT_NAMES {
        if let Some(value) = json::remove(&mut object, new) {
            json::set(&mut object, old, value);
        }
    }
    object["apiVersion"] = "v1".into();
    object
}

fn autoscaler_out(object: &Value) -> Value {
    let mut shown = object.clone();
    shown["apiVersion"] = "autoscaling/v1".into();
    let metrics = json::remove(&mut shown, "spec.metrics").unwrap_or_default();
    let is_cpu = |metric: &&Value| json::text(metric, "resource.name") == "cpu";
    let cpu = metrics.as_array().and_then(|metrics| metrics.iter().find(is_cpu));
    if let Some(percent) = cpu.and_then(|metric| json::int(metric, "resource.target.averageUtilization")) {
        json::set(&mut shown, "spec.targetCPUUtilizationPercentage", percent);
    }
    json::remove(&mut shown, "spec.behavior");
    let current = json::remove(&mut shown, "status.currentMetrics").unwrap_or_default();
    let percent = current.get(0).and_then(|metric| json::int(metric, "resource.current.averageUtilization"));
    if let Some(percent) = percent {
        json::set(&mut shown, "status.currentCPUUtilizationPercentage", percent);
    }
    json::remove(&mut shown, "status.conditions");
    shown
}

fn autoscaler_in(mut object: Value) -> Value {
    object["apiVersion"] = "autoscaling/v2".into();
    if let Some(percent) = json::remove(&mut object, "spec.targetCPUUtilizationPercentage") {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        json::set(
            &mut object,
            "spec.metrics",
            json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]),
        );
    }
    object
}
