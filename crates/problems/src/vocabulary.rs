//! The words that problem files are written in: layers, modes of failure, kinds of cause.

use serde::{Deserialize, Serialize};

/// The suites that a problem file may list.
pub(crate) const LISTED: &[&str] = &["sregym", "sregym-lite"];

/// Where the defect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemLayer {
    /// Manifests and settings.
    Misconfiguration,
    /// Programs, images and flags.
    Application,
    /// Credentials, grants, certificates.
    Security,
    /// Databases, caches and brokers.
    Datastore,
    /// Names, routes, policies, edges.
    Network,
    /// Volumes and disks.
    Storage,
    /// Nodes and their kernels.
    Node,
    /// Admission, access, scheduling, controllers.
    ControlPlane,
    /// Operators and their resources.
    Operator,
    /// What users and clients ask for.
    Load,
}

impl ProblemLayer {
    /// All of them, in the order of tables.
    pub const ALL: [ProblemLayer; 10] = [
        ProblemLayer::Misconfiguration,
        ProblemLayer::Application,
        ProblemLayer::Security,
        ProblemLayer::Datastore,
        ProblemLayer::Network,
        ProblemLayer::Storage,
        ProblemLayer::Node,
        ProblemLayer::ControlPlane,
        ProblemLayer::Operator,
        ProblemLayer::Load,
    ];

    /// Its name in files, tables and suites.
    pub fn name(self) -> &'static str {
        match self {
            ProblemLayer::Misconfiguration => "misconfiguration",
            ProblemLayer::Application => "application",
            ProblemLayer::Security => "security",
            ProblemLayer::Datastore => "datastore",
            ProblemLayer::Network => "network",
            ProblemLayer::Storage => "storage",
            ProblemLayer::Node => "node",
            ProblemLayer::ControlPlane => "control_plane",
            ProblemLayer::Operator => "operator",
            ProblemLayer::Load => "load",
        }
    }
}

/// How the failure comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemMode {
    /// One defect.
    Single,
    /// The same defect at many places.
    Correlated,
    /// Several defects that have nothing to do with each other.
    Concurrent,
    /// One defect whose effects break others.
    Cascading,
    /// The trigger is gone and the failure stays.
    Metastable,
    /// Something keeps doing it.
    Recurring,
}

impl ProblemMode {
    /// All of them, in the order of tables.
    pub const ALL: [ProblemMode; 6] = [
        ProblemMode::Single,
        ProblemMode::Correlated,
        ProblemMode::Concurrent,
        ProblemMode::Cascading,
        ProblemMode::Metastable,
        ProblemMode::Recurring,
    ];

    /// Its name in files, tables and suites.
    pub fn name(self) -> &'static str {
        ["single", "correlated", "concurrent", "cascading", "metastable", "recurring"][self as usize]
    }
}

