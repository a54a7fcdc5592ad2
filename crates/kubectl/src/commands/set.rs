//! `kubectl set image`, `resources`, `selector`, `serviceaccount`, `subject`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::go::{self, quote};
use crate::json;
use crate::kubectl::Kubectl;
use crate::patch;
use crate::targets::Found;

pub(super) const FLAGS: &str = "all allow-missing-template-keys c|containers= dry-run?unchanged field-manager= f|filename= k|kustomize= \
    limits= local o|output= R|recursive record requests= resource-version= l|selector= show-managed-fields template= group=* \
    serviceaccount=* user=*";

/// Where the pod of a workload is written.
pub(super) fn pod_spec(kind: &str) -> Option<&'static str> {
    match kind {
        "Pod" => Some("spec"),
        "CronJob" => Some("spec.jobTemplate.spec.template.spec"),
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => {
            Some("spec.template.spec")
        }
        _ => None,
    }
}

/// The words that name resources, and those that are pairs.
pub(super) fn split(call: &Kubectl<'_, '_>, removes: bool) -> (Vec<String>, Vec<String>) {
    let is_pair = |word: &&String| word.contains('=') || (removes && word.ends_with('-'));
    let pairs: Vec<String> = call.flags.words.iter().filter(is_pair).cloned().collect();
    let resources: Vec<String> = call.flags.words.iter().filter(|word| !is_pair(word)).cloned().collect();
    (resources, pairs)
}

