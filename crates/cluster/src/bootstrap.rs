//! What every cluster has from the beginning: namespaces, roles, priorities, its nodes and its own Service.

use serde_json::{Value, json};

use crate::store::ObjectKey;
use crate::{Cluster, ClusterOptions, NodeOptions, json};

/// Fills an empty cluster.
pub(crate) fn fill(cluster: &mut Cluster, options: &ClusterOptions) {
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        namespace(cluster, name);
    }
    for (name, value) in [("system-cluster-critical", 2_000_000_000i64), ("system-node-critical", 2_000_001_000)] {
        let class = json!({
            "kind": "PriorityClass",
            "apiVersion": "scheduling.k8s.io/v1",
            "value": value,
            "description": "Used for system critical pods.",
            "preemptionPolicy": "PreemptLowerPriority",
        });
        add(cluster, "priorityclasses.scheduling.k8s.io", "", name, class);
    }
    roles(cluster);
    own_service(cluster);
    for (number, node) in options.nodes.iter().enumerate() {
        self::node(cluster, node, number);
    }
}

/// Stores an object with the metadata that the server gives.
pub(crate) fn add(cluster: &mut Cluster, resource: &str, namespace: &str, name: &str, mut object: Value) {
    let number = cluster.store.revision() + 1;
    json::set(&mut object, "metadata.name", name);
    if !namespace.is_empty() {
        json::set(&mut object, "metadata.namespace", namespace);
    }
    json::set(&mut object, "metadata.uid", cluster.chance.uid(number));
    json::set(&mut object, "metadata.creationTimestamp", cluster.now.rfc3339());
    cluster.put(ObjectKey::new(resource, namespace, name), object);
}

fn namespace(cluster: &mut Cluster, name: &str) {
    let space = json!({
        "kind": "Namespace",
        "apiVersion": "v1",
        "metadata": {"labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    });
    add(cluster, "namespaces", "", name, space);
    furnish(cluster, name);
}

/// What controllers put into every namespace: the default service account and the authority of the API server.
pub(crate) fn furnish(cluster: &mut Cluster, namespace: &str) {
    if cluster.store.get("serviceaccounts", namespace, "default").is_none() {
        add(cluster, "serviceaccounts", namespace, "default", json!({"kind": "ServiceAccount", "apiVersion": "v1"}));
    }
    if cluster.store.get("configmaps", namespace, "kube-root-ca.crt").is_none() {
        let note = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as \
                    the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of \
                    Kubernetes clusters.";
        let body = cluster.chance.hex(64, "certificate", 0);
        let map = json!({
            "kind": "ConfigMap",
            "apiVersion": "v1",
            "metadata": {"annotations": {"kubernetes.io/description": note}},
            "data": {"ca.crt": format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")},
        });
        add(cluster, "configmaps", namespace, "kube-root-ca.crt", map);
    }
}

const ROLES: &str = "clusterroles.rbac.authorization.k8s.io";
const BINDINGS: &str = "clusterrolebindings.rbac.authorization.k8s.io";

fn roles(cluster: &mut Cluster) {
    let all =
        json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["*"]}]);
    role(cluster, "cluster-admin", all);
    let read = ["get", "list", "watch"];
    let write = ["create", "delete", "deletecollection", "patch", "update"];
    let core = [
        "configmaps",
        "endpoints",
        "persistentvolumeclaims",
        "persistentvolumeclaims/status",
        "pods",
        "pods/log",
        "pods/status",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "serviceaccounts",
        "services",
        "services/status",
        "bindings",
        "events",
        "limitranges",
        "namespaces/status",
        "resourcequotas",
        "resourcequotas/status",
        "namespaces",
    ];
    let others = json!([
        {"apiGroups": ["apps"], "resources": ["*"], "verbs": read},
        {"apiGroups": ["autoscaling"], "resources": ["*"], "verbs": read},
        {"apiGroups": ["batch"], "resources": ["*"], "verbs": read},
        {"apiGroups": ["policy"], "resources": ["*"], "verbs": read},
        {"apiGroups": ["networking.k8s.io"], "resources": ["*"], "verbs": read},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": read},
        {"apiGroups": ["metrics.k8s.io"], "resources": ["pods", "nodes"], "verbs": read},
    ]);
    let mut view = vec![json!({"apiGroups": [""], "resources": core, "verbs": read})];
    view.extend(others.as_array().into_iter().flatten().cloned());
    role(cluster, "view", view.clone().into());
    let mut edit = view;
    let written = [
        "configmaps",
        "endpoints",
        "events",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "replicationcontrollers/scale",
        "secrets",
        "serviceaccounts",
        "services",
    ];
    edit.push(json!({"apiGroups": [""], "resources": written, "verbs": write}));
    let inside =
        ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy", "pods/eviction"];
    edit.push(json!({"apiGroups": [""], "resources": inside, "verbs": ["get", "list", "watch", "create"]}));
    edit.push(json!({"apiGroups": ["apps", "autoscaling", "batch", "policy", "networking.k8s.io"], "resources": ["*"], "verbs": write}));
    role(cluster, "edit", edit.clone().into());
    let mut admin = edit;
    let verbs: Vec<_> = read.iter().chain(&write).collect();
    let owned = ["roles", "rolebindings"];
    admin.push(json!({"apiGroups": ["rbac.authorization.k8s.io"], "resources": owned, "verbs": verbs}));
    role(cluster, "admin", admin.into());
    let paths = json!([{"nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi",
        "/openapi/*", "/readyz", "/version", "/version/"], "verbs": ["get"]}]);
    role(cluster, "system:discovery", paths);
    let reviews = json!([
        {"apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], "verbs": ["create"]},
        {"apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"], "verbs": ["create"]},
    ]);
    role(cluster, "system:basic-user", reviews);
    bind(cluster, "cluster-admin", "system:masters");
    bind(cluster, "system:discovery", "system:authenticated");
    bind(cluster, "system:basic-user", "system:authenticated");
}

