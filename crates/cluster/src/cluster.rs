//! The cluster as a value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::agenda::{Actor, Agenda};
use crate::chance::{Chance, fnv};
use crate::copy_on_write::CopyOnWrite;
use crate::events::Recorder;
use crate::kubelet::PodWorker;
use crate::network::Corefile;
use crate::resource::ResourceTypes;
use crate::scheduler::Loads;
use crate::store::{ObjectKey, ObjectStore, Stored};
use crate::time::Stamp;
use crate::{bootstrap, json};

/// A Kubernetes cluster: a plain value that is cheap to clone and continues identically from a clone.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) store: ObjectStore,
    pub(crate) now: Stamp,
    /// When programs last lived by themselves.
    pub(crate) ticked: Stamp,
    pub(crate) chance: Chance,
    pub(crate) registry: CopyOnWrite<ResourceTypes>,
    /// Whether kubelets run nothing.
    pub(crate) is_hollow: bool,
    /// Nodes whose kubelet does not run.
    pub(crate) dead_kubelets: CopyOnWrite<BTreeSet<Arc<str>>>,
    pub(crate) dead_resolvers: CopyOnWrite<BTreeSet<Arc<str>>>,
    /// Nodes whose disks are too full, and how their kubelets put it.
    pub(crate) full_disks: CopyOnWrite<BTreeMap<Arc<str>, Arc<str>>>,
    /// Storage provisioners that run.
    pub(crate) provisioners: CopyOnWrite<BTreeSet<String>>,
    /// What is to be done, and the revision up to which all were woken.
    pub(crate) agenda: CopyOnWrite<Agenda>,
    pub(crate) noticed: u64,
    pub(crate) recorder: CopyOnWrite<Recorder>,
    /// Pods that no node takes, how often that was tried, and when it may be tried again.
    pub(crate) waiting: CopyOnWrite<BTreeSet<ObjectKey>>,
    pub(crate) attempts: CopyOnWrite<BTreeMap<ObjectKey, (u32, Stamp)>>,
    pub(crate) loads: CopyOnWrite<Loads>,
    /// Whether any pod ever had a rule about other pods.
    pub(crate) has_rules: bool,
    /// Refusals in a row, by controller object.
    pub(crate) setbacks: CopyOnWrite<BTreeMap<ObjectKey, u32>>,
    /// How many pods each controller may make at once, and since when that counts.
    pub(crate) paces: CopyOnWrite<BTreeMap<Actor, (f64, Stamp)>>,
    /// When a pod of a job last failed.
    pub(crate) last_failures: CopyOnWrite<BTreeMap<ObjectKey, Stamp>>,
    /// What autoscalers have recommended lately.
    pub(crate) recommendations: CopyOnWrite<BTreeMap<ObjectKey, Vec<(Stamp, i64)>>>,
    /// What kubelets remember of their pods.
    pub(crate) workers: CopyOnWrite<BTreeMap<ObjectKey, CopyOnWrite<PodWorker>>>,
    /// Pods and ReplicaSets that no controller made: a controller may take them in.
    pub(crate) loose: CopyOnWrite<BTreeSet<ObjectKey>>,
    /// The last address that each node gave, and which pod was given an address last.
    pub(crate) addresses: CopyOnWrite<BTreeMap<String, u32>>,
    pub(crate) holders: CopyOnWrite<BTreeMap<String, ObjectKey>>,
    /// The settings of the cluster's DNS; nothing where their map is not there.
    pub(crate) corefile: Option<Arc<Corefile>>,
    /// How long webhooks kept the last write waiting, and until when those of each controller wait.
    pub(crate) waited: Duration,
    pub(crate) held: CopyOnWrite<BTreeMap<ObjectKey, Stamp>>,
    /// Blocks of addresses, by their first, and the node that has each.
    pub(crate) blocks: CopyOnWrite<BTreeMap<u32, String>>,
    /// Images by node, from when on each is there, and until when each node is pulling.
    pub(crate) images: CopyOnWrite<BTreeMap<(String, String), Stamp>>,
    pub(crate) pulls: CopyOnWrite<BTreeMap<String, Stamp>>,
    /// What commands in containers have written, by place: a container's own files, or a volume.
    pub(crate) written_files: CopyOnWrite<BTreeMap<String, crate::exec::WrittenFiles>>,
}

