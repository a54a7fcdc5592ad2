//! The rows of what runs pods: deployments, sets, jobs, autoscalers, budgets.

use serde_json::{Value, json};

use super::super::subresources::selector_text;
use super::{created, labels, or_none};
use crate::json;
use crate::meta;
use crate::time::{Stamp, age, human};

/// The cells after the name; nothing for other kinds.
pub(super) fn cells(now: Stamp, storage: &str, object: &Value) -> Option<Vec<Value>> {
    let number = |path: &str| json::int(object, path).unwrap_or(0);
    let born = created(now, object);
    let selector = || or_none(&selector_text(json::at(object, "spec.selector")));
    let mut cells = match storage {
        "deployments.apps" => vec![
            format!("{}/{}", number("status.readyReplicas"), number("spec.replicas")).into(),
            number("status.updatedReplicas").to_string().into(),
            number("status.availableReplicas").to_string().into(),
            born,
        ],
        "replicasets.apps" | "replicationcontrollers" => {
            vec![
                number("spec.replicas").into(),
                number("status.replicas").into(),
                number("status.readyReplicas").into(),
                born,
            ]
        }
        "statefulsets.apps" => {
            let ready = format!("{}/{}", number("status.readyReplicas"), number("spec.replicas"));
            let (names, images) = containers(json::at(object, "spec.template.spec"));
            return Some(vec![ready.into(), born, names, images]);
        }
        "daemonsets.apps" => vec![
            number("status.desiredNumberScheduled").into(),
            number("status.currentNumberScheduled").into(),
            number("status.numberReady").into(),
            number("status.updatedNumberScheduled").into(),
            number("status.numberAvailable").into(),
            labels(json::at(object, "spec.template.spec.nodeSelector")),
            born,
        ],
        "jobs.batch" => job(now, object, born),
        "cronjobs.batch" => {
            let last = json::text(object, "status.lastScheduleTime");
            let mut cells = vec![
                json::at(object, "spec.schedule").clone(),
                or_none(json::text(object, "spec.timeZone")),
                if json::flag(object, "spec.suspend") { "True".into() } else { "False".into() },
                json::list(object, "status.active").len().into(),
                if last.is_empty() { "<none>".into() } else { age(now, last).into() },
                born,
            ];
            let (names, images) = containers(json::at(object, "spec.jobTemplate.spec.template.spec"));
            cells.extend([names, images, "<none>".into()]);
            return Some(cells);
        }
        "horizontalpodautoscalers.autoscaling" => return Some(autoscaler(object, born)),
        "poddisruptionbudgets.policy" => {
            return Some(vec![
                either(object, "spec.minAvailable"),
                either(object, "spec.maxUnavailable"),
                number("status.disruptionsAllowed").into(),
                born,
            ]);
        }
        "controllerrevisions.apps" => {
            let owner = meta::controller(object);
            let kind = owner.map(|owner| json::text(owner, "kind").to_lowercase()).unwrap_or_default();
            let group =
                owner.and_then(|owner| json::text(owner, "apiVersion").split_once('/')).map_or("", |(group, _)| group);
            let name = owner.map_or("", |owner| json::text(owner, "name"));
            let controller = if owner.is_none() { "<none>".into() } else { format!("{kind}.{group}/{name}") };
            return Some(vec![controller.into(), number("revision").to_string().into(), born]);
        }
        _ => return None,
    };
    let (names, images) = containers(json::at(object, "spec.template.spec"));
    cells.extend([names, images, selector()]);
    Some(cells)
}

/// Names and images of the containers of a template.
pub(super) fn containers(spec: &Value) -> (Value, Value) {
    let all = json::list(spec, "containers");
    let join = |field: &str| all.iter().map(|container| json::text(container, field)).collect::<Vec<_>>().join(",");
    (join("name").into(), join("image").into())
}

fn either(object: &Value, path: &str) -> Value {
    match json::at(object, path) {
        Value::Null => "N/A".into(),
        Value::String(text) => text.clone().into(),
        other => other.to_string().into(),
    }
}

fn job(now: Stamp, object: &Value, born: Value) -> Vec<Value> {
    let is = |kind: &str| meta::condition(object, kind) == "True";
    let status = match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if meta::is_going(object) => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    };
    let done = json::int(object, "status.succeeded").unwrap_or(0);
    let completions = match (json::int(object, "spec.completions"), json::int(object, "spec.parallelism").unwrap_or(1))
    {
        (Some(wanted), _) => format!("{done}/{wanted}"),
        (None, parallel) if parallel > 1 => format!("{done}/1 of {parallel}"),
        (None, _) => format!("{done}/1"),
    };
    let begun = meta::stamp(object, "status.startTime");
    let ended = meta::stamp(object, "status.completionTime").unwrap_or(now);
    let duration = begun.map(|begun| human(ended.since(begun))).unwrap_or_default();
    vec![status.into(), completions.into(), duration.into(), born]
}

fn autoscaler(object: &Value, born: Value) -> Vec<Value> {
    let target = json::at(object, "spec.scaleTargetRef");
    let reference = format!("{}/{}", json::text(target, "kind"), json::text(target, "name"));
    let current = json::list(object, "status.currentMetrics");
    let metrics = json::list(object, "spec.metrics");
    let shown: Vec<_> = metrics.iter().enumerate().map(|(at, metric)| metric_text(metric, current.get(at))).collect();
    let targets = match shown.as_slice() {
        [] => "<none>".to_string(),
        [a, b, rest @ ..] if !rest.is_empty() => format!("{a}, {b} + {} more...", rest.len()),
        all => all.join(", "),
    };
    let least = json::int(object, "spec.minReplicas").map_or("<unset>".to_string(), |least| least.to_string());
    vec![
        reference.into(),
        targets.into(),
        least.into(),
        json::int(object, "spec.maxReplicas").unwrap_or(0).into(),
        json::int(object, "status.currentReplicas").unwrap_or(0).into(),
        born,
    ]
}

fn metric_text(metric: &Value, current: Option<&Value>) -> String {
    let (kind, path) = match json::text(metric, "type") {
        "ContainerResource" => ("containerResource", "containerResource"),
        _ => ("resource", "resource"),
    };
    let name = json::text(metric, &format!("{kind}.name"));
    let percent = |value: Option<i64>| value.map_or("<unknown>".to_string(), |value| format!("{value}%"));
    let now = current.map_or(&Value::Null, |current| json::at(current, path));
    if let Some(wanted) = json::int(metric, &format!("{kind}.target.averageUtilization")) {
        return format!("{name}: {}/{wanted}%", percent(json::int(now, "current.averageUtilization")));
    }
    let wanted = json::text(metric, &format!("{kind}.target.averageValue"));
    let value = json::text(now, "current.averageValue");
    let value = if value.is_empty() { "<unknown>" } else { value };
    match wanted {
        "" => json!("<unknown type>").as_str().unwrap_or_default().into(),
        wanted => format!("{value}/{wanted}"),
    }
}
