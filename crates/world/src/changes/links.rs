//! Links that are put into a state, and connections that are opened again.

use crate::fleet::InstanceId;
use crate::links::{Link, Paths};
use crate::mutation::Mutation;
use crate::world::World;

impl World {
    /// Puts a link into a state; gives what restores the old one. Instances that do not exist have no connections.
    pub(crate) fn set_link(&mut self, mut link: Link, paths: &Paths) -> Mutation {
        let there = self.fleet.of(link.from).iter().map(|i| i.id);
        link.paths = match paths {
            Paths::Every => there.collect(),
            Paths::Of(these) => there.filter(|id| these.contains(id)).collect(),
        };
        let at = self.links.iter().position(|l| (l.from, l.to) == (link.from, link.to)).unwrap_or_else(|| {
            self.links.push(Link::sound(link.from, link.to));
            self.links.len() - 1
        });
        let old = std::mem::replace(&mut self.links[at], link);
        self.lay(at);
        let Link { from, to, delay, loss, gone, paths } = old;
        Mutation::Link { from, to, delay, loss, gone, paths: Paths::Of(paths) }
    }

    /// An instance of a service opens new connections, or has none any more.
    pub(crate) fn reconnect(&mut self, service: usize, instance: InstanceId) {
        for at in 0..self.links.len() {
            if self.links[at].from == service {
                self.links[at].paths.retain(|id| *id != instance);
                self.lay(at);
            }
        }
    }

    /// Gives the calls on a link its state.
    fn lay(&mut self, at: usize) {
        let link = &self.links[at];
        let share = link.paths.len() as f64 / self.fleet.of(link.from).len().max(1) as f64;
        for (call, flow) in self.plan.calls.iter().zip(&mut self.flows) {
            let caller = call.parent.map(|p| self.plan.calls[p].service);
            if call.service == link.to && caller == Some(link.from) {
                (flow.delay, flow.loss, flow.gone) = (link.delay * share, link.loss * share, link.gone * share);
            }
        }
    }
}
