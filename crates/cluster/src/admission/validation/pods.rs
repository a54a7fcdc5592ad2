//! Pods, wherever they stand.

use serde_json::Value;

use super::metadata::{LABEL, is_label};
use super::port_error;
use crate::json;
use crate::quantity::Quantity;
use crate::status::FieldError;

/// A pod's specification at a path.
pub(super) fn spec(object: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let spec = json::at(object, path);
    let at = |field: &str| format!("{path}.{field}");
    let mut volumes: Vec<_> = json::list(spec, "volumes").iter().map(|volume| json::text(volume, "name")).collect();
    // A StatefulSet adds a volume for each of its claims when it makes a pod.
    let claims = json::list(object, "spec.volumeClaimTemplates").iter();
    volumes.extend(claims.map(|claim| json::text(claim, "metadata.name")));
    self::volumes(spec, path, errors);
    if json::list(spec, "containers").is_empty() {
        errors.push(FieldError::required(at("containers"), ""));
    }
    let mut names = Vec::new();
    for list in ["containers", "initContainers"] {
        for (number, container) in json::list(spec, list).iter().enumerate() {
            let place = format!("{path}.{list}[{number}]");
            self::container(container, &place, &volumes, list == "initContainers", errors);
            let name = json::text(container, "name");
            if names.contains(&name) {
                errors.push(FieldError::duplicate(format!("{place}.name"), name));
            }
            names.push(name);
        }
    }
    let policy = json::text(spec, "restartPolicy");
    if !matches!(policy, "Always" | "OnFailure" | "Never") {
        errors.push(FieldError::unsupported(at("restartPolicy"), policy, &["Always", "OnFailure", "Never"]));
    }
    let dns = json::text(spec, "dnsPolicy");
    let known = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
    if !known.contains(&dns) {
        errors.push(FieldError::unsupported(at("dnsPolicy"), dns, &known));
    } else if dns == "None" && json::list(spec, "dnsConfig.nameservers").is_empty() {
        let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        errors.push(FieldError::required(at("dnsConfig.nameservers"), why));
    }
    security(spec, &at("securityContext"), errors);
    tolerations(spec, &at("tolerations"), errors);
    if let Some(grace) = json::int(spec, "terminationGracePeriodSeconds").filter(|grace| *grace < 0) {
        errors.push(FieldError::invalid(
            at("terminationGracePeriodSeconds"),
            grace,
            "must be greater than or equal to 0",
        ));
    }
}

fn volumes(spec: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let all = json::list(spec, "volumes");
    for (number, volume) in all.iter().enumerate() {
        let field = format!("{path}.volumes[{number}].name");
        let name = json::text(volume, "name");
        if name.is_empty() {
            errors.push(FieldError::required(field, ""));
        } else if !is_label(name) {
            errors.push(FieldError::invalid(field, name, LABEL));
        } else if all[..number].iter().any(|other| json::text(other, "name") == name) {
            errors.push(FieldError::duplicate(field, name));
        }
        let kinds = volume.as_object().map_or(0, |map| map.len().saturating_sub(1));
        if kinds > 1 {
            let why = "may not specify more than 1 volume type";
            let second = volume.as_object().and_then(|map| map.keys().filter(|key| *key != "name").nth(1).cloned());
            let field = format!("{path}.volumes[{number}].{}", second.unwrap_or_default());
            errors.push(FieldError::forbidden(field, why));
        }
    }
}

