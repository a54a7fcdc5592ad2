//! node_exporter: what nodes have and what is left of it.

use std::collections::BTreeMap;

use cluster::{Cluster, Quantity};

use crate::counters::Counters;
use crate::samples::Samples;
use crate::usage::{ContainerUsage, list, text};

/// What kubelet, runtime and kernel use themselves.
const SYSTEM_CPU: f64 = 0.06;
const SYSTEM_MEMORY: f64 = 314_572_800.0;

/// The scrape job.
pub(crate) const JOB: &str = "node-exporter";

pub(crate) fn samples(
    mut out: Samples,
    counters: &mut Counters,
    cluster: &Cluster,
    usage: &[ContainerUsage],
    passed: f64,
) -> Samples {
    out.describe("node_cpu_seconds_total", "counter", "Seconds the CPUs spent in each mode.");
    out.describe("node_memory_MemAvailable_bytes", "gauge", "Memory information field MemAvailable_bytes.");
    let taken = taken(cluster, usage);
    for node in cluster.objects("nodes", None) {
        let name = text(node, "/metadata/name");
        let address = list(node, "/status/addresses").find(|a| a["type"] == "InternalIP");
        let instance = format!("{}:9100", address.map_or(name, |a| text(a, "/address")));
        let own = [("instance", instance.as_str())];
        let amount = |key: &str| node["status"]["capacity"][key].as_str().and_then(Quantity::parse);
        let cores = amount("cpu").map_or(1.0, |q| q.milli() as f64 / 1000.0);
        let memory = amount("memory").map_or(0.0, |q| q.whole() as f64);
        let (busy, used) = taken.get(name).copied().unwrap_or((SYSTEM_CPU, SYSTEM_MEMORY));
        let busy = busy.min(cores);
        let spent = counters.node_cpu.entry(name.to_owned()).or_default();
        spent.0 += busy * passed;
        spent.1 += (cores - busy) * passed;
        out.add("up", &own, 1.0);
        out.add("node_uname_info", &[own[0], ("nodename", name), ("sysname", "Linux")], 1.0);
        for (mode, seconds) in [("user", spent.0 * 0.8), ("system", spent.0 * 0.2), ("idle", spent.1)] {
            // Told per core, as every core counts for itself.
            for core in 0..cores.max(1.0) as usize {
                let core = core.to_string();
                out.add("node_cpu_seconds_total", &[own[0], ("cpu", &core), ("mode", mode)], seconds / cores.max(1.0));
            }
        }
        out.add("node_memory_MemTotal_bytes", &own, memory);
        out.add("node_memory_MemAvailable_bytes", &own, (memory - used).max(0.0));
        out.add("node_memory_MemFree_bytes", &own, (memory - used).max(0.0));
        out.add("node_load1", &own, busy);
    }
    out
}

/// Cores and bytes that the containers of each node take, with the system's own. Each pod is looked up once: a large cluster
/// has many nodes.
fn taken<'c>(cluster: &'c Cluster, usage: &[ContainerUsage]) -> BTreeMap<&'c str, (f64, f64)> {
    let mut taken = BTreeMap::new();
    for container in usage {
        let Some(pod) = cluster.object("pods", &container.namespace, &container.pod) else { continue };
        let (busy, used) = taken.entry(text(pod, "/spec/nodeName")).or_insert((SYSTEM_CPU, SYSTEM_MEMORY));
        *busy += container.cpu_milli as f64 / 1000.0;
        *used += container.memory as f64;
    }
    taken
}
