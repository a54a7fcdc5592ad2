//! `kubectl rollout history`, `pause`, `restart`, `resume`.

use serde_json::{Value, json as tree};
use shell::Host;

use super::Outcome;
use crate::client::{PatchForm, with_query};
use crate::describe;
use crate::discovery::Kind;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;
use crate::tabs::Tabs;
use crate::targets::Found;

pub(super) const FLAGS: &str = "allow-missing-template-keys field-manager= f|filename= k|kustomize= o|output= R|recursive l|selector= \
    show-managed-fields template=";
pub(super) const HISTORY_FLAGS: &str = "allow-missing-template-keys f|filename= k|kustomize= o|output= R|recursive revision=i l|selector= \
    show-managed-fields template=";

/// The workloads that a rollout command is about.
pub(super) fn workloads(call: &mut Kubectl<'_, '_>) -> Result<Vec<Found>, Failure> {
    let words = call.flags.words.clone();
    if words.is_empty() && call.flags.value("filename").is_none() {
        return Err(Failure::new("required resource not specified"));
    }
    call.lists_freely = true;
    let found = call.wanted(&words)?;
    if found.is_empty() {
        return Err(Failure::new("no matching resources found"));
    }
    Ok(found)
}

fn send(call: &mut Kubectl<'_, '_>, one: &Found, change: &Value, operation: &str) -> Outcome {
    let manager = super::label::manager(call, "kubectl-rollout");
    let path = with_query(&one.path(), &[("fieldManager", &manager)]);
    let new = call.patch(PatchForm::Strategic, &path, &change.to_string())?;
    call.tell(&one.shown(), &new, operation)
}

pub(super) fn pause(call: &mut Kubectl<'_, '_>) -> Outcome {
    for one in workloads(call)? {
        if one.kind.kind != "Deployment" {
            return Err(Failure::new(format!(
                "{} {} pausing is not supported",
                one.kind.group_resource(),
                quote(&one.name)
            )));
        }
        if json::flag(&one.object, "spec.paused") {
            return Err(Failure::new(format!("{} {} is already paused", one.kind.group_resource(), quote(&one.name))));
        }
        send(call, &one, &tree!({"spec": {"paused": true}}), "paused")?;
    }
    Ok(())
}

pub(super) fn resume(call: &mut Kubectl<'_, '_>) -> Outcome {
    for one in workloads(call)? {
        if one.kind.kind != "Deployment" {
            return Err(Failure::new(format!(
                "{} {} resuming is not supported",
                one.kind.group_resource(),
                quote(&one.name)
            )));
        }
        if !json::flag(&one.object, "spec.paused") {
            return Err(Failure::new(format!("{} {} is not paused", one.kind.group_resource(), quote(&one.name))));
        }
        send(call, &one, &tree!({"spec": {"paused": null}}), "resumed")?;
    }
    Ok(())
}

pub(super) fn restart(call: &mut Kubectl<'_, '_>) -> Outcome {
    for one in workloads(call)? {
        if !matches!(one.kind.kind.as_str(), "Deployment" | "DaemonSet" | "StatefulSet") {
            return Err(Failure::new("restarting is not supported"));
        }
        if json::flag(&one.object, "spec.paused") {
            let what = format!("{} {}", one.kind.group_resource(), quote(&one.name));
            return Err(Failure::new(format!("{what} can't restart paused deployment (run rollout resume first)")));
        }
        let now = cluster::Stamp(call.desk.now()).rfc3339();
        let field = "kubectl.kubernetes.io/restartedAt";
        if json::at(&one.object, "spec.template.metadata.annotations").get(field).and_then(Value::as_str) == Some(&*now)
        {
            return Err(Failure::new(format!(
                "if {} has already been triggered within the past second, please wait before attempting to trigger another",
                one.kind.kind.to_lowercase()
            )));
        }
        send(call, &one, &tree!({"spec": {"template": {"metadata": {"annotations": {field: now}}}}}), "restarted")?;
    }
    Ok(())
}

/// A revision of a workload.
pub(super) struct Revision {
    pub(super) number: i64,
    pub(super) cause: String,
    pub(super) template: Value,
    /// The ReplicaSet or ControllerRevision.
    pub(super) object: Value,
}

/// The revisions of a workload, oldest first.
pub(super) fn revisions(call: &mut Kubectl<'_, '_>, one: &Found) -> Result<Vec<Revision>, Failure> {
    let is_deployment = match one.kind.kind.as_str() {
        "Deployment" => true,
        "DaemonSet" | "StatefulSet" => false,
        other => return Err(Failure::new(format!("no history viewer has been implemented for {}", quote(other)))),
    };
    let kind: std::sync::Arc<Kind> =
        call.kind(if is_deployment { "replicasets.apps" } else { "controllerrevisions.apps" })?;
    let selector = describe::selector(json::at(&one.object, "spec.selector"));
    let uid = json::text(&one.object, "metadata.uid");
    let all = call.list(&kind, &one.namespace, &selector, "")?;
    let own = all.into_iter().filter(|object| {
        json::list(object, "metadata.ownerReferences").iter().any(|owner| json::text(owner, "uid") == uid)
    });
    let annotation = |object: &Value, name: &str| {
        json::at(object, "metadata.annotations").get(name).and_then(Value::as_str).unwrap_or_default().to_string()
    };
    let mut revisions: Vec<Revision> = own
        .map(|object| {
            let number = match is_deployment {
                true => annotation(&object, "deployment.kubernetes.io/revision").parse().unwrap_or(0),
                false => json::int(&object, "revision").unwrap_or(0),
            };
            let template =
                json::at(&object, if is_deployment { "spec.template" } else { "data.spec.template" }).clone();
            Revision { number, cause: annotation(&object, "kubernetes.io/change-cause"), template, object }
        })
        .collect();
    revisions.retain(|revision| revision.number > 0);
    revisions.sort_by_key(|revision| revision.number);
    Ok(revisions)
}

pub(super) fn history(call: &mut Kubectl<'_, '_>) -> Outcome {
    let wanted = call.flags.number("revision").unwrap_or(0);
    if wanted < 0 {
        return Err(Failure::new(format!("revision must be a positive integer: {wanted}")));
    }
    for one in workloads(call)? {
        let revisions = revisions(call, &one)?;
        if let Some(form) = call.flags.value("output").map(str::to_string) {
            for revision in revisions.iter().filter(|revision| wanted == 0 || revision.number == wanted) {
                let text = call.printed(&form, &revision.object)?;
                call.out.push_str(&text);
            }
            continue;
        }
        if wanted > 0 {
            let Some(revision) = revisions.iter().find(|revision| revision.number == wanted) else {
                return Err(Failure::new("unable to find the specified revision"));
            };
            let mut template = revision.template.clone();
            if !revision.cause.is_empty() {
                json::set(&mut template, "metadata.annotations", tree!({"kubernetes.io/change-cause": revision.cause}));
            }
            let text = describe::pod_template_text(&template);
            call.say(format!("{} with revision #{wanted}\n{text}", one.shown()));
            continue;
        }
        if revisions.is_empty() {
            call.say(format!("{} \nNo rollout history found.", one.shown()));
            continue;
        }
        let mut table = String::from("REVISION\tCHANGE-CAUSE\n");
        for revision in &revisions {
            let cause = if revision.cause.is_empty() { "<none>" } else { &revision.cause };
            table.push_str(&format!("{}\t{cause}\n", revision.number));
        }
        let table = Tabs::description().align(&table);
        call.say(format!("{} \n{table}", one.shown()));
    }
    Ok(())
}
