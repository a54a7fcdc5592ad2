//! What an object has where its author said nothing.

use serde_json::{Value, json};

use crate::json::{self, set_default};
use crate::quantity::Quantity;
use crate::resource::Resource;
use crate::time::Stamp;
use crate::{Cluster, base64};

/// Sets the defaults of a kind.
pub(super) fn set(resource: &Resource, object: &mut Value, old: Option<&Value>, now: Stamp) {
    match &*resource.storage {
        "pods" => {
            set_default(object, "spec", json!({}));
            pod_spec(object, "spec", true);
            set_default(object, "spec.enableServiceLinks", true);
            set_default(object, "status.phase", "Pending");
            quality(object);
        }
        "podtemplates" => template(object, "template"),
        "deployments.apps" => deployment(object),
        "replicasets.apps" => {
            set_default(object, "spec.replicas", 1);
            template(object, "spec.template");
            set_default(object, "status.replicas", 0);
        }
        "replicationcontrollers" => replication_controller(object),
        "statefulsets.apps" => stateful_set(object),
        "daemonsets.apps" => daemon_set(object),
        "jobs.batch" => job(object),
        "cronjobs.batch" => cron_job(object),
        "services" => service(object),
        "namespaces" => {
            let name = json::text(object, "metadata.name").to_string();
            json::set(
                object,
                "metadata.labels",
                with(json::at(object, "metadata.labels"), "kubernetes.io/metadata.name", &name),
            );
            if old.is_none() {
                json::set(object, "spec.finalizers", json!(["kubernetes"]));
            }
            set_default(object, "status.phase", "Active");
        }
        "secrets" => secret(object),
        "configmaps" => {}
        "persistentvolumeclaims" => {
            set_default(object, "spec.volumeMode", "Filesystem");
            set_default(object, "status.phase", "Pending");
            protect(object, old, "kubernetes.io/pvc-protection");
        }
        "persistentvolumes" => persistent_volume(object, old, now),
        "horizontalpodautoscalers.autoscaling" => autoscaler(object),
        "networkpolicies.networking.k8s.io" => network_policy(object),
        "limitranges" => limit_range(object),
        "resourcequotas" => {}
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => {
            role_binding(object)
        }
        "storageclasses.storage.k8s.io" => {
            set_default(object, "reclaimPolicy", "Delete");
            set_default(object, "volumeBindingMode", "Immediate");
        }
        "priorityclasses.scheduling.k8s.io" => set_default(object, "preemptionPolicy", "PreemptLowerPriority"),
        "validatingwebhookconfigurations.admissionregistration.k8s.io"
        | "mutatingwebhookconfigurations.admissionregistration.k8s.io" => webhooks(object),
        "poddisruptionbudgets.policy" => {
            for field in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
                set_default(object, &format!("status.{field}"), 0);
            }
        }
        "customresourcedefinitions.apiextensions.k8s.io" => definition(object, now),
        _ => {}
    }
    let bare_status = ["services", "ingresses.networking.k8s.io"];
    if bare_status.contains(&&*resource.storage) {
        set_default(object, "status.loadBalancer", json!({}));
    }
}

fn with(map: &Value, key: &str, value: &str) -> Value {
    let mut map = map.as_object().cloned().unwrap_or_default();
    map.insert(key.into(), value.into());
    map.into()
}

fn protect(object: &mut Value, old: Option<&Value>, finalizer: &str) {
    if old.is_none() {
        let finalizers = json::list_mut(object, "metadata.finalizers");
        if !finalizers.iter().any(|own| own == finalizer) {
            finalizers.push(finalizer.into());
        }
    }
}

fn template(object: &mut Value, path: &str) {
    if json::at(object, path).is_object() {
        set_default(object, &format!("{path}.metadata.creationTimestamp"), Value::Null);
        pod_spec(object, &format!("{path}.spec"), false);
    }
}