/// The objects to change: selectors and `--all` are fine.
pub(super) fn objects(call: &mut Kubectl<'_, '_>, resources: &[String]) -> Result<Vec<Found>, Failure> {
    if resources.is_empty() && call.flags.value("filename").is_none() {
        return Err(Failure::new("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    call.wanted(resources)
}

/// Sends what changed, and tells it; where nothing changes, nothing is told.
pub(super) fn changed(call: &mut Kubectl<'_, '_>, one: &Found, new: &Value, operation: &str) -> Outcome {
    if one.object == *new {
        return Ok(());
    }
    sent(call, one, new, operation)
}

/// Sends what changed, and tells it even where nothing does.
fn sent(call: &mut Kubectl<'_, '_>, one: &Found, new: &Value, operation: &str) -> Outcome {
    let change = patch::two_way(&one.object, new, super::apply::lists(&one.kind));
    if call.dry_run()? == "client" || call.flags.has("local") {
        return call.tell(&one.shown(), new, operation);
    }
    let query = call.dry_query()?;
    let manager = super::label::manager(call, "kubectl-set");
    let path = with_query(&one.path(), &[("dryRun", query), ("fieldManager", &manager)]);
    let stored = call.patch(PatchForm::Strategic, &path, &go::json(&change))?;
    call.tell(&one.shown(), &stored, operation)
}

/// All containers of a pod, also those that run first.
pub(super) fn containers_mut<'a>(object: &'a mut Value, path: &str) -> Vec<&'a mut Value> {
    let Some(Value::Object(spec)) = json::at_mut(object, path) else { return Vec::new() };
    let mut all = Vec::new();
    for (name, value) in spec.iter_mut() {
        if (name == "containers" || name == "initContainers")
            && let Value::Array(items) = value
        {
            all.extend(items.iter_mut());
        }
    }
    all
}

pub(super) fn image(call: &mut Kubectl<'_, '_>) -> Outcome {
    let (resources, pairs) = split(call, false);
    if resources.is_empty() && call.flags.value("filename").is_none() {
        return Err(Failure::new("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    if pairs.is_empty() {
        return Err(Failure::new("at least one image update is required"));
    }
    let found = objects(call, &resources)?;
    let mut failures = Vec::new();
    for one in found {
        let Some(path) = pod_spec(&one.kind.kind) else {
            let what =
                format!("{}/{} the object is not a pod or does not have a pod template", one.kind.plural, one.name);
            failures.push(Failure::new(format!("{what}: *{}.{}", one.kind.version, one.kind.kind)));
            continue;
        };
        let mut new = one.object.clone();
        let mut missing = None;
        for pair in &pairs {
            let (name, image) = pair.split_once('=').unwrap_or((pair, ""));
            let mut any = false;
            for container in containers_mut(&mut new, path) {
                if name == "*" || json::text(container, "name") == name {
                    any = true;
                    json::set(container, "image", image);
                }
            }
            if !any {
                missing = Some(Failure::new(format!("unable to find container named {}", quote(name))));
            }
        }
        match missing {
            Some(failure) => failures.push(failure),
            None => changed(call, &one, &new, "image updated")?,
        }
    }
    Failure::all(failures)
}

pub(super) fn resources(call: &mut Kubectl<'_, '_>) -> Outcome {
    let (limits, requests) = (call.flags.text("limits").to_string(), call.flags.text("requests").to_string());
    if limits.is_empty() && requests.is_empty() {
        return Err(Failure::new(
            "you must specify an update to requests or limits (in the form of --requests/--limits)",
        ));
    }
    let wanted = call.flags.value("containers").unwrap_or("*").to_string();
    let words = call.flags.words.clone();
    for one in objects(call, &words)? {
        let Some(path) = pod_spec(&one.kind.kind) else { continue };
        let mut new = one.object.clone();
        let mut any = false;
        for container in containers_mut(&mut new, path) {
            let name = json::text(container, "name").to_string();
            if wanted != "*" && !shell_match(&wanted, &name) {
                continue;
            }
            any = true;
            for (text, field) in [(&limits, "limits"), (&requests, "requests")] {
                for pair in text.split(',').filter(|pair| !pair.is_empty()) {
                    let Some((name, amount)) = pair.split_once('=') else {
                        return Err(Failure::new(format!(
                            "Invalid argument syntax {pair}, expected <resource>=<quantity>"
                        )));
                    };
                    if cluster::Quantity::parse(amount).is_none() {
                        return Err(Failure::new(
                            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                        ));
                    }
                    let place = json::map_mut(json::map_mut(container).entry("resources").or_insert(Value::Null))
                        .entry(field)
                        .or_insert(Value::Null);
                    // Zero takes the entry away.
                    match amount {
                        "0" => drop(json::map_mut(place).remove(name)),
                        amount => drop(json::map_mut(place).insert(name.into(), amount.into())),
                    }
                }
            }
        }
        if !any {
            return Err(Failure::new(format!("unable to find container named {wanted}")));
        }
        changed(call, &one, &new, "resource requirements updated")?;
    }
    Ok(())
}

/// Whether a name matches a word that may hold `*`.
pub(super) fn shell_match(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
    }
}

pub(super) fn selector(call: &mut Kubectl<'_, '_>) -> Outcome {
    let mut words = call.flags.words.clone();
    let Some(text) = words.pop().filter(|_| !words.is_empty()) else {
        return Err(Failure::new(crate::targets::NOTHING_NAMED));
    };
    let selector = super::create::pairs(&text)?;
    for one in objects(call, &words)? {
        if one.kind.kind != "Service" {
            return Err(Failure::new("setting a selector is only supported for Services"));
        }
        let mut new = one.object.clone();
        json::set(&mut new, "spec.selector", selector.clone());
        sent(call, &one, &new, "selector updated")?;
    }
    Ok(())
}

pub(super) fn account(call: &mut Kubectl<'_, '_>) -> Outcome {
    let mut words = call.flags.words.clone();
    let Some(name) = words.pop().filter(|_| !words.is_empty()) else {
        return Err(Failure::new("serviceaccount is required"));
    };
    for one in objects(call, &words)? {
        let Some(path) = pod_spec(&one.kind.kind) else { continue };
        let mut new = one.object.clone();
        json::set(&mut new, &format!("{path}.serviceAccountName"), name.clone());
        sent(call, &one, &new, "serviceaccount updated")?;
    }
    Ok(())
}

pub(super) fn subject(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let group = "rbac.authorization.k8s.io";
    let mut new_subjects: Vec<Value> = Vec::new();
    new_subjects.extend(
        call.flags.split("user").into_iter().map(|name| tree!({"apiGroup": group, "kind": "User", "name": name})),
    );
    new_subjects.extend(
        call.flags.split("group").into_iter().map(|name| tree!({"apiGroup": group, "kind": "Group", "name": name})),
    );
    for account in call.flags.split("serviceaccount") {
        let Some((namespace, name)) = account.split_once(':') else {
            return Err(Failure::new("serviceaccount must be <namespace>:<name>"));
        };
        new_subjects.push(tree!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    if new_subjects.is_empty() {
        return Err(Failure::new("you must specify at least one value of user, group or serviceaccount"));
    }
    for one in objects(call, &words)? {
        let mut new = one.object.clone();
        let mut all = json::list(&new, "subjects").to_vec();
        all.extend(
            new_subjects.iter().filter(|subject| !json::list(&one.object, "subjects").contains(subject)).cloned(),
        );
        json::set(&mut new, "subjects", all);
        changed(call, &one, &new, "subjects updated")?;
    }
    Ok(())
}
