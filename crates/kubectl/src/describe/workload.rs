//! Deployments, ReplicaSets, StatefulSets and DaemonSets.

use serde_json::Value;

use super::{Page, containers, events, long_time, or_none, pod, selector, volumes};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

/// The pods that a template makes.
pub(super) fn pod_template(template: &Value, page: &mut Page) {
    page.line(0, "Pod Template:");
    page.labels("Labels", json::at(template, "metadata.labels"), "  ");
    if json::at(template, "metadata.annotations").as_object().is_some_and(|map| !map.is_empty()) {
        page.annotations("Annotations", json::at(template, "metadata.annotations"), "  ");
    }
    let account = json::text(template, "spec.serviceAccountName");
    if !account.is_empty() {
        page.line(0, format!("  Service Account:\t{account}"));
    }
    containers::containers("Init Containers", json::list(template, "spec.initContainers"), &[], None, page);
    containers::containers("Containers", json::list(template, "spec.containers"), &[], None, page);
    volumes::volumes(json::list(template, "spec.volumes"), "  ", page);
    pod::spread(json::list(template, "spec.topologySpreadConstraints"), "  ", page);
    let class = json::text(template, "spec.priorityClassName");
    if !class.is_empty() {
        page.line(0, format!("  Priority Class Name:\t{class}"));
    }
    page.labels("Node-Selectors", json::at(template, "spec.nodeSelector"), "  ");
    pod::tolerations(json::list(template, "spec.tolerations"), "  ", page);
}

fn number(object: &Value, path: &str) -> i64 {
    json::int(object, path).unwrap_or(0)
}

pub(super) fn deployment(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    page.entry("CreationTimestamp", long_time(object, "metadata.creationTimestamp"));
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    let labels = selector(json::at(object, "spec.selector"));
    page.entry("Selector", or_none(&labels));
    page.entry(
        "Replicas",
        format!(
            "{} desired | {} updated | {} total | {} available | {} unavailable",
            number(object, "spec.replicas"),
            number(object, "status.updatedReplicas"),
            number(object, "status.replicas"),
            number(object, "status.availableReplicas"),
            number(object, "status.unavailableReplicas")
        ),
    );
    page.entry("StrategyType", json::text(object, "spec.strategy.type"));
    page.entry("MinReadySeconds", number(object, "spec.minReadySeconds").to_string());
    let rolling = json::at(object, "spec.strategy.rollingUpdate");
    if rolling.is_object() {
        let amount = |field: &str| json::plain(json::at(rolling, field));
        page.entry(
            "RollingUpdateStrategy",
            format!("{} max unavailable, {} max surge", amount("maxUnavailable"), amount("maxSurge")),
        );
    }
    pod_template(json::at(object, "spec.template"), page);
    let conditions = json::list(object, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tReason\n  ----\t------\t------");
        conditions.iter().for_each(|c| {
            page.line(
                1,
                format!("{} \t{}\t{}", json::text(c, "type"), json::text(c, "status"), json::text(c, "reason")),
            )
        });
    }
    replica_sets(call, found, &labels, page)?;
    events(call, found, page)
}

/// The old ReplicaSets and the new one: the one whose template is the Deployment's.
fn replica_sets(call: &mut Kubectl<'_, '_>, found: &Found, labels: &str, page: &mut Page) -> Result<(), Failure> {
    let kind = call.kind("replicasets.apps")?;
    let uid = json::text(&found.object, "metadata.uid");
    let mut sets = call.list(&kind, &found.namespace, labels, "")?;
    sets.retain(|set| json::list(set, "metadata.ownerReferences").iter().any(|owner| json::text(owner, "uid") == uid));
    sets.sort_by_key(|set| {
        (json::text(set, "metadata.creationTimestamp").to_string(), json::text(set, "metadata.name").to_string())
    });
    let plain = |template: &Value| {
        let mut template = template.clone();
        if let Some(Value::Object(labels)) = json::at_mut(&mut template, "metadata.labels") {
            labels.remove("pod-template-hash");
        }
        json::remove(&mut template, "metadata.creationTimestamp");
        template
    };
    let wanted = plain(json::at(&found.object, "spec.template"));
    let new = sets.iter().position(|set| plain(json::at(set, "spec.template")) == wanted);
    let shown = |set: &Value| {
        format!(
            "{} ({}/{} replicas created)",
            json::text(set, "metadata.name"),
            number(set, "status.replicas"),
            number(set, "spec.replicas")
        )
    };
    let old: Vec<String> =
        sets.iter().enumerate().filter(|(at, _)| Some(*at) != new).map(|(_, set)| shown(set)).collect();
    page.entry("OldReplicaSets", or_none(&old.join(", ")));
    page.entry("NewReplicaSet", new.map_or("<none>".to_string(), |at| shown(&sets[at])));
    Ok(())
}

