//! What programs that are admission webhooks answer.

use std::time::Duration;

use cluster::{ReviewAnswer, json};
use serde_json::{Value, json};

use crate::instance::Instance;

/// The answer of a program to an `AdmissionReview`.
pub(super) fn answer(own: &Instance, review: &Value) -> ReviewAnswer {
    let Some(spec) = &own.program.review else { return ReviewAnswer::allowed() };
    let takes = spec.takes_ms.fill(&own.settings).parse::<f64>().unwrap_or(0.0).max(0.0);
    let object = json::at(review, "request.object");
    let memory = spec.memory.fill(&own.settings);
    let is_meant =
        json::text(review, "request.kind.kind") == "Pod" && has_label(object, &spec.label.fill(&own.settings));
    let answer = match memory.is_empty() || !is_meant {
        true => ReviewAnswer::allowed(),
        false => ReviewAnswer::patched(&with_memory(object, &memory)),
    };
    ReviewAnswer { takes: Duration::from_secs_f64(takes / 1000.0), ..answer }
}

fn has_label(object: &Value, wanted: &str) -> bool {
    let Some((name, value)) = wanted.split_once('=') else { return wanted.is_empty() };
    json::at(object, "metadata.labels").get(name).and_then(Value::as_str) == Some(value)
}

/// The patch that gives all containers of a pod so much memory.
fn with_memory(pod: &Value, memory: &str) -> Value {
    let containers = json::list(pod, "spec.containers").iter().enumerate();
    let operations = containers.map(|(number, container)| {
        let mut resources = json::at(container, "resources").clone();
        if !resources.is_object() {
            resources = json!({});
        }
        for part in ["requests", "limits"] {
            if !resources[part].is_object() {
                resources[part] = json!({});
            }
            resources[part]["memory"] = memory.into();
        }
        json!({"op": "add", "path": format!("/spec/containers/{number}/resources"), "value": resources})
    });
    operations.collect()
}
