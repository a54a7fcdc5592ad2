//! Named arguments of faults, and what can be wrong with them.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::blueprint::Blueprint;
use crate::services::{self, Hazard};

/// Named arguments of a fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultArgs(pub BTreeMap<String, String>);

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

impl FaultArgs {
    /// An argument that must be there.
    pub fn text(&self, name: &'static str) -> Result<&str, FaultError> {
        self.0.get(name).map(String::as_str).ok_or(FaultError::Missing(name))
    }

    /// An argument, or nothing: for what is said of a fault whose plan was accepted.
    pub fn said(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A number, or `usual` if it is not given.
    pub fn number(&self, name: &'static str, usual: f64) -> Result<f64, FaultError> {
        let Some(text) = self.0.get(name) else { return Ok(usual) };
        let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
        number.ok_or_else(|| FaultError::Bad { name, problem: format!("takes a number from 0 up; got `{text}`") })
    }

    /// A share from 0 to 1, or `usual` if it is not given.
    pub fn share(&self, name: &'static str, usual: f64) -> Result<f64, FaultError> {
        let share = self.number(name, usual)?;
        let problem = || format!("takes a share from 0 to 1; got `{share}`");
        if share <= 1.0 { Ok(share) } else { Err(FaultError::Bad { name, problem: problem() }) }
    }

    /// The service that `service` names.
    pub fn service(&self, plan: &Blueprint) -> Result<usize, FaultError> {
        self.service_at("service", plan)
    }

    /// The service that some argument names.
    pub fn service_at(&self, arg: &'static str, plan: &Blueprint) -> Result<usize, FaultError> {
        let name = self.text(arg)?;
        let known = || plan.services.iter().map(|s| &*s.name).collect::<Vec<_>>().join(", ");
        plan.service(name).ok_or_else(|| FaultError::Bad {
            name: arg,
            problem: format!("there is no service `{name}`; there are {}", known()),
        })
    }

    /// The service that `service` names, which must have what breaks.
    pub fn exposed(&self, plan: &Blueprint, hazard: Hazard) -> Result<usize, FaultError> {
        let service = self.service(plan)?;
        let info = &plan.services[service];
        if info.has(hazard) {
            return Ok(service);
        }
        let kinds = services::ALL.iter().filter(|k| k.hazards().contains(&hazard)).map(|k| k.name());
        let kinds = kinds.collect::<Vec<_>>().join(" or a ");
        let problem = format!("{} is a {}, and this befalls a {kinds}", info.name, info.kind.name());
        Err(FaultError::Bad { name: "service", problem })
    }

    /// The key of a service that `key` names.
    pub fn key(&self, plan: &Blueprint, service: usize) -> Result<usize, FaultError> {
        let (name, info) = (self.text("key")?, &plan.services[service]);
        let known = || info.kind.keys().iter().map(|k| k.name).collect::<Vec<_>>().join(", ");
        info.key(name).ok_or_else(|| FaultError::Bad {
            name: "key",
            problem: format!("{} has no key `{name}`; it has {}", info.name, known()),
        })
    }

    /// The route that `route` names.
    pub fn route(&self, plan: &Blueprint) -> Result<usize, FaultError> {
        let name = self.text("route")?;
        let known = || plan.routes.iter().map(|r| &*r.name).collect::<Vec<_>>().join(", ");
        plan.route(name).ok_or_else(|| FaultError::Bad {
            name: "route",
            problem: format!("there is no route `{name}`; there are {}", known()),
        })
    }
}
