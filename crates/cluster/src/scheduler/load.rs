//! What the pods on each node ask for, kept up to date with every write.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::quantity::Quantity;
use crate::store::{StoreChange, Stored};
use crate::{json, meta};

/// What pods ask for: cpu in thousandths, bytes of memory and of disk, and anything else by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) storage: i64,
    pub(crate) others: BTreeMap<String, i64>,
    /// What counts for spreading load where a container says nothing.
    pub(crate) guessed_cpu: i64,
    pub(crate) guessed_memory: i64,
}

/// The pods of a node in sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeLoad {
    pub(crate) requests: Requests,
    pub(crate) pods: i64,
    /// Ports of the node that pods hold: address, port, protocol.
    pub(crate) ports: Vec<(String, i64, String)>,
}

/// The load of every node, and how much it takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    nodes: BTreeMap<String, NodeLoad>,
    rooms: BTreeMap<String, NodeRoom>,
    /// How many pods of a controller each node has, by the controller's uid.
    siblings: BTreeMap<String, BTreeMap<String, i64>>,
}

/// What a node has for pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeRoom {
    pub(crate) cpu: i64,
    pub(crate) memory: i64,
    pub(crate) storage: i64,
    pub(crate) pods: i64,
    others: BTreeMap<String, i64>,
}

impl NodeRoom {
    fn of(node: &Value) -> Self {
        let mut room = Self::default();
        for (name, value) in json::entries(node, "status.allocatable") {
            let amount = value.as_str().and_then(Quantity::parse).unwrap_or(Quantity::ZERO);
            match name.as_str() {
                "cpu" => room.cpu = amount.milli(),
                "memory" => room.memory = amount.whole(),
                "ephemeral-storage" => room.storage = amount.whole(),
                "pods" => room.pods = amount.whole(),
                other => drop(room.others.insert(other.into(), amount.whole())),
            }
        }
        room
    }

    /// How much it has of anything else.
    pub(crate) fn other(&self, name: &str) -> i64 {
        self.others.get(name).copied().unwrap_or(0)
    }
}

