//! The operator of TiDB: it makes StatefulSets and Services of a TidbCluster, and says what it cannot.

use cluster::api::{ApiRequest, HttpMethod, User};
use cluster::{Cluster, Stamp, json};
use serde_json::{Value, json};

use super::Fleet;
use crate::instance::InstanceKey;
use crate::spec::ProgramKind;

/// How often it looks at everything, in seconds.
const EVERY: i64 = 10;

/// The ports of a part, by name.
type PartPorts = &'static [(&'static str, u16)];

/// The parts of a cluster, in the order in which they come up: name, ports, and where their data is.
const PARTS: [(&str, PartPorts, &str); 3] = [
    ("pd", &[("client", 2379), ("server", 2380)], "/var/lib/pd"),
    ("tikv", &[("server", 20160), ("status", 20180)], "/var/lib/tikv"),
    ("tidb", &[("mysql-client", 4000), ("status", 10080)], "/var/lib/tidb"),
];

impl Fleet {
    /// Lets the operator work, if it runs.
    pub(super) fn operate(&mut self, cluster: &mut Cluster, now: Stamp) {
        if now.secs() % EVERY != 0 {
            return;
        }
        let runs = |(key, own): (&InstanceKey, &std::sync::Arc<crate::instance::Instance>)| {
            (own.is_serving() && own.program.kind == ProgramKind::TidbOperator).then(|| key.clone())
        };
        let Some(operator) = self.instances.iter().find_map(runs) else { return };
        // Nothing to do while all objects are as they were left; once a minute it looks all the same.
        let watched = ["tidbclusters.pingcap.com", "statefulsets.apps"].into_iter();
        let versions = watched.flat_map(|resource| cluster.objects(resource, None));
        let versions =
            versions.map(|object| json::text(object, "metadata.resourceVersion")).collect::<Vec<_>>().join(",");
        if versions == *self.operated && now.secs() % 60 != 0 {
            return;
        }
        self.operated = versions.into();
        let clusters: Vec<_> = cluster.objects("tidbclusters.pingcap.com", None).cloned().collect();
        for wanted in clusters.iter().filter(|wanted| json::text(wanted, "metadata.deletionTimestamp").is_empty()) {
            let (namespace, name) = (json::text(wanted, "metadata.namespace"), json::text(wanted, "metadata.name"));
            let unreconciled = std::sync::Arc::make_mut(&mut self.unreconciled);
            unreconciled.remove(&(namespace.to_string(), name.to_string()));
            if let Err(why) = self.sync(cluster, wanted, &operator) {
                let place = format!("{namespace}/{name}");
                let unreconciled = std::sync::Arc::make_mut(&mut self.unreconciled);
                unreconciled.insert((namespace.into(), name.into()), why.clone());
                let (_, month, day, hour, minute, second) = now.civil();
                let line = format!(
                    "E{month:02}{day:02} {hour:02}:{minute:02}:{second:02}.000000       1 tidb_cluster_controller.go:143] \
                     TidbCluster: {place}, sync failed, err: {why}, requeuing"
                );
                self.instance_mut(&operator).print(now, line);
            }
        }
    }

