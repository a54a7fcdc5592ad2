//! Connections between services. A bad path is a matter of connections: a process that is started
//! again opens new ones, and those take another path.

use crate::mutation::Mutation;
use crate::world::World;

/// What is wrong between one service and another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub from: usize,
    pub to: usize,
    pub delay: f64,
    pub loss: f64,
    pub gone: f64,
    /// One bit for each of the caller's instances that still uses the bad path.
    pub paths: u64,
}

impl Link {
    fn sound(from: usize, to: usize) -> Link {
        Link { from, to, delay: 0.0, loss: 0.0, gone: 0.0, paths: 0 }
    }

    pub fn is_sound(&self) -> bool {
        self.paths == 0 || (self.delay == 0.0 && self.loss == 0.0 && self.gone == 0.0)
    }

    fn mutation(self) -> Mutation {
        let Link { from, to, delay, loss, gone, paths } = self;
        Mutation::Link { from, to, delay, loss, gone, paths }
    }
}

impl World {
    /// Puts a link into a state; gives what restores the old one.
    pub(crate) fn set_link(&mut self, link: Link) -> Mutation {
        let count = self.plan.services[link.from].instances.len().min(64) as u32;
        let link = Link { paths: link.paths & u64::MAX.checked_shr(64 - count).unwrap_or(0), ..link };
        let at = self.links.iter().position(|l| (l.from, l.to) == (link.from, link.to)).unwrap_or_else(|| {
            self.links.push(Link::sound(link.from, link.to));
            self.links.len() - 1
        });
        let old = std::mem::replace(&mut self.links[at], link);
        self.lay(link);
        old.mutation()
    }

    /// An instance of a service opens new connections.
    pub(crate) fn reconnect(&mut self, service: usize, instance: usize) {
        for at in 0..self.links.len() {
            let link = &mut self.links[at];
            if link.from == service && link.paths & (1 << instance) != 0 {
                link.paths &= !(1 << instance);
                let link = *link;
                self.lay(link);
            }
        }
    }

    /// Gives the calls on a link its state.
    fn lay(&mut self, link: Link) {
        let count = self.plan.services[link.from].instances.len().min(64);
        let share = f64::from(link.paths.count_ones()) / count as f64;
        for (call, flow) in self.plan.calls.iter().zip(&mut self.flows) {
            let caller = call.parent.map(|p| self.plan.calls[p].service);
            if call.service == link.to && caller == Some(link.from) {
                (flow.delay, flow.loss, flow.gone) = (link.delay * share, link.loss * share, link.gone * share);
            }
        }
    }
}
