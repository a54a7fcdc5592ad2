//! What programs stand on: kernels, disks, links, the world outside, and registries.

use std::collections::BTreeMap;

use cluster::{ContainerRun, Stamp};

use crate::change::RegistryState;

/// Where a node notes that it routes by the next rack's gateway.
pub(crate) const NEXT_RACK: &str = "/run/network/next-rack";

/// The state of everything around the programs that no object of the cluster holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ground {
    pub(crate) kernels: BTreeMap<String, NodeKernel>,
    /// Disks by node name, or by `namespace/claim`.
    pub(crate) disks: BTreeMap<String, DiskState>,
    pub(crate) links: Vec<LinkState>,
    pub(crate) loads: BTreeMap<String, LoadLevel>,
    pub(crate) registry: BTreeMap<String, RegistryState>,
    /// Connections that programs hold open, by the node on which they run.
    pub(crate) held: BTreeMap<String, u64>,
}

/// A node's kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeKernel {
    pub(crate) conntrack_max: u64,
    pub(crate) conntrack_held: u64,
    pub(crate) ports: (u16, u16),
    pub(crate) clock_offset: f64,
    pub(crate) file_limit: u64,
    /// Cores that something foreign burns.
    pub(crate) stress: f64,
    /// The share of requests for memory that are refused, and of pages that kill who touches them.
    pub(crate) memory_fails: f64,
    pub(crate) segfaults: f64,
    /// The share of the disk that the kubelet wants to be free.
    pub(crate) wanted_free: f64,
    /// Files that were written on the node, by path.
    pub(crate) files: BTreeMap<String, String>,
}

/// The share of a node's disk that is free when nothing fills it.
const USUALLY_FREE: f64 = 0.62;

impl Default for NodeKernel {
    fn default() -> Self {
        Self {
            conntrack_max: 262_144,
            conntrack_held: 0,
            ports: (32_768, 60_999),
            clock_offset: 0.0,
            file_limit: 1_048_576,
            stress: 0.0,
            memory_fails: 0.0,
            segfaults: 0.0,
            wanted_free: 0.1,
            files: BTreeMap::new(),
        }
    }
}

/// A disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiskState {
    pub(crate) corrupt: f64,
    pub(crate) read_errors: f64,
    pub(crate) write_errors: f64,
    pub(crate) fill: f64,
}

/// A link that is not as it should be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkState {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) delay_ms: f64,
    pub(crate) jitter_ms: f64,
    pub(crate) loss: f64,
    pub(crate) is_cut: bool,
}

/// How much the users of an application ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LoadLevel {
    pub(crate) factor: f64,
    pub(crate) rate: Option<f64>,
    pub(crate) held_connections: f64,
}

impl Ground {
    pub(crate) fn kernel(&self, node: &str) -> NodeKernel {
        self.kernels.get(node).cloned().unwrap_or_default()
    }

    /// Connections that a node's kernel tracks because they are held open.
    pub(crate) fn tracked(&self, node: &str) -> u64 {
        self.kernels.get(node).map_or(0, |kernel| kernel.conntrack_held) + self.held.get(node).copied().unwrap_or(0)
    }

    /// Whether it makes no difference to connections on which node they begin and end.
    pub(crate) fn is_even(&self) -> bool {
        let is_full = |node: &String| self.tracked(node) >= self.kernel(node).conntrack_max;
        self.links.is_empty() && !self.kernels.keys().chain(self.held.keys()).any(is_full)
    }

    /// What a node takes for the time.
    pub(crate) fn clock(&self, node: &str, now: Stamp) -> Stamp {
        let ahead = self.kernels.get(node).map_or(0.0, |kernel| kernel.clock_offset);
        Stamp(now.0 + (ahead * 1e6) as i64)
    }

    /// The share of a node's disk that is free.
    pub(crate) fn free_share(&self, node: &str) -> f64 {
        USUALLY_FREE * (1.0 - self.disks.get(node).map_or(0.0, |disk| disk.fill)).max(0.0)
    }

    /// Whether a node sends what leaves its rack by the gateway of the next.
    pub(crate) fn routes_by_next_rack(&self, node: &str) -> bool {
        self.kernels.get(node).is_some_and(|kernel| kernel.files.contains_key(NEXT_RACK))
    }

    /// A link between nodes is that of their racks' router: two nodes that both route by the next rack do not need it.
    fn is_passed_round(&self, link: &LinkState) -> bool {
        let node = |end: &str| end.strip_prefix("node/").is_some_and(|node| self.routes_by_next_rack(node));
        link.is_between_nodes() && node(&link.from) && node(&link.to)
    }

    /// What lies between two pods: all links that match, one after the other.
    pub(crate) fn between(&self, from: &ContainerRun, to: &ContainerRun) -> LinkState {
        let none = LinkState {
            from: String::new(),
            to: String::new(),
            delay_ms: 0.0,
            jitter_ms: 0.0,
            loss: 0.0,
            is_cut: false,
        };
        let is_on_the_way = |link: &&LinkState| link.joins(from, to) && !self.is_passed_round(link);
        self.links.iter().filter(is_on_the_way).fold(none, |sum, link| LinkState {
            delay_ms: sum.delay_ms + link.delay_ms,
            jitter_ms: sum.jitter_ms + link.jitter_ms,
            loss: 1.0 - (1.0 - sum.loss) * (1.0 - link.loss),
            is_cut: sum.is_cut || link.is_cut,
            ..sum
        })
    }
}

impl LinkState {
    /// Whether it is what lies between two nodes, beyond their own interfaces.
    pub(crate) fn is_between_nodes(&self) -> bool {
        self.from.starts_with("node/") && self.to.starts_with("node/")
    }

    fn joins(&self, from: &ContainerRun, to: &ContainerRun) -> bool {
        let is = |end: &str, run: &ContainerRun| match end.split_once('/') {
            _ if end == "*" => true,
            Some(("node", node)) => run.node == node,
            Some((namespace, pod)) => run.namespace == namespace && run.pod.starts_with(pod),
            None => run.namespace == end,
        };
        // What is slow or cut is so in both directions.
        is(&self.from, from) && is(&self.to, to) || is(&self.from, to) && is(&self.to, from)
    }
}
