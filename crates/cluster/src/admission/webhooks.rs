//! Admission webhooks: called through the cluster's own network, so that a missing backend fails as it does in life.
//!
//! A webhook that can be reached allows what it is asked; what its program would say is not asked yet.

use serde_json::Value;

use super::Operation;
use crate::api::{LabelSelector, Writer};
use crate::network::{Connection, ConnectionOrigin};
use crate::resource::Resource;
use crate::status::ApiError;
use crate::{Cluster, json};

/// Mutating webhooks are called first.
const CONFIGURATIONS: [&str; 2] = [
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
];

/// Calls the webhooks that are meant; one that must not fail and does refuses the write.
pub(super) fn call(
    cluster: &Cluster,
    writer: &Writer<'_>,
    resource: &Resource,
    operation: Operation,
    object: &Value,
) -> Result<(), ApiError> {
    // A broken webhook must not keep its own configuration from being repaired.
    if CONFIGURATIONS.contains(&&*resource.storage) {
        return Ok(());
    }
    for storage in CONFIGURATIONS {
        for configuration in cluster.store.list(storage, None) {
            for hook in json::list(configuration, "webhooks") {
                if is_meant(cluster, writer, resource, operation, object, hook) {
                    ask(cluster, writer, hook)?;
                }
            }
        }
    }
    Ok(())
}

fn is_meant(
    cluster: &Cluster,
    writer: &Writer<'_>,
    resource: &Resource,
    operation: Operation,
    object: &Value,
    hook: &Value,
) -> bool {
    let plural = match writer.subresource {
        "" => resource.plural.clone(),
        sub => format!("{}/{sub}", resource.plural),
    };
    let verb = match operation {
        Operation::Create => "CREATE",
        Operation::Update => "UPDATE",
    };
    let has = |rule: &Value, field: &str, wanted: &str| {
        json::list(rule, field).iter().filter_map(Value::as_str).any(|own| own == "*" || own == "*/*" || own == wanted)
    };
    let fits = json::list(hook, "rules").iter().any(|rule| {
        let scope = json::text(rule, "scope");
        has(rule, "operations", verb)
            && has(rule, "apiGroups", &resource.group)
            && has(rule, "apiVersions", &resource.version)
            && has(rule, "resources", &plural)
            && (scope != "Namespaced" || resource.namespaced)
            && (scope != "Cluster" || !resource.namespaced)
    });
    let space = json::text(object, "metadata.namespace");
    let space = cluster.store.get("namespaces", "", space);
    let selects = |field: &str, labels: &Value| {
        let selector = json::at(hook, field);
        !selector.is_object() || LabelSelector::of(selector).matches(labels)
    };
    fits && space.is_none_or(|space| selects("namespaceSelector", json::at(space, "metadata.labels")))
        && selects("objectSelector", json::at(object, "metadata.labels"))
}

fn ask(cluster: &Cluster, writer: &Writer<'_>, hook: &Value) -> Result<(), ApiError> {
    let name = json::text(hook, "name");
    if writer.dry_run && !matches!(json::text(hook, "sideEffects"), "None" | "NoneOnDryRun") {
        return Err(ApiError::bad_request(format!("admission webhook {name:?} does not support dry run")));
    }
    let Err(why) = reach(cluster, hook) else { return Ok(()) };
    if json::text(hook, "failurePolicy") == "Ignore" {
        return Ok(());
    }
    Err(ApiError::internal(&format!("failed calling webhook {name:?}: failed to call webhook: {why}")))
}

/// Reaches the program behind a webhook, or says why not, in the words of the API server.
fn reach(cluster: &Cluster, hook: &Value) -> Result<(), String> {
    let timeout = json::int(hook, "timeoutSeconds").unwrap_or(10);
    let config = json::at(hook, "clientConfig");
    let url = json::text(config, "url");
    if !url.is_empty() {
        let place = url.split("://").nth(1).unwrap_or(url).split('/').next().unwrap_or_default();
        let why = match place.starts_with("127.") || place.starts_with("localhost") {
            true => format!("dial tcp {place}: connect: connection refused"),
            false => "context deadline exceeded".into(),
        };
        return Err(format!("Post \"{url}?timeout={timeout}s\": {why}"));
    }
    let (name, namespace) = (json::text(config, "service.name"), json::text(config, "service.namespace"));
    let port = json::int(config, "service.port").and_then(|port| u16::try_from(port).ok()).unwrap_or(443);
    let path = json::text(config, "service.path");
    let path = if path.is_empty() { "/" } else { path };
    let failed =
        |why: &str| Err(format!("Post \"https://{name}.{namespace}.svc:{port}{path}?timeout={timeout}s\": {why}"));
    let Some(service) = cluster.store.get("services", namespace, name) else {
        return failed(&format!("service {name:?} not found"));
    };
    match cluster.connect(ConnectionOrigin::Node(""), json::text(service, "spec.clusterIP"), port, 0) {
        Connection::Pod(end) => {
            let pod = cluster.store.get("pods", &end.namespace, &end.pod);
            let containers = pod.map(|pod| json::list(pod, "spec.containers")).unwrap_or_default();
            let mut ports = containers.iter().flat_map(|container| json::list(container, "ports"));
            match ports.any(|own| json::int(own, "containerPort") == Some(end.port.into())) {
                true => Ok(()),
                false => failed(&format!("dial tcp {}:{port}: connect: connection refused", end.address)),
            }
        }
        Connection::Refused(address) => failed(&format!("dial tcp {address}: connect: connection refused")),
        _ => failed("context deadline exceeded"),
    }
}
