//! `kubectl cluster-info` and `options`.

use super::Outcome;
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;

pub(super) fn run(call: &mut Kubectl<'_, '_>) -> Outcome {
    let server = call.desk.memory.server.clone();
    call.say(format!("Kubernetes control plane is running at {server}"));
    let kind = call.kind("services")?;
    for service in call.list(&kind, "kube-system", "kubernetes.io/cluster-service=true", "")? {
        let labels = json::at(&service, "metadata.labels");
        let name = json::text(&service, "metadata.name");
        let shown = labels.get("kubernetes.io/name").and_then(serde_json::Value::as_str).unwrap_or(name);
        let port = json::list(&service, "spec.ports").first().map_or("", |port| json::text(port, "name"));
        let place = if port.is_empty() { name.to_string() } else { format!("{name}:{port}") };
        call.say(format!("{shown} is running at {server}/api/v1/namespaces/kube-system/services/{place}/proxy"));
    }
    call.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}

pub(super) fn dump(_: &mut Kubectl<'_, '_>) -> Outcome {
    Err(Failure::new("cluster-info dump is not supported here; use kubectl get, describe and logs"))
}

pub(super) fn options(call: &mut Kubectl<'_, '_>) -> Outcome {
    call.say("The following options can be passed to any command:\n\n    --as='':\n\tUsername to impersonate for the operation.\n\n    -n, --namespace='':\n\tIf present, the namespace scope for this CLI request");
    Ok(())
}
