//! Lines of containers, gathered as an agent on every node gathers them.

use std::collections::BTreeMap;

use cluster::{Cluster, Programs, Stamp};
use telemetry::Labels;
use telemetry::loki::LogStore;

use crate::usage::text;

/// What is remembered between looks: up to when each container's lines were read, and of which attempt.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogCollector {
    read: BTreeMap<(String, String), (Stamp, u32)>,
}

impl LogCollector {
    /// Reads the lines that are new.
    pub(crate) fn collect(&mut self, cluster: &Cluster, programs: &mut dyn Programs, store: &mut LogStore) {
        let mut seen = BTreeMap::new();
        for pod in cluster.objects("pods", None) {
            let (namespace, name) = (text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
            for mut run in cluster.container_runs(namespace, name) {
                let key = (run.pod_uid.clone(), run.name.clone());
                let (since, attempt) = self.read.get(&key).copied().unwrap_or((Stamp(0), run.attempt));
                let labels = Labels::new([
                    ("app", app_of(pod)),
                    ("container", run.name.as_str()),
                    ("job", &format!("{namespace}/{}", app_of(pod))),
                    ("namespace", namespace),
                    ("node_name", run.node.as_str()),
                    ("pod", name),
                    ("stream", "stdout"),
                ]);
                let newest = run.attempt;
                // What the instance before printed last is read once more after a restart.
                let mut last = since;
                for number in [attempt, newest].into_iter().skip(usize::from(attempt == newest)) {
                    run.attempt = number;
                    for record in programs.log_since(cluster.now(), &run, since) {
                        last = last.max(record.at);
                        store.append(&labels, record.at.0.saturating_mul(1000), record.line);
                    }
                }
                seen.insert(key, (last, newest));
            }
        }
        self.read = seen;
    }
}

/// The application that a pod's labels name.
fn app_of(pod: &serde_json::Value) -> &str {
    let labels = &pod["metadata"]["labels"];
    let named = ["app.kubernetes.io/name", "app", "io.kompose.service", "k8s-app"];
    named.iter().find_map(|name| labels[*name].as_str()).unwrap_or_default()
}
