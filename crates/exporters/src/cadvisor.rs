//! cAdvisor: what containers use, counted from the moment they started.

use cluster::{Cluster, Quantity};
use serde_json::Value;

use crate::counters::Counters;
use crate::samples::Samples;
use crate::usage::{ContainerUsage, list, number, seconds, text};

/// The scrape job.
pub(crate) const JOB: &str = "cadvisor";

pub(crate) fn samples(
    mut out: Samples,
    counters: &mut Counters,
    cluster: &Cluster,
    usage: &[ContainerUsage],
    passed: f64,
) -> Samples {
    for node in cluster.objects("nodes", None) {
        machine(&mut out, node);
    }
    for used in usage {
        let Some(pod) = cluster.object("pods", &used.namespace, &used.pod) else { continue };
        container(&mut out, counters, pod, used, passed);
    }
    // A container that started again has a counter of its own, and the old one is forgotten.
    let running = |key: &(String, String, String, u64)| {
        usage.iter().any(|u| u.namespace == key.0 && u.pod == key.1 && u.container == key.2)
    };
    counters.cpu.retain(|key, _| running(key));
    out
}

fn machine(out: &mut Samples, node: &Value) {
    let name = text(node, "/metadata/name");
    let amount = |key: &str| node["status"]["capacity"][key].as_str().and_then(Quantity::parse);
    out.add("up", &[("instance", name), ("node", name)], 1.0);
    if let Some(cores) = amount("cpu") {
        out.add("machine_cpu_cores", &[("instance", name), ("node", name)], cores.milli() as f64 / 1000.0);
    }
    if let Some(memory) = amount("memory") {
        out.add("machine_memory_bytes", &[("instance", name), ("node", name)], memory.whole() as f64);
    }
}

fn container(out: &mut Samples, counters: &mut Counters, pod: &Value, used: &ContainerUsage, passed: f64) {
    let status = list(pod, "/status/containerStatuses").find(|s| s["name"] == used.container.as_str());
    let attempt = status.map_or(0.0, |s| number(s, "/restartCount")) as u64;
    let (uid, node) = (text(pod, "/metadata/uid"), text(pod, "/spec/nodeName"));
    let id = format!("/kubepods/pod{uid}/{}-{attempt}", used.container);
    let labels = [
        ("container", used.container.as_str()),
        ("id", id.as_str()),
        ("image", status.map_or("", |s| text(s, "/image"))),
        ("instance", node),
        ("namespace", used.namespace.as_str()),
        ("node", node),
        ("pod", used.pod.as_str()),
    ];
    let key = (used.namespace.clone(), used.pod.clone(), used.container.clone(), attempt);
    let cpu = counters.cpu.entry(key).or_default();
    *cpu += passed * used.cpu_milli as f64 / 1000.0;
    let mut with_cpu = labels.to_vec();
    with_cpu.push(("cpu", "total"));
    out.describe("container_cpu_usage_seconds_total", "counter", "Cumulative cpu time consumed in seconds.");
    out.add("container_cpu_usage_seconds_total", &with_cpu, *cpu);
    out.describe("container_memory_working_set_bytes", "gauge", "Current working set in bytes.");
    for metric in ["container_memory_working_set_bytes", "container_memory_rss", "container_memory_usage_bytes"] {
        out.add(metric, &labels, used.memory as f64);
    }
    let spec = list(pod, "/spec/containers").find(|c| c["name"] == used.container.as_str());
    let limit = |key: &str| spec.and_then(|s| s["resources"]["limits"][key].as_str()).and_then(Quantity::parse);
    out.add("container_spec_memory_limit_bytes", &labels, limit("memory").map_or(0.0, |q| q.whole() as f64));
    if let Some(cores) = limit("cpu") {
        // Microseconds of each period of a tenth of a second.
        out.add("container_spec_cpu_quota", &labels, cores.milli() as f64 * 100.0);
        out.add("container_spec_cpu_period", &labels, 100_000.0);
    }
    if let Some(time) = status.and_then(|s| seconds(s, "/state/running/startedAt")) {
        out.add("container_start_time_seconds", &labels, time);
    }
}
