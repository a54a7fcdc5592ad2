//! HorizontalPodAutoscalers.

use serde_json::Value;

use super::{Page, events, long_time};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn autoscaler(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, true);
    page.entry("CreationTimestamp", long_time(object, "metadata.creationTimestamp"));
    let target = json::at(object, "spec.scaleTargetRef");
    let kind = json::text(target, "kind");
    page.entry("Reference", format!("{kind}/{}", json::text(target, "name")));
    page.entry("Metrics", "( current / target )");
    let current = json::list(object, "status.currentMetrics");
    for (at, metric) in json::list(object, "spec.metrics").iter().enumerate() {
        page.line(1, shown(metric, current.get(at)));
    }
    let least = json::int(object, "spec.minReplicas").map_or("<unset>".to_string(), |n| n.to_string());
    page.entry("Min replicas", least);
    page.entry("Max replicas", json::int(object, "spec.maxReplicas").unwrap_or(0).to_string());
    behavior(json::at(object, "spec.behavior"), page);
    let number = |path: &str| json::int(object, path).unwrap_or(0);
    page.entry(
        &format!("{kind} pods"),
        format!("{} current / {} desired", number("status.currentReplicas"), number("status.desiredReplicas")),
    );
    let conditions = json::list(object, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tReason\tMessage\n  ----\t------\t------\t-------");
        for c in conditions {
            let text = |field: &str| json::text(c, field);
            page.line(1, format!("{}\t{}\t{}\t{}", text("type"), text("status"), text("reason"), text("message")));
        }
    }
    events(call, found, page)
}

fn shown(metric: &Value, current: Option<&Value>) -> String {
    let form = json::text(metric, "type");
    let field = match form {
        "ContainerResource" => "containerResource",
        "Resource" => "resource",
        "Pods" => "pods",
        "Object" => "object",
        _ => "external",
    };
    let spec = json::at(metric, field);
    let now = current.map(|current| json::at(current, &format!("{field}.current")));
    let value = |field: &str| now.and_then(|now| now.get(field)).map_or("<unknown>".to_string(), json::plain);
    let wanted = |field: &str| json::plain(json::at(spec, &format!("target.{field}")));
    let name = json::text(spec, "name");
    let metric_name = json::text(spec, "metric.name");
    match form {
        "Resource" | "ContainerResource" => {
            let of = match form {
                "Resource" => format!("resource {name} on pods"),
                _ => format!("resource {name} of container {:?} on pods", json::text(spec, "container")),
            };
            if spec.get("target").is_some_and(|target| target.get("averageValue").is_some()) {
                return format!("{of}:\t{} / {}", value("averageValue"), wanted("averageValue"));
            }
            let used = match now.and_then(|now| now.get("averageUtilization")) {
                Some(percent) => format!("{}% ({})", json::plain(percent), value("averageValue")),
                None => "<unknown>".into(),
            };
            format!("{of}  (as a percentage of request):\t{used} / {}%", wanted("averageUtilization"))
        }
        "Pods" => format!(
            "{} on pods:\t{} / {}",
            crate::go::quote(metric_name),
            value("averageValue"),
            wanted("averageValue")
        ),
        _ => format!("{} (target value):\t{} / {}", crate::go::quote(metric_name), value("value"), wanted("value")),
    }
}

fn behavior(behavior: &Value, page: &mut Page) {
    if !behavior.is_object() {
        return;
    }
    page.line(0, "Behavior:");
    for (title, field) in [("Scale Up", "scaleUp"), ("Scale Down", "scaleDown")] {
        let rules = json::at(behavior, field);
        if !rules.is_object() {
            continue;
        }
        page.line(1, format!("{title}:"));
        if let Some(seconds) = json::int(rules, "stabilizationWindowSeconds") {
            page.line(2, format!("Stabilization Window: {seconds} seconds"));
        }
        let policies = json::list(rules, "policies");
        if !policies.is_empty() {
            page.line(2, format!("Select Policy: {}", json::text(rules, "selectPolicy")));
            page.line(2, "Policies:");
            for policy in policies {
                let (form, value, period) = (
                    json::text(policy, "type"),
                    json::int(policy, "value").unwrap_or(0),
                    json::int(policy, "periodSeconds").unwrap_or(0),
                );
                page.line(3, format!("- Type: {form}\tValue: {value}\tPeriod: {period} seconds"));
            }
        }
    }
}
