//! `kubectl rollout status`.

use cluster::api::{ApiBody, ApiRequest, HttpMethod};
use serde_json::Value;
use shell::Host;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) const FLAGS: &str = "f|filename= k|kustomize= R|recursive revision=i l|selector= timeout=d w|watch";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let found = super::rollout::workloads(call)?;
    for one in found {
        follow(call, &one)?;
    }
    Ok(())
}

/// Tells how far a rollout is, with every change, until it is done.
fn follow(call: &mut Kubectl<'_, '_>, one: &Found) -> Outcome {
    let path = with_query(
        &one.kind.path(&one.namespace),
        &[("fieldSelector", &format!("metadata.name={}", one.name)), ("watch", "true")],
    );
    let ApiBody::Watch(mut handle) = call.open(ApiRequest::new(HttpMethod::Get, &path))? else {
        return Err(Failure::new("the server does not watch this"));
    };
    let span = call.flags.span("timeout").filter(|span| !span.is_zero());
    // A rollout ends by itself, at the latest with its progress deadline.
    let longest = 1_200_000_000.max(call.desk.memory.patience.as_micros() as i64);
    let end = call.desk.now().saturating_add(span.map_or(longest, |span| span.as_micros() as i64));
    loop {
        let told = call.desk.cluster.poll_watch(&mut handle);
        for line in String::from_utf8_lossy(&told).lines() {
            let event: Value = serde_json::from_str(line).unwrap_or(Value::Null);
            match json::text(&event, "type") {
                "ADDED" | "MODIFIED" => {
                    let (text, done) =
                        progress(&one.kind.kind, &event["object"], call.flags.number("revision").unwrap_or(0))?;
                    call.say(text);
                    if done || !call.flags.unless_false("watch") {
                        return Ok(());
                    }
                }
                "DELETED" => return Err(Failure::new("object has been deleted")),
                _ => {}
            }
        }
        if !call.step(end) {
            if span.is_some() && call.desk.deadline.is_none_or(|deadline| call.desk.now() < deadline) {
                return Err(Failure::new("timed out waiting for the condition"));
            }
            return Err(call.stopped());
        }
    }
}

fn progress(kind: &str, object: &Value, wanted: i64) -> Result<(String, bool), Failure> {
    match kind {
        "Deployment" => deployment(object, wanted),
        "DaemonSet" => daemon_set(object),
        "StatefulSet" => stateful_set(object),
        other => Err(Failure::new(format!("no status viewer has been implemented for {other}"))),
    }
}

fn deployment(object: &Value, wanted: i64) -> Result<(String, bool), Failure> {
    let name = quote(json::text(object, "metadata.name"));
    let number = |path: &str| json::int(object, path).unwrap_or(0);
    if wanted > 0 {
        let current = json::at(object, "metadata.annotations")
            .get("deployment.kubernetes.io/revision")
            .map(json::plain)
            .unwrap_or_default();
        if current != wanted.to_string() {
            return Err(Failure::new(format!(
                "desired revision ({wanted}) is different from the running revision ({current})"
            )));
        }
    }
    if number("metadata.generation") > number("status.observedGeneration") {
        return Ok(("Waiting for deployment spec update to be observed...".into(), false));
    }
    let is_late = |condition: &Value| {
        json::text(condition, "type") == "Progressing" && json::text(condition, "reason") == "ProgressDeadlineExceeded"
    };
    if json::list(object, "status.conditions").iter().any(is_late) {
        return Err(Failure::new(format!("deployment {name} exceeded its progress deadline")));
    }
    let (wanted, updated) = (json::int(object, "spec.replicas").unwrap_or(1), number("status.updatedReplicas"));
    let (all, available) = (number("status.replicas"), number("status.availableReplicas"));
    let waiting = |what: String| Ok((format!("Waiting for deployment {name} rollout to finish: {what}..."), false));
    match () {
        () if updated < wanted => waiting(format!("{updated} out of {wanted} new replicas have been updated")),
        () if all > updated => waiting(format!("{} old replicas are pending termination", all - updated)),
        () if available < updated => waiting(format!("{available} of {updated} updated replicas are available")),
        () => Ok((format!("deployment {name} successfully rolled out"), true)),
    }
}

fn daemon_set(object: &Value) -> Result<(String, bool), Failure> {
    if json::text(object, "spec.updateStrategy.type") != "RollingUpdate" {
        return Err(Failure::new("rollout status is only available for RollingUpdate strategy type"));
    }
    let name = quote(json::text(object, "metadata.name"));
    let number = |path: &str| json::int(object, path).unwrap_or(0);
    if number("metadata.generation") > number("status.observedGeneration") {
        return Ok(("Waiting for daemon set spec update to be observed...".into(), false));
    }
    let (wanted, updated) = (number("status.desiredNumberScheduled"), number("status.updatedNumberScheduled"));
    let available = number("status.numberAvailable");
    let waiting = |what: String| Ok((format!("Waiting for daemon set {name} rollout to finish: {what}..."), false));
    match () {
        () if updated < wanted => waiting(format!("{updated} out of {wanted} new pods have been updated")),
        () if available < wanted => waiting(format!("{available} of {wanted} updated pods are available")),
        () => Ok((format!("daemon set {name} successfully rolled out"), true)),
    }
}

fn stateful_set(object: &Value) -> Result<(String, bool), Failure> {
    if json::text(object, "spec.updateStrategy.type") != "RollingUpdate" {
        return Err(Failure::new("rollout status is only available for RollingUpdate strategy type"));
    }
    let number = |path: &str| json::int(object, path).unwrap_or(0);
    let observed = number("status.observedGeneration");
    if observed == 0 || number("metadata.generation") > observed {
        return Ok(("Waiting for statefulset spec update to be observed...".into(), false));
    }
    let wanted = json::int(object, "spec.replicas").unwrap_or(1);
    let ready = number("status.readyReplicas");
    if ready < wanted {
        return Ok((format!("Waiting for {} pods to be ready...", wanted - ready), false));
    }
    let updated = number("status.updatedReplicas");
    if let Some(partition) = json::int(object, "spec.updateStrategy.rollingUpdate.partition") {
        if updated < wanted - partition {
            let of = wanted - partition;
            return Ok((
                format!(
                    "Waiting for partitioned roll out to finish: {updated} out of {of} new pods have been updated..."
                ),
                false,
            ));
        }
        return Ok((format!("partitioned roll out complete: {updated} new pods have been updated..."), true));
    }
    let (target, current) = (json::text(object, "status.updateRevision"), json::text(object, "status.currentRevision"));
    if target != current {
        return Ok((
            format!("waiting for statefulset rolling update to complete {updated} pods at revision {target}..."),
            false,
        ));
    }
    Ok((
        format!(
            "statefulset rolling update complete {} pods at revision {current}...",
            number("status.currentReplicas")
        ),
        true,
    ))
}
