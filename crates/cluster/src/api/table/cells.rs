//! The rows of everything else.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::subresources::selector_text;
use super::workloads::containers;
use super::{created, labels, or_none};
use crate::json;
use crate::meta;
use crate::time::{Stamp, age};

/// The cells after the name.
pub(super) fn cells(now: Stamp, storage: &str, object: &Value) -> Vec<Value> {
    let born = created(now, object);
    let text = |path: &str| -> Value { json::text(object, path).into() };
    let value = |path: &str| json::at(object, path).clone();
    let count = |path: &str| match json::at(object, path) {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    let written = value("metadata.creationTimestamp");
    match storage {
        "configmaps" => vec![(count("data") + count("binaryData")).to_string().into(), born],
        "secrets" => vec![text("type"), count("data").to_string().into(), born],
        "serviceaccounts" => vec![count("secrets").to_string().into(), born],
        "namespaces" => vec![text("status.phase"), born],
        "nodes" => node(object, born),
        "services" => service(object, born),
        "endpoints" => vec![endpoints(object), born],
        "endpointslices.discovery.k8s.io" => slice(object, born),
        "persistentvolumeclaims" => claim(object, born),
        "persistentvolumes" => volume(object, born),
        "resourcequotas" => quota(object, born),
        "podtemplates" => {
            let (names, images) = containers(json::at(object, "template.spec"));
            vec![names, images, labels(json::at(object, "template.metadata.labels"))]
        }
        "ingresses.networking.k8s.io" => ingress(object, born),
        "ingressclasses.networking.k8s.io" => vec![text("spec.controller"), "<none>".into(), born],
        "networkpolicies.networking.k8s.io" => {
            vec![or_none(&selector_text(json::at(object, "spec.podSelector"))), born]
        }
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
            binding(object, born)
        }
        "limitranges"
        | "roles.rbac.authorization.k8s.io"
        | "clusterroles.rbac.authorization.k8s.io"
        | "csistoragecapacities.storage.k8s.io"
        | "customresourcedefinitions.apiextensions.k8s.io" => vec![written],
        "storageclasses.storage.k8s.io" => vec![
            text("provisioner"),
            text("reclaimPolicy"),
            text("volumeBindingMode"),
            json::flag(object, "allowVolumeExpansion").into(),
            born,
        ],
        "priorityclasses.scheduling.k8s.io" => {
            vec![value("value"), json::flag(object, "globalDefault").into(), born, text("preemptionPolicy")]
        }
        "leases.coordination.k8s.io" => vec![text("spec.holderIdentity"), born],
        "runtimeclasses.node.k8s.io" => vec![text("handler"), born],
        "mutatingwebhookconfigurations.admissionregistration.k8s.io"
        | "validatingwebhookconfigurations.admissionregistration.k8s.io" => vec![count("webhooks").into(), born],
        "validatingadmissionpolicies.admissionregistration.k8s.io" => {
            vec![count("spec.validations").into(), or_unset(json::text(object, "spec.paramKind.kind")), born]
        }
        "validatingadmissionpolicybindings.admissionregistration.k8s.io" => {
            vec![text("spec.policyName"), or_unset(json::text(object, "spec.paramRef.name")), born]
        }
        "apiservices.apiregistration.k8s.io" => {
            let service = json::at(object, "spec.service");
            let name = match service.is_object() {
                true => format!("{}/{}", json::text(service, "namespace"), json::text(service, "name")),
                false => "Local".into(),
            };
            vec![name.into(), meta::condition(object, "Available").into(), born]
        }
        "volumeattachments.storage.k8s.io" => vec![
            text("spec.attacher"),
            text("spec.source.persistentVolumeName"),
            text("spec.nodeName"),
            json::flag(object, "status.attached").into(),
            born,
        ],
        "csinodes.storage.k8s.io" => vec![count("spec.drivers").into(), born],
        "csidrivers.storage.k8s.io" => vec![
            value("spec.attachRequired"),
            json::flag(object, "spec.podInfoOnMount").into(),
            json::flag(object, "spec.storageCapacity").into(),
            "<unset>".into(),
            json::flag(object, "spec.requiresRepublish").into(),
            "Persistent".into(),
            born,
        ],
        "certificatesigningrequests.certificates.k8s.io" => vec![
            born,
            text("spec.signerName"),
            text("spec.username"),
            "<none>".into(),
            if meta::condition(object, "Approved") == "True" { "Approved".into() } else { "Pending".into() },
        ],
        "flowschemas.flowcontrol.apiserver.k8s.io" => vec![
            text("spec.priorityLevelConfiguration.name"),
            json::int(object, "spec.matchingPrecedence").unwrap_or(0).to_string().into(),
            or_none(json::text(object, "spec.distinguisherMethod.type")),
            born,
            "False".into(),
        ],
        "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io" => {
            let limited = "spec.limited.limitResponse.queuing";
            let number = |path: &str| json::int(object, path).map_or("<none>".to_string(), |n| n.to_string()).into();
            vec![
                text("spec.type"),
                number("spec.limited.nominalConcurrencyShares"),
                number(&format!("{limited}.queues")),
                number(&format!("{limited}.handSize")),
                number(&format!("{limited}.queueLengthLimit")),
                born,
            ]
        }
        _ => vec![born],
    }
}