/// The defaults of a pod's specification, at a path.
pub(super) fn pod_spec(object: &mut Value, path: &str, is_pod: bool) {
    let Some(spec) = json::at_mut(object, path).filter(|spec| spec.is_object()) else { return };
    set_default(spec, "restartPolicy", "Always");
    set_default(spec, "terminationGracePeriodSeconds", 30);
    let host = json::flag(spec, "hostNetwork");
    set_default(spec, "dnsPolicy", "ClusterFirst");
    set_default(spec, "securityContext", json!({}));
    set_default(spec, "schedulerName", "default-scheduler");
    // One name for one thing: the old field follows the new one.
    let account = match (json::text(spec, "serviceAccountName"), json::text(spec, "serviceAccount")) {
        ("", old) => old.to_string(),
        (new, _) => new.to_string(),
    };
    if !account.is_empty() {
        json::set(spec, "serviceAccountName", account.clone());
        json::set(spec, "serviceAccount", account);
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for item in json::items_mut(spec, list) {
            container(item, host, is_pod);
        }
    }
    for item in json::items_mut(spec, "volumes") {
        volume(item);
    }
}

fn container(container: &mut Value, host_network: bool, is_pod: bool) {
    let image = json::text(container, "image").to_string();
    let last = image.rsplit('/').next().unwrap_or_default();
    let is_moving = !last.contains('@') && (!last.contains(':') || last.ends_with(":latest"));
    set_default(container, "imagePullPolicy", if is_moving { "Always" } else { "IfNotPresent" });
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
    set_default(container, "resources", json!({}));
    for port in json::items_mut(container, "ports") {
        set_default(port, "protocol", "TCP");
        if host_network {
            let number = json::at(port, "containerPort").clone();
            set_default(port, "hostPort", number);
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(probe).filter(|probe| probe.is_object()) {
            self::probe(probe);
        }
    }
    for hook in ["lifecycle.postStart.httpGet", "lifecycle.preStop.httpGet"] {
        if let Some(get) = json::at_mut(container, hook) {
            set_default(get, "path", "/");
            set_default(get, "scheme", "HTTP");
        }
    }
    for variable in json::items_mut(container, "env") {
        if let Some(reference) = json::at_mut(variable, "valueFrom.fieldRef") {
            set_default(reference, "apiVersion", "v1");
        }
        if let Some(reference) = json::at_mut(variable, "valueFrom.resourceFieldRef") {
            set_default(reference, "divisor", "0");
        }
    }
    if is_pod {
        copy_limits(container);
    }
}

/// A limit without a request is a request too.
fn copy_limits(container: &mut Value) {
    let limits: Vec<_> = json::entries(container, "resources.limits").map(|(k, v)| (k.clone(), v.clone())).collect();
    for (name, limit) in limits {
        let mut requests = json::at(container, "resources.requests").as_object().cloned().unwrap_or_default();
        requests.entry(name).or_insert(limit);
        json::set(container, "resources.requests", requests);
    }
}

fn probe(probe: &mut Value) {
    for (field, value) in
        [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
    {
        set_default(probe, field, value);
    }
    if let Some(get) = probe.get_mut("httpGet") {
        set_default(get, "path", "/");
        set_default(get, "scheme", "HTTP");
    }
    if let Some(grpc) = probe.get_mut("grpc") {
        set_default(grpc, "service", "");
    }
}

fn volume(volume: &mut Value) {
    for source in ["configMap", "secret", "projected", "downwardAPI"] {
        if let Some(source) = volume.get_mut(source).filter(|source| source.is_object()) {
            set_default(source, "defaultMode", 420);
        }
    }
    if let Some(path) = volume.get_mut("hostPath") {
        set_default(path, "type", "");
    }
    let sources = volume.as_object().map_or(0, |map| map.len());
    if sources == 1 && volume.get("name").is_some() {
        set_default(volume, "emptyDir", json!({}));
    }
    for source in json::items_mut(volume, "projected.sources") {
        if let Some(token) = source.get_mut("serviceAccountToken") {
            set_default(token, "expirationSeconds", 3600);
        }
    }
    for item in json::items_mut(volume, "downwardAPI.items") {
        if let Some(reference) = item.get_mut("fieldRef") {
            set_default(reference, "apiVersion", "v1");
        }
    }
}

/// The quality of service of a pod, from what its containers ask for.
pub(super) fn quality(pod: &mut Value) {
    let class = {
        let containers = ["spec.initContainers", "spec.containers"];
        let all: Vec<&Value> = containers.iter().flat_map(|path| json::list(pod, path)).collect();
        let amount = |container: &Value, kind: &str, name: &str| {
            let text = json::at(container, "resources").get(kind).and_then(|map| map.get(name)).and_then(Value::as_str);
            text.and_then(Quantity::parse).map(Quantity::amount).filter(|amount| *amount > 0)
        };
        let asks = |container: &&Value| {
            let kinds = ["requests", "limits"];
            kinds.iter().any(|kind| ["cpu", "memory"].iter().any(|name| amount(container, kind, name).is_some()))
        };
        let is_guaranteed = |container: &&Value| {
            ["cpu", "memory"].iter().all(|name| {
                let (limit, request) = (amount(container, "limits", name), amount(container, "requests", name));
                limit.is_some() && request.is_none_or(|request| Some(request) == limit)
            })
        };
        match () {
            () if !all.iter().any(asks) => "BestEffort",
            () if all.iter().all(is_guaranteed) => "Guaranteed",
            () => "Burstable",
        }
    };
    set_default(pod, "status.qosClass", class);
    if json::text(pod, "spec.nodeName").is_empty() {
        json::set(pod, "status.qosClass", class);
    }
}

fn deployment(object: &mut Value) {
    set_default(object, "spec.replicas", 1);
    template(object, "spec.template");
    set_default(object, "spec.strategy.type", "RollingUpdate");
    if json::text(object, "spec.strategy.type") == "RollingUpdate" {
        set_default(object, "spec.strategy.rollingUpdate.maxUnavailable", "25%");
        set_default(object, "spec.strategy.rollingUpdate.maxSurge", "25%");
    }
    set_default(object, "spec.revisionHistoryLimit", 10);
    set_default(object, "spec.progressDeadlineSeconds", 600);
    set_default(object, "status", json!({}));
}

fn replication_controller(object: &mut Value) {
    set_default(object, "spec.replicas", 1);
    template(object, "spec.template");
    let labels = json::at(object, "spec.template.metadata.labels").clone();
    set_default(object, "spec.selector", labels);
    set_default(object, "status.replicas", 0);
}

fn stateful_set(object: &mut Value) {
    set_default(object, "spec.replicas", 1);
    template(object, "spec.template");
    set_default(object, "spec.podManagementPolicy", "OrderedReady");
    set_default(object, "spec.updateStrategy.type", "RollingUpdate");
    if json::text(object, "spec.updateStrategy.type") == "RollingUpdate" {
        set_default(object, "spec.updateStrategy.rollingUpdate.partition", 0);
    }
    set_default(object, "spec.revisionHistoryLimit", 10);
    for field in ["whenDeleted", "whenScaled"] {
        set_default(object, &format!("spec.persistentVolumeClaimRetentionPolicy.{field}"), "Retain");
    }
    for claim in json::items_mut(object, "spec.volumeClaimTemplates") {
        json::set(claim, "kind", "PersistentVolumeClaim");
        json::set(claim, "apiVersion", "v1");
        set_default(claim, "metadata.creationTimestamp", Value::Null);
        set_default(claim, "spec.volumeMode", "Filesystem");
        set_default(claim, "status.phase", "Pending");
    }
    set_default(object, "status.replicas", 0);
    set_default(object, "status.availableReplicas", 0);
}

fn daemon_set(object: &mut Value) {
    template(object, "spec.template");
    set_default(object, "spec.updateStrategy.type", "RollingUpdate");
    if json::text(object, "spec.updateStrategy.type") == "RollingUpdate" {
        set_default(object, "spec.updateStrategy.rollingUpdate.maxUnavailable", 1);
        set_default(object, "spec.updateStrategy.rollingUpdate.maxSurge", 0);
    }
    set_default(object, "spec.revisionHistoryLimit", 10);
    let generation = json::int(object, "metadata.generation").unwrap_or(1).to_string();
    let annotations = json::at(object, "metadata.annotations");
    if annotations.get("deprecated.daemonset.template.generation").is_none() {
        let annotations = with(annotations, "deprecated.daemonset.template.generation", &generation);
        json::set(object, "metadata.annotations", annotations);
    }
    for field in ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"] {
        set_default(object, &format!("status.{field}"), 0);
    }
}

fn job_spec(object: &mut Value, path: &str) {
    let Some(spec) = json::at_mut(object, path).filter(|spec| spec.is_object()) else { return };
    template(spec, "template");
}

fn job(object: &mut Value) {
    let parallel = json::int(object, "spec.parallelism");
    if json::int(object, "spec.completions").is_none() && parallel.is_none() {
        json::set(object, "spec.completions", 1);
    }
    set_default(object, "spec.parallelism", 1);
    set_default(object, "spec.backoffLimit", 6);
    set_default(object, "spec.completionMode", "NonIndexed");
    set_default(object, "spec.suspend", false);
    set_default(object, "spec.manualSelector", false);
    set_default(object, "spec.podReplacementPolicy", "TerminatingOrFailed");
    set_default(object, "status", json!({}));
    let (uid, name) = (json::text(object, "metadata.uid").to_string(), json::text(object, "metadata.name").to_string());
    if !json::flag(object, "spec.manualSelector") && json::at(object, "spec.selector").is_null() {
        let mut labels = json::at(object, "spec.template.metadata.labels").clone();
        for (key, value) in [
            ("batch.kubernetes.io/controller-uid", &uid),
            ("batch.kubernetes.io/job-name", &name),
            ("controller-uid", &uid),
            ("job-name", &name),
        ] {
            labels = with(&labels, key, value);
        }
        json::set(object, "spec.template.metadata.labels", labels.clone());
        json::set(object, "spec.selector", json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}));
        if json::at(object, "metadata.labels").is_null() {
            json::set(object, "metadata.labels", labels);
        }
    }
    job_spec(object, "spec");
}

