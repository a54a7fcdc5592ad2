//! Faults: one file each. A fault is a plan of mutations; symptoms come out of the dynamics.
//! To add one, copy a file, change its middle, and list it in [`ALL`].

mod config_push;
mod crash;
mod expiry;
mod memory_leak;
mod poison_messages;
mod worker_deaths;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::blueprint::Blueprint;
use crate::mutation::Mutation;
use crate::rng::Seed;
use crate::time::{Span, Time};
use crate::world::World;

/// All faults, in order.
pub const ALL: &[&dyn Fault] = &[
    &config_push::ConfigPush,
    &crash::Crash,
    &expiry::Expiry,
    &memory_leak::MemoryLeak,
    &poison_messages::PoisonMessages,
    &worker_deaths::WorkerDeaths,
];

/// The fault of that name.
pub fn find(name: &str) -> Option<&'static dyn Fault> {
    ALL.iter().copied().find(|f| f.name() == name)
}

/// A way in which a world breaks.
pub trait Fault: Sync {
    /// Its name in a task file.
    fn name(&self) -> &'static str;
    /// The arguments it takes, each with a line of help.
    fn args(&self) -> &'static [(&'static str, &'static str)];
    /// What it does to a world of this shape.
    fn plan(&self, args: &Args, plan: &Blueprint, seed: Seed) -> Result<Vec<Act>, FaultError>;
}

/// One thing that a fault does, so long after the onset.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// How long after the onset.
    pub after: Span,
    /// The service it is about.
    pub service: usize,
    /// What happens.
    pub mutation: Mutation,
    /// How the change history tells it; `None` if nobody did it.
    pub change: Option<(String, String)>,
}

/// Named arguments of a fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args(pub BTreeMap<String, String>);

/// Why a fault does not fit.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FaultError {
    /// An argument is missing.
    #[error("it needs `{0}`")]
    Missing(&'static str),
    /// An argument makes no sense here.
    #[error("`{name}`: {problem}")]
    Bad {
        /// The argument.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Args {
    /// An argument that must be there.
    pub fn text(&self, name: &'static str) -> Result<&str, FaultError> {
        self.0.get(name).map(String::as_str).ok_or(FaultError::Missing(name))
    }

    /// A number, or `usual` if it is not given.
    pub fn number(&self, name: &'static str, usual: f64) -> Result<f64, FaultError> {
        let Some(text) = self.0.get(name) else { return Ok(usual) };
        let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
        number.ok_or_else(|| FaultError::Bad { name, problem: format!("takes a number from 0 up; got `{text}`") })
    }

    /// The service that `service` names.
    pub fn service(&self, plan: &Blueprint) -> Result<usize, FaultError> {
        let name = self.text("service")?;
        let known = || plan.services.iter().map(|s| &*s.name).collect::<Vec<_>>().join(", ");
        plan.service(name).ok_or_else(|| FaultError::Bad {
            name: "service",
            problem: format!("there is no service `{name}`; there are {}", known()),
        })
    }

    /// The key of a service that `key` names.
    pub fn key(&self, plan: &Blueprint, service: usize) -> Result<usize, FaultError> {
        let (name, keys) = (self.text("key")?, plan.services[service].kind.keys());
        let known = || keys.iter().map(|k| k.name).collect::<Vec<_>>().join(", ");
        keys.iter().position(|k| k.name == name).ok_or_else(|| FaultError::Bad {
            name: "key",
            problem: format!("{} has no key `{name}`; it has {}", plan.services[service].name, known()),
        })
    }
}

impl World {
    /// Puts what a fault does into the schedule, from `onset` on. Until then the world stays as it would have been.
    pub fn plant(&mut self, acts: &[Act], onset: Time) {
        for act in acts {
            let at = onset + act.after;
            let mutation = stamped(act.mutation.clone(), at);
            match &act.change {
                Some((author, summary)) => self.schedule_change(at, author, act.service, summary, mutation),
                None => self.schedule(at, mutation),
            }
        }
    }
}

/// A fault does not know when it begins; its mutations are dated here.
fn stamped(mutation: Mutation, at: Time) -> Mutation {
    match mutation {
        Mutation::Config { service, key, value, .. } => Mutation::Config { service, key, value, since: at },
        Mutation::Expiry { service, key, .. } => Mutation::Expiry { service, key, at },
        Mutation::All(all) => Mutation::All(all.into_iter().map(|m| stamped(m, at)).collect()),
        other => other,
    }
}

/// Somebody who could have done it: the name in the change history says nothing.
pub(crate) fn author(seed: Seed, what: &str) -> String {
    const TEAMS: &[&str] = &["platform", "storefront", "payments", "data", "infra", "release-bot", "capacity"];
    seed.stream("author").within(what.len() as u64).at(0).pick(TEAMS).to_string()
}
