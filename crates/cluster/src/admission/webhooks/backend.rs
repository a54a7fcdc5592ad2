//! The program behind a webhook, as the API server reaches it.

use std::time::Duration;

use serde_json::Value;

use crate::network::{Connection, ConnectionOrigin};
use crate::{Cluster, base64, json};

/// What comes of connecting to a webhook.
pub(super) enum Reached {
    /// A port of a pod.
    Program { namespace: String, pod: String, port: u16, address: String },
    /// Nothing, after so long; in the words of the API server.
    Nothing { takes: Duration, why: String },
}

/// How long a webhook may take.
pub(super) fn timeout(hook: &Value) -> Duration {
    Duration::from_secs(json::int(hook, "timeoutSeconds").unwrap_or(10).clamp(1, 30).unsigned_abs())
}

/// A failed call, with the address that was asked.
pub(super) fn failed(hook: &Value, why: &str) -> String {
    format!("Post \"{}?timeout={}s\": {why}", url(hook), timeout(hook).as_secs())
}

fn url(hook: &Value) -> String {
    let config = json::at(hook, "clientConfig");
    match json::text(config, "url") {
        "" => {
            let (name, namespace) = (json::text(config, "service.name"), json::text(config, "service.namespace"));
            let path = json::text(config, "service.path");
            let path = if path.is_empty() { "/" } else { path };
            format!("https://{name}.{namespace}.svc:{}{path}", port(config))
        }
        url => url.into(),
    }
}

fn port(config: &Value) -> u16 {
    json::int(config, "service.port").and_then(|port| u16::try_from(port).ok()).unwrap_or(443)
}

/// Connects to the program behind a webhook, as the API server does from its node.
pub(super) fn reach(cluster: &Cluster, hook: &Value) -> Reached {
    let nothing = |takes: Duration, why: &str| Reached::Nothing { takes, why: failed(hook, why) };
    let config = json::at(hook, "clientConfig");
    let url = json::text(config, "url");
    if !url.is_empty() {
        let place = url.split("://").nth(1).unwrap_or(url).split('/').next().unwrap_or_default();
        return match place.starts_with("127.") || place.starts_with("localhost") {
            true => nothing(Duration::ZERO, &format!("dial tcp {place}: connect: connection refused")),
            false => nothing(timeout(hook), "context deadline exceeded"),
        };
    }
    let (name, namespace) = (json::text(config, "service.name"), json::text(config, "service.namespace"));
    let Some(service) = cluster.store.get("services", namespace, name) else {
        return nothing(Duration::ZERO, &format!("service {name:?} not found"));
    };
    let port = port(config);
    match cluster.connect(ConnectionOrigin::Node(""), json::text(service, "spec.clusterIP"), port, 0) {
        Connection::Pod(end) => match certificate_error(cluster, config, &end.namespace, &end.pod) {
            Some(why) => nothing(Duration::ZERO, why),
            None => {
                let address = format!("{}:{port}", end.address);
                Reached::Program { namespace: end.namespace, pod: end.pod, port: end.port, address }
            }
        },
        Connection::Refused(address) => {
            nothing(Duration::ZERO, &format!("dial tcp {address}: connect: connection refused"))
        }
        _ => nothing(timeout(hook), "context deadline exceeded"),
    }
}

/// Whether the authority that the configuration trusts is another than that of the certificate which the pod mounts.
/// A pod without a mounted certificate is believed.
fn certificate_error(cluster: &Cluster, config: &Value, namespace: &str, pod: &str) -> Option<&'static str> {
    let pod = cluster.store.get("pods", namespace, pod)?;
    let mut volumes = json::list(pod, "spec.volumes").iter();
    let data = volumes.find_map(|volume| {
        let secret = cluster.store.get("secrets", namespace, json::text(volume, "secret.secretName"))?;
        Some(json::at(secret, "data")).filter(|data| data.get("tls.crt").is_some())
    })?;
    let plain = |text: &str| base64::decode(text).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_string());
    let trusted = plain(json::text(config, "caBundle")).unwrap_or_default();
    let own = ["ca.crt", "tls.crt"].iter().filter_map(|name| data.get(*name)?.as_str().and_then(plain));
    // A bundle may hold several authorities.
    let is_trusted = own.into_iter().any(|certificate| !certificate.is_empty() && trusted.contains(&certificate));
    (!is_trusted).then_some("tls: failed to verify certificate: x509: certificate signed by unknown authority")
}