fn cron_job(object: &mut Value) {
    set_default(object, "spec.concurrencyPolicy", "Allow");
    set_default(object, "spec.suspend", false);
    set_default(object, "spec.successfulJobsHistoryLimit", 3);
    set_default(object, "spec.failedJobsHistoryLimit", 1);
    set_default(object, "spec.jobTemplate.metadata.creationTimestamp", Value::Null);
    job_spec(object, "spec.jobTemplate.spec");
    set_default(object, "status", json!({}));
}

fn service(object: &mut Value) {
    set_default(object, "spec.sessionAffinity", "None");
    set_default(object, "spec.type", "ClusterIP");
    if json::text(object, "spec.sessionAffinity") == "ClientIP" {
        set_default(object, "spec.sessionAffinityConfig.clientIP.timeoutSeconds", 10_800);
    }
    for port in json::items_mut(object, "spec.ports") {
        set_default(port, "protocol", "TCP");
        let number = json::at(port, "port").clone();
        set_default(port, "targetPort", number);
    }
    let kind = json::text(object, "spec.type").to_string();
    if kind == "ExternalName" {
        return;
    }
    set_default(object, "spec.ipFamilies", json!(["IPv4"]));
    set_default(object, "spec.ipFamilyPolicy", "SingleStack");
    set_default(object, "spec.internalTrafficPolicy", "Cluster");
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        set_default(object, "spec.externalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        set_default(object, "spec.allocateLoadBalancerNodePorts", true);
    }
}

