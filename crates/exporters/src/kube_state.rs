//! kube-state-metrics: objects as series, one scrape at a time.

mod cluster_wide;
mod containers;
mod pods;
mod workloads;

use cluster::Cluster;

use crate::samples::Samples;

/// The scrape job.
pub(crate) const JOB: &str = "kube-state-metrics";

pub(crate) fn samples(mut out: Samples, cluster: &Cluster) -> Samples {
    out.add("up", &[("instance", "kube-state-metrics:8080")], 1.0);
    for pod in cluster.objects("pods", None) {
        pods::pod(&mut out, pod);
    }
    workloads::all(&mut out, cluster);
    cluster_wide::all(&mut out, cluster);
    out
}