    fn sync(&mut self, cluster: &mut Cluster, wanted: &Value, operator: &InstanceKey) -> Result<(), String> {
        for (part, ports, folder) in PARTS {
            for service in services(wanted, part, ports) {
                self.write(cluster, operator, &service)?;
            }
            let set = stateful_set(wanted, part, ports, folder);
            self.write(cluster, operator, &set)?;
            let name = json::text(&set, "metadata.name");
            let there = cluster.object("statefulsets.apps", json::text(&set, "metadata.namespace"), name);
            let ready = there.and_then(|set| json::int(set, "status.readyReplicas")).unwrap_or(0);
            if ready == 0 && part != "tidb" {
                // What comes after it needs it; that is no error, only early.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes an object in the name of the operator's service account.
    fn write(&mut self, cluster: &mut Cluster, operator: &InstanceKey, object: &Value) -> Result<(), String> {
        let account = cluster.object("pods", &operator.0, &operator.1);
        let account = account.map_or(String::new(), |pod| json::text(pod, "spec.serviceAccountName").to_string());
        let path = cluster.path_of(object).ok_or("no such kind")?;
        let request =
            ApiRequest::new(HttpMethod::Patch, &format!("{path}?fieldManager=tidb-controller-manager&force=true"));
        let request = request.typed("application/apply-patch+yaml", object.to_string());
        let response = cluster.call(self, &request.by(User::service_account(&operator.0, &account)));
        match response.status {
            200..300 => Ok(()),
            _ => Err(json::text(&response.value(), "message").into()),
        }
    }
}

fn labels(wanted: &Value, part: &str) -> Value {
    json!({
        "app.kubernetes.io/name": "tidb-cluster",
        "app.kubernetes.io/managed-by": "tidb-operator",
        "app.kubernetes.io/instance": json::text(wanted, "metadata.name"),
        "app.kubernetes.io/component": part,
    })
}

fn metadata(wanted: &Value, part: &str, name: &str) -> Value {
    json!({
        "name": name,
        "namespace": json::text(wanted, "metadata.namespace"),
        "labels": labels(wanted, part),
        "ownerReferences": [{
            "apiVersion": "pingcap.com/v1alpha1",
            "kind": "TidbCluster",
            "name": json::text(wanted, "metadata.name"),
            "uid": json::text(wanted, "metadata.uid"),
            "controller": true,
            "blockOwnerDeletion": true,
        }],
    })
}

/// The Service that clients use, and the one by which the parts find each other.
fn services(wanted: &Value, part: &str, ports: &[(&str, u16)]) -> Vec<Value> {
    let name = json::text(wanted, "metadata.name");
    let list: Vec<Value> =
        ports.iter().map(|(name, port)| json!({"name": name, "port": port, "targetPort": port})).collect();
    let service = |name: String, spec: Value| json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata(wanted, part, &name), "spec": spec});
    let peers =
        json!({"clusterIP": "None", "publishNotReadyAddresses": true, "selector": labels(wanted, part), "ports": list});
    let mut all = vec![service(format!("{name}-{part}-peer"), peers)];
    if part != "tikv" {
        all.push(service(format!("{name}-{part}"), json!({"selector": labels(wanted, part), "ports": list})));
    }
    all
}

fn stateful_set(wanted: &Value, part: &str, ports: &[(&str, u16)], folder: &str) -> Value {
    let (cluster, spec) = (json::text(wanted, "metadata.name"), json::at(wanted, &format!("spec.{part}")));
    let version = match json::text(spec, "version") {
        "" => json::text(wanted, "spec.version"),
        own => own,
    };
    let name = format!("{cluster}-{part}");
    let declared: Vec<Value> = ports.iter().map(|(name, port)| json!({"name": name, "containerPort": port})).collect();
    let mut requests = json::at(spec, "requests").clone();
    let storage = requests.as_object_mut().and_then(|map| map.remove("storage")).unwrap_or_else(|| "1Gi".into());
    let container = json!({
        "name": part,
        "image": format!("{}:{version}", json::text(spec, "baseImage")),
        "args": [format!("--path={cluster}-pd:2379"), format!("--store={cluster}-tikv-peer:20160")],
        "ports": declared,
        "resources": {"requests": requests, "limits": json::at(spec, "limits")},
        "volumeMounts": [{"name": part, "mountPath": folder}],
    });
    let mut pod = json!({"containers": [container]});
    for (field, own) in [("tolerations", "tolerations"), ("affinity", "affinity"), ("nodeSelector", "nodeSelector")] {
        if !json::at(spec, own).is_null() {
            pod[field] = json::at(spec, own).clone();
        }
    }
    let security = [json::at(spec, "podSecurityContext"), json::at(wanted, "spec.podSecurityContext")];
    if let Some(security) = security.into_iter().find(|own| !own.is_null()) {
        pod["securityContext"] = security.clone();
    }
    let strategy =
        [json::text(spec, "statefulSetUpdateStrategy"), json::text(wanted, "spec.statefulSetUpdateStrategy")];
    let strategy = strategy.into_iter().find(|own| !own.is_empty()).unwrap_or("RollingUpdate");
    let mut claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}});
    if !json::text(spec, "storageClassName").is_empty() {
        claim["storageClassName"] = json::text(spec, "storageClassName").into();
    }
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata(wanted, part, &name),
        "spec": {
            "replicas": json::int(spec, "replicas").unwrap_or(1),
            "serviceName": format!("{name}-peer"),
            "selector": {"matchLabels": labels(wanted, part)},
            "updateStrategy": {"type": strategy},
            "template": {"metadata": {"labels": labels(wanted, part)}, "spec": pod},
            "volumeClaimTemplates": [{"metadata": {"name": part}, "spec": claim}],
        },
    })
}
