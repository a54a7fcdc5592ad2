//! How much containers use, asked as metrics-server asks.

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, Programs, Quantity};
use serde_json::Value;

/// The use of a running container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerUsage {
    /// The namespace of its pod.
    pub namespace: String,
    /// The name of its pod.
    pub pod: String,
    /// Its name in the pod.
    pub container: String,
    /// Thousandths of a core.
    pub cpu_milli: i64,
    /// Bytes of the working set.
    pub memory: i64,
}

/// What all running containers use, by the API of metrics: so `kubectl top` and the series tell the same.
pub fn container_usage(cluster: &mut Cluster, programs: &mut dyn Programs) -> Vec<ContainerUsage> {
    let request = ApiRequest::new(HttpMethod::Get, "/apis/metrics.k8s.io/v1beta1/pods");
    let response = cluster.call(programs, &request);
    let body = response.value();
    let mut out = Vec::new();
    for pod in body["items"].as_array().into_iter().flatten() {
        for container in pod["containers"].as_array().into_iter().flatten() {
            let amount = |key: &str| container["usage"][key].as_str().and_then(Quantity::parse);
            out.push(ContainerUsage {
                namespace: text(pod, "/metadata/namespace").to_owned(),
                pod: text(pod, "/metadata/name").to_owned(),
                container: text(container, "/name").to_owned(),
                cpu_milli: amount("cpu").map_or(0, Quantity::milli),
                memory: amount("memory").map_or(0, Quantity::whole),
            });
        }
    }
    out
}

/// The text at a place of a tree, empty where there is none.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// The number at a place of a tree, zero where there is none.
pub(crate) fn number(object: &Value, pointer: &str) -> f64 {
    object.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0)
}

/// The list at a place of a tree.
pub(crate) fn list<'v>(object: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Unix seconds of a time in an object.
pub(crate) fn seconds(object: &Value, pointer: &str) -> Option<f64> {
    cluster::Stamp::parse(text(object, pointer)).map(|stamp| stamp.secs() as f64)
}
