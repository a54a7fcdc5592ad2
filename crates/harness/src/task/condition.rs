//! Conditions on the world's state that end an incident. They look at the state reached, never at the
//! action that reached it.

use faces::unknown_name;
use world::config::KeyType;
use world::{Blueprint, Value, World};

use crate::record::Fix;

/// One condition of a fix.
#[derive(Clone, Debug, PartialEq)]
pub enum FixCheck {
    /// A configuration key compares with a value.
    Config {
        /// Index of the service.
        service: usize,
        /// Index of the key.
        key: usize,
        /// How.
        compare: Compare,
        /// With what.
        value: Value,
    },
    /// Nothing is left in a service that a restart would clear, or the restart is under way.
    Restart {
        /// Index of the service.
        service: usize,
    },
    /// A service runs a good build, and whatever else was done to it has been taken back.
    RolledBack {
        /// Index of the service.
        service: usize,
    },
}

/// How a setting compares with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// That value or more.
    AtLeast,
    /// That value or less.
    AtMost,
    /// That value.
    Equal,
}

impl FixCheck {
    /// Reads a condition as written in a task file; the error says what would have been right.
    pub fn parse(fix: &Fix, plan: &Blueprint) -> Result<FixCheck, String> {
        match fix {
            Fix::Restart { restart } => Ok(FixCheck::Restart { service: service(plan, restart)? }),
            Fix::RolledBack { rolled_back } => Ok(FixCheck::RolledBack { service: service(plan, rolled_back)? }),
            Fix::Config { config, is } => {
                let (service, key) = setting(plan, config)?;
                let (compare, text) = comparison(is)?;
                let info = &plan.services[service].kind.keys()[key];
                if compare != Compare::Equal && !matches!(info.takes, KeyType::Int { .. }) {
                    return Err(format!(
                        "`{is}`: {} takes {}, so it compares with `= value` only",
                        info.name, info.takes
                    ));
                }
                Ok(FixCheck::Config { service, key, compare, value: info.parse(text)? })
            }
        }
    }

    /// Whether it holds in a world.
    pub fn holds(&self, world: &World) -> bool {
        match self {
            FixCheck::Restart { service } => world.runs_clean(*service),
            FixCheck::RolledBack { service } => world.is_rolled_back(*service),
            FixCheck::Config { service, key, .. } => self.allows(wanted(world, *service, *key)),
        }
    }

    /// Whether a value of its setting would do; no value does where it is about none.
    pub fn allows(&self, set: &Value) -> bool {
        match self {
            FixCheck::Config { compare: Compare::AtLeast, value, .. } => set.int() >= value.int(),
            FixCheck::Config { compare: Compare::AtMost, value, .. } => set.int() <= value.int(),
            FixCheck::Config { compare: Compare::Equal, value, .. } => set == value,
            FixCheck::Restart { .. } | FixCheck::RolledBack { .. } => false,
        }
    }

    /// The setting it is about, if it is about one.
    pub fn setting(&self) -> Option<(usize, usize)> {
        match self {
            FixCheck::Config { service, key, .. } => Some((*service, *key)),
            FixCheck::Restart { .. } | FixCheck::RolledBack { .. } => None,
        }
    }
}

/// What a key is set to.
pub(crate) fn wanted(world: &World, service: usize, key: usize) -> &Value {
    world.view().config(service).nth(key).expect("the key is one of the service's").value
}

/// The service of that name.
pub(super) fn service(plan: &Blueprint, name: &str) -> Result<usize, String> {
    let known: Vec<&str> = plan.services.iter().map(|s| &*s.name).collect();
    plan.service(name).ok_or_else(|| unknown_name("service", name, &known, "known are"))
}

/// The key of that name of a service.
pub(super) fn key(plan: &Blueprint, service: usize, name: &str) -> Result<usize, String> {
    let keys = plan.services[service].kind.keys();
    let known: Vec<&str> = keys.iter().map(|k| k.name).collect();
    let what = format!("configuration key of {}", plan.services[service].name);
    keys.iter().position(|k| k.name == name).ok_or_else(|| unknown_name(&what, name, &known, "known are"))
}

/// The setting that `service.KEY` names.
fn setting(plan: &Blueprint, text: &str) -> Result<(usize, usize), String> {
    let (owner, name) = text.split_once('.').ok_or_else(|| format!("`{text}` should be written as service.KEY"))?;
    let owner = service(plan, owner)?;
    Ok((owner, key(plan, owner, name)?))
}

fn comparison(text: &str) -> Result<(Compare, &str), String> {
    let signs = [(">=", Compare::AtLeast), ("<=", Compare::AtMost), ("=", Compare::Equal)];
    let found =
        signs.iter().find_map(|(sign, compare)| text.trim().strip_prefix(sign).map(|rest| (*compare, rest.trim())));
    found.ok_or_else(|| format!("`{text}` should be `>= n`, `<= n` or `= value`"))
}
