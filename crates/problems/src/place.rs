//! Objects as problem files name them: `deployment/geo`, with a field such as `spec.template.spec.containers.0.image`.

use cluster::{Cluster, Stored};
use serde_json::Value;

/// Kinds as people write them, with the name under which the cluster keeps them and whether they are in a namespace.
const KINDS: &[(&str, &str, bool)] = &[
    ("deployment", "deployments.apps", true),
    ("statefulset", "statefulsets.apps", true),
    ("daemonset", "daemonsets.apps", true),
    ("replicaset", "replicasets.apps", true),
    ("job", "jobs.batch", true),
    ("cronjob", "cronjobs.batch", true),
    ("pod", "pods", true),
    ("service", "services", true),
    ("configmap", "configmaps", true),
    ("secret", "secrets", true),
    ("pvc", "persistentvolumeclaims", true),
    ("pv", "persistentvolumes", false),
    ("node", "nodes", false),
    ("namespace", "namespaces", false),
    ("serviceaccount", "serviceaccounts", true),
    ("resourcequota", "resourcequotas", true),
    ("limitrange", "limitranges", true),
    ("networkpolicy", "networkpolicies.networking.k8s.io", true),
    ("ingress", "ingresses.networking.k8s.io", true),
    ("hpa", "horizontalpodautoscalers.autoscaling", true),
    ("pdb", "poddisruptionbudgets.policy", true),
    ("priorityclass", "priorityclasses.scheduling.k8s.io", false),
    ("role", "roles.rbac.authorization.k8s.io", true),
    ("rolebinding", "rolebindings.rbac.authorization.k8s.io", true),
    ("clusterrole", "clusterroles.rbac.authorization.k8s.io", false),
    ("clusterrolebinding", "clusterrolebindings.rbac.authorization.k8s.io", false),
    ("validatingwebhookconfiguration", "validatingwebhookconfigurations.admissionregistration.k8s.io", false),
    ("mutatingwebhookconfiguration", "mutatingwebhookconfigurations.admissionregistration.k8s.io", false),
    ("ippool", "ippools.crd.projectcalico.org", false),
    ("bgppeer", "bgppeers.crd.projectcalico.org", false),
    ("tidbcluster", "tidbclusters.pingcap.com", true),
];

/// An object by its place in the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectPlace {
    /// As the cluster keeps it: `deployments.apps`.
    pub resource: &'static str,
    /// Empty for what is in none.
    pub namespace: String,
    /// Its name; empty for all of the kind.
    pub name: String,
}

impl ObjectPlace {
    /// Reads `deployment/geo`. `None` if no kind is called like that.
    pub fn read(text: &str, namespace: &str) -> Option<ObjectPlace> {
        let (kind, name) = text.split_once('/').unwrap_or((text, ""));
        let (_, resource, in_namespace) = KINDS.iter().find(|(known, ..)| *known == kind)?;
        let namespace = if *in_namespace { namespace } else { "" };
        Some(ObjectPlace { resource, namespace: namespace.to_string(), name: name.to_string() })
    }

    /// The object, if there is one.
    pub fn find<'c>(&self, cluster: &'c Cluster) -> Option<&'c Stored> {
        cluster.object(self.resource, &self.namespace, &self.name)
    }

    /// `deployment/geo`, as people write it.
    pub fn text(&self) -> String {
        let kind =
            KINDS.iter().find(|(_, resource, _)| *resource == self.resource).map_or(self.resource, |(kind, ..)| kind);
        if self.name.is_empty() { kind.to_string() } else { format!("{kind}/{}", self.name) }
    }
}

/// The value at a path such as `spec.containers.0.image`; a dot in a name is written `\.`, and `[type=Ready]` picks the element
/// of a list.
pub(crate) fn field<'v>(object: &'v Value, path: &str) -> Option<&'v Value> {
    let mut here = object;
    for part in parts(path) {
        let (name, pick) = part.split_once('[').map_or((part.as_str(), None), |(name, pick)| (name, Some(pick)));
        here = match here {
            Value::Array(list) => list.get(name.parse::<usize>().ok()?)?,
            other => other.get(name)?,
        };
        if let Some((key, wanted)) = pick.and_then(|pick| pick.trim_end_matches(']').split_once('=')) {
            here = here.as_array()?.iter().find(|one| one.get(key).and_then(Value::as_str) == Some(wanted))?;
        }
    }
    Some(here)
}

fn parts(path: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut chars = path.chars();
    while let Some(char) = chars.next() {
        let last = found.last_mut().expect("there is one from the beginning");
        match char {
            '\\' => last.extend(chars.next()),
            '.' => found.push(String::new()),
            other => last.push(other),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_read_and_written() {
        let place = ObjectPlace::read("deployment/geo", "hotel").expect("a kind");
        assert_eq!(
            (place.resource, &*place.namespace, &*place.text()),
            ("deployments.apps", "hotel", "deployment/geo")
        );
        assert_eq!(ObjectPlace::read("clusterrole/x", "hotel").map(|p| p.namespace), Some(String::new()));
        assert_eq!(ObjectPlace::read("gadget/x", "hotel"), None);
    }

    #[test]
    fn fields_are_found() {
        let object = json!({"a": [{"type": "Ready", "status": "True"}], "data": {"x.json": "{}"}});
        let check = |path: &str, expect: Option<Value>| assert_eq!(field(&object, path).cloned(), expect, "{path}");
        check("a.0.status", Some(json!("True")));
        check("a[type=Ready].status", Some(json!("True")));
        check("a[type=Other].status", None);
        check("data.x\\.json", Some(json!("{}")));
        check("data.x", None);
        check("a.1", None);
    }
}
