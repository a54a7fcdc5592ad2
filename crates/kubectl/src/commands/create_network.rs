//! `kubectl create service` and `create ingress`.

use serde_json::{Value, json as tree};

use super::Outcome;
use super::create::{generated, name, pairs};
use crate::failure::Failure;
use crate::go::quote;
use crate::kubectl::Kubectl;

pub(super) const SERVICE_FLAGS: &str = "allow-missing-template-keys clusterip= dry-run?unchanged external-name= field-manager= node-port=i \
    o|output= save-config show-managed-fields tcp=* template= validate?strict";
pub(super) const INGRESS_FLAGS: &str = "allow-missing-template-keys annotation=* class= default-backend= dry-run?unchanged field-manager= \
    o|output= rule=* save-config show-managed-fields template= validate?strict";

pub(super) fn service(call: &mut Kubectl<'_, '_>) -> Outcome {
    if call.flags.words.is_empty() {
        return Err(Failure::new(
            "one of clusterip, externalname, loadbalancer, nodeport must follow 'create service'",
        ));
    }
    let form = call.flags.words.remove(0);
    let name = name(call, &format!("create service {form}"))?;
    let (kind, word) = match form.as_str() {
        "clusterip" => ("ClusterIP", "ClusterIP"),
        "nodeport" => ("NodePort", "NodePort"),
        "loadbalancer" => ("LoadBalancer", "LoadBalancer"),
        "externalname" => ("ExternalName", "ExternalName"),
        other => {
            return Err(Failure::new(format!(
                "unknown command {} for \"kubectl create service\"\nSee 'kubectl create service -h' for help and examples",
                quote(other)
            )));
        }
    };
    let mut ports: Vec<Value> = Vec::new();
    for text in call.flags.split("tcp") {
        let (port, target) = text.split_once(':').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0);
        let Some(port) = number(port) else { return Err(Failure::new(format!("invalid port number: {port}"))) };
        let target: Value = number(target).map_or_else(|| target.into(), Into::into);
        let shown = text.replace(':', "-");
        let mut entry = tree!({"name": shown, "port": port, "protocol": "TCP", "targetPort": target});
        if let Some(node) = call.flags.number("node-port").filter(|port| *port > 0) {
            entry["nodePort"] = node.into();
        }
        ports.push(entry);
    }
    let headless = call.flags.text("clusterip") == "None";
    if ports.is_empty() && kind != "ExternalName" && !headless {
        return Err(Failure::new("at least one tcp port specifier must be provided"));
    }
    let labels = tree!({"app": name});
    let mut spec = tree!({"type": kind, "selector": labels});
    if !ports.is_empty() {
        spec["ports"] = ports.into();
    }
    if let Some(address) = call.flags.value("clusterip") {
        spec["clusterIP"] = address.into();
    }
    if kind == "ExternalName" {
        spec["externalName"] = super::create::required(call, "external-name")?.into();
    }
    let object = tree!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": labels, "creationTimestamp": null},
        "spec": spec, "status": {"loadBalancer": {}},
    });
    generated(call, "services", object, &format!("failed to create {word} service: "))
}

/// A backend: `web:80`, `web:http`.
fn backend(text: &str) -> Option<Value> {
    let (service, port) = text.split_once(':')?;
    let port = match port.parse::<u16>() {
        Ok(number) => tree!({"number": number}),
        Err(_) => tree!({"name": port}),
    };
    Some(tree!({"service": {"name": service, "port": port}}))
}

pub(super) fn ingress(call: &mut Kubectl<'_, '_>) -> Outcome {
    let name = name(call, "create ingress")?;
    let rules: Vec<String> = call.flags.values("rule").into_iter().map(Into::into).collect();
    if rules.is_empty() && call.flags.value("default-backend").is_none() {
        return Err(Failure::new(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
        ));
    }
    let mut hosts: Vec<(String, Vec<Value>)> = Vec::new();
    let mut tls: Vec<Value> = Vec::new();
    for rule in &rules {
        let (rule, secret) = rule
            .split_once(",tls")
            .map_or((&**rule, None), |(rule, secret)| (rule, Some(secret.trim_start_matches('='))));
        let wrong = || {
            Failure::new(format!(
                "rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]"
            ))
        };
        let (place, target) = rule.split_once('=').ok_or_else(wrong)?;
        let (host, path) = place.split_once('/').ok_or_else(wrong)?;
        let (path, path_type) = match path.strip_suffix('*') {
            Some(path) => (path, "Prefix"),
            None => (path, "Exact"),
        };
        let entry =
            tree!({"path": format!("/{path}"), "pathType": path_type, "backend": backend(target).ok_or_else(wrong)?});
        match hosts.iter_mut().find(|(known, _)| known == host) {
            Some((_, paths)) => paths.push(entry),
            None => hosts.push((host.into(), vec![entry])),
        }
        if let Some(secret) = secret {
            let mut entry = tree!({"hosts": [host]});
            if !secret.is_empty() {
                entry["secretName"] = secret.into();
            }
            tls.push(entry);
        }
    }
    let mut spec = tree!({});
    if !hosts.is_empty() {
        let rules = hosts.into_iter().map(|(host, paths)| match host.is_empty() {
            true => tree!({"http": {"paths": paths}}),
            false => tree!({"host": host, "http": {"paths": paths}}),
        });
        spec["rules"] = rules.collect();
    }
    if !tls.is_empty() {
        spec["tls"] = tls.into();
    }
    if let Some(class) = call.flags.value("class") {
        spec["ingressClassName"] = class.into();
    }
    if let Some(text) = call.flags.value("default-backend") {
        let wrong = || Failure::new("default-backend should be in format servicename:serviceport");
        spec["defaultBackend"] = backend(text).ok_or_else(wrong)?;
    }
    let mut object = tree!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name, "creationTimestamp": null},
        "spec": spec, "status": {"loadBalancer": {}},
    });
    let annotations = call.flags.values("annotation").join(",");
    if !annotations.is_empty() {
        object["metadata"]["annotations"] = pairs(&annotations)?;
    }
    generated(call, "ingresses.networking.k8s.io", object, "failed to create ingress: ")
}
