//! Series of deployments, replica sets, stateful sets, daemon sets, jobs and autoscalers.

use cluster::Cluster;
use serde_json::Value;

use crate::samples::Samples;
use crate::usage::{list, number, seconds, text};

/// Numbers of a kind: the label that names it, and for each metric where its value stands.
struct Numbers {
    resource: &'static str,
    label: &'static str,
    metrics: &'static [(&'static str, &'static str)],
}

const KINDS: [Numbers; 6] = [
    Numbers {
        resource: "deployments.apps",
        label: "deployment",
        metrics: &[
            ("kube_deployment_spec_replicas", "/spec/replicas"),
            ("kube_deployment_status_replicas", "/status/replicas"),
            ("kube_deployment_status_replicas_ready", "/status/readyReplicas"),
            ("kube_deployment_status_replicas_available", "/status/availableReplicas"),
            ("kube_deployment_status_replicas_unavailable", "/status/unavailableReplicas"),
            ("kube_deployment_status_replicas_updated", "/status/updatedReplicas"),
            ("kube_deployment_metadata_generation", "/metadata/generation"),
            ("kube_deployment_status_observed_generation", "/status/observedGeneration"),
        ],
    },
    Numbers {
        resource: "replicasets.apps",
        label: "replicaset",
        metrics: &[
            ("kube_replicaset_spec_replicas", "/spec/replicas"),
            ("kube_replicaset_status_replicas", "/status/replicas"),
            ("kube_replicaset_status_ready_replicas", "/status/readyReplicas"),
        ],
    },
    Numbers {
        resource: "statefulsets.apps",
        label: "statefulset",
        metrics: &[
            ("kube_statefulset_replicas", "/spec/replicas"),
            ("kube_statefulset_status_replicas", "/status/replicas"),
            ("kube_statefulset_status_replicas_ready", "/status/readyReplicas"),
            ("kube_statefulset_status_replicas_current", "/status/currentReplicas"),
            ("kube_statefulset_status_replicas_updated", "/status/updatedReplicas"),
            ("kube_statefulset_status_replicas_available", "/status/availableReplicas"),
            ("kube_statefulset_metadata_generation", "/metadata/generation"),
            ("kube_statefulset_status_observed_generation", "/status/observedGeneration"),
        ],
    },
    Numbers {
        resource: "daemonsets.apps",
        label: "daemonset",
        metrics: &[
            ("kube_daemonset_status_desired_number_scheduled", "/status/desiredNumberScheduled"),
            ("kube_daemonset_status_current_number_scheduled", "/status/currentNumberScheduled"),
            ("kube_daemonset_status_number_ready", "/status/numberReady"),
            ("kube_daemonset_status_number_available", "/status/numberAvailable"),
            ("kube_daemonset_status_number_unavailable", "/status/numberUnavailable"),
            ("kube_daemonset_status_number_misscheduled", "/status/numberMisscheduled"),
            ("kube_daemonset_status_updated_number_scheduled", "/status/updatedNumberScheduled"),
        ],
    },
    Numbers {
        resource: "jobs.batch",
        label: "job_name",
        metrics: &[
            ("kube_job_status_active", "/status/active"),
            ("kube_job_status_succeeded", "/status/succeeded"),
            ("kube_job_status_failed", "/status/failed"),
            ("kube_job_spec_completions", "/spec/completions"),
            ("kube_job_spec_parallelism", "/spec/parallelism"),
        ],
    },
    Numbers {
        resource: "horizontalpodautoscalers.autoscaling",
        label: "horizontalpodautoscaler",
        metrics: &[
            ("kube_horizontalpodautoscaler_spec_min_replicas", "/spec/minReplicas"),
            ("kube_horizontalpodautoscaler_spec_max_replicas", "/spec/maxReplicas"),
            ("kube_horizontalpodautoscaler_status_current_replicas", "/status/currentReplicas"),
            ("kube_horizontalpodautoscaler_status_desired_replicas", "/status/desiredReplicas"),
        ],
    },
];

pub(super) fn all(out: &mut Samples, cluster: &Cluster) {
    for kind in &KINDS {
        for object in cluster.objects(kind.resource, None) {
            let own =
                [("namespace", text(object, "/metadata/namespace")), (kind.label, text(object, "/metadata/name"))];
            for (metric, pointer) in kind.metrics {
                out.add(metric, &own, number(object, pointer));
            }
            conditions(out, kind, object, &own);
        }
    }
}

fn conditions(out: &mut Samples, kind: &Numbers, object: &Value, own: &[(&str, &str)]) {
    let with = |more: &[(&'static str, &'static str)]| -> Vec<(String, String)> {
        own.iter().chain(more).map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    };
    match kind.label {
        "deployment" => {
            for condition in list(object, "/status/conditions") {
                let status = text(condition, "/status").to_lowercase();
                for known in ["true", "false", "unknown"] {
                    let mut labels: Vec<(&str, &str)> = own.to_vec();
                    labels.extend([
                        ("condition", text(condition, "/type")),
                        ("status", known),
                        ("reason", text(condition, "/reason")),
                    ]);
                    out.add("kube_deployment_status_condition", &labels, f64::from(u8::from(known == status)));
                }
            }
        }
        "replicaset" => {
            if let Some(owner) = list(object, "/metadata/ownerReferences").next() {
                let mut labels: Vec<(&str, &str)> = own.to_vec();
                labels.extend([
                    ("owner_kind", text(owner, "/kind")),
                    ("owner_name", text(owner, "/name")),
                    ("owner_is_controller", "true"),
                ]);
                out.add("kube_replicaset_owner", &labels, 1.0);
            }
        }
        "job_name" => {
            for (metric, wanted) in [("kube_job_complete", "Complete"), ("kube_job_failed", "Failed")] {
                let holds = list(object, "/status/conditions").any(|c| c["type"] == wanted && c["status"] == "True");
                if holds {
                    let labels = with(&[("condition", "true")]);
                    let borrowed: Vec<(&str, &str)> = labels.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
                    out.add(metric, &borrowed, 1.0);
                }
            }
            if let Some(time) = seconds(object, "/status/startTime") {
                out.add("kube_job_status_start_time", own, time);
            }
        }
        _ => {}
    }
}