fn role(cluster: &mut Cluster, name: &str, rules: Value) {
    let role = json!({
        "kind": "ClusterRole",
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "metadata": {
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        },
        "rules": rules,
    });
    add(cluster, ROLES, "", name, role);
}

fn bind(cluster: &mut Cluster, role: &str, group: &str) {
    let binding = json!({
        "kind": "ClusterRoleBinding",
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "metadata": {
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        },
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": group}],
    });
    add(cluster, BINDINGS, "", role, binding);
}

fn own_service(cluster: &mut Cluster) {
    let labels = json!({"component": "apiserver", "provider": "kubernetes"});
    let service = json!({
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": {"labels": labels},
        "spec": {
            "type": "ClusterIP",
            "clusterIP": "10.96.0.1",
            "clusterIPs": ["10.96.0.1"],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "sessionAffinity": "None",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        },
        "status": {"loadBalancer": {}},
    });
    add(cluster, "services", "default", "kubernetes", service);
    let address = "172.18.0.1";
    let endpoints = json!({
        "kind": "Endpoints",
        "apiVersion": "v1",
        "metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}},
        "subsets": [{"addresses": [{"ip": address}], "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}]}],
    });
    add(cluster, "endpoints", "default", "kubernetes", endpoints);
    let slice = json!({
        "kind": "EndpointSlice",
        "apiVersion": "discovery.k8s.io/v1",
        "metadata": {"labels": {"kubernetes.io/service-name": "kubernetes"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address], "conditions": {"ready": true}}],
        "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}],
    });
    add(cluster, "endpointslices.discovery.k8s.io", "default", "kubernetes", slice);
}

fn node(cluster: &mut Cluster, options: &NodeOptions, number: usize) {
    let now = cluster.now.rfc3339();
    let mut labels = json!({
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": options.name,
        "kubernetes.io/os": "linux",
    });
    for (key, value) in &options.labels {
        labels[key] = value.clone().into();
    }
    let mut spec = json!({"podCIDR": format!("10.244.{number}.0/24"), "podCIDRs": [format!("10.244.{number}.0/24")]});
    if options.is_control_plane {
        labels["node-role.kubernetes.io/control-plane"] = "".into();
        spec["taints"] = json!([{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]);
    }
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({"type": kind, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": now, "lastTransitionTime": now})
    };
    let amounts = json!({
        "cpu": options.cpu.to_string(),
        "memory": crate::quantity::Quantity::from_bytes(options.memory).text(),
        "pods": options.pods.to_string(),
        "ephemeral-storage": "100Gi",
    });
    let id = cluster.chance.hex(32, "machine", number as u64);
    let uuid = cluster.chance.uid(1_000_000_000 + number as u64);
    let node = json!({
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {"labels": labels, "annotations": {"node.alpha.kubernetes.io/ttl": "0"}},
        "spec": spec,
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "addresses": [
                {"type": "InternalIP", "address": options.address},
                {"type": "Hostname", "address": options.name},
            ],
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "machineID": id,
                "systemUUID": uuid,
                "bootID": cluster.chance.uid(2_000_000_000 + number as u64),
                "kernelVersion": "6.1.0",
                "osImage": "Debian GNU/Linux 12 (bookworm)",
                "containerRuntimeVersion": "containerd://1.7.27",
                "kubeletVersion": "v1.32.5",
                "kubeProxyVersion": "v1.32.5",
                "operatingSystem": "linux",
                "architecture": "amd64",
            },
        },
    });
    add(cluster, "nodes", "", &options.name, node);
    let lease = json!({
        "kind": "Lease",
        "apiVersion": "coordination.k8s.io/v1",
        "spec": {
            "holderIdentity": options.name,
            "leaseDurationSeconds": 40,
            "renewTime": cluster.now.rfc3339_micro(),
        },
    });
    add(cluster, "leases.coordination.k8s.io", "kube-node-lease", &options.name, lease);
}
