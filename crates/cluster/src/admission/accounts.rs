//! The service account of a pod: it must exist, and its token is mounted.

use serde_json::{Value, json};

use crate::Cluster;
use crate::json;
use crate::resource::Resource;
use crate::status::ApiError;

const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Names the account, mounts its token, adds its pull secrets and the tolerations that every pod has.
pub(super) fn admit(cluster: &Cluster, resource: &Resource, pod: &mut Value) -> Result<(), ApiError> {
    tolerate(pod);
    let namespace = json::text(pod, "metadata.namespace").to_string();
    if json::text(pod, "spec.serviceAccountName").is_empty() {
        json::set(pod, "spec.serviceAccountName", "default");
        json::set(pod, "spec.serviceAccount", "default");
    }
    let name = json::text(pod, "spec.serviceAccountName").to_string();
    let Some(account) = cluster.store.get("serviceaccounts", &namespace, &name) else {
        let why = format!("error looking up service account {namespace}/{name}: serviceaccount {name:?} not found");
        return Err(ApiError::forbidden(resource, shown_name(pod), &why));
    };
    let secrets = json::list(account, "imagePullSecrets").to_vec();
    if json::list(pod, "spec.imagePullSecrets").is_empty() && !secrets.is_empty() {
        json::set(pod, "spec.imagePullSecrets", secrets);
    }
    let said = |object: &Value, path: &str| json::at(object, path).as_bool();
    let wanted =
        said(pod, "spec.automountServiceAccountToken").or_else(|| said(account, "automountServiceAccountToken"));
    if wanted.unwrap_or(true) {
        mount_token(cluster, pod);
    }
    Ok(())
}

/// As errors name a pod: by its beginning, if the server has made the rest of the name.
pub(super) fn shown_name(pod: &Value) -> &str {
    let prefix = json::text(pod, "metadata.generateName");
    let name = json::text(pod, "metadata.name");
    if prefix.is_empty() || !name.starts_with(prefix) { name } else { prefix }
}

fn mount_token(cluster: &Cluster, pod: &mut Value) {
    let letters = cluster.chance.letters(5, "token volume", cluster.store.revision() + 1);
    let volume = format!("kube-api-access-{letters}");
    let mut is_used = false;
    for list in ["spec.initContainers", "spec.containers"] {
        for container in json::items_mut(pod, list) {
            let has_own =
                json::list(container, "volumeMounts").iter().any(|mount| json::text(mount, "mountPath") == TOKEN_PATH);
            if !has_own {
                let mount = json!({"name": volume, "readOnly": true, "mountPath": TOKEN_PATH});
                json::list_mut(container, "volumeMounts").push(mount);
                is_used = true;
            }
        }
    }
    if is_used {
        let namespace =
            json!({"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}});
        json::list_mut(pod, "spec.volumes").push(json!({"name": volume, "projected": {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [namespace]}},
            ],
        }}));
    }
}

/// A pod stays five minutes on a node that is lost.
fn tolerate(pod: &mut Value) {
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let tolerations = json::list_mut(pod, "spec.tolerations");
        let covers = |toleration: &Value| {
            let (own, effect) = (json::text(toleration, "key"), json::text(toleration, "effect"));
            (own == key || own.is_empty()) && matches!(effect, "" | "NoExecute")
        };
        if !tolerations.iter().any(covers) {
            tolerations
                .push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
        }
    }
}
