//! What people get wrong, told as the real server tells it.

mod metadata;
mod pods;
mod updates;
mod workloads;

use serde_json::Value;

use super::allocate;
use crate::Cluster;
use crate::json;
use crate::resource::Resource;
use crate::status::FieldError;

/// All that is wrong with an object, and with the change from the old one.
pub(super) fn check(cluster: &Cluster, resource: &Resource, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    metadata::check(resource, object, &mut errors);
    let errors = &mut errors;
    match &*resource.storage {
        "pods" => pods::spec(object, "spec", errors),
        "services" => service(cluster, object, errors),
        "configmaps" | "secrets" => keys(object, errors),
        "persistentvolumeclaims" => claim(object, errors),
        "persistentvolumes" => volume(object, errors),
        "ingresses.networking.k8s.io" => ingress(object, errors),
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
            binding(object, errors)
        }
        "nodes" => pods::taints(object, "spec.taints", errors),
        storage => workloads::check(storage, object, errors),
    }
    if let Some(old) = old {
        updates::check(resource, object, old, errors);
    }
    std::mem::take(errors)
}

/// What is allowed and still worth a warning.
pub(super) fn warn(resource: &Resource, object: &Value, warnings: &mut Vec<String>) {
    let path = match &*resource.storage {
        "pods" => "spec",
        "deployments.apps" | "statefulsets.apps" | "daemonsets.apps" | "replicasets.apps" | "jobs.batch" => {
            "spec.template.spec"
        }
        "cronjobs.batch" => "spec.jobTemplate.spec.template.spec",
        _ => return,
    };
    for list in ["initContainers", "containers"] {
        for (at, container) in json::list(object, &format!("{path}.{list}")).iter().enumerate() {
            let env = json::list(container, "env");
            for (number, variable) in env.iter().enumerate() {
                let name = json::text(variable, "name");
                if env[..number].iter().any(|earlier| json::text(earlier, "name") == name) {
                    let place = format!("{path}.{list}[{at}].env[{number}]");
                    warnings.push(format!(
                        "{place}: hides previous definition of {name:?}, which may be dropped when using apply"
                    ));
                }
            }
        }
    }
}

/// A port number, or nothing if it is one.
fn port_error(field: String, port: i64) -> Option<FieldError> {
    let why = "must be between 1 and 65535, inclusive";
    (!(1..=65_535).contains(&port)).then(|| FieldError::invalid(field, port, why))
}

fn service(cluster: &Cluster, object: &Value, errors: &mut Vec<FieldError>) {
    let ports = json::list(object, "spec.ports");
    let kind = json::text(object, "spec.type");
    let kinds = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    if !kinds.contains(&kind) {
        errors.push(FieldError::unsupported("spec.type", kind, &kinds));
    }
    if ports.is_empty() && kind != "ExternalName" && json::text(object, "spec.clusterIP") != "None" {
        errors.push(FieldError::required("spec.ports", ""));
    }
    if kind == "ExternalName" && json::text(object, "spec.externalName").is_empty() {
        errors.push(FieldError::required("spec.externalName", ""));
    }
    for (at, port) in ports.iter().enumerate() {
        let field = |name: &str| format!("spec.ports[{at}].{name}");
        let name = json::text(port, "name");
        if name.is_empty() && ports.len() > 1 {
            errors.push(FieldError::required(field("name"), ""));
        } else if ports[..at].iter().any(|other| !name.is_empty() && json::text(other, "name") == name) {
            errors.push(FieldError::duplicate(field("name"), name));
        }
        errors.extend(port_error(field("port"), json::int(port, "port").unwrap_or(0)));
        if let Some(target) = json::int(port, "targetPort") {
            errors.extend(port_error(field("targetPort"), target));
        }
        let protocol = json::text(port, "protocol");
        if !matches!(protocol, "TCP" | "UDP" | "SCTP") {
            errors.push(FieldError::unsupported(field("protocol"), protocol, &["SCTP", "TCP", "UDP"]));
        }
        if let Some(number) = json::int(port, "nodePort").filter(|number| *number != 0) {
            if !(30_000..=32_767).contains(&number) {
                let why = "provided port is not in the valid range. The range of valid ports is 30000-32767";
                errors.push(FieldError::invalid(field("nodePort"), number, why));
            } else if allocate::is_port_taken(cluster, object, number) {
                errors.push(FieldError::invalid(field("nodePort"), number, "provided port is already allocated"));
            }
        }
    }
    let address = json::text(object, "spec.clusterIP");
    if !matches!(address, "" | "None") && allocate::is_address_taken(cluster, object, address) {
        let shown = crate::status::Verbatim(format!("[]string{{{address:?}}}"));
        let why = format!("failed to allocate IP {address}: provided IP is already allocated");
        errors.push(FieldError::invalid("spec.clusterIPs", shown, &why));
    }
}

