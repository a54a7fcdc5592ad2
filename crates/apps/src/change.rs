//! What happens to a site beside API calls and commands: to nodes, disks, links, load and registries.

use serde::{Deserialize, Serialize};

/// Something that faults, noise and recurring actors do and that no operator's command could.
///
/// What an operator could do with a command is an API call, or an `exec` with a store's own client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SiteChange {
    /// The kubelet of a node stops or starts; `*` for all nodes.
    Kubelet {
        /// The node.
        node: String,
        /// Whether it runs.
        running: bool,
    },
    /// Something is wrong with a disk: with all of a node, or with one claim's volume.
    Disk {
        /// The node, for all that is written there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        /// `namespace/claim`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        volume: Option<String>,
        /// The share of blocks that do not read as they were written.
        #[serde(default)]
        corrupt: f64,
        /// The share of reads that fail.
        #[serde(default)]
        read_errors: f64,
        /// The share of writes that fail.
        #[serde(default)]
        write_errors: f64,
        /// The share of the disk that is full.
        #[serde(default)]
        fill: f64,
    },
    /// The memory of a node fails its programs; all zero mends it.
    Memory {
        /// The node.
        node: String,
        /// The share of requests for memory that are refused.
        #[serde(default)]
        fail: f64,
        /// The share of pages that are protected wrongly, so that programs are killed when they touch them.
        #[serde(default)]
        segfault: f64,
    },
    /// The share of its disk that a kubelet wants to be free; 0.1 is usual.
    Eviction {
        /// The node.
        node: String,
        /// The share.
        nodefs_available: f64,
    },
    /// Something about a node's kernel; what is left out stays.
    Kernel {
        /// The node.
        node: String,
        /// How many connections it tracks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conntrack_max: Option<u64>,
        /// How many connections others hold through it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conntrack_held: Option<u64>,
        /// The ports that connections leave from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port_range: Option<(u16, u16)>,
        /// Seconds by which its clock is ahead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock_offset: Option<f64>,
        /// How many files a process may open.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file_limit: Option<u64>,
        /// Whether lookups of names get anywhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolver: Option<bool>,
    },
    /// A link between nodes or pods is slow, lossy or cut. Equal ends replace each other; all zero mends it.
    Link {
        /// `node/NAME`, `NAMESPACE/POD-PREFIX` or `*`.
        from: String,
        /// `node/NAME`, `NAMESPACE/POD-PREFIX` or `*`.
        to: String,
        /// Milliseconds one way.
        #[serde(default)]
        delay_ms: f64,
        /// Milliseconds by which that varies.
        #[serde(default)]
        jitter_ms: f64,
        /// The share of packets that are lost.
        #[serde(default)]
        loss: f64,
        /// Whether nothing passes.
        #[serde(default)]
        partition: bool,
    },
    /// Something foreign burns processor time on a node; 0 ends it.
    CpuStress {
        /// The node; `*` for all.
        node: String,
        /// Cores.
        cores: f64,
    },
    /// Users of an application ask more or less.
    Load {
        /// The application.
        application: String,
        /// Times its usual rate.
        #[serde(default = "one")]
        factor: f64,
        /// Requests per second instead of its usual rate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rate: Option<f64>,
        /// Connections that are opened and held beside the requests.
        #[serde(default)]
        held_connections: f64,
    },
    /// A registry has an image, or no longer, or under this name a broken one.
    Registry {
        /// Repository with or without tag.
        image: String,
        /// What it is.
        state: RegistryState,
    },
}

/// What a registry has under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegistryState {
    /// As described.
    Present,
    /// It is gone.
    Missing,
    /// Its program crashes at the start.
    Broken,
    /// It is in truth this image.
    Is(String),
}

fn one() -> f64 {
    1.0
}

/// Why a change could not be made.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SiteChangeError {
    /// There is no such node.
    #[error("there is no node {0:?}")]
    NoSuchNode(String),
    /// There is no such application.
    #[error("there is no application {0:?}")]
    NoSuchApplication(String),
    /// Something must be named.
    #[error("{0}")]
    Incomplete(&'static str),
}
