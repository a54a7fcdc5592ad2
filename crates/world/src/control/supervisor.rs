//! Processes die of their build, are restarted when they are due, and come up.

use super::{Controller, Observed, Wakes};
use crate::fleet::Instance;
use crate::mutation::Mutation;
use crate::process::{Exit, Process};
use crate::time::Span;
use crate::world::BUSY_NODE;

/// How long it waits before it starts a process again that died by itself.
const BACK_OFF: Span = Span::secs(40);

pub(super) struct Supervisor;

impl Controller for Supervisor {
    fn wakes(&self) -> Wakes {
        Wakes::WhenDisturbed
    }

    fn reconcile(&self, seen: &Observed<'_>) -> Vec<Mutation> {
        seen.fleet.iter().filter_map(|instance| look_after(instance, seen)).collect()
    }
}

fn look_after(instance: &Instance, seen: &Observed<'_>) -> Option<Mutation> {
    let (id, process, now) = (instance.id, &instance.process, seen.now);
    let ready = || now + Span::secs(seen.plan.services[instance.service].kind.restart_secs());
    if seen.releases[instance.service].kills(process, now) {
        let process = Process::backing_off(ready() + BACK_OFF, Exit::ERROR);
        return Some(Mutation::Process { instance: id, process });
    }
    if process.restart_at <= now {
        return Some(Mutation::Process { instance: id, process: Process::starting(ready()) });
    }
    let is_ready = process.ready_at().is_some_and(|ready| ready <= now);
    is_ready.then(|| Mutation::Start { instance: id, node: node_for(instance, seen.nodes), at: now })
}

/// A process starts where it was, unless its machine is busy: then on the quietest one.
fn node_for(instance: &Instance, nodes: &[f64]) -> usize {
    if nodes[instance.node] <= BUSY_NODE {
        return instance.node;
    }
    (0..nodes.len()).min_by(|a, b| nodes[*a].total_cmp(&nodes[*b])).unwrap_or(0)
}
