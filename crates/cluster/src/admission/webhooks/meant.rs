//! Which webhooks are meant by a write: rules, scopes and selectors.

use serde_json::Value;

use super::super::Admission;
use crate::select::LabelSelector;
use crate::{Cluster, json};

/// Whether a webhook is to be asked about an object.
pub(super) fn is_meant(cluster: &Cluster, ask: &Admission<'_>, object: &Value, hook: &Value) -> bool {
    let fits = json::list(hook, "rules").iter().any(|rule| fits(rule, ask));
    let space = cluster.store.get("namespaces", "", json::text(object, "metadata.namespace"));
    let selects = |field: &str, labels: &Value| {
        let selector = json::at(hook, field);
        !selector.is_object() || LabelSelector::of(selector).matches(labels)
    };
    fits && space.is_none_or(|space| selects("namespaceSelector", json::at(space, "metadata.labels")))
        && selects("objectSelector", json::at(object, "metadata.labels"))
}

fn fits(rule: &Value, ask: &Admission<'_>) -> bool {
    let resource = ask.resource;
    let plural = match ask.writer.subresource {
        "" => resource.plural.clone(),
        sub => format!("{}/{sub}", resource.plural),
    };
    let has = |field: &str, wanted: &str| {
        json::list(rule, field).iter().filter_map(Value::as_str).any(|own| own == "*" || own == "*/*" || own == wanted)
    };
    let scope = json::text(rule, "scope");
    has("operations", ask.operation.verb())
        && has("apiGroups", &resource.group)
        && has("apiVersions", &resource.version)
        && has("resources", &plural)
        && (scope != "Namespaced" || resource.namespaced)
        && (scope != "Cluster" || !resource.namespaced)
}
