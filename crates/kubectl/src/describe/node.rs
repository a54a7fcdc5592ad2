//! Nodes.

use cluster::{Quantity, Stamp, human};
use serde_json::Value;

use super::{Page, events, long_time};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn node(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let node = &found.object;
    page.entry("Name", &found.name);
    let roles: Vec<&str> = json::entries(node, "metadata.labels")
        .filter_map(|(key, _)| key.strip_prefix("node-role.kubernetes.io/"))
        .filter(|role| !role.is_empty())
        .collect();
    page.entry("Roles", if roles.is_empty() { "<none>".to_string() } else { roles.join(",") });
    page.labels("Labels", json::at(node, "metadata.labels"), "");
    page.annotations("Annotations", json::at(node, "metadata.annotations"), "");
    page.entry("CreationTimestamp", long_time(node, "metadata.creationTimestamp"));
    taints(json::list(node, "spec.taints"), page);
    page.entry("Unschedulable", json::flag(node, "spec.unschedulable").to_string());
    lease(call, &found.name, page)?;
    let conditions = json::list(node, "status.conditions");
    if !conditions.is_empty() {
        page.line(0, "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage\n  ----\t------\t-----------------\t------------------\t------\t-------");
        for condition in conditions {
            let text = |field: &str| json::text(condition, field);
            page.line(
                1,
                format!(
                    "{} \t{} \t{} \t{} \t{} \t{}",
                    text("type"),
                    text("status"),
                    long_time(condition, "lastHeartbeatTime"),
                    long_time(condition, "lastTransitionTime"),
                    text("reason"),
                    text("message")
                ),
            );
        }
    }
    page.line(0, "Addresses:");
    json::list(node, "status.addresses").iter().for_each(|address| {
        page.line(1, format!("{}:\t{}", json::text(address, "type"), json::text(address, "address")))
    });
    for (title, field) in [("Capacity", "status.capacity"), ("Allocatable", "status.allocatable")] {
        let mut all = json::entries(node, field).peekable();
        if all.peek().is_some() {
            page.line(0, format!("{title}:"));
            all.for_each(|(name, amount)| page.line(1, format!("{name}:\t{}", json::plain(amount))));
        }
    }
    page.line(0, "System Info:");
    for (title, field) in [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
        ("Kube-Proxy Version", "kubeProxyVersion"),
    ] {
        page.line(1, format!("{title}:\t{}", json::text(node, &format!("status.nodeInfo.{field}"))));
    }
    for (title, field) in [("PodCIDR", "spec.podCIDR"), ("ProviderID", "spec.providerID")] {
        let text = json::text(node, field);
        if !text.is_empty() {
            page.entry(title, text);
        }
        if field == "spec.podCIDR" {
            let all: Vec<&str> = json::list(node, "spec.podCIDRs").iter().filter_map(Value::as_str).collect();
            if !all.is_empty() {
                page.entry("PodCIDRs", all.join(","));
            }
        }
    }
    pods(call, found, page)?;
    events(call, found, page)
}

fn taints(list: &[Value], page: &mut Page) {
    if list.is_empty() {
        page.entry("Taints", "<none>");
    }
    let mut shown: Vec<String> = list
        .iter()
        .map(|taint| {
            let (key, value, effect) =
                (json::text(taint, "key"), json::text(taint, "value"), json::text(taint, "effect"));
            if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
        })
        .collect();
    shown.sort();
    for (at, taint) in shown.iter().enumerate() {
        page.line(0, format!("{}\t{taint}", if at == 0 { "Taints:" } else { "" }));
    }
}

