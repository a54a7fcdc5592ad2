//! How a world is changed: mutations with their inverses, the schedule, the change history.

use std::sync::Arc;

use crate::links::Link;
use crate::mutation::Mutation;
use crate::time::Time;
use crate::world::{Change, World};

/// A change that is due at some time, and what the change history will say of it.
#[derive(Clone)]
pub(crate) struct Due {
    pub at: Time,
    pub mutation: Mutation,
    pub change: Option<Arc<(String, usize, String)>>,
}

impl World {
    /// Applies a change at once and gives its inverse.
    pub fn apply(&mut self, mutation: &Mutation) -> Mutation {
        self.unsettled = true;
        self.disturbed = true;
        match mutation {
            Mutation::Config { service, key, value, since } => {
                let setting = &mut Arc::make_mut(&mut self.settings)[*service][*key];
                let value = std::mem::replace(&mut setting.wanted, value.clone());
                let since = std::mem::replace(&mut setting.since, *since);
                Mutation::Config { service: *service, key: *key, value, since }
            }
            Mutation::Expiry { service, key, at } => {
                let at = std::mem::replace(&mut Arc::make_mut(&mut self.settings)[*service][*key].expires, *at);
                Mutation::Expiry { service: *service, key: *key, at }
            }
            Mutation::Build { service, build, since } => {
                let release = &mut self.releases[*service];
                let build = release.want(*build);
                let since = std::mem::replace(&mut release.since, *since);
                Mutation::Build { service: *service, build, since }
            }
            Mutation::Process { instance, process } => {
                let process = std::mem::replace(&mut self.fleet[*instance].process, *process);
                Mutation::Process { instance: *instance, process }
            }
            Mutation::Poison { service, share } => {
                Mutation::Poison { service: *service, share: self.models[*service].poison(*share) }
            }
            Mutation::Load { route, factor } => {
                Mutation::Load { route: *route, factor: std::mem::replace(&mut self.loads[*route].factor, *factor) }
            }
            Mutation::Link { from, to, delay, loss, gone, paths } => {
                self.set_link(Link { from: *from, to: *to, delay: *delay, loss: *loss, gone: *gone, paths: *paths })
            }
            Mutation::Store { service, store } => {
                Mutation::Store { service: *service, store: self.models[*service].store(*store) }
            }
            Mutation::Quota { service, share } => {
                Mutation::Quota { service: *service, share: self.releases[*service].give(*share) }
            }
            Mutation::Series { service, metric, series } => self.set_series(*service, *metric, *series),
            Mutation::LogDelay { service, by } => {
                let by = std::mem::replace(&mut self.log_delays[*service], *by);
                Mutation::LogDelay { service: *service, by }
            }
            Mutation::Slowdown { node, factor } => {
                Mutation::Slowdown { node: *node, factor: std::mem::replace(&mut self.slow_nodes[*node], *factor) }
            }
            Mutation::Silence { alert, on } => {
                Mutation::Silence { alert: *alert, on: std::mem::replace(&mut self.alerts[*alert].silenced, *on) }
            }
            Mutation::All(all) => {
                let mut undo: Vec<Mutation> = all.iter().map(|m| self.apply(m)).collect();
                undo.reverse();
                Mutation::All(undo)
            }
        }
    }

    /// Applies a change when its time comes; changes of one time apply in the order of scheduling.
    pub fn schedule(&mut self, at: Time, mutation: Mutation) {
        self.enqueue(Due { at, mutation, change: None });
    }

    /// Applies a change when its time comes, and writes it into the change history then.
    pub fn schedule_change(&mut self, at: Time, author: &str, service: usize, summary: &str, mutation: Mutation) {
        let change = Some(Arc::new((author.to_string(), service, summary.to_string())));
        self.enqueue(Due { at, mutation, change });
    }

    fn enqueue(&mut self, due: Due) {
        let place = self.schedule.partition_point(|d| d.at <= due.at);
        Arc::make_mut(&mut self.schedule).insert(place, due);
    }

    /// Applies a change now and writes it into the change history.
    pub fn change(
        &mut self,
        author: &str,
        service: usize,
        summary: &str,
        mutation: &Mutation,
        by_operator: bool,
    ) -> u32 {
        let undo = self.apply(mutation);
        self.note_change(author, service, summary, Some(undo), by_operator, self.now)
    }

    /// Writes something into the change history without changing the world.
    pub fn note_change(
        &mut self,
        author: &str,
        service: usize,
        summary: &str,
        undo: Option<Mutation>,
        by_operator: bool,
        time: Time,
    ) -> u32 {
        let id = 4100 + (self.seed.stream("change ids").at(0).below(400) as u32) + 3 * self.changes.len() as u32;
        let (author, summary) = (author.into(), summary.into());
        let change = Change { id, time, service, author, summary, undo, reverted: false, by_operator };
        Arc::make_mut(&mut self.changes).push(change);
        id
    }
}