/// How a cluster begins.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// Names, ids and jitter follow from it.
    pub seed: u64,
    /// The time at which it begins.
    pub start: Stamp,
    /// Its nodes.
    pub nodes: Vec<NodeOptions>,
    /// Storage provisioners that run and make volumes: `openebs.io/local`.
    pub provisioners: Vec<String>,
    /// Whether kubelets run nothing, and show every pod as ready as soon as it is on its node.
    pub hollow_kubelets: bool,
}

/// A node at the beginning.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// `node-0`.
    pub name: String,
    /// Beside the labels that every node has.
    pub labels: Vec<(String, String)>,
    /// Cores.
    pub cpu: i64,
    /// Bytes.
    pub memory: i64,
    /// How many pods it takes.
    pub pods: i64,
    /// Its address.
    pub address: String,
    /// Whether it runs the control plane and takes no other pods.
    pub is_control_plane: bool,
}

impl NodeOptions {
    /// A worker with 8 cores, 16 GB and room for 110 pods.
    pub fn worker(name: &str, number: usize) -> Self {
        Self {
            name: name.into(),
            labels: Vec::new(),
            cpu: 8,
            memory: 16_374 << 20,
            pods: 110,
            address: format!("172.18.{}.{}", number / 250, number % 250 + 2),
            is_control_plane: false,
        }
    }
}

impl Default for ClusterOptions {
    /// Two workers, `node-0` and `node-1`.
    fn default() -> Self {
        let nodes = (0..2).map(|number| NodeOptions::worker(&format!("node-{number}"), number)).collect();
        Self {
            seed: 0,
            start: Stamp::from_secs(1_794_700_800),
            nodes,
            provisioners: vec!["openebs.io/local".into()],
            hollow_kubelets: false,
        }
    }
}

impl ClusterOptions {
    /// The empty cluster in which cases were recorded: two nodes on one machine, the first labelled `disk=ssd`, with
    /// hollow kubelets and without a provisioner.
    pub fn conformance() -> Self {
        let mut options = Self { provisioners: Vec::new(), hollow_kubelets: true, ..Self::default() };
        for node in &mut options.nodes {
            node.address = "127.0.0.1".into();
        }
        options.nodes[0].labels.push(("disk".into(), "ssd".into()));
        options
    }
}

impl Cluster {
    /// A cluster with its nodes and with what every cluster has.
    pub fn new(options: &ClusterOptions) -> Self {
        let mut cluster = Self {
            store: ObjectStore::default(),
            now: options.start,
            ticked: options.start,
            chance: Chance::new(options.seed),
            registry: CopyOnWrite::default(),
            is_hollow: options.hollow_kubelets,
            dead_kubelets: CopyOnWrite::default(),
            dead_resolvers: CopyOnWrite::default(),
            full_disks: CopyOnWrite::default(),
            provisioners: options.provisioners.iter().cloned().collect::<BTreeSet<_>>().into(),
            agenda: CopyOnWrite::default(),
            noticed: 0,
            recorder: CopyOnWrite::default(),
            waiting: CopyOnWrite::default(),
            attempts: CopyOnWrite::default(),
            loads: CopyOnWrite::default(),
            has_rules: false,
            setbacks: CopyOnWrite::default(),
            paces: CopyOnWrite::default(),
            last_failures: CopyOnWrite::default(),
            recommendations: CopyOnWrite::default(),
            workers: CopyOnWrite::default(),
            loose: CopyOnWrite::default(),
            addresses: CopyOnWrite::default(),
            holders: CopyOnWrite::default(),
            corefile: None,
            waited: Duration::ZERO,
            held: CopyOnWrite::default(),
            blocks: CopyOnWrite::default(),
            images: CopyOnWrite::default(),
            pulls: CopyOnWrite::default(),
            written_files: CopyOnWrite::default(),
        };
        bootstrap::fill(&mut cluster, options);
        cluster
    }