impl Loads {
    pub(crate) fn of(&self, node: &str) -> Cow<'_, NodeLoad> {
        self.nodes.get(node).map_or_else(|| Cow::Owned(NodeLoad::default()), Cow::Borrowed)
    }

    /// What a node has for pods.
    pub(crate) fn room(&self, node: &str) -> Cow<'_, NodeRoom> {
        self.rooms.get(node).map_or_else(|| Cow::Owned(NodeRoom::default()), Cow::Borrowed)
    }

    /// Whether a write of a node changes what it has.
    pub(crate) fn is_news(&self, change: &StoreChange) -> bool {
        let room = |node: &Option<Stored>| node.as_ref().map(|node| json::at(node, "status.allocatable").clone());
        room(&change.before) != room(&change.after) || !self.rooms.contains_key(&*change.key.name)
    }

    /// Follows a write of a node.
    pub(crate) fn follow_node(&mut self, change: &StoreChange) {
        match &change.after {
            Some(node) => drop(self.rooms.insert(change.key.name.to_string(), NodeRoom::of(node))),
            None => drop(self.rooms.remove(&*change.key.name)),
        }
    }

    /// How many pods of a controller a node has.
    pub(crate) fn siblings(&self, owner: &str) -> Option<&BTreeMap<String, i64>> {
        self.siblings.get(owner)
    }

    fn follow_siblings(&mut self, change: &StoreChange) {
        let place = |pod: Option<&Stored>| {
            let owner = json::text(meta::controller(pod?)?, "uid").to_string();
            let node = json::text(pod?, "spec.nodeName").to_string();
            (!node.is_empty()).then_some((owner, node))
        };
        let (before, after) = (place(change.before.as_ref()), place(change.after.as_ref()));
        if before == after {
            return;
        }
        if let Some((owner, node)) = before
            && let Some(nodes) = self.siblings.get_mut(&owner)
        {
            if let Some(count) = nodes.get_mut(&node) {
                *count -= 1;
            }
            nodes.retain(|_, count| *count > 0);
            if nodes.is_empty() {
                self.siblings.remove(&owner);
            }
        }
        if let Some((owner, node)) = after {
            *self.siblings.entry(owner).or_default().entry(node).or_default() += 1;
        }
    }

    /// Follows a write of a pod.
    pub(crate) fn follow(&mut self, change: &StoreChange) {
        self.follow_siblings(change);
        if let (Some(before), Some(after)) = (&change.before, &change.after)
            && ["spec", "status.phase"].iter().all(|path| json::at(before, path) == json::at(after, path))
        {
            return;
        }
        for (pod, sign) in [(&change.before, -1), (&change.after, 1)] {
            if let Some(pod) = pod {
                self.count(pod, sign);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.rooms.clear();
        self.siblings.clear();
    }

    fn count(&mut self, pod: &Value, sign: i64) {
        let node = json::text(pod, "spec.nodeName");
        if node.is_empty() || matches!(json::text(pod, "status.phase"), "Succeeded" | "Failed") {
            return;
        }
        let load = self.nodes.entry(node.into()).or_default();
        load.pods += sign;
        load.requests.add(&Requests::of(pod), sign);
        for port in host_ports(pod) {
            if sign > 0 {
                load.ports.push(port);
            } else if let Some(at) = load.ports.iter().position(|own| *own == port) {
                load.ports.remove(at);
            }
        }
    }
}

/// The node ports that a pod wants.
pub(super) fn host_ports(pod: &Value) -> Vec<(String, i64, String)> {
    let containers = json::list(pod, "spec.containers").iter();
    let ports = containers.flat_map(|container| json::list(container, "ports"));
    let wanted = ports.filter_map(|port| {
        let number = json::int(port, "hostPort").filter(|number| *number > 0)?;
        Some((json::text(port, "hostIP").to_string(), number, json::text(port, "protocol").to_string()))
    });
    wanted.collect()
}

impl Requests {
    /// What a pod asks for: the sum of its containers, or the largest of its init containers if that is more.
    pub(crate) fn of(pod: &Value) -> Self {
        let mut sum = Self::default();
        let mut sidecars = Self::default();
        let mut first = Self::default();
        for container in json::list(pod, "spec.containers") {
            sum.add(&Self::of_container(container), 1);
        }
        for container in json::list(pod, "spec.initContainers") {
            let own = Self::of_container(container);
            if json::text(container, "restartPolicy") == "Always" {
                sidecars.add(&own, 1);
            } else {
                let mut with = own;
                with.add(&sidecars, 1);
                first.raise(&with);
            }
        }
        sum.add(&sidecars, 1);
        sum.raise(&first);
        sum
    }

    fn of_container(container: &Value) -> Self {
        let mut own = Self::default();
        for (name, value) in json::entries(container, "resources.requests") {
            let Some(amount) = value.as_str().and_then(Quantity::parse) else { continue };
            match name.as_str() {
                "cpu" => own.cpu = amount.milli(),
                "memory" => own.memory = amount.whole(),
                "ephemeral-storage" => own.storage = amount.whole(),
                other => drop(own.others.insert(other.into(), amount.whole())),
            }
        }
        own.guessed_cpu = if own.cpu == 0 { 100 } else { own.cpu };
        own.guessed_memory = if own.memory == 0 { 200 << 20 } else { own.memory };
        own
    }

    pub(crate) fn add(&mut self, other: &Self, sign: i64) {
        self.cpu += sign * other.cpu;
        self.memory += sign * other.memory;
        self.storage += sign * other.storage;
        self.guessed_cpu += sign * other.guessed_cpu;
        self.guessed_memory += sign * other.guessed_memory;
        for (name, amount) in &other.others {
            *self.others.entry(name.clone()).or_default() += sign * amount;
        }
    }

    fn raise(&mut self, other: &Self) {
        self.cpu = self.cpu.max(other.cpu);
        self.memory = self.memory.max(other.memory);
        self.storage = self.storage.max(other.storage);
        for (name, amount) in &other.others {
            let own = self.others.entry(name.clone()).or_default();
            *own = (*own).max(*amount);
        }
    }
}
