//! The file that tells clients where the cluster is and how to prove who they are.

use serde_json::json;

/// A kubeconfig for one server, its authority (PEM) and its token; JSON, which is YAML as well.
pub fn kubeconfig(address: &str, authority: &str, token: &str) -> String {
    let name = "sre-zero";
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {
            "server": format!("https://{address}"),
            "certificate-authority-data": cluster::base64(authority.as_bytes()),
        }}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    });
    format!("{config:#}\n")
}
