//! `kubectl create namespace`, `serviceaccount`, `quota`, `poddisruptionbudget`, `priorityclass`.

use serde_json::{Value, json as tree};

use super::Outcome;
use super::create::{generated, name, pairs, required};
use crate::failure::Failure;
use crate::kubectl::Kubectl;

pub(super) const BUDGET_FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= max-unavailable= min-available= o|output= \
    save-config selector= show-managed-fields template= validate?strict";
pub(super) const PRIORITY_FLAGS: &str = "allow-missing-template-keys description= dry-run?unchanged field-manager= global-default o|output= \
    preemption-policy= save-config show-managed-fields template= validate?strict value=i";
pub(super) const QUOTA_FLAGS: &str = "allow-missing-template-keys dry-run?unchanged field-manager= hard= o|output= save-config scopes= \
    show-managed-fields template= validate?strict";

pub(super) fn namespace(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create namespace")?;
    let object = tree!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "creationTimestamp": null}, "spec": {}, "status": {}});
    generated(call, "namespaces", object, "")
}

pub(super) fn account(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create serviceaccount")?;
    let object =
        tree!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "creationTimestamp": null}});
    generated(call, "serviceaccounts", object, "failed to create serviceaccount: ")
}

pub(super) fn quota(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create quota")?;
    let mut spec = tree!({});
    if let Some(hard) = call.flags.value("hard") {
        spec["hard"] = pairs(hard)?;
    }
    if let Some(scopes) = call.flags.value("scopes") {
        spec["scopes"] = scopes.split(',').collect::<Vec<_>>().into();
    }
    let object = tree!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name, "creationTimestamp": null}, "spec": spec, "status": {}});
    generated(call, "resourcequotas", object, "failed to create quota: ")
}

pub(super) fn budget(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create poddisruptionbudget")?;
    let selector = required(call, "selector").map_err(|_| Failure::new("a selector must be specified"))?;
    let (least, most) = (call.flags.text("min-available"), call.flags.text("max-unavailable"));
    let amount = |text: &str| -> Value { text.parse::<i64>().map_or_else(|_| text.into(), Into::into) };
    let mut spec = tree!({"selector": {"matchLabels": pairs(&selector)?}});
    match (least, most) {
        ("", "") => return Err(Failure::new("one of min-available or max-unavailable must be specified")),
        (least, "") => spec["minAvailable"] = amount(least),
        ("", most) => spec["maxUnavailable"] = amount(most),
        _ => return Err(Failure::new("min-available and max-unavailable cannot be both specified")),
    }
    let status = tree!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0});
    let object = tree!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "creationTimestamp": null}, "spec": spec, "status": status});
    generated(call, "poddisruptionbudgets.policy", object, "failed to create poddisruptionbudgets: ")
}

pub(super) fn priority(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create priorityclass")?;
    let policy = call.flags.value("preemption-policy").unwrap_or("PreemptLowerPriority").to_string();
    let mut object = tree!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name, "creationTimestamp": null},
        "value": call.flags.number("value").unwrap_or(0), "preemptionPolicy": policy,
    });
    if call.flags.has("global-default") {
        object["globalDefault"] = true.into();
    }
    if let Some(text) = call.flags.value("description") {
        object["description"] = text.into();
    }
    generated(call, "priorityclasses.scheduling.k8s.io", object, "failed to create priorityclass: ")
}
