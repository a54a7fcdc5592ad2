//! `kubectl drain`.

use serde_json::{Value, json as tree};
use shell::Host;

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::go::quote;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "chunk-size=i delete-emptydir-data delete-local-data disable-eviction dry-run?unchanged force grace-period=i \
    ignore-daemonsets pod-selector= l|selector= skip-wait-for-delete-timeout=i timeout=d";

/// The pods of a node: those that go, what keeps the node from being drained, and what is told about others.
#[derive(Default)]
struct Plan {
    going: Vec<Value>,
    refusals: Vec<(&'static str, Vec<String>)>,
    notes: Vec<(&'static str, Vec<String>)>,
}

impl Plan {
    fn refuse(&mut self, why: &'static str, pod: String) {
        add(&mut self.refusals, why, pod);
    }

    fn note(&mut self, why: &'static str, pod: String) {
        add(&mut self.notes, why, pod);
    }
}

fn add(list: &mut Vec<(&'static str, Vec<String>)>, why: &'static str, pod: String) {
    match list.iter_mut().find(|(known, _)| *known == why) {
        Some((_, pods)) => pods.push(pod),
        None => list.push((why, vec![pod])),
    }
}

fn joined(list: &[(&str, Vec<String>)]) -> Vec<String> {
    list.iter().map(|(why, pods)| format!("{why}: {}", pods.join(", "))).collect()
}

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let nodes = super::cordon::nodes(call, "drain")?;
    for node in &nodes {
        super::cordon::mark(call, node, true)?;
    }
    let mut pending: Vec<String> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    for node in &nodes {
        if let Err(failure) = drain(call, &node.name) {
            let several = match &failure {
                Failure::Many(all) => all.iter().map(Failure::message).collect(),
                other => vec![other.message()],
            };
            let shown = match several.len() {
                1 => several[0].clone(),
                _ => format!("[{}]", several.join(", ")),
            };
            call.warn(format!(
                "error: unable to drain node {} due to error: {shown}, continuing command...",
                quote(&node.name)
            ));
            pending.push(node.name.clone());
            failures.extend(several);
        }
    }
    if pending.is_empty() {
        return Ok(());
    }
    call.warn("There are pending nodes to be drained:");
    for name in pending {
        call.warn(format!(" {name}"));
    }
    Err(Failure::Verbatim(failures.join("\n"), 1))
}

fn drain(call: &mut Kubectl<'_, '_>, node: &str) -> Outcome {
    let plan = plan(call, node)?;
    if !plan.refusals.is_empty() {
        let all = joined(&plan.refusals).into_iter().map(|why| Failure::new(format!("cannot delete {why}"))).collect();
        return Failure::all(all);
    }
    if !plan.notes.is_empty() {
        call.warn(format!("Warning: {}", joined(&plan.notes).join("; ")));
    }
    let dry = call.dry_run()?;
    let suffix = match dry {
        "client" => " (dry run)",
        "server" => " (server dry run)",
        _ => "",
    };
    evict(call, &plan.going, dry, suffix)?;
    call.say(format!("node/{node} drained{suffix}"));
    Ok(())
}

fn plan(call: &mut Kubectl<'_, '_>, node: &str) -> Result<Plan, Failure> {
    let pods = call.kind("pods")?;
    let selector = call.flags.text("pod-selector").to_string();
    let all = call.list(&pods, "", &selector, &format!("spec.nodeName={node}"))?;
    let mut plan = Plan::default();
    for pod in all {
        let shown = format!("{}/{}", json::text(&pod, "metadata.namespace"), json::text(&pod, "metadata.name"));
        if json::at(&pod, "metadata.annotations").get("kubernetes.io/config.mirror").is_some() {
            continue;
        }
        let is_over = matches!(json::text(&pod, "status.phase"), "Succeeded" | "Failed");
        let owner = json::list(&pod, "metadata.ownerReferences").iter().find(|owner| json::flag(owner, "controller"));
        if owner.is_some_and(|owner| json::text(owner, "kind") == "DaemonSet") && !is_over {
            match call.flags.has("ignore-daemonsets") {
                true => plan.note("ignoring DaemonSet-managed Pods", shown),
                false => plan.refuse("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", shown),
            }
            continue;
        }
        let has_local = json::list(&pod, "spec.volumes").iter().any(|volume| volume.get("emptyDir").is_some());
        if has_local && !is_over && !call.flags.has("delete-emptydir-data") && !call.flags.has("delete-local-data") {
            plan.refuse("Pods with local storage (use --delete-emptydir-data to override)", shown);
            continue;
        }
        if owner.is_none() && !is_over {
            match call.flags.has("force") {
                true => plan.note("deleting Pods that declare no controller", shown),
                false => {
                    plan.refuse("cannot delete Pods that declare no controller (use --force to override)", shown);
                    continue;
                }
            }
        }
        plan.going.push(pod);
    }
    Ok(plan)
}

/// Evicts pods and waits until they are gone; a budget that forbids it is asked again every 5 s.
fn evict(call: &mut Kubectl<'_, '_>, pods: &[Value], dry: &str, suffix: &str) -> Outcome {
    let kind = call.kind("pods")?;
    let span = call.flags.span("timeout").filter(|span| !span.is_zero());
    let end = span.map_or_else(|| call.patience(), |span| call.desk.now().saturating_add(span.as_micros() as i64));
    let grace = call.flags.number("grace-period").filter(|seconds| *seconds >= 0);
    let query = if dry == "server" { "All" } else { "" };
    let mut waiting: Vec<(Value, i64)> = pods.iter().map(|pod| (pod.clone(), 0)).collect();
    let mut leaving: Vec<Value> = Vec::new();
    for pod in pods {
        let (namespace, name) = (json::text(pod, "metadata.namespace"), json::text(pod, "metadata.name"));
        let verb = if call.flags.has("disable-eviction") { "deleting" } else { "evicting" };
        call.say(format!("{verb} pod {namespace}/{name}{suffix}"));
    }
    if dry == "client" {
        return Ok(());
    }
    loop {
        let now = call.desk.now();
        for (pod, due) in std::mem::take(&mut waiting) {
            if due > now {
                waiting.push((pod, due));
                continue;
            }
            let (namespace, name) =
                (json::text(&pod, "metadata.namespace").to_string(), json::text(&pod, "metadata.name").to_string());
            let path = kind.object_path(&namespace, &name);
            let mut options = tree!({});
            if let Some(seconds) = grace {
                options["gracePeriodSeconds"] = seconds.into();
            }
            let outcome = match call.flags.has("disable-eviction") {
                true => call.delete(&path, &options),
                false => {
                    let body = tree!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace, "creationTimestamp": null}, "deleteOptions": options});
                    call.create(&with_query(&format!("{path}/eviction"), &[("dryRun", query)]), &body)
                }
            };
            match outcome {
                Ok(_) => leaving.push(pod),
                Err(failure) if failure.is_not_found() => {}
                Err(failure) if failure.reason() == "TooManyRequests" => {
                    call.warn(format!(
                        "error when evicting pods/{} -n {} (will retry after 5s): {}",
                        quote(&name),
                        quote(&namespace),
                        failure.message()
                    ));
                    waiting.push((pod, now + 5_000_000));
                }
                Err(failure) => {
                    return Err(Failure::new(format!(
                        "error when evicting pods/{} -n {}: {}",
                        quote(&name),
                        quote(&namespace),
                        failure.message()
                    )));
                }
            }
        }
        if dry == "server" {
            return Ok(());
        }
        for pod in std::mem::take(&mut leaving) {
            let (namespace, name) =
                (json::text(&pod, "metadata.namespace").to_string(), json::text(&pod, "metadata.name").to_string());
            let there = call
                .object(&kind, &namespace, &name)
                .is_ok_and(|now| json::text(&now, "metadata.uid") == json::text(&pod, "metadata.uid"));
            match there {
                true => leaving.push(pod),
                false => call.say(format!(
                    "pod/{name} {}",
                    if call.flags.has("disable-eviction") { "deleted" } else { "evicted" }
                )),
            }
        }
        if waiting.is_empty() && leaving.is_empty() {
            return Ok(());
        }
        let next = waiting.iter().map(|(_, due)| *due).min().unwrap_or(end).min(end);
        if call.desk.now() >= end || (!call.step(next) && call.desk.now() >= end) {
            return match span {
                Some(_) => Err(Failure::new("global timeout reached")),
                None => Err(call.stopped()),
            };
        }
    }
}