fn keys(object: &Value, errors: &mut Vec<FieldError>) {
    for list in ["data", "binaryData"] {
        for (key, _) in json::entries(object, list) {
            let is_good = !key.is_empty()
                && key.len() <= 253
                && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                && key != "."
                && key != "..";
            if !is_good {
                let why = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
                           'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
                errors.push(FieldError::invalid(format!("{list}[{key}]"), key.as_str(), why));
            }
        }
    }
}

fn claim(object: &Value, errors: &mut Vec<FieldError>) {
    let modes = json::list(object, "spec.accessModes");
    if modes.is_empty() {
        errors.push(FieldError::required("spec.accessModes", "at least 1 access mode is required"));
    }
    modes_known(modes, "spec.accessModes", errors);
    if json::text(object, "spec.resources.requests.storage").is_empty() {
        errors.push(FieldError::required("spec.resources[storage]", ""));
    }
}

fn modes_known(modes: &[Value], field: &str, errors: &mut Vec<FieldError>) {
    let known = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    for mode in modes.iter().filter_map(Value::as_str).filter(|mode| !known.contains(mode)) {
        errors.push(FieldError::unsupported(field, mode, &known));
    }
}

fn volume(object: &Value, errors: &mut Vec<FieldError>) {
    let modes = json::list(object, "spec.accessModes");
    if modes.is_empty() {
        errors.push(FieldError::required("spec.accessModes", ""));
    }
    modes_known(modes, "spec.accessModes", errors);
    if json::at(object, "spec.capacity").is_null() {
        errors.push(FieldError::required("spec.capacity", ""));
    }
    let sources = ["hostPath", "nfs", "local", "csi"];
    if !sources.iter().any(|source| json::at(object, "spec").get(source).is_some()) {
        errors.push(FieldError::required("spec", "must specify a volume type"));
    }
}

fn ingress(object: &Value, errors: &mut Vec<FieldError>) {
    let rules = json::list(object, "spec.rules");
    if rules.is_empty() && json::at(object, "spec.defaultBackend").is_null() {
        let why = "either `defaultBackend` or `rules` must be specified";
        errors.push(FieldError::invalid("spec", crate::status::Verbatim("null".into()), why));
    }
    for (at, rule) in rules.iter().enumerate() {
        for (number, path) in json::list(rule, "http.paths").iter().enumerate() {
            let field = |name: &str| format!("spec.rules[{at}].http.paths[{number}].{name}");
            let kind = json::text(path, "pathType");
            let kinds = ["Exact", "ImplementationSpecific", "Prefix"];
            if kind.is_empty() {
                errors.push(FieldError::required(field("pathType"), "pathType must be specified"));
            } else if !kinds.contains(&kind) {
                errors.push(FieldError::unsupported(field("pathType"), kind, &kinds));
            }
            if matches!(kind, "Exact" | "Prefix") && !json::text(path, "path").starts_with('/') {
                errors.push(FieldError::invalid(field("path"), json::text(path, "path"), "must be an absolute path"));
            }
        }
    }
}

fn binding(object: &Value, errors: &mut Vec<FieldError>) {
    let kinds: &[&str] =
        if json::text(object, "kind") == "RoleBinding" { &["ClusterRole", "Role"] } else { &["ClusterRole"] };
    let kind = json::text(object, "roleRef.kind");
    if !kinds.contains(&kind) {
        errors.push(FieldError::unsupported("roleRef.kind", kind, kinds));
    }
    if json::text(object, "roleRef.name").is_empty() {
        errors.push(FieldError::required("roleRef.name", ""));
    }
    for (at, subject) in json::list(object, "subjects").iter().enumerate() {
        let is_account = json::text(subject, "kind") == "ServiceAccount";
        if is_account && json::text(subject, "namespace").is_empty() {
            errors.push(FieldError::required(format!("subjects[{at}].namespace"), ""));
        }
        if json::text(subject, "name").is_empty() {
            errors.push(FieldError::required(format!("subjects[{at}].name"), ""));
        }
    }
}
