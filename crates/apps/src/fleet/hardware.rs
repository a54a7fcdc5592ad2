//! What failing hardware and full disks do to the programs of a node.

use std::sync::Arc;

use cluster::{Cluster, ExecCall, ExecEnd, Stamp};

use super::Fleet;
use crate::instance::{Instance, InstanceKey, Phase};
use crate::node::NodeHost;
use crate::spec::Language;
use crate::words::LogLevel;

/// Of the programs on a node all of whose memory fails, the share that it hits in a second.
const HIT_SHARE: f64 = 0.04;
/// The exit code of a program that touched memory that it may not.
const SEGFAULT: i32 = 139;
/// Seconds between two looks of a kubelet at its disk.
const DISK_LOOK: i64 = 10;

impl Fleet {
    /// Programs on nodes with bad memory end as chance has it.
    pub(super) fn suffer_memory(&mut self, cluster: &mut Cluster, now: Stamp) {
        let ground = self.ground.clone();
        let bad = |kernel: &crate::ground::NodeKernel| kernel.memory_fails > 0.0 || kernel.segfaults > 0.0;
        if !ground.kernels.values().any(bad) {
            return;
        }
        let hit: Vec<(InstanceKey, bool)> = self
            .instances
            .iter()
            .filter(|(_, own)| !matches!(own.phase, Phase::Over))
            .filter_map(|(key, own)| {
                let kernel = ground.kernels.get(&own.run.node)?;
                let chance = draw(now, &own.run.pod_uid);
                let refused = HIT_SHARE * kernel.memory_fails;
                let killed = HIT_SHARE * kernel.segfaults;
                (chance < refused + killed).then(|| (key.clone(), chance < refused))
            })
            .collect();
        for (key, is_refused) in hit {
            let own = self.instance_mut(&key);
            let code = if is_refused { refused(own, now) } else { SEGFAULT };
            self.end(cluster, &key, code);
        }
    }

    /// Kubelets look at their disks: too little room is pressure, and under pressure a pod has to go.
    pub(super) fn watch_disks(&mut self, cluster: &mut Cluster, now: Stamp) {
        if now.secs() % DISK_LOOK != 0 || self.ground.kernels.is_empty() && self.ground.disks.is_empty() {
            return;
        }
        let nodes: Vec<String> =
            cluster.objects("nodes", None).map(|node| cluster::json::text(node, "metadata.name").to_string()).collect();
        for node in &nodes {
            if !cluster.runs_kubelet(node) {
                continue;
            }
            let (free, wanted) = (self.ground.free_share(node), self.ground.kernel(node).wanted_free);
            let size = 98.0 * f64::from(1 << 20);
            let shown = |share: f64| format!("{:.0}Ki", share * size);
            let why = format!("Threshold quantity: {}, available: {}.", shown(wanted), shown(free));
            cluster.set_disk_pressure(node, (free < wanted).then_some(&*why));
            if free < wanted {
                cluster.relieve_disk(self, node);
            }
        }
    }

    /// Adds up the connections that programs hold open on each node.
    pub(super) fn count_connections(&mut self) {
        let mut held = std::collections::BTreeMap::new();
        for own in self.instances.values().filter(|own| own.is_serving()) {
            let count = own.program.holds_connections.fill(&own.settings).parse::<u64>().unwrap_or(0);
            if count > 0 {
                *held.entry(own.run.node.clone()).or_insert(0) += count;
            }
        }
        if held != self.ground.held {
            Arc::make_mut(&mut self.ground).held = held;
        }
    }

    /// A command on a node.
    pub(super) fn command_on_node(&mut self, cluster: &mut Cluster, node: &str, call: &ExecCall) -> Option<ExecEnd> {
        let own = self.instances.values().filter(|own| own.run.node == node && own.is_serving());
        let processes = own.map(|own| (own.cpu * 100.0, own.memory as i64 / 1024, own.name.to_string())).collect();
        let mut ground = (*self.ground).clone();
        let mut host = NodeHost::new(cluster, &mut ground, node);
        host.processes = processes;
        let end = host.call(call);
        if ground != *self.ground {
            self.ground = Arc::new(ground);
            self.is_stale = true;
        }
        Some(end)
    }
}

/// A program is refused memory: its words, and the code with which it ends.
fn refused(own: &mut Instance, now: Stamp) -> i32 {
    let (words, code) = match own.program.language {
        Language::Go => ("fatal error: runtime: cannot allocate memory", 2),
        Language::Java => ("# There is insufficient memory for the Java Runtime Environment to continue.", 1),
        Language::Cpp => ("terminate called after throwing an instance of 'std::bad_alloc'", 134),
        Language::Node => ("FATAL ERROR: Zone Allocation failed - process out of memory", 134),
        Language::Python => ("MemoryError", 1),
        Language::Dotnet => ("Out of memory.", 134),
        Language::Rust => ("memory allocation of 65536 bytes failed", 134),
        _ => ("mmap: Cannot allocate memory", 1),
    };
    match own.program.language {
        Language::Plain => own.say(now, LogLevel::Fatal, words),
        _ => own.print(now, words),
    }
    code
}

/// A number from 0 to 1 for a second and a pod.
fn draw(now: Stamp, pod: &str) -> f64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ (now.secs() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut value = pod.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (value >> 11) as f64 / (1u64 << 53) as f64
}