/// The kinds of cause that a structured diagnosis chooses from, each with what it means. The same list is in every brief.
pub const CAUSE_KINDS: &[(&str, &str)] = &[
    ("wrong_image", "a container runs a faulty build"),
    ("missing_image", "an image cannot be pulled"),
    ("wrong_command", "a container starts another program"),
    ("incompatible_version", "a version does not fit its data or its peers"),
    ("wrong_env", "an environment variable has a wrong value"),
    ("missing_env", "an environment variable is missing"),
    ("duplicate_env", "a variable is set twice"),
    ("wrong_config", "a configuration file is wrong"),
    ("missing_config", "a configuration file lacks something"),
    ("feature_flag", "a flag switches on what does not work"),
    ("retry_policy", "timeouts and retries sustain an overload"),
    ("garbage_collection", "a runtime burns its time collecting garbage"),
    ("missing_object", "an object was deleted"),
    ("wrong_port", "a Service leads to a wrong port"),
    ("wrong_selector", "a Service selects wrong pods or none"),
    ("wrong_probe", "a probe fails a healthy container"),
    ("init_container", "an init container never ends or fails"),
    ("sidecar", "a second container disturbs the first"),
    ("scaled_to_zero", "no replica is wanted"),
    ("rollout_strategy", "a rollout removes too much at once"),
    ("unschedulable", "no node matches what a pod asks for"),
    ("anti_affinity", "replicas may not stand beside each other"),
    ("taint", "nodes refuse pods"),
    ("host_port", "a port of the node is taken"),
    ("resource_request", "more is requested than there is"),
    ("resource_limit", "a limit is too small"),
    ("quota", "a quota refuses pods"),
    ("priority", "priorities take the wrong pods away"),
    ("autoscaler", "an autoscaler cannot work"),
    ("volume_claim", "a volume claim is wrong, missing or shared"),
    ("volume_affinity", "a volume and its pod are on different nodes"),
    ("storage_class", "a storage class does not exist"),
    ("disk_fault", "a disk fails, lies or is full"),
    ("memory_fault", "a node's memory fails"),
    ("file_limit", "a process may open too few files"),
    ("kernel_setting", "a setting of the kernel is too small"),
    ("shared_memory", "shared memory is too small"),
    ("clock", "a clock is wrong"),
    ("conntrack", "a connection table is full"),
    ("kubelet", "a kubelet does not run"),
    ("eviction", "a node evicts what it should keep"),
    ("dns", "names are not resolved, or wrongly"),
    ("dns_policy", "a pod asks a wrong name server"),
    ("network_policy", "a policy denies traffic"),
    ("traffic_policy", "traffic is dropped for its origin"),
    ("ingress", "an edge sends requests to a wrong place"),
    ("tls_certificate", "a certificate is expired or wrong"),
    ("routing", "nodes have no routes to each other"),
    ("address_pool", "there are no addresses left"),
    ("network_fault", "packets are lost, late or cut off"),
    ("webhook", "an admission webhook refuses, delays or rewrites"),
    ("pod_security", "a security standard refuses pods"),
    ("rbac", "an account may not do what it must"),
    ("recurring_job", "a job keeps changing something"),
    ("credentials", "a password or token does not fit"),
    ("grants", "a database user lacks a privilege"),
    ("missing_user", "a database user does not exist"),
    ("lock", "a session holds a lock"),
    ("poison_message", "a message cannot be processed"),
    ("runaway_client", "a client overwhelms what it calls"),
    ("operator", "a custom resource cannot be carried out"),
];

/// Words by which kinds of trouble are known in a text, each with what it stands for: a diagnosis names few of them.
pub(crate) const TROUBLES: &[(&str, &str)] = &[
    ("image", "image"),
    ("image", "build"),
    ("env", "environment"),
    ("env", "env"),
    ("config", "configmap"),
    ("selector", "selector"),
    ("port", "port"),
    ("probe", "probe"),
    ("probe", "liveness"),
    ("probe", "readiness"),
    ("init", "init container"),
    ("sidecar", "sidecar"),
    ("quota", "quota"),
    ("memory", "memory"),
    ("cpu", "cpu"),
    ("webhook", "webhook"),
    ("rbac", "rbac"),
    ("rbac", "role"),
    ("policy", "network policy"),
    ("policy", "networkpolicy"),
    ("dns", "dns"),
    ("volume", "volume claim"),
    ("volume", "pvc"),
    ("volume", "volume"),
    ("taint", "taint"),
    ("affinity", "affinity"),
    ("affinity", "node selector"),
    ("certificate", "certificate"),
    ("certificate", "tls"),
    ("credentials", "password"),
    ("credentials", "credentials"),
    ("credentials", "secret"),
    ("flag", "flag"),
    ("retry", "retry"),
    ("replica", "replica"),
    ("kubelet", "kubelet"),
    ("disk", "disk"),
    ("clock", "clock"),
    ("conntrack", "conntrack"),
    ("ingress", "ingress"),
    ("lock", "lock"),
    ("gc", "garbage"),
];

/// Whether this is a kind of cause.
pub fn is_cause_kind(name: &str) -> bool {
    CAUSE_KINDS.iter().any(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        let read = |text: &str| toml::from_str::<std::collections::BTreeMap<String, ProblemLayer>>(text);
        for layer in ProblemLayer::ALL {
            let text = format!("layer = \"{}\"", layer.name());
            assert_eq!(read(&text).map(|map| map["layer"]), Ok(layer));
        }
        for mode in ProblemMode::ALL {
            let text = format!("mode = \"{}\"", mode.name());
            let read = toml::from_str::<std::collections::BTreeMap<String, ProblemMode>>(&text);
            assert_eq!(read.map(|map| map["mode"]), Ok(mode));
        }
        let mut kinds: Vec<&str> = CAUSE_KINDS.iter().map(|(name, _)| *name).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), CAUSE_KINDS.len());
        assert!(is_cause_kind("webhook") && !is_cause_kind("gremlins"));
    }
}
