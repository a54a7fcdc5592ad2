//! How a world is changed: mutations with their inverses, the schedule, the change history.

mod instruments;
mod links;

use std::sync::Arc;

use crate::change::{Due, Filed};
use crate::change_book::{ChangeBook, Entry};
use crate::config::Value;
use crate::fleet::InstanceId;
use crate::links::Link;
use crate::mutation::Mutation;
use crate::process::Process;
use crate::release::Release;
use crate::services::InUse;
use crate::settings::{RevisionId, ServiceSettings};
use crate::time::Time;
use crate::world::World;

impl World {
    /// Applies a change at once and gives its inverse.
    pub fn apply(&mut self, mutation: &Mutation) -> Mutation {
        self.unsettled = true;
        self.disturbed = true;
        self.put(mutation)
    }

    /// Changes the state, and nothing else does besides the physics of a tick; gives the inverse.
    pub(crate) fn put(&mut self, mutation: &Mutation) -> Mutation {
        match mutation {
            Mutation::Config { service, key, value, since } => {
                let setting = &mut self.settings_mut(*service).template[*key];
                let value = std::mem::replace(&mut setting.wanted, value.clone());
                let since = std::mem::replace(&mut setting.since, *since);
                Mutation::Config { service: *service, key: *key, value, since }
            }
            Mutation::Expiry { service, key, at } => {
                let setting = &mut self.settings_mut(*service).template[*key];
                let at = std::mem::replace(&mut setting.expires, *at);
                Mutation::Expiry { service: *service, key: *key, at }
            }
            Mutation::Build { service, build, since } => {
                let release = self.release_mut(*service);
                let build = release.want(*build);
                let since = std::mem::replace(&mut release.since, *since);
                Mutation::Build { service: *service, build, since }
            }
            Mutation::Rollout { service, key, value, at } => {
                let value = self.settings_mut(*service).roll_out(*key, value.clone(), *at);
                self.configure(*service);
                Mutation::Rollout { service: *service, key: *key, value, at: *at }
            }
            Mutation::Revision { service, revision, values } => self.revise(*service, *revision, values.as_deref()),
            Mutation::Adopt { instance, revision } => self.adopt(*instance, *revision),
            Mutation::Deploy { service, build } => {
                Mutation::Deploy { service: *service, build: self.release_mut(*service).run(*build) }
            }
            Mutation::Process { instance, process } => match self.fleet.get_mut(*instance) {
                Some(there) => {
                    let process = std::mem::replace(&mut there.process, *process);
                    Mutation::Process { instance: *instance, process }
                }
                None => Mutation::NOTHING,
            },
            Mutation::Start { instance, node, at } => self.start(*instance, *node, *at),
            Mutation::Join { instance } => {
                assert!(self.settings[instance.service].has(instance.revision), "it joins with settings that exist");
                self.fleet.add(*instance);
                self.configure(instance.service);
                self.reconnect(instance.service, instance.id);
                self.begin_series(instance.id);
                Mutation::Leave { instance: instance.id }
            }
            Mutation::Leave { instance } => match self.fleet.remove(*instance) {
                Some(instance) => {
                    self.configure(instance.service);
                    self.reconnect(instance.service, instance.id);
                    self.end_series(instance.id);
                    Mutation::Join { instance }
                }
                None => Mutation::NOTHING,
            },
            Mutation::Load { route, factor } => {
                Mutation::Load { route: *route, factor: std::mem::replace(&mut self.loads[*route].factor, *factor) }
            }
            Mutation::Link { from, to, delay, loss, gone, paths } => {
                let (from, to, delay, loss, gone) = (*from, *to, *delay, *loss, *gone);
                self.set_link(Link { from, to, delay, loss, gone, paths: Vec::new() }, paths)
            }
            Mutation::State { service, state } => {
                Mutation::State { service: *service, state: self.models[*service].set_state(*state) }
            }
            Mutation::Quota { service, share } => {
                Mutation::Quota { service: *service, share: self.release_mut(*service).give(*share) }
            }
            Mutation::Series { service, metric, series } => self.set_series(*service, *metric, *series),
            Mutation::LogDelay { service, by } => {
                let by = std::mem::replace(&mut Arc::make_mut(&mut self.log_delays)[*service], *by);
                Mutation::LogDelay { service: *service, by }
            }
            Mutation::Slowdown { node, factor } => Mutation::Slowdown {
                node: *node,
                factor: std::mem::replace(&mut Arc::make_mut(&mut self.slow_nodes)[*node], *factor),
            },
            Mutation::Silence { alert, on } => {
                self.catch_up_with_alerts(true);
                Mutation::Silence { alert: *alert, on: std::mem::replace(&mut self.alerts[*alert].silenced, *on) }
            }
            Mutation::All(all) => {
                let mut undo: Vec<Mutation> = all.iter().map(|m| self.put(m)).collect();
                undo.reverse();
                Mutation::All(undo)
            }
        }
    }