fn lease(call: &mut Kubectl<'_, '_>, name: &str, page: &mut Page) -> Result<(), Failure> {
    let kind = call.kind("leases.coordination.k8s.io")?;
    page.line(0, "Lease:");
    let lease = match call.object(&kind, "kube-node-lease", name) {
        Ok(lease) => lease,
        Err(failure) => {
            page.line(1, format!("Failed to get lease: {}", failure.message()));
            return Ok(());
        }
    };
    let time = |field: &str| match json::text(&lease, field) {
        "" => "<unset>".to_string(),
        _ => long_time(&lease, field),
    };
    let holder = json::text(&lease, "spec.holderIdentity");
    page.line(1, format!("HolderIdentity:\t{}", if holder.is_empty() { "<unset>" } else { holder }));
    page.line(1, format!("AcquireTime:\t{}", time("spec.acquireTime")));
    page.line(1, format!("RenewTime:\t{}", time("spec.renewTime")));
    Ok(())
}

/// What a pod asks for and may use: containers together, or the largest that runs first.
fn demand(pod: &Value, field: &str, resource: &str) -> Quantity {
    let amount = |container: &Value| {
        Quantity::parse(&json::plain(
            json::at(container, &format!("resources.{field}")).get(resource).unwrap_or(&Value::Null),
        ))
        .unwrap_or(Quantity::ZERO)
    };
    let sum =
        json::list(pod, "spec.containers").iter().fold(Quantity::ZERO, |sum, container| sum.plus(amount(container)));
    json::list(pod, "spec.initContainers")
        .iter()
        .map(amount)
        .fold(sum, |most, one| if one.amount() > most.amount() { one } else { most })
}

fn pods(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let kind = call.kind("pods")?;
    let fields = format!("spec.nodeName={},status.phase!=Succeeded,status.phase!=Failed", found.name);
    let pods = call.list(&kind, "", "", &fields)?;
    page.line(0, format!("Non-terminated Pods:\t({} in total)\n  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n  ---------\t----\t\t------------\t----------\t---------------\t-------------\t---", pods.len()));
    let room = |resource: &str| {
        let amount = json::at(&found.object, "status.allocatable")
            .get(resource)
            .or(json::at(&found.object, "status.capacity").get(resource))
            .map(json::plain);
        amount.and_then(|text| Quantity::parse(&text)).unwrap_or(Quantity::ZERO)
    };
    let percent = |used: Quantity, of: Quantity| if of.amount() > 0 { used.amount() * 100 / of.amount() } else { 0 };
    let now = call.desk.cluster.now();
    let (cpu, memory) = (room("cpu"), room("memory"));
    for pod in &pods {
        let cells: Vec<String> = [
            ("requests", "cpu", cpu),
            ("limits", "cpu", cpu),
            ("requests", "memory", memory),
            ("limits", "memory", memory),
        ]
        .iter()
        .map(|(field, resource, of)| {
            let used = demand(pod, field, resource);
            format!("{} ({}%)", used.text(), percent(used, *of))
        })
        .collect();
        let age = Stamp::parse(json::text(pod, "metadata.creationTimestamp"))
            .map_or("<unknown>".into(), |made| human(now.since(made)));
        page.line(
            1,
            format!(
                "{}\t{}\t\t{}\t{age}",
                json::text(pod, "metadata.namespace"),
                json::text(pod, "metadata.name"),
                cells.join("\t")
            ),
        );
    }
    page.line(0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n  Resource\tRequests\tLimits\n  --------\t--------\t------");
    let mut names: Vec<String> = ["cpu", "memory", "ephemeral-storage"].map(Into::into).to_vec();
    names.extend(
        json::entries(&found.object, "status.allocatable")
            .map(|(name, _)| name.clone())
            .filter(|name| name.starts_with("hugepages-") || name.contains('/')),
    );
    for resource in names {
        let sum = |field: &str| pods.iter().fold(Quantity::ZERO, |sum, pod| sum.plus(demand(pod, field, &resource)));
        let (requests, limits, of) = (sum("requests"), sum("limits"), room(&resource));
        page.line(
            1,
            format!(
                "{resource}\t{} ({}%)\t{} ({}%)",
                requests.text(),
                percent(requests, of),
                limits.text(),
                percent(limits, of)
            ),
        );
    }
    Ok(())
}