fn secret(object: &mut Value) {
    set_default(object, "type", "Opaque");
    if let Some(Value::Object(texts)) = json::remove(object, "stringData") {
        let mut data = json::at(object, "data").as_object().cloned().unwrap_or_default();
        for (key, text) in texts {
            data.insert(key, base64::encode(text.as_str().unwrap_or_default().as_bytes()).into());
        }
        json::set(object, "data", data);
    }
}

fn persistent_volume(object: &mut Value, old: Option<&Value>, now: Stamp) {
    set_default(object, "spec.persistentVolumeReclaimPolicy", "Retain");
    set_default(object, "spec.volumeMode", "Filesystem");
    if let Some(path) = json::at_mut(object, "spec.hostPath") {
        set_default(path, "type", "");
    }
    set_default(object, "status.phase", "Pending");
    set_default(object, "status.lastPhaseTransitionTime", now.rfc3339());
    protect(object, old, "kubernetes.io/pv-protection");
}

/// A claim that names no class gets the default one.
pub(super) fn storage_class(cluster: &Cluster, claim: &mut Value) {
    if !json::at(claim, "spec.storageClassName").is_null() || !json::text(claim, "spec.volumeName").is_empty() {
        return;
    }
    let is_default = |class: &&crate::store::Stored| {
        let annotations = json::at(class, "metadata.annotations");
        annotations.get("storageclass.kubernetes.io/is-default-class").is_some_and(|value| value == "true")
    };
    let classes = cluster.store.list("storageclasses.storage.k8s.io", None).filter(is_default);
    // Of several, the youngest.
    let newest = classes.max_by_key(|class| json::text(class, "metadata.creationTimestamp").to_string());
    if let Some(class) = newest {
        let name = json::text(class, "metadata.name").to_string();
        json::set(claim, "spec.storageClassName", name);
    }
}

