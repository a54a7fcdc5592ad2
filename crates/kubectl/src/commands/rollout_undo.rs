//! `kubectl rollout undo`.

use serde_json::{Map, Value, json as tree};

use super::Outcome;
use super::rollout::{Revision, revisions, workloads};
use crate::client::{PatchForm, with_query};
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) const FLAGS: &str = "allow-missing-template-keys dry-run?unchanged f|filename= k|kustomize= o|output= R|recursive l|selector= \
    show-managed-fields template= to-revision=i";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let wanted = call.flags.number("to-revision").unwrap_or(0);
    for one in workloads(call)? {
        if json::flag(&one.object, "spec.paused") {
            return Err(Failure::new(format!(
                "you cannot rollback a paused {}; resume it first with 'kubectl rollout resume' and try again",
                one.kind.kind.to_lowercase()
            )));
        }
        let revisions = revisions(call, &one)?;
        let revision = chosen(&one, &revisions, wanted)?;
        undo(call, &one, revision)?;
    }
    Ok(())
}

/// The revision to go back to: the named one, or the one before the last.
fn chosen<'a>(one: &Found, revisions: &'a [Revision], wanted: i64) -> Result<&'a Revision, Failure> {
    if wanted > 0 {
        let missing = || Failure::new(format!("unable to find specified revision {wanted} in history"));
        return revisions.iter().find(|revision| revision.number == wanted).ok_or_else(missing);
    }
    match (one.kind.kind.as_str(), revisions) {
        (_, [.., previous, _]) => Ok(previous),
        ("Deployment", _) => Err(Failure::new(format!("no rollout history found for deployment {}", quote(&one.name)))),
        _ => Err(Failure::new("no last revision to roll back to")),
    }
}

fn undo(call: &mut Kubectl<'_, '_>, one: &Found, revision: &Revision) -> Outcome {
    let mut template = revision.template.clone();
    if let Some(Value::Object(labels)) = json::at_mut(&mut template, "metadata.labels") {
        labels.remove("pod-template-hash");
    }
    json::remove(&mut template, "$patch");
    let without_time = |value: &Value| {
        let mut value = value.clone();
        json::remove(&mut value, "metadata.creationTimestamp");
        value
    };
    if without_time(&template) == without_time(json::at(&one.object, "spec.template")) {
        let operation = format!("skipped rollback (current template already matches revision {})", revision.number);
        return call.tell(&one.shown(), &one.object, &operation);
    }
    if call.dry_run()? == "client" {
        let text = crate::describe::pod_template_text(&template);
        call.say(format!("{} {text} (dry run)", one.shown()));
        return Ok(());
    }
    let query = call.dry_query()?;
    let path = with_query(&one.path(), &[("dryRun", query)]);
    if one.kind.kind == "Deployment" {
        let annotations = annotations(&one.object, &revision.object);
        let change = tree!([
            {"op": "replace", "path": "/spec/template", "value": template},
            {"op": if json::at(&one.object, "metadata.annotations").is_null() { "add" } else { "replace" }, "path": "/metadata/annotations", "value": annotations},
        ]);
        call.patch(PatchForm::Json, &path, &change.to_string())?;
    } else {
        json::set(&mut template, "$patch", "replace");
        call.patch(PatchForm::Strategic, &path, &tree!({"spec": {"template": template}}).to_string())?;
    }
    call.tell(&one.shown(), &one.object, "rolled back")
}

/// The annotations of the old ReplicaSet, with those that belong to the Deployment itself.
fn annotations(deployment: &Value, set: &Value) -> Value {
    const OWN: [&str; 6] = [
        super::apply::LAST_APPLIED,
        "deployment.kubernetes.io/revision",
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    ];
    let mut all = Map::new();
    for (key, value) in json::entries(deployment, "metadata.annotations").filter(|(key, _)| OWN.contains(&key.as_str()))
    {
        all.insert(key.clone(), value.clone());
    }
    for (key, value) in json::entries(set, "metadata.annotations").filter(|(key, _)| !OWN.contains(&key.as_str())) {
        all.insert(key.clone(), value.clone());
    }
    all.into()
}