fn or_unset(text: &str) -> Value {
    if text.is_empty() { "<unset>".into() } else { text.into() }
}

/// All cells of an event; its name is the last of them.
pub(super) fn event(now: Stamp, object: &Value) -> Vec<Value> {
    let text = |path: &str| json::text(object, path);
    let first_of = |paths: &[&str]| {
        paths.iter().map(|path| text(path)).find(|text| !text.is_empty()).unwrap_or_default().to_string()
    };
    let about = if object.get("regarding").is_some() { "regarding" } else { "involvedObject" };
    let kind = text(&format!("{about}.kind")).to_lowercase();
    let name = text(&format!("{about}.name"));
    let subject = if name.is_empty() { kind } else { format!("{kind}/{name}") };
    let source =
        first_of(&["source.component", "deprecatedSource.component", "reportingComponent", "reportingController"]);
    let host = first_of(&["source.host", "deprecatedSource.host"]);
    let source = [source, host].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let first = first_of(&["firstTimestamp", "deprecatedFirstTimestamp", "eventTime"]);
    let last = first_of(&["series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp", "eventTime"]);
    let counts = ["series.count", "count", "deprecatedCount"];
    let count = counts.iter().find_map(|path| json::int(object, path)).unwrap_or(1);
    let message = first_of(&["message", "note"]);
    vec![
        age(now, &last).into(),
        text("type").into(),
        text("reason").into(),
        subject.into(),
        text(&format!("{about}.fieldPath")).into(),
        source.into(),
        message.trim().into(),
        age(now, &first).into(),
        count.into(),
        text("metadata.name").into(),
    ]
}

fn node(object: &Value, born: Value) -> Vec<Value> {
    let mut status = match meta::condition(object, "Ready") {
        "True" => "Ready".to_string(),
        "" => "Unknown".to_string(),
        _ => "NotReady".to_string(),
    };
    if json::flag(object, "spec.unschedulable") {
        status.push_str(",SchedulingDisabled");
    }
    let roles: BTreeSet<_> = json::entries(object, "metadata.labels")
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => Some(role),
            _ if key == "kubernetes.io/role" => value.as_str(),
            _ => None,
        })
        .collect();
    let roles: Vec<_> = roles.into_iter().collect();
    let address = |kind: &str| {
        let found = json::list(object, "status.addresses").iter().find(|address| json::text(address, "type") == kind);
        or_none(found.map_or("", |address| json::text(address, "address")))
    };
    let info = |field: &str| -> Value {
        let text = json::text(object, &format!("status.nodeInfo.{field}"));
        if text.is_empty() { "<unknown>".into() } else { text.into() }
    };
    vec![
        status.into(),
        or_none(&roles.join(",")),
        born,
        json::text(object, "status.nodeInfo.kubeletVersion").into(),
        address("InternalIP"),
        address("ExternalIP"),
        info("osImage"),
        info("kernelVersion"),
        info("containerRuntimeVersion"),
    ]
}

