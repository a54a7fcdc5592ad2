//! Series of nodes, namespaces, services, volumes and quotas.

use cluster::{Cluster, Quantity};
use serde_json::Value;

use crate::samples::Samples;
use crate::usage::{list, text};

use super::containers::measured;

pub(super) fn all(out: &mut Samples, cluster: &Cluster) {
    for node in cluster.objects("nodes", None) {
        self::node(out, node);
    }
    for namespace in cluster.objects("namespaces", None) {
        phases(
            out,
            "kube_namespace_status_phase",
            &[("namespace", text(namespace, "/metadata/name"))],
            namespace,
            &["Active", "Terminating"],
        );
    }
    for service in cluster.objects("services", None) {
        let own = [("namespace", text(service, "/metadata/namespace")), ("service", text(service, "/metadata/name"))];
        let mut labels = own.to_vec();
        labels.push(("cluster_ip", text(service, "/spec/clusterIP")));
        labels.push(("external_name", text(service, "/spec/externalName")));
        out.add("kube_service_info", &labels, 1.0);
        out.add("kube_service_spec_type", &[own[0], own[1], ("type", text(service, "/spec/type"))], 1.0);
    }
    for claim in cluster.objects("persistentvolumeclaims", None) {
        let own = [
            ("namespace", text(claim, "/metadata/namespace")),
            ("persistentvolumeclaim", text(claim, "/metadata/name")),
        ];
        phases(out, "kube_persistentvolumeclaim_status_phase", &own, claim, &["Bound", "Pending", "Lost"]);
    }
    for volume in cluster.objects("persistentvolumes", None) {
        let own = [("persistentvolume", text(volume, "/metadata/name"))];
        let known = ["Available", "Bound", "Failed", "Pending", "Released"];
        phases(out, "kube_persistentvolume_status_phase", &own, volume, &known);
    }
    for quota in cluster.objects("resourcequotas", None) {
        self::quota(out, quota);
    }
}

/// One series per phase, 1 for the one that holds.
fn phases(out: &mut Samples, metric: &str, own: &[(&str, &str)], object: &Value, known: &[&str]) {
    let phase = text(object, "/status/phase");
    for one in known {
        let mut labels = own.to_vec();
        labels.push(("phase", one));
        out.add(metric, &labels, f64::from(u8::from(*one == phase)));
    }
}

fn node(out: &mut Samples, node: &Value) {
    let name = ("node", text(node, "/metadata/name"));
    let info = |key: &str| text(node, &format!("/status/nodeInfo/{key}")).to_owned();
    let [kernel, image, runtime, kubelet] =
        ["kernelVersion", "osImage", "containerRuntimeVersion", "kubeletVersion"].map(info);
    let address = list(node, "/status/addresses").find(|a| a["type"] == "InternalIP");
    out.add(
        "kube_node_info",
        &[
            name,
            ("kernel_version", &kernel),
            ("os_image", &image),
            ("container_runtime_version", &runtime),
            ("kubelet_version", &kubelet),
            ("internal_ip", address.map_or("", |a| text(a, "/address"))),
        ],
        1.0,
    );
    for condition in list(node, "/status/conditions") {
        let status = text(condition, "/status").to_lowercase();
        for known in ["true", "false", "unknown"] {
            let labels = [name, ("condition", text(condition, "/type")), ("status", known)];
            out.add("kube_node_status_condition", &labels, f64::from(u8::from(known == status)));
        }
    }
    for (metric, key) in [("kube_node_status_capacity", "capacity"), ("kube_node_status_allocatable", "allocatable")] {
        for (resource, amount) in node["status"][key].as_object().into_iter().flatten() {
            if let Some(quantity) = amount.as_str().and_then(Quantity::parse) {
                let (unit, value) = measured(resource, quantity);
                let resource = resource.replace(['-', '.', '/'], "_");
                out.add(metric, &[name, ("resource", &resource), ("unit", unit)], value);
            }
        }
    }
    let cordoned = node["spec"]["unschedulable"] == true;
    out.add("kube_node_spec_unschedulable", &[name], f64::from(u8::from(cordoned)));
    for taint in list(node, "/spec/taints") {
        let labels =
            [name, ("key", text(taint, "/key")), ("value", text(taint, "/value")), ("effect", text(taint, "/effect"))];
        out.add("kube_node_spec_taint", &labels, 1.0);
    }
}

fn quota(out: &mut Samples, quota: &Value) {
    let own = [("namespace", text(quota, "/metadata/namespace")), ("resourcequota", text(quota, "/metadata/name"))];
    for kind in ["hard", "used"] {
        for (resource, amount) in quota["status"][kind].as_object().into_iter().flatten() {
            if let Some(quantity) = amount.as_str().and_then(Quantity::parse) {
                let labels = [own[0], own[1], ("resource", resource.as_str()), ("type", kind)];
                out.add("kube_resourcequota", &labels, quantity.milli() as f64 / 1000.0);
            }
        }
    }
}
