//! Ingresses: which Service a host and a path lead to.

use cluster::{Cluster, json};
use serde_json::Value;

/// Service, port and namespace of the backend of a request: of all rules for its host, the longest path wins.
pub(crate) fn backend(cluster: &Cluster, host: &str, path: &str) -> Option<(String, u16, String)> {
    let mut best: Option<(usize, &Value, &str)> = None;
    for ingress in cluster.objects("ingresses.networking.k8s.io", None) {
        let namespace = json::text(ingress, "metadata.namespace");
        for rule in json::list(ingress, "spec.rules") {
            let own = json::text(rule, "host");
            if !own.is_empty() && own != host {
                continue;
            }
            for entry in json::list(rule, "http.paths") {
                let length = matched(entry, path);
                if length.is_some_and(|length| best.is_none_or(|(longest, ..)| length > longest)) {
                    best = Some((length.unwrap_or(0), json::at(entry, "backend.service"), namespace));
                }
            }
        }
    }
    let (_, service, namespace) = best?;
    let name = json::text(service, "name");
    let port = json::int(service, "port.number").or_else(|| {
        let object = cluster.object("services", namespace, name)?;
        let mut ports = json::list(object, "spec.ports").iter();
        let own = ports.find(|own| json::text(own, "name") == json::text(service, "port.name"))?;
        json::int(own, "port")
    })?;
    Some((name.into(), u16::try_from(port).ok()?, namespace.into()))
}

/// How much of a path an entry matches.
fn matched(entry: &Value, path: &str) -> Option<usize> {
    let own = json::text(entry, "path");
    // A regular expression such as `/api(/|$)(.*)` begins with the folder that it means.
    let plain = own.split('(').next().unwrap_or(own).trim_end_matches('/');
    let is_exact = json::text(entry, "pathType") == "Exact";
    let is_in = path == plain || plain.is_empty() || path.strip_prefix(plain).is_some_and(|rest| rest.starts_with('/'));
    (if is_exact { path == own } else { is_in }).then_some(plain.len() + usize::from(is_exact))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn longer_paths_win() {
        let check = |path: &str, kind: &str, asked: &str, expect: Option<usize>| {
            assert_eq!(matched(&json!({"path": path, "pathType": kind}), asked), expect, "{path} {asked}");
        };
        check("/", "Prefix", "/api/x", Some(0));
        check("/api", "Prefix", "/api/x", Some(4));
        check("/api", "Prefix", "/apis", None);
        check("/api(/|$)(.*)", "ImplementationSpecific", "/api/x", Some(4));
        check("/api", "Exact", "/api/x", None);
    }
}
