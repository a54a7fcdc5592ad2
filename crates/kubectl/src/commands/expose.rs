//! `kubectl expose`.

use serde_json::{Value, json as tree};

use super::Outcome;
use crate::client::with_query;
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) const FLAGS: &str = "allow-missing-template-keys cluster-ip= dry-run?unchanged external-ip= field-manager= f|filename= k|kustomize= \
    l|labels= load-balancer-ip= name= o|output= override-type= overrides= port= protocol= R|recursive save-config selector= \
    session-affinity= show-managed-fields target-port= template= type=";

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let words = call.flags.words.clone();
    let own_selector = call.flags.value("selector").map(str::to_string);
    // The selector is that of the Service, not of what is exposed.
    if own_selector.is_some() {
        call.flags.set("selector", "");
    }
    let found = call.wanted(&words)?;
    for one in found {
        let object = &one.object;
        let selector = match &own_selector {
            Some(text) => super::create::pairs(text)?,
            None => match one.kind.kind.as_str() {
                "Service" | "ReplicationController" => json::at(object, "spec.selector").clone(),
                "Pod" => json::at(object, "metadata.labels").clone(),
                "Deployment" | "ReplicaSet" => json::at(object, "spec.selector.matchLabels").clone(),
                other => {
                    let dot = if one.kind.group.is_empty() { "" } else { "." };
                    return Err(Failure::new(format!("cannot expose a {other}{dot}{}", one.kind.group)));
                }
            },
        };
        if selector.as_object().is_none_or(serde_json::Map::is_empty) {
            return Err(Failure::new(format!(
                "couldn't retrieve selectors via --selector flag or introspection: the {} has no labels and cannot be exposed",
                one.kind.kind.to_lowercase()
            )));
        }
        let ports = ports(call, object, &one.kind.kind)?;
        let name = call.flags.value("name").filter(|name| !name.is_empty()).unwrap_or(&one.name).to_string();
        let mut spec = tree!({"selector": selector, "ports": ports});
        for (flag, field) in [
            ("type", "type"),
            ("cluster-ip", "clusterIP"),
            ("load-balancer-ip", "loadBalancerIP"),
            ("session-affinity", "sessionAffinity"),
        ] {
            if let Some(value) = call.flags.value(flag).filter(|value| !value.is_empty()) {
                spec[field] = value.into();
            }
        }
        if let Some(address) = call.flags.value("external-ip") {
            spec["externalIPs"] = tree!([address]);
        }
        let labels = match call.flags.value("labels") {
            Some(text) => super::create::pairs(text)?,
            None => json::at(object, "metadata.labels").clone(),
        };
        let mut service = tree!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "creationTimestamp": null}, "spec": spec, "status": {"loadBalancer": {}}});
        if !labels.is_null() {
            service["metadata"]["labels"] = labels;
        }
        if let Some(text) = call.flags.value("overrides") {
            let overrides: Value =
                serde_json::from_str(text).map_err(|error| Failure::new(format!("Invalid JSON Patch: {error}")))?;
            super::run::merge(&mut service, &overrides);
        }
        if call.flags.value("namespace").is_some() {
            json::set(&mut service, "metadata.namespace", one.namespace.clone());
        }
        let shown = format!("service/{name}");
        if call.dry_run()? == "client" {
            call.tell(&shown, &service, "exposed")?;
            continue;
        }
        let query = call.dry_query()?;
        let kind = call.kind("services")?;
        let path = with_query(&kind.path(&one.namespace), &[("dryRun", query), ("fieldManager", "kubectl-expose")]);
        let made = call.create(&path, &service)?;
        call.tell(&shown, &made, "exposed")?;
    }
    Ok(())
}

/// The ports of the Service: from the flag, or from what is exposed.
fn ports(call: &Kubectl<'_, '_>, object: &Value, kind: &str) -> Result<Vec<Value>, Failure> {
    let protocol = call.flags.value("protocol").unwrap_or("TCP");
    let target =
        call.flags.value("target-port").map(|text| text.parse::<u16>().map_or_else(|_| Value::from(text), Into::into));
    let mut found: Vec<(i64, String)> = Vec::new();
    match call.flags.value("port").filter(|port| !port.is_empty()) {
        Some(text) => {
            for part in text.split(',') {
                let port = part.parse::<u16>().map_err(|_| Failure::new(format!("invalid port: {part}")))?;
                found.push((port.into(), protocol.into()));
            }
        }
        None => {
            let lists: Vec<&Value> = match kind {
                "Service" => json::list(object, "spec.ports").iter().collect(),
                "Pod" => json::list(object, "spec.containers").iter().flat_map(|c| json::list(c, "ports")).collect(),
                _ => json::list(object, "spec.template.spec.containers")
                    .iter()
                    .flat_map(|c| json::list(c, "ports"))
                    .collect(),
            };
            for port in lists {
                let number = json::int(port, "containerPort").or(json::int(port, "port")).unwrap_or(0);
                let protocol = Some(json::text(port, "protocol")).filter(|text| !text.is_empty()).unwrap_or(protocol);
                found.push((number, protocol.into()));
            }
            if found.is_empty() {
                return Err(Failure::new(
                    "couldn't find port via --port flag or introspection\nSee 'kubectl expose -h' for help and examples",
                ));
            }
        }
    }
    let several = found.len() > 1;
    Ok(found
        .into_iter()
        .enumerate()
        .map(|(at, (port, protocol))| {
            let mut entry = tree!({"port": port, "protocol": protocol, "targetPort": target.clone().unwrap_or_else(|| port.into())});
            if several {
                entry["name"] = format!("port-{}", at + 1).into();
            }
            entry
        })
        .collect())
}
