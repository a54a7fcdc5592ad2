//! Alert rules over these series: what a cluster's operators are usually paged for, in our own words.

use std::collections::BTreeMap;

use telemetry::Labels;
use telemetry::rules::{LoadedRule, RuleGroup};

/// A rule as data: name, expression, how long it must hold in minutes, severity, and what it says.
struct Page {
    group: &'static str,
    name: &'static str,
    expr: &'static str,
    minutes: i64,
    severity: &'static str,
    summary: &'static str,
    description: &'static str,
}

const MINUTE: i64 = 60_000;

/// All groups, evaluated every 30 seconds.
pub fn alert_rules() -> Vec<RuleGroup> {
    let mut groups: BTreeMap<&str, Vec<LoadedRule>> = BTreeMap::new();
    for page in PAGES {
        groups.entry(page.group).or_default().push(page.rule());
    }
    groups.into_iter().map(|(name, rules)| RuleGroup::new(name, "/etc/prometheus/rules.yml", 30_000, rules)).collect()
}

impl Page {
    fn rule(&self) -> LoadedRule {
        let annotations = BTreeMap::from([
            ("summary".to_owned(), self.summary.to_owned()),
            ("description".to_owned(), self.description.to_owned()),
        ]);
        let labels = Labels::new([("severity", self.severity)]);
        LoadedRule::alerting(self.name, self.expr, self.minutes * MINUTE, 0, labels, annotations)
            .expect("the rules of the table are well formed, and a test reads them all")
    }
}