fn autoscaler(object: &mut Value) {
    set_default(object, "spec.minReplicas", 1);
    if json::list(object, "spec.metrics").is_empty() {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        json::set(object, "spec.metrics", json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]));
    }
    let behavior = json::at(object, "spec.behavior").is_object();
    for (way, policies) in [
        (
            "scaleUp",
            json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]),
        ),
        ("scaleDown", json!([{"type": "Percent", "value": 100, "periodSeconds": 15}])),
    ] {
        if behavior {
            set_default(object, &format!("spec.behavior.{way}.selectPolicy"), "Max");
            set_default(object, &format!("spec.behavior.{way}.policies"), policies);
        }
    }
    set_default(object, "status.desiredReplicas", 0);
    set_default(object, "status.currentMetrics", Value::Null);
}

fn network_policy(object: &mut Value) {
    for rules in ["spec.ingress", "spec.egress"] {
        for rule in json::items_mut(object, rules) {
            for port in json::items_mut(rule, "ports") {
                set_default(port, "protocol", "TCP");
            }
        }
    }
    let egress = json::at(object, "spec.egress").as_array().is_some_and(|rules| !rules.is_empty());
    let types = if egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
    set_default(object, "spec.policyTypes", types);
}

/// A largest value is the default limit, and that one the default request.
fn limit_range(object: &mut Value) {
    for limit in json::items_mut(object, "spec.limits").filter(|limit| json::text(limit, "type") == "Container") {
        for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
            let source = json::at(limit, from).as_object().cloned().unwrap_or_default();
            if source.is_empty() {
                continue;
            }
            let mut target = json::at(limit, to).as_object().cloned().unwrap_or_default();
            for (name, value) in source {
                target.entry(name).or_insert(value);
            }
            json::set(limit, to, target);
        }
    }
}

fn role_binding(object: &mut Value) {
    set_default(object, "roleRef.apiGroup", "rbac.authorization.k8s.io");
    for subject in json::items_mut(object, "subjects") {
        if json::text(subject, "kind") != "ServiceAccount" {
            set_default(subject, "apiGroup", "rbac.authorization.k8s.io");
        }
    }
}

fn webhooks(object: &mut Value) {
    let is_mutating = json::text(object, "kind").starts_with("Mutating");
    for hook in json::items_mut(object, "webhooks") {
        set_default(hook, "failurePolicy", "Fail");
        set_default(hook, "matchPolicy", "Equivalent");
        set_default(hook, "namespaceSelector", json!({}));
        set_default(hook, "objectSelector", json!({}));
        set_default(hook, "timeoutSeconds", 10);
        if is_mutating {
            set_default(hook, "reinvocationPolicy", "Never");
        }
        if let Some(service) = json::at_mut(hook, "clientConfig.service") {
            set_default(service, "port", 443);
        }
        for rule in json::items_mut(hook, "rules") {
            set_default(rule, "scope", "*");
        }
    }
}

/// A definition is established at once: names are accepted, versions stored.
fn definition(object: &mut Value, now: Stamp) {
    let kind = json::text(object, "spec.names.kind").to_string();
    set_default(object, "spec.names.singular", kind.to_lowercase());
    set_default(object, "spec.names.listKind", format!("{kind}List"));
    set_default(object, "spec.conversion", json!({"strategy": "None"}));
    if json::at(object, "status.acceptedNames").is_null() {
        let names = json::at(object, "spec.names").clone();
        json::set(object, "status.acceptedNames", names);
        let stored = json::list(object, "spec.versions").iter().filter(|version| json::flag(version, "storage"));
        let stored: Vec<Value> = stored.map(|version| json::at(version, "name").clone()).collect();
        json::set(object, "status.storedVersions", stored);
        crate::meta::set_condition(object, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
        let message = "the initial names have been accepted";
        crate::meta::set_condition(object, "Established", "True", "InitialNamesAccepted", message, now);
    }
}
