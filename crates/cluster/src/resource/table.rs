//! The one table of built-in kinds.

use std::sync::Arc;

use super::{PrintColumn, Resource, Subresource};
use crate::schema;

/// Scope and what else is special: `n` in a namespace, `c` cluster-wide, `g` counts generations,
/// `-` followed by its only verbs.
struct Row {
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    short: &'static str,
    traits: &'static str,
    subresources: &'static str,
    columns: &'static str,
}

const fn row(
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    short: &'static str,
    traits: &'static str,
    subresources: &'static str,
    columns: &'static str,
) -> Row {
    Row { group, kind, plural, short, traits, subresources, columns }
}

const WORKLOAD: &str = "Containers+|Images+|Selector+";

/// Columns after `Name`: `#` integer, `?` boolean, `@` date, `+` only with `-o wide`. `*` stands for the template's.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    row("v1", "Binding", "bindings", "", "n -create", "", "Age"),
    row("v1", "ComponentStatus", "componentstatuses", "cs", "c -get,list", "", "Status|Message|Error"),
    row("v1", "ConfigMap", "configmaps", "cm", "n", "", "Data|Age"),
    row("v1", "Endpoints", "endpoints", "ep", "n", "", "Endpoints|Age"),
    row("v1", "Event", "events", "ev", "n", "", "<Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First Seen+|Count+|Name+"),
    row("v1", "LimitRange", "limitranges", "limits", "n", "", "Created At@"),
    row("v1", "Namespace", "namespaces", "ns", "c -create,delete,get,list,patch,update,watch", "finalize status", "Status|Age"),
    row("v1", "Node", "nodes", "no", "c", "proxy status", "Status|Roles|Age|Version|Internal-IP+|External-IP+|OS-Image+|Kernel-Version+|Container-Runtime+"),
    row("v1", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", "n", "status", "Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode+"),
    row("v1", "PersistentVolume", "persistentvolumes", "pv", "c", "status", "Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode+"),
    row("v1", "Pod", "pods", "po", "n all", "attach binding ephemeralcontainers eviction exec log portforward proxy status", "Ready|Status|Restarts|Age|IP+|Node+|Nominated Node+|Readiness Gates+"),
    row("v1", "PodTemplate", "podtemplates", "", "n", "", "Containers|Images|Pod Labels"),
    row("v1", "ReplicationController", "replicationcontrollers", "rc", "n g all", "scale status", "Desired#|Current#|Ready#|Age|*"),
    row("v1", "ResourceQuota", "resourcequotas", "quota", "n", "status", "Age|Request|Limit"),
    row("v1", "Secret", "secrets", "", "n", "", "Type|Data|Age"),
    row("v1", "ServiceAccount", "serviceaccounts", "sa", "n", "token", "Secrets|Age"),
    row("v1", "Service", "services", "svc", "n all", "proxy status", "Type|Cluster-IP|External-IP|Port(s)|Age|Selector+"),
    row("apiregistration.k8s.io/v1", "APIService", "apiservices", "", "c api-extensions", "status", "Service|Available|Age"),
    row("apps/v1", "ControllerRevision", "controllerrevisions", "", "n", "", "Controller|Revision|Age"),
    row("apps/v1", "DaemonSet", "daemonsets", "ds", "n g all", "status", "Desired#|Current#|Ready#|Up-to-date#|Available#|Node Selector|Age|*"),
    row("apps/v1", "Deployment", "deployments", "deploy", "n g all", "scale status", "Ready|Up-to-date|Available|Age|*"),
    row("apps/v1", "ReplicaSet", "replicasets", "rs", "n g all", "scale status", "Desired#|Current#|Ready#|Age|*"),
    row("apps/v1", "StatefulSet", "statefulsets", "sts", "n g all", "scale status", "Ready|Age|Containers+|Images+"),
    row("events.k8s.io/v1", "Event", "events", "ev", "n =events", "", "<Last Seen|Type|Reason|Object|Subobject+|Source+|Message|First Seen+|Count+|Name+"),
    row("authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", "", "c -create", "", "Age"),
    row("authentication.k8s.io/v1", "TokenReview", "tokenreviews", "", "c -create", "", "Age"),
    row("authorization.k8s.io/v1", "LocalSubjectAccessReview", "localsubjectaccessreviews", "", "n -create", "", "Age"),
    row("authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", "", "c -create", "", "Age"),
    row("authorization.k8s.io/v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", "", "c -create", "", "Age"),
    row("authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews", "", "c -create", "", "Age"),
    row("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "n all", "status", "Reference|Targets|MinPods|MaxPods|Replicas|Age"),
    row("autoscaling/v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "hpa", "n all =horizontalpodautoscalers.autoscaling", "status", "Reference|Targets|MinPods|MaxPods|Replicas|Age"),
    row("batch/v1", "CronJob", "cronjobs", "cj", "n g all", "status", "Schedule|Timezone|Suspend?|Active#|Last Schedule|Age|*"),
    row("batch/v1", "Job", "jobs", "", "n g all", "status", "Status|Completions|Duration|Age|*"),
    row("certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests", "csr", "c", "approval status", "Age|SignerName|Requestor|RequestedDuration|Condition"),
    row("networking.k8s.io/v1", "IngressClass", "ingressclasses", "", "c g", "", "Controller|Parameters|Age"),
    row("networking.k8s.io/v1", "Ingress", "ingresses", "ing", "n g", "status", "Class|Hosts|Address|Ports|Age"),
    row("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", "netpol", "n g", "", "Pod-Selector|Age"),
    row("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", "pdb", "n g", "status", "Min Available|Max Unavailable|Allowed Disruptions#|Age"),
    row("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", "", "c", "", "Role|Age|Users+|Groups+|ServiceAccounts+"),
    row("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "", "c", "", "Created At@"),
    row("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", "", "n", "", "Role|Age|Users+|Groups+|ServiceAccounts+"),
    row("rbac.authorization.k8s.io/v1", "Role", "roles", "", "n", "", "Created At@"),
    row("storage.k8s.io/v1", "CSIDriver", "csidrivers", "", "c", "", "AttachRequired?|PodInfoOnMount?|StorageCapacity?|TokenRequests|RequiresRepublish?|Modes|Age"),
    row("storage.k8s.io/v1", "CSINode", "csinodes", "", "c", "", "Drivers#|Age"),
    row("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", "", "n", "", "Created At@"),
    row("storage.k8s.io/v1", "StorageClass", "storageclasses", "sc", "c", "", "Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age"),
    row("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", "", "c", "status", "Attacher|PV|Node|Attached?|Age"),
    row("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "", "c g api-extensions", "", "Webhooks#|Age"),
    row("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", "", "c g api-extensions", "status", "Validations#|ParamKind|Age"),
    row("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", "", "c g api-extensions", "", "PolicyName|ParamRef|Age"),
    row("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "", "c g api-extensions", "", "Webhooks#|Age"),
    row("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", "crd,crds", "c g api-extensions", "status", "Created At@"),
    row("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", "pc", "c g", "", "Value#|Global-Default?|Age|PreemptionPolicy"),
    row("coordination.k8s.io/v1", "Lease", "leases", "", "n", "", "Holder|Age"),
    row("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", "", "c", "", "Handler|Age"),
    row("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", "", "n g", "", "AddressType|Ports|Endpoints|Age"),
    row("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas", "", "c g", "status", "PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL"),
    row("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", "", "c g", "status", "Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age"),
    // Custom resources stand here in discovery; the registry counts on these two being the last.
    row("metrics.k8s.io/v1beta1", "NodeMetrics", "nodes", "", "c -get,list", "", "Age"),
    row("metrics.k8s.io/v1beta1", "PodMetrics", "pods", "", "n -get,list", "", "Age"),
];

const ALL_VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// Reads the table.
pub(super) fn read() -> Vec<Arc<Resource>> {
    TABLE.iter().map(|row| Arc::new(resource(row))).collect()
}

fn resource(row: &Row) -> Resource {
    let (group, version) = row.group.rsplit_once('/').unwrap_or(("", row.group));
    let words = || row.traits.split(' ');
    let verbs = words().find_map(|w| w.strip_prefix('-')).map_or(ALL_VERBS.to_vec(), |only| only.split(',').collect());
    let own = super::qualified(row.plural, group);
    let is_metric = group == "metrics.k8s.io";
    Resource {
        group: group.into(),
        version: version.into(),
        kind: row.kind.into(),
        plural: row.plural.into(),
        singular: if is_metric { String::new() } else { row.kind.to_lowercase() },
        short_names: row.short.split(',').filter(|s| !s.is_empty()).map(Into::into).collect(),
        categories: words().filter(|w| *w == "all" || *w == "api-extensions").map(Into::into).collect(),
        namespaced: words().any(|w| w == "n"),
        counts_generations: words().any(|w| w == "g"),
        verbs,
        subresources: row.subresources.split(' ').filter(|s| !s.is_empty()).map(|s| subresource(s, row)).collect(),
        columns: columns(row.columns),
        shape: schema::shape(group, version, row.kind),
        custom: None,
        storage: words().find_map(|w| w.strip_prefix('=')).unwrap_or(&own).into(),
    }
}

fn subresource(name: &str, row: &Row) -> Subresource {
    let (answers, verbs): ((&str, &str, &str), &[&'static str]) = match name {
        "scale" => (("autoscaling", "v1", "Scale"), &["get", "patch", "update"]),
        "eviction" => (("policy", "v1", "Eviction"), &["create"]),
        "token" => (("authentication.k8s.io", "v1", "TokenRequest"), &["create"]),
        "binding" => (("", "", "Binding"), &["create"]),
        "log" => (("", "", "Pod"), &["get"]),
        "exec" => (("", "", "PodExecOptions"), &["create", "get"]),
        "attach" => (("", "", "PodAttachOptions"), &["create", "get"]),
        "portforward" => (("", "", "PodPortForwardOptions"), &["create", "get"]),
        "finalize" => (("", "", row.kind), &["update"]),
        "proxy" => {
            let kind = format!("{}ProxyOptions", row.kind);
            let verbs = vec!["create", "delete", "get", "patch", "update"];
            return Subresource { name: name.into(), answers: (String::new(), String::new(), kind), verbs };
        }
        _ => (("", "", row.kind), &["get", "patch", "update"]),
    };
    let answers = (answers.0.into(), answers.1.into(), answers.2.into());
    Subresource { name: name.into(), answers, verbs: verbs.to_vec() }
}

fn columns(text: &str) -> Vec<PrintColumn> {
    let named = PrintColumn { format: "name".into(), ..column("Name") };
    // Events lead with when they were seen; their name is the last column.
    if let Some(rest) = text.strip_prefix('<') {
        let mut columns: Vec<_> = rest.split('|').map(column).collect();
        if let Some(last) = columns.last_mut() {
            last.format = "name".into();
        }
        return columns;
    }
    let text = text.replace('*', WORKLOAD);
    std::iter::once(named).chain(text.split('|').map(column)).collect()
}

fn column(text: &str) -> PrintColumn {
    let name = text.trim_end_matches(['#', '?', '@', '+']);
    let kind = |sign: char| text[name.len()..].contains(sign);
    let r#type = match () {
        () if kind('#') => "integer",
        () if kind('?') => "boolean",
        () if kind('@') => "date",
        () => "string",
    };
    PrintColumn {
        name: name.into(),
        r#type: r#type.into(),
        format: String::new(),
        description: format!("{name} of the object."),
        priority: i64::from(kind('+')),
        path: String::new(),
    }
}