fn service(object: &Value, born: Value) -> Vec<Value> {
    let kind = json::text(object, "spec.type");
    let port = |port: &Value| {
        let number = json::int(port, "port").unwrap_or(0);
        let protocol = json::text(port, "protocol");
        match json::int(port, "nodePort") {
            Some(node) if node > 0 => format!("{number}:{node}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    };
    let ports: Vec<_> = json::list(object, "spec.ports").iter().map(port).collect();
    let address = if kind == "ExternalName" { "" } else { json::text(object, "spec.clusterIP") };
    let outside: Vec<_> = json::list(object, "spec.externalIPs").iter().filter_map(Value::as_str).collect();
    let balancers: Vec<_> = json::list(object, "status.loadBalancer.ingress")
        .iter()
        .map(|ingress| match json::text(ingress, "ip") {
            "" => json::text(ingress, "hostname"),
            ip => ip,
        })
        .collect();
    let external = match kind {
        "ExternalName" => json::text(object, "spec.externalName").to_string(),
        "LoadBalancer" if balancers.is_empty() && outside.is_empty() => "<pending>".into(),
        "LoadBalancer" => balancers.into_iter().chain(outside).collect::<Vec<_>>().join(","),
        _ => outside.join(","),
    };
    vec![
        kind.into(),
        or_none(address),
        or_none(&external),
        or_none(&ports.join(",")),
        born,
        labels(json::at(object, "spec.selector")),
    ]
}

fn endpoints(object: &Value) -> Value {
    let mut all = Vec::new();
    for subset in json::list(object, "subsets") {
        let ports = json::list(subset, "ports");
        let addresses = json::list(subset, "addresses");
        if ports.is_empty() {
            all.extend(addresses.iter().map(|address| json::text(address, "ip").to_string()));
        }
        for port in ports {
            let number = json::int(port, "port").unwrap_or(0);
            all.extend(addresses.iter().map(|address| format!("{}:{number}", json::text(address, "ip"))));
        }
    }
    first_three(&all, "<none>")
}

fn first_three(all: &[String], nothing: &str) -> Value {
    match all {
        [] => nothing.into(),
        [a, b, c, rest @ ..] if !rest.is_empty() => format!("{a},{b},{c} + {} more...", rest.len()).into(),
        all => all.join(",").into(),
    }
}

fn slice(object: &Value, born: Value) -> Vec<Value> {
    let ports = json::list(object, "ports").iter();
    let ports: Vec<_> = ports.map(|port| json::int(port, "port").map_or("*".to_string(), |n| n.to_string())).collect();
    let addresses = json::list(object, "endpoints").iter().flat_map(|endpoint| json::list(endpoint, "addresses"));
    let addresses: Vec<_> = addresses.filter_map(Value::as_str).map(Into::into).collect();
    vec![
        json::at(object, "addressType").clone(),
        first_three(&ports, "<unset>"),
        first_three(&addresses, "<unset>"),
        born,
    ]
}

fn modes(list: &[Value]) -> String {
    let short = |mode: &Value| match mode.as_str().unwrap_or_default() {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        _ => "",
    };
    list.iter().map(short).collect::<Vec<_>>().join(",")
}

fn claim(object: &Value, born: Value) -> Vec<Value> {
    let phase = if meta::is_going(object) { "Terminating" } else { json::text(object, "status.phase") };
    let is_bound = !json::text(object, "spec.volumeName").is_empty();
    let (capacity, modes) = match is_bound {
        true => (json::text(object, "status.capacity.storage"), modes(json::list(object, "status.accessModes"))),
        false => ("", String::new()),
    };
    vec![
        phase.into(),
        json::text(object, "spec.volumeName").into(),
        capacity.into(),
        modes.into(),
        json::text(object, "spec.storageClassName").into(),
        or_unset(json::text(object, "spec.volumeAttributesClassName")),
        born,
        or_unset(json::text(object, "spec.volumeMode")),
    ]
}

fn volume(object: &Value, born: Value) -> Vec<Value> {
    let claim = json::at(object, "spec.claimRef");
    let claim = match claim.is_object() {
        true => format!("{}/{}", json::text(claim, "namespace"), json::text(claim, "name")),
        false => String::new(),
    };
    let phase = if meta::is_going(object) { "Terminating" } else { json::text(object, "status.phase") };
    vec![
        json::text(object, "spec.capacity.storage").into(),
        modes(json::list(object, "spec.accessModes")).into(),
        json::text(object, "spec.persistentVolumeReclaimPolicy").into(),
        phase.into(),
        claim.into(),
        json::text(object, "spec.storageClassName").into(),
        or_unset(json::text(object, "spec.volumeAttributesClassName")),
        json::text(object, "status.reason").into(),
        born,
        or_unset(json::text(object, "spec.volumeMode")),
    ]
}

fn quota(object: &Value, born: Value) -> Vec<Value> {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (name, hard) in json::entries(object, "status.hard") {
        let used = json::at(object, "status.used").get(name).and_then(Value::as_str).unwrap_or("0");
        let shown = format!("{name}: {used}/{}", hard.as_str().unwrap_or_default());
        if name.starts_with("limits.") { limits.push(shown) } else { requests.push(shown) }
    }
    vec![born, requests.join(", ").into(), limits.join(", ").into()]
}

fn ingress(object: &Value, born: Value) -> Vec<Value> {
    let rules = json::list(object, "spec.rules");
    let hosts: Vec<_> = rules.iter().map(|rule| json::text(rule, "host")).filter(|host| !host.is_empty()).collect();
    let hosts = match hosts.len() {
        0 => "*".into(),
        1..=3 => hosts.join(","),
        more => format!("{} + {} more...", hosts[..3].join(","), more - 3),
    };
    let addresses = json::list(object, "status.loadBalancer.ingress").iter();
    let addresses: Vec<_> = addresses
        .map(|a| if json::text(a, "ip").is_empty() { json::text(a, "hostname") } else { json::text(a, "ip") })
        .collect();
    let ports = if json::list(object, "spec.tls").is_empty() { "80" } else { "80, 443" };
    vec![
        or_none(json::text(object, "spec.ingressClassName")),
        hosts.into(),
        addresses.join(",").into(),
        ports.into(),
        born,
    ]
}

fn binding(object: &Value, born: Value) -> Vec<Value> {
    let role = format!("{}/{}", json::text(object, "roleRef.kind"), json::text(object, "roleRef.name"));
    let of = |kind: &str| {
        let subjects = json::list(object, "subjects").iter().filter(|subject| json::text(subject, "kind") == kind);
        let name = |subject: &Value| match kind {
            "ServiceAccount" => format!("{}/{}", json::text(subject, "namespace"), json::text(subject, "name")),
            _ => json::text(subject, "name").to_string(),
        };
        json!(subjects.map(name).collect::<Vec<_>>().join(", "))
    };
    vec![role.into(), born, of("User"), of("Group"), of("ServiceAccount")]
}