/// `2 Running / 0 Waiting / 0 Succeeded / 0 Failed`.
pub(super) fn pod_counts(call: &mut Kubectl<'_, '_>, found: &Found, selector: &str) -> Result<String, Failure> {
    let kind = call.kind("pods")?;
    let uid = json::text(&found.object, "metadata.uid").to_string();
    let pods = call.list(&kind, &found.namespace, selector, "")?;
    let own = |pod: &&Value| {
        json::list(pod, "metadata.ownerReferences")
            .iter()
            .any(|owner| json::flag(owner, "controller") && json::text(owner, "uid") == uid)
    };
    let count = |phase: &str| pods.iter().filter(own).filter(|pod| json::text(pod, "status.phase") == phase).count();
    Ok(format!(
        "{} Running / {} Waiting / {} Succeeded / {} Failed",
        count("Running"),
        count("Pending"),
        count("Succeeded"),
        count("Failed")
    ))
}

pub(super) fn replica_set(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    let labels = match found.kind.kind.as_str() {
        "ReplicaSet" => selector(json::at(object, "spec.selector")),
        _ => super::labels_selector(json::at(object, "spec.selector")),
    };
    page.entry("Selector", &labels);
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    if let Some(owner) = pod::controller(object) {
        page.entry("Controlled By", owner);
    }
    page.entry(
        "Replicas",
        format!("{} current / {} desired", number(object, "status.replicas"), number(object, "spec.replicas")),
    );
    page.entry("Pods Status", pod_counts(call, found, &labels)?);
    pod_template(json::at(object, "spec.template"), page);
    let conditions = json::list(object, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tReason\n  ----\t------\t------");
        conditions.iter().for_each(|c| {
            page.line(
                1,
                format!("{} \t{}\t{}", json::text(c, "type"), json::text(c, "status"), json::text(c, "reason")),
            )
        });
    }
    events(call, found, page)
}

pub(super) fn stateful_set(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    page.entry("CreationTimestamp", long_time(object, "metadata.creationTimestamp"));
    let labels = selector(json::at(object, "spec.selector"));
    page.entry("Selector", or_none(&labels));
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    page.entry(
        "Replicas",
        format!("{} desired | {} total", number(object, "spec.replicas"), number(object, "status.replicas")),
    );
    page.entry("Update Strategy", json::text(object, "spec.updateStrategy.type"));
    if let Some(partition) = json::int(object, "spec.updateStrategy.rollingUpdate.partition") {
        page.line(1, format!("Partition:\t{partition}"));
    }
    page.entry("Pods Status", pod_counts(call, found, &labels)?);
    pod_template(json::at(object, "spec.template"), page);
    claims(json::list(object, "spec.volumeClaimTemplates"), page);
    events(call, found, page)
}

fn claims(list: &[Value], page: &mut Page) {
    if list.is_empty() {
        page.entry("Volume Claims", "<none>");
        return;
    }
    page.line(0, "Volume Claims:");
    for claim in list {
        page.line(1, format!("Name:\t{}", json::text(claim, "metadata.name")));
        page.line(1, format!("StorageClass:\t{}", json::text(claim, "spec.storageClassName")));
        page.labels("Labels", json::at(claim, "metadata.labels"), "  ");
        page.annotations("Annotations", json::at(claim, "metadata.annotations"), "  ");
        let capacity = json::plain(json::at(claim, "spec.resources.requests.storage"));
        page.line(1, format!("Capacity:\t{}", if capacity.is_empty() { "<default>" } else { &capacity }));
        page.line(1, format!("Access Modes:\t{}", crate::go::plain(json::at(claim, "spec.accessModes"))));
    }
}

pub(super) fn daemon_set(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    let labels = selector(json::at(object, "spec.selector"));
    page.entry("Selector", &labels);
    let nodes = super::labels_selector(json::at(object, "spec.template.spec.nodeSelector"));
    page.entry("Node-Selector", or_none(&nodes));
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    for (title, path) in [
        ("Desired Number of Nodes Scheduled", "status.desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "status.currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "status.updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "status.numberAvailable"),
        ("Number of Nodes Misscheduled", "status.numberMisscheduled"),
    ] {
        page.line(0, format!("{title}: {}", number(object, path)));
    }
    page.entry("Pods Status", pod_counts(call, found, &labels)?);
    pod_template(json::at(object, "spec.template"), page);
    events(call, found, page)
}
