//! Volumes in descriptions.

use serde_json::Value;

use super::Page;
use crate::json;

/// The volumes of a pod or a template.
pub(super) fn volumes(list: &[Value], space: &str, page: &mut Page) {
    if list.is_empty() {
        page.line(0, format!("{space}Volumes:\t<none>"));
        return;
    }
    page.line(0, format!("{space}Volumes:"));
    let name_space = if space.is_empty() { "" } else { " " };
    for volume in list {
        page.line(1, format!("{name_space}{}:", json::text(volume, "name")));
        source(volume, "    ", page);
    }
}

/// What a volume is.
pub(super) fn source(volume: &Value, indent: &str, page: &mut Page) {
    let mut put = |name: &str, value: &str| page.line(0, format!("{indent}{name}:\t{value}"));
    let text = |value: &Value, field: &str| json::plain(json::at(value, field));
    let flag = |value: &Value, field: &str| json::flag(value, field).to_string();
    if let Some(path) = volume.get("hostPath") {
        put("Type", "HostPath (bare host directory volume)");
        put("Path", &text(path, "path"));
        put("HostPathType", &text(path, "type"));
    } else if let Some(folder) = volume.get("emptyDir") {
        put("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)");
        put("Medium", &text(folder, "medium"));
        let limit = text(folder, "sizeLimit");
        put("SizeLimit", if limit.is_empty() { "<unset>" } else { &limit });
    } else if let Some(secret) = volume.get("secret") {
        put("Type", "Secret (a volume populated by a Secret)");
        put("SecretName", &text(secret, "secretName"));
        put("Optional", &flag(secret, "optional"));
    } else if let Some(map) = volume.get("configMap") {
        put("Type", "ConfigMap (a volume populated by a ConfigMap)");
        put("Name", &text(map, "name"));
        put("Optional", &flag(map, "optional"));
    } else if let Some(claim) = volume.get("persistentVolumeClaim") {
        put("Type", "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)");
        put("ClaimName", &text(claim, "claimName"));
        put("ReadOnly", &flag(claim, "readOnly"));
    } else if let Some(nfs) = volume.get("nfs") {
        put("Type", "NFS (an NFS mount that lasts the lifetime of a pod)");
        put("Server", &text(nfs, "server"));
        put("Path", &text(nfs, "path"));
        put("ReadOnly", &flag(nfs, "readOnly"));
    } else if let Some(local) = volume.get("local") {
        put("Type", "LocalVolume (a persistent volume backed by local storage on a node)");
        put("Path", &text(local, "path"));
    } else if let Some(csi) = volume.get("csi") {
        put("Type", "CSI (a Container Storage Interface (CSI) volume source)");
        put("Driver", &text(csi, "driver"));
        put("FSType", &text(csi, "fsType"));
        if csi.get("volumeHandle").is_some() {
            put("VolumeHandle", &text(csi, "volumeHandle"));
        }
        put("ReadOnly", &flag(csi, "readOnly"));
        let attributes: Vec<String> = json::entries(csi, "volumeAttributes")
            .map(|(key, value)| format!("{key}={}", json::plain(value)))
            .collect();
        for (at, attribute) in attributes.iter().enumerate() {
            page.line(0, format!("{indent}{}\t{attribute}", if at == 0 { "VolumeAttributes:" } else { "" }));
        }
    } else if let Some(items) = volume.get("downwardAPI") {
        put("Type", "DownwardAPI (a volume populated by information about the pod)");
        page.line(0, format!("{indent}Items:"));
        for item in json::list(items, "items") {
            page.line(0, format!("{indent}  {} -> {}", text(item, "fieldRef.fieldPath"), text(item, "path")));
        }
    } else if let Some(projected) = volume.get("projected") {
        put("Type", "Projected (a volume that contains injected data from multiple sources)");
        for source in json::list(projected, "sources") {
            let optional = |value: &Value| value.get("optional").map_or("<nil>".to_string(), json::plain);
            if let Some(secret) = source.get("secret") {
                put("SecretName", &text(secret, "name"));
                put("SecretOptionalName", &optional(secret));
            } else if source.get("downwardAPI").is_some() {
                put("DownwardAPI", "true");
            } else if let Some(map) = source.get("configMap") {
                put("ConfigMapName", &text(map, "name"));
                put("ConfigMapOptional", &optional(map));
            } else if let Some(token) = source.get("serviceAccountToken") {
                put("TokenExpirationSeconds", &text(token, "expirationSeconds"));
            }
        }
    } else if volume.get("ephemeral").is_some() {
        put(
            "Type",
            "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
        );
    } else {
        page.line(0, format!("{indent}<unknown>"));
    }
}