    /// The time that the cluster has reached.
    pub fn now(&self) -> Stamp {
        self.now
    }

    /// The revision of the latest write.
    pub fn revision(&self) -> u64 {
        self.store.revision()
    }

    /// An object as it is stored; the resource is `pods` or `deployments.apps`.
    pub fn object(&self, resource: &str, namespace: &str, name: &str) -> Option<&Stored> {
        self.store.get(resource, namespace, name)
    }

    /// All objects of a resource, in one namespace or in all.
    pub fn objects<'a>(&'a self, resource: &str, namespace: Option<&'a str>) -> impl Iterator<Item = &'a Stored> {
        self.store.list(resource, namespace)
    }

    /// The path at which the API serves the object of a manifest; nothing if no kind is like that.
    pub fn path_of(&self, manifest: &Value) -> Option<String> {
        let (version, kind) = (json::text(manifest, "apiVersion"), json::text(manifest, "kind"));
        let resource = self.registry.kind(version, kind)?;
        let root = if resource.group.is_empty() { "api" } else { "apis" };
        let place = match (resource.namespaced, json::text(manifest, "metadata.namespace")) {
            (false, _) => String::new(),
            (true, "") => "namespaces/default/".into(),
            (true, namespace) => format!("namespaces/{namespace}/"),
        };
        Some(format!("/{root}/{version}/{place}{}/{}", resource.plural, json::text(manifest, "metadata.name")))
    }

    /// A number that two clusters share if, and hardly ever unless, all their objects are equal.
    pub fn digest(&self) -> u64 {
        let mut digest = fnv(&self.now.0.to_le_bytes());
        for resource in self.store.resources() {
            for object in self.store.list(resource, None) {
                digest = digest.rotate_left(5) ^ fnv(object.to_string().as_bytes());
            }
        }
        digest ^ self.store.revision()
    }

    /// Writes an object as it is. Everything that clients write has passed admission before it comes here.
    pub(crate) fn put(&mut self, key: ObjectKey, object: Value) -> Stored {
        let (is_definition, is_dns) = (&*key.resource == DEFINITIONS, is_dns_map(&key));
        let stored = self.store.put(key, object);
        if is_definition {
            self.learn_kinds();
        }
        if is_dns {
            self.learn_names();
        }
        stored
    }

    /// Removes an object.
    pub(crate) fn remove(&mut self, key: &ObjectKey) -> Option<Stored> {
        let removed = self.store.remove(key);
        if &*key.resource == "pods"
            && let Some(pod) = &removed
        {
            self.forget_files(json::text(pod, "metadata.uid"));
        }
        if &*key.resource == DEFINITIONS {
            self.learn_kinds();
        }
        if is_dns_map(key) {
            self.learn_names();
        }
        removed
    }

    fn learn_kinds(&mut self) {
        let definitions =
            self.store.list(DEFINITIONS, None).filter(|definition| json::at(definition, "spec").is_object());
        let custom = definitions.flat_map(|definition| crate::resource::resources_of(definition)).collect();
        self.registry.set_custom(custom);
    }

    /// Whether the kubelet of a node runs.
    pub fn runs_kubelet(&self, node: &str) -> bool {
        !self.is_kubelet_down(node)
    }

    /// Whether the kubelet of a node does not run.
    pub(crate) fn is_kubelet_down(&self, node: &str) -> bool {
        self.dead_kubelets.contains(node)
    }
}

/// Whether the settings of the cluster's DNS stand there.
fn is_dns_map(key: &ObjectKey) -> bool {
    (&*key.resource, &*key.namespace, &*key.name) == ("configmaps", "kube-system", "coredns")
}

const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