fn container(container: &Value, place: &str, volumes: &[&str], is_init: bool, errors: &mut Vec<FieldError>) {
    let at = |field: &str| format!("{place}.{field}");
    let name = json::text(container, "name");
    if name.is_empty() {
        errors.push(FieldError::required(at("name"), ""));
    } else if !is_label(name) {
        errors.push(FieldError::invalid(at("name"), name, LABEL));
    }
    let image = json::text(container, "image");
    if image.is_empty() {
        errors.push(FieldError::required(at("image"), ""));
    } else if image.trim() != image {
        errors.push(FieldError::invalid(at("image"), image, "must not have leading or trailing whitespace"));
    }
    let policy = json::text(container, "imagePullPolicy");
    if !matches!(policy, "Always" | "IfNotPresent" | "Never") {
        errors.push(FieldError::unsupported(at("imagePullPolicy"), policy, &["Always", "IfNotPresent", "Never"]));
    }
    ports(container, &at("ports"), errors);
    for (number, variable) in json::list(container, "env").iter().enumerate() {
        if json::text(variable, "name").is_empty() {
            errors.push(FieldError::required(format!("{place}.env[{number}].name"), ""));
        }
        if !json::text(variable, "value").is_empty() && variable.get("valueFrom").is_some() {
            let why = "may not be specified when `value` is not empty";
            let field = format!("{place}.env[{number}].valueFrom");
            errors.push(FieldError::invalid(field, crate::status::Verbatim("\"\"".into()), why));
        }
    }
    for (number, mount) in json::list(container, "volumeMounts").iter().enumerate() {
        let volume = json::text(mount, "name");
        if !volumes.contains(&volume) {
            errors.push(FieldError::not_found(format!("{place}.volumeMounts[{number}].name"), volume));
        }
        let path = json::text(mount, "mountPath");
        if path.is_empty() {
            errors.push(FieldError::required(format!("{place}.volumeMounts[{number}].mountPath"), ""));
        } else if json::list(container, "volumeMounts")[..number]
            .iter()
            .any(|other| json::text(other, "mountPath") == path)
        {
            let field = format!("{place}.volumeMounts[{number}].mountPath");
            errors.push(FieldError::invalid(field, path, "must be unique"));
        }
    }
    let is_sidecar = json::text(container, "restartPolicy") == "Always";
    for kind in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.get(kind) else { continue };
        if is_init && !is_sidecar {
            let why = "may not be set for init containers without restartPolicy=Always";
            errors.push(FieldError::forbidden(at(kind), why));
            continue;
        }
        self::probe(probe, &at(kind), kind, errors);
    }
    resources(container, &at("resources"), errors);
    security(container, &at("securityContext"), errors);
}

fn ports(container: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let all = json::list(container, "ports");
    for (number, port) in all.iter().enumerate() {
        let at = |field: &str| format!("{place}[{number}].{field}");
        match json::int(port, "containerPort") {
            None | Some(0) => errors.push(FieldError::required(at("containerPort"), "")),
            Some(own) => errors.extend(port_error(at("containerPort"), own)),
        }
        if let Some(host) = json::int(port, "hostPort").filter(|host| *host != 0) {
            errors.extend(port_error(at("hostPort"), host));
        }
        let protocol = json::text(port, "protocol");
        if !matches!(protocol, "TCP" | "UDP" | "SCTP") {
            errors.push(FieldError::unsupported(at("protocol"), protocol, &["SCTP", "TCP", "UDP"]));
        }
        let name = json::text(port, "name");
        if name.len() > 15 {
            errors.push(FieldError::invalid(at("name"), name, "must be no more than 15 characters"));
        } else if !name.is_empty() && all[..number].iter().any(|other| json::text(other, "name") == name) {
            errors.push(FieldError::duplicate(at("name"), name));
        }
    }
}

fn probe(probe: &Value, place: &str, kind: &str, errors: &mut Vec<FieldError>) {
    let handlers = ["exec", "httpGet", "tcpSocket", "grpc"].into_iter().filter(|handler| probe.get(handler).is_some());
    match handlers.collect::<Vec<_>>().as_slice() {
        [] => errors.push(FieldError::required(place, "must specify a handler type")),
        [_] => {}
        [_, second, ..] => {
            errors.push(FieldError::forbidden(format!("{place}.{second}"), "may not specify more than 1 handler type"))
        }
    }
    for field in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] {
        if let Some(value) = json::int(probe, field).filter(|value| *value < 0) {
            errors.push(FieldError::invalid(format!("{place}.{field}"), value, "must be greater than or equal to 0"));
        }
    }
    let successes = json::int(probe, "successThreshold").unwrap_or(1);
    if kind != "readinessProbe" && successes != 1 {
        errors.push(FieldError::invalid(format!("{place}.successThreshold"), successes, "must be 1"));
    }
    for handler in ["httpGet", "tcpSocket", "grpc"] {
        if let Some(port) = json::int(probe, &format!("{handler}.port")) {
            errors.extend(port_error(format!("{place}.{handler}.port"), port));
        }
    }
}

