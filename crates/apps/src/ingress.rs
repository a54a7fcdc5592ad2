//! Ingresses: which Service a host and a path lead to.

use cluster::{Cluster, ServingCertificate, Stamp, json};
use serde_json::Value;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IngressBackend {
    pub(crate) service: String,
    pub(crate) port: u16,
    pub(crate) namespace: String,
    /// The path that the backend is asked for.
    pub(crate) path: String,
}

const REWRITE: &str = "nginx.ingress.kubernetes.io/rewrite-target";

/// Host and path of a request such as `hotel.example.com|HTTP GET /hotels`.
pub(crate) fn asked(name: &str) -> (&str, &str) {
    let (host, operation) = name.split_once('|').unwrap_or(("", name));
    (host, operation.rsplit(' ').next().unwrap_or("/"))
}

/// What an ingress writes into its log when it does not reach what a host leads to.
pub(crate) fn trouble(host: &str) -> String {
    let host = if host.is_empty() { "_" } else { host };
    let request = "request: \"{method} {path} HTTP/1.1\", upstream: \"http://{address}{path}\"";
    format!("{{why}}, client: {{client}}, server: {host}, {request}, host: \"{host}\"")
}

/// Why a client does not believe the certificate that it is shown for a request, by its own clock.
/// Without a certificate of its own, an ingress shows one that no client knows.
pub(crate) fn distrust(cluster: &Cluster, host: &str, path: &str, clock: Stamp) -> Option<String> {
    let own = rule(cluster, host, path).and_then(|(_, ingress)| {
        let names = json::list(ingress, "spec.tls").iter().map(|tls| json::text(tls, "secretName"));
        let secrets =
            names.filter_map(|name| cluster.object("secrets", json::text(ingress, "metadata.namespace"), name));
        let mut files = secrets.filter_map(|secret| json::at(secret, "data").get("tls.crt")?.as_str());
        files.find_map(|text| ServingCertificate::read(&String::from_utf8_lossy(&cluster::from_base64(text)?)))
    });
    let start = "tls: failed to verify certificate: x509: certificate";
    match own {
        None => Some(format!("{start} is valid for ingress.local, not {host}")),
        Some(own) if clock > own.until => Some(format!(
            "{start} has expired or is not yet valid: current time {} is after {}",
            clock.rfc3339(),
            own.until.rfc3339()
        )),
        Some(_) => None,
    }
}

/// The rule of a request and its Ingress: of all rules for its host, the longest path wins.
fn rule<'c>(cluster: &'c Cluster, host: &str, path: &str) -> Option<(&'c Value, &'c Value)> {
    let mut best: Option<(usize, &'c Value, &'c Value)> = None;
    for ingress in cluster.objects("ingresses.networking.k8s.io", None) {
        for rule in json::list(ingress, "spec.rules") {
            let own = json::text(rule, "host");
            if !own.is_empty() && own != host {
                continue;
            }
            for entry in json::list(rule, "http.paths") {
                let length = matched(entry, path);
                if length.is_some_and(|length| best.is_none_or(|(longest, ..)| length > longest)) {
                    best = Some((length.unwrap_or(0), entry, ingress));
                }
            }
        }
    }
    best.map(|(_, entry, ingress)| (entry, ingress))
}

/// The backend of a request.
pub(crate) fn backend(cluster: &Cluster, host: &str, path: &str) -> Option<IngressBackend> {
    let (entry, ingress) = rule(cluster, host, path)?;
    let (service, namespace) = (json::at(entry, "backend.service"), json::text(ingress, "metadata.namespace"));
    let name = json::text(service, "name");
    let port = json::int(service, "port.number").or_else(|| {
        let object = cluster.object("services", namespace, name)?;
        let mut ports = json::list(object, "spec.ports").iter();
        let own = ports.find(|own| json::text(own, "name") == json::text(service, "port.name"))?;
        json::int(own, "port")
    })?;
    Some(IngressBackend {
        service: name.into(),
        port: u16::try_from(port).ok()?,
        namespace: namespace.into(),
        path: passed_path(ingress, entry, path),
    })
}

/// The path as the backend sees it: one that is rewritten loses the folder that led here.
fn passed_path(ingress: &Value, entry: &Value, path: &str) -> String {
    let rewrites = json::at(ingress, "metadata.annotations").get(REWRITE).and_then(Value::as_str);
    let Some(target) = rewrites.filter(|target| target.contains('$')) else {
        return rewrites.unwrap_or(path).into();
    };
    let plain = json::text(entry, "path").split('(').next().unwrap_or_default().trim_end_matches('/');
    let rest = path.strip_prefix(plain).unwrap_or(path).trim_start_matches('/');
    let start = target.split('$').next().unwrap_or("/");
    format!("{start}{rest}")
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
