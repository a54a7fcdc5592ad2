//! What is left of a fault, and a world without it. Both are asked of what the fault did, aspect by aspect, so no
//! task needs to say what ends it.

use crate::act::Act;
use crate::config::Value;
use crate::fleet::Instance;
use crate::links::Link;
use crate::mutation::Mutation;
use crate::release::Build;
use crate::service_state::ServiceState;
use crate::settings::RevisionId;
use crate::time::Time;
use crate::world::{BUSY_NODE, World};

/// What is left of something that a fault did, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is undone, or about to be: a restart or a rollout that does it is under way.
    Gone,
    /// It is not as the fault left it and not as it was before. Whether that does as well shows only in what users feel.
    Altered,
    /// It is as the fault left it.
    Stands,
}

impl World {
    /// What is left of something that was done to this world.
    pub fn standing(&self, act: &Act) -> Standing {
        self.left_of(&act.mutation, act.service)
    }

    fn left_of(&self, mutation: &Mutation, at: usize) -> Standing {
        let stands = |yes: bool| if yes { Standing::Stands } else { Standing::Gone };
        match mutation {
            Mutation::All(all) => all.iter().map(|m| self.left_of(m, at)).max().unwrap_or(Standing::Gone),
            Mutation::Config { service, key, value, .. } => self.left_of_setting(*service, *key, value),
            Mutation::Expiry { service, key, .. } => self.left_of_setting(*service, *key, &Value::Bool(false)),
            Mutation::Build { service, build, .. } => match self.releases[*service].wanted {
                wanted if wanted == *build => Standing::Stands,
                Build::CLEAN => Standing::Gone,
                _ => Standing::Altered,
            },
            Mutation::Process { instance, .. } => {
                let process = self.fleet.get(*instance).map(|i| &i.process);
                stands(process.is_some_and(|p| !p.restarts() && !p.is_clean()))
            }
            Mutation::Load { route, .. } => stands(self.loads[*route].factor != 1.0),
            Mutation::Link { from, to, .. } => {
                let bad = |l: &&Link| (l.from, l.to) == (*from, *to) && !l.is_sound();
                let used =
                    |l: &Link| l.paths.iter().any(|id| self.fleet.get(*id).is_some_and(|i| !i.process.restarts()));
                stands(self.links.iter().filter(bad).any(used))
            }
            Mutation::State { service, state } => self.left_of_state(*service, *state),
            Mutation::Quota { service, .. } => stands(self.releases[*service].quota != 1.0),
            Mutation::Slowdown { node, .. } => {
                let hit = |i: &Instance| i.node == *node && !i.process.restarts();
                stands(self.slow_nodes[*node] > BUSY_NODE && self.fleet.of(at).iter().any(hit))
            }
            // No fault does these: they are how controllers carry out what was asked for.
            Mutation::Rollout { .. }
            | Mutation::Revision { .. }
            | Mutation::Adopt { .. }
            | Mutation::Deploy { .. }
            | Mutation::Start { .. }
            | Mutation::Join { .. }
            | Mutation::Leave { .. } => Standing::Gone,
            // What instruments show is no part of what ails the services.
            Mutation::Series { .. } | Mutation::LogDelay { .. } => Standing::Gone,
            Mutation::Silence { alert, on } => stands(self.alerts[*alert].silenced == *on),
        }
    }

    fn left_of_setting(&self, service: usize, key: usize, bad: &Value) -> Standing {
        let setting = &self.settings[service].template[key];
        let expires = setting.expires != Time::NEVER;
        match &setting.wanted {
            wanted if wanted == bad || expires => Standing::Stands,
            wanted if *wanted == self.plan.services[service].config[key] => Standing::Gone,
            _ => Standing::Altered,
        }
    }

    /// A restart clears what lives in processes and mounts. What was a moment's doing has passed, and what it
    /// left behind is for the users to tell.
    fn left_of_state(&self, service: usize, state: ServiceState) -> Standing {
        let bad = match self.state_of(service, state) {
            ServiceState::Replica { lost } => lost,
            ServiceState::Lag { per_s } => per_s != 0.0,
            ServiceState::Disk { factor } => factor != 1.0,
            ServiceState::Rows { pinned, .. } => pinned,
            // What was written stays when the writer stops.
            ServiceState::Filling { gb_per_s: 0.0, .. } => return Standing::Altered,
            ServiceState::Filling { .. } => return Standing::Stands,
            ServiceState::Poison { share } | ServiceState::Canary { share } if share == 0.0 => return Standing::Gone,
            ServiceState::Poison { .. } | ServiceState::Canary { .. } => return Standing::Stands,
            ServiceState::Lock { wait_s } => wait_s != 0.0,
            ServiceState::Pages { share } | ServiceState::Twofold { share } => share != 0.0,
            ServiceState::Primary { size } => size != 1.0,
            // No restart ends these.
            ServiceState::Ids { used_up: false }
            | ServiceState::Plans { factor: 1.0 }
            | ServiceState::Provider { slow: 1.0, errors: 0.0 } => return Standing::Gone,
            ServiceState::Ids { .. } | ServiceState::Plans { .. } | ServiceState::Provider { .. } => {
                return Standing::Stands;
            }
            ServiceState::Clients { .. } | ServiceState::Entries { .. } | ServiceState::Messages { .. } => {
                return Standing::Altered;
            }
        };
        let restarts = self.fleet.of(service).iter().all(|i| i.process.restarts());
        if bad && !restarts { Standing::Stands } else { Standing::Gone }
    }

    /// Whether a setting differs from that of the day before.
    pub fn is_changed(&self, service: usize, key: usize) -> bool {
        self.settings[service].template[key].wanted != self.plan.services[service].config[key]
    }

    /// Takes away what a fault did: everything it touched is at once as in a twin that was never hit, and what it
    /// still had to do does not come. What followed from it stays, and goes only as it would by itself.
    pub fn lift(&mut self, acts: &[Act], twin: &World) {
        self.schedule = twin.schedule.clone();
        for act in acts {
            self.lift_one(&act.mutation, twin);
        }
    }

    fn lift_one(&mut self, mutation: &Mutation, twin: &World) {
        match mutation {
            Mutation::All(all) => all.iter().for_each(|m| self.lift_one(m, twin)),
            // A credential that ran out is valid again.
            Mutation::Expiry { service, key, .. } => {
                let setting = &twin.settings[*service].template[*key];
                let (value, since) = (setting.wanted.clone(), setting.since);
                self.apply(&Mutation::Config { service: *service, key: *key, value, since });
                self.apply(&Mutation::Expiry { service: *service, key: *key, at: setting.expires });
            }
            // Those that a rollout did not reach run again with what all run with; their revision stays, unused.
            Mutation::Revision { .. } => {}
            Mutation::Adopt { instance, .. } => {
                let revision = twin.fleet.get(*instance).map_or(RevisionId::TEMPLATE, |i| i.revision);
                self.apply(&Mutation::Adopt { instance: *instance, revision });
            }
            // What filled the disk goes with it.
            Mutation::State { service, state: ServiceState::Filling { .. } } => {
                self.models[*service] = twin.models[*service].clone_model();
                self.configure(*service);
            }
            other => {
                let inverse = twin.clone().apply(other);
                self.apply(&inverse);
            }
        }
    }
}