fn resources(container: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for kind in ["limits", "requests"] {
        for (name, value) in json::entries(container, &format!("resources.{kind}")) {
            let text = value.as_str().unwrap_or_default();
            if Quantity::parse(text).is_some_and(Quantity::is_negative) {
                let field = format!("{place}.{kind}[{name}]");
                errors.push(FieldError::invalid(field, text, "must be greater than or equal to 0"));
            }
        }
    }
    for (name, request) in json::entries(container, "resources.requests") {
        let request = request.as_str().unwrap_or_default();
        let limit = json::at(container, "resources.limits").get(name).and_then(Value::as_str);
        let Some((limit, own)) = limit.and_then(|limit| Some((Quantity::parse(limit)?, Quantity::parse(request)?)))
        else {
            continue;
        };
        if own.amount() > limit.amount() {
            let why = format!("must be less than or equal to {name} limit of {}", limit.text());
            errors.push(FieldError::invalid(format!("{place}.requests"), request, &why));
        }
    }
}

fn security(value: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for field in ["runAsUser", "runAsGroup", "fsGroup"] {
        if let Some(id) =
            json::int(value, &format!("securityContext.{field}")).filter(|id| !(0..=2_147_483_647).contains(id))
        {
            errors.push(FieldError::invalid(
                format!("{place}.{field}"),
                id,
                "must be between 0 and 2147483647, inclusive",
            ));
        }
    }
}

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

fn tolerations(spec: &Value, place: &str, errors: &mut Vec<FieldError>) {
    for (number, toleration) in json::list(spec, "tolerations").iter().enumerate() {
        let at = |field: &str| format!("{place}[{number}].{field}");
        let effect = json::text(toleration, "effect");
        let operator = json::text(toleration, "operator");
        if toleration.get("tolerationSeconds").is_some() && effect != "NoExecute" {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errors.push(FieldError::invalid(at("effect"), effect, why));
        }
        match operator {
            "" | "Equal" if json::text(toleration, "key").is_empty() => {
                let why = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
                errors.push(FieldError::invalid(at("operator"), operator, why));
            }
            "" | "Equal" => {}
            "Exists" if !json::text(toleration, "value").is_empty() => {
                let why = "value must be empty when `operator` is 'Exists'";
                let value = json::text(toleration, "value");
                errors.push(FieldError::invalid(format!("{place}[{number}].operator"), value, why));
            }
            "Exists" => {}
            other => errors.push(FieldError::unsupported(at("operator"), other, &["Equal", "Exists"])),
        }
        if !effect.is_empty() && !EFFECTS.contains(&effect) {
            errors.push(FieldError::unsupported(at("effect"), effect, &EFFECTS));
        }
    }
}

/// The taints of a node.
pub(super) fn taints(object: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let all = json::list(object, path);
    for (number, taint) in all.iter().enumerate() {
        let effect = json::text(taint, "effect");
        if !EFFECTS.contains(&effect) {
            errors.push(FieldError::unsupported(format!("{path}[{number}].effect"), effect, &EFFECTS));
        }
        let same = |other: &Value| other["key"] == taint["key"] && other["effect"] == taint["effect"];
        if all[..number].iter().any(same) {
            let shown = crate::status::Verbatim(format!("core.Taint{{Key:{:?}}}", json::text(taint, "key")));
            errors.push(FieldError::duplicate(format!("{path}[{number}]"), shown));
        }
    }
}
