//! Lines of containers, gathered as an agent on every node gathers them.

use std::collections::BTreeMap;

use cluster::{Cluster, ContainerRun, LogRecord, Programs, Stamp};
use telemetry::Labels;
use telemetry::loki::LogStore;

use crate::usage::text;

/// What is remembered between looks: how far the lines of each container of each pod were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogCollector {
    read: BTreeMap<(String, String), ReadUpTo>,
}

/// How far the lines of a container were read.
#[derive(Clone, Copy, Debug, Default)]
struct ReadUpTo {
    attempt: u32,
    /// The time of the last line that was read, and how many lines of that very moment were: more of them may come.
    last: Stamp,
    of_last: usize,
}

impl ReadUpTo {
    /// The lines of an attempt that were not read yet, with their nanoseconds; they are read now. Lines of one moment are a
    /// nanosecond apart, as a runtime writes them: Loki keeps equal lines of the same nanosecond once.
    fn new_lines(&mut self, now: Stamp, run: &ContainerRun, programs: &mut dyn Programs) -> Vec<(i64, String)> {
        if run.attempt != self.attempt {
            *self = ReadUpTo { attempt: run.attempt, ..ReadUpTo::default() };
        }
        let lines = programs.log_since(now, run, Stamp(self.last.0.saturating_sub(1)));
        let known = lines.iter().take(self.of_last).take_while(|line| line.at == self.last).count();
        let (mut last, mut of_last) = (self.last, 0);
        let mut new = Vec::new();
        for (number, LogRecord { at, line }) in lines.into_iter().enumerate() {
            of_last = if at == last { of_last + 1 } else { 1 };
            last = at;
            if number >= known {
                new.push((at.0.saturating_mul(1000) + of_last as i64 - 1, line));
            }
        }
        if of_last > 0 {
            (self.last, self.of_last) = (last, of_last);
        }
        new
    }
}

impl LogCollector {
    /// Reads the lines that are new.
    pub(crate) fn collect(&mut self, cluster: &Cluster, programs: &mut dyn Programs, store: &mut LogStore) {
        let mut seen = BTreeMap::new();
        for pod in cluster.objects("pods", None) {
            let (namespace, name) = (text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
            for mut run in cluster.container_runs(namespace, name) {
                let key = (run.pod_uid.clone(), run.name.clone());
                let mut read =
                    self.read.get(&key).copied().unwrap_or(ReadUpTo { attempt: run.attempt, ..Default::default() });
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
                for number in read.attempt..=newest {
                    run.attempt = number;
                    for (nanos, line) in read.new_lines(cluster.now(), &run, programs) {
                        store.append(&labels, nanos, line);
                    }
                }
                seen.insert(key, read);
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