    /// A process comes up: its node, its connections and what it keeps are new.
    fn start(&mut self, id: InstanceId, node: usize, at: Time) -> Mutation {
        let Some(instance) = self.fleet.get_mut(id) else { return Mutation::NOTHING };
        let old = std::mem::replace(&mut instance.process, Process::fresh(at));
        instance.node = node;
        let service = instance.service;
        self.reconnect(service, id);
        self.models[service].restarted(id);
        Mutation::Process { instance: id, process: old }
    }

    /// Makes, changes or ends a revision of a service's settings.
    fn revise(&mut self, service: usize, revision: RevisionId, values: Option<&[Value]>) -> Mutation {
        let used = self.fleet.of(service).iter().any(|i| i.revision == revision);
        assert!(values.is_some() || !used, "no revision ends while an instance runs with it");
        let values = self.settings_mut(service).set(revision, values);
        self.configure(service);
        Mutation::Revision { service, revision, values }
    }

    /// An instance runs with another revision.
    fn adopt(&mut self, id: InstanceId, revision: RevisionId) -> Mutation {
        let Some(instance) = self.fleet.get_mut(id) else { return Mutation::NOTHING };
        let (service, old) = (instance.service, std::mem::replace(&mut instance.revision, revision));
        assert!(self.settings[service].has(revision), "it adopts settings that exist");
        self.configure(service);
        Mutation::Adopt { instance: id, revision: old }
    }

    fn release_mut(&mut self, service: usize) -> &mut Release {
        &mut Arc::make_mut(&mut self.releases)[service]
    }

    fn settings_mut(&mut self, service: usize) -> &mut ServiceSettings {
        Arc::make_mut(&mut Arc::make_mut(&mut self.settings)[service])
    }

    /// Tells a service's physics what its instances run with.
    pub(crate) fn configure(&mut self, service: usize) {
        let in_use = InUse::of(&self.settings[service], self.fleet.of(service));
        self.models[service].configure(&in_use, &self.plan);
    }

    /// Applies a change when its time comes; changes of one time apply in the order of scheduling.
    pub fn schedule(&mut self, at: Time, mutation: Mutation) {
        self.enqueue(Due { at, mutation, change: None });
    }

    /// Applies a change when its time comes. From then on the change history has it, under the time of its filing.
    pub fn schedule_change(&mut self, at: Time, filed: Filed, mutation: Mutation) {
        self.enqueue(Due { at, mutation, change: Some(Arc::new(filed)) });
    }

    fn enqueue(&mut self, due: Due) {
        let place = self.schedule.partition_point(|d| d.at <= due.at);
        Arc::make_mut(&mut self.schedule).insert(place, due);
    }

    /// Applies a change now and writes it into the change history.
    pub fn change(&mut self, author: &str, service: usize, summary: &str, mutation: &Mutation, by_operator: bool) {
        let undo = self.apply(mutation);
        let filed = Filed { author: author.into(), service, summary: summary.into(), at: self.now };
        self.file(&filed, Some(undo), by_operator, false);
    }

    /// Applies a change now that was filed before, and writes it into the change history.
    pub fn change_filed(&mut self, filed: &Filed, mutation: &Mutation) {
        let undo = self.apply(mutation);
        self.file(filed, Some(undo), false, false);
    }

    /// Applies a change whose time has come.
    pub(crate) fn carry_out(&mut self, due: &Due) {
        let undo = self.apply(&due.mutation);
        if let Some(filed) = &due.change {
            self.file(filed, Some(undo), false, false);
        }
    }

    /// Writes something into the change history without changing the world.
    pub fn note_change(&mut self, filed: &Filed, undo: Option<Mutation>, by_operator: bool) {
        self.file(filed, undo, by_operator, false);
    }

    /// Writes a change of the past into the change history that did no harm: the world is already as it left it, and
    /// `undo` would bring back what was before.
    pub fn note_harmless(&mut self, filed: &Filed, undo: Mutation) {
        self.file(filed, Some(undo), false, true);
    }

    /// The same for many, which are found when the history is read.
    pub fn remember_harmless(&mut self, find: impl Fn() -> Vec<(Filed, Mutation)> + Send + Sync + 'static) {
        Arc::make_mut(&mut self.changes).remember(find);
    }

    /// Gives this world, which has no history, the changes that did no harm elsewhere: both places have had them.
    pub fn share_harmless(&mut self, with: &World) {
        self.changes = Arc::new(ChangeBook::innocents_of(&with.changes));
    }

    fn file(&mut self, filed: &Filed, undo: Option<Mutation>, by_operator: bool, innocent: bool) {
        Arc::make_mut(&mut self.changes).file(filed, Entry { undo, by_operator, innocent });
    }
}