const PAGES: &[Page] = &[
    Page {
        group: "kubernetes-apps",
        name: "KubePodCrashLooping",
        expr: r#"max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"}[5m]) > 0"#,
        minutes: 15,
        severity: "warning",
        summary: "A pod crashes again and again.",
        description: "Container {{ $labels.container }} of pod {{ $labels.namespace }}/{{ $labels.pod }} is in CrashLoopBackOff.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubePodNotReady",
        expr: r#"sum by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Unknown"} or (kube_pod_status_phase{phase="Running"} == 1 and on (namespace, pod) kube_pod_status_ready{condition="true"} == 0)) > 0"#,
        minutes: 15,
        severity: "warning",
        summary: "A pod is not ready for a quarter of an hour.",
        description: "Pod {{ $labels.namespace }}/{{ $labels.pod }} has not become ready.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeContainerWaiting",
        expr: r#"kube_pod_container_status_waiting_reason{reason!="CrashLoopBackOff"} > 0"#,
        minutes: 60,
        severity: "warning",
        summary: "A container waits for more than an hour.",
        description: "Container {{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }} waits: {{ $labels.reason }}.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeDeploymentReplicasMismatch",
        expr: "kube_deployment_spec_replicas > kube_deployment_status_replicas_available and changes(kube_deployment_status_replicas_updated[10m]) == 0",
        minutes: 15,
        severity: "warning",
        summary: "A deployment has too few replicas.",
        description: "Deployment {{ $labels.namespace }}/{{ $labels.deployment }} wants {{ $value }} replicas and has fewer.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeDeploymentGenerationMismatch",
        expr: "kube_deployment_status_observed_generation != kube_deployment_metadata_generation",
        minutes: 15,
        severity: "warning",
        summary: "A deployment is not reconciled.",
        description: "The controller has not seen the latest change of {{ $labels.namespace }}/{{ $labels.deployment }}.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeDeploymentRolloutStuck",
        expr: r#"kube_deployment_status_condition{condition="Progressing",status="false"} != 0"#,
        minutes: 15,
        severity: "warning",
        summary: "A rollout makes no progress.",
        description: "The rollout of {{ $labels.namespace }}/{{ $labels.deployment }} is stuck: {{ $labels.reason }}.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeStatefulSetReplicasMismatch",
        expr: "kube_statefulset_status_replicas_ready != kube_statefulset_replicas and changes(kube_statefulset_status_replicas_updated[10m]) == 0",
        minutes: 15,
        severity: "warning",
        summary: "A stateful set has too few replicas.",
        description: "Stateful set {{ $labels.namespace }}/{{ $labels.statefulset }} does not have the replicas it wants.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeDaemonSetNotScheduled",
        expr: "kube_daemonset_status_desired_number_scheduled - kube_daemonset_status_current_number_scheduled > 0",
        minutes: 10,
        severity: "warning",
        summary: "Pods of a daemon set are missing.",
        description: "{{ $value }} pods of {{ $labels.namespace }}/{{ $labels.daemonset }} are not scheduled.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeJobFailed",
        expr: r#"kube_job_failed{condition="true"} > 0"#,
        minutes: 15,
        severity: "warning",
        summary: "A job failed.",
        description: "Job {{ $labels.namespace }}/{{ $labels.job_name }} did not complete.",
    },
    Page {
        group: "kubernetes-apps",
        name: "KubeHpaMaxedOut",
        expr: "kube_horizontalpodautoscaler_status_current_replicas == kube_horizontalpodautoscaler_spec_max_replicas",
        minutes: 15,
        severity: "warning",
        summary: "An autoscaler stands at its ceiling.",
        description: "{{ $labels.namespace }}/{{ $labels.horizontalpodautoscaler }} runs the most replicas it may.",
    },
    Page {
        group: "kubernetes-containers",
        name: "ContainerOOMKilled",
        expr: r#"kube_pod_container_status_last_terminated_reason{reason="OOMKilled"} == 1 and on (namespace, pod, container) increase(kube_pod_container_status_restarts_total[10m]) > 0"#,
        minutes: 0,
        severity: "critical",
        summary: "A container was killed because it ran out of memory.",
        description: "Container {{ $labels.container }} of {{ $labels.namespace }}/{{ $labels.pod }} was killed.",
    },
    Page {
        group: "kubernetes-containers",
        name: "ContainerMemoryNearLimit",
        expr: "container_memory_working_set_bytes / (container_spec_memory_limit_bytes > 0) > 0.9",
        minutes: 5,
        severity: "warning",
        summary: "A container is about to run out of memory.",
        description: "{{ $labels.namespace }}/{{ $labels.pod }} uses {{ $value | humanizePercentage }} of its limit.",
    },
    Page {
        group: "kubernetes-storage",
        name: "KubePersistentVolumeErrors",
        expr: r#"kube_persistentvolume_status_phase{phase=~"Failed|Pending"} > 0"#,
        minutes: 5,
        severity: "critical",
        summary: "A volume cannot be provided.",
        description: "Volume {{ $labels.persistentvolume }} is {{ $labels.phase }}.",
    },
    Page {
        group: "kubernetes-resources",
        name: "KubeQuotaFullyUsed",
        expr: r#"kube_resourcequota{type="used"} / ignoring (type) (kube_resourcequota{type="hard"} > 0) == 1"#,
        minutes: 15,
        severity: "info",
        summary: "A quota is used up.",
        description: "Namespace {{ $labels.namespace }} uses all of its {{ $labels.resource }}.",
    },
    Page {
        group: "kubernetes-nodes",
        name: "KubeNodeNotReady",
        expr: r#"kube_node_status_condition{condition="Ready",status="true"} == 0 and on (node) kube_node_spec_unschedulable == 0"#,
        minutes: 15,
        severity: "warning",
        summary: "A node is not ready.",
        description: "Node {{ $labels.node }} has not been ready for a quarter of an hour.",
    },
    Page {
        group: "kubernetes-nodes",
        name: "KubeNodeUnreachable",
        expr: r#"kube_node_spec_taint{key="node.kubernetes.io/unreachable",effect="NoSchedule"} == 1"#,
        minutes: 15,
        severity: "warning",
        summary: "A node cannot be reached.",
        description: "Node {{ $labels.node }} does not answer, and its pods may be moved.",
    },
    Page {
        group: "kubernetes-nodes",
        name: "KubeNodePressure",
        expr: r#"kube_node_status_condition{condition=~"(Memory|Disk|PID)Pressure",status="true"} == 1"#,
        minutes: 10,
        severity: "info",
        summary: "A node runs short of something.",
        description: "Node {{ $labels.node }} reports {{ $labels.condition }}.",
    },
    Page {
        group: "node-exporter",
        name: "NodeCPUHighUsage",
        expr: r#"1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[2m])) > 0.9"#,
        minutes: 15,
        severity: "info",
        summary: "A node is busy.",
        description: "{{ $labels.instance }} uses {{ $value | humanizePercentage }} of its CPU.",
    },
    Page {
        group: "node-exporter",
        name: "NodeMemoryHighUtilization",
        expr: "1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes > 0.9",
        minutes: 15,
        severity: "warning",
        summary: "A node runs out of memory.",
        description: "{{ $labels.instance }} uses {{ $value | humanizePercentage }} of its memory.",
    },
    Page {
        group: "general",
        name: "TargetDown",
        expr: "up == 0",
        minutes: 10,
        severity: "warning",
        summary: "A target cannot be scraped.",
        description: "{{ $labels.job }} {{ $labels.instance }} does not answer.",
    },
    Page {
        group: "general",
        name: "Watchdog",
        expr: "vector(1)",
        minutes: 0,
        severity: "none",
        summary: "Alerts are evaluated and sent.",
        description: "This alert always fires; its absence means that alerting is broken.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_can_be_read() {
        let groups = alert_rules();
        let names: Vec<&str> = groups.iter().flat_map(|g| g.rules.iter().map(LoadedRule::name)).collect();
        assert_eq!(names.len(), PAGES.len());
        let unique: std::collections::BTreeSet<&&str> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "names are told apart");
    }
}
