//! What every fault says of itself besides its plan: its family, how bad it can be, and what ends it.

use crate::blueprint::Blueprint;
use crate::config::Value;
use crate::world::World;

/// What sort of thing goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// A setting that does not fit.
    Configuration,
    /// Code that does not do what the last one did.
    Build,
    /// Processes that die.
    Crash,
    /// Something finite that runs out.
    Resource,
    /// Certificates, tokens and clocks.
    Credential,
    /// Tables, indexes, replicas and cached entries.
    Data,
    /// What stands in queues.
    Message,
    /// What users ask.
    Traffic,
    /// What lies between services.
    Network,
    /// Machines and the instruments on them.
    Platform,
}

impl Family {
    /// All of them, in order.
    pub const ALL: [Family; 10] = [
        Family::Configuration,
        Family::Build,
        Family::Crash,
        Family::Resource,
        Family::Credential,
        Family::Data,
        Family::Message,
        Family::Traffic,
        Family::Network,
        Family::Platform,
    ];

    /// In one word, as a command line has it.
    pub fn text(self) -> &'static str {
        match self {
            Family::Configuration => "configuration",
            Family::Build => "build",
            Family::Crash => "crash",
            Family::Resource => "resource",
            Family::Credential => "credential",
            Family::Data => "data",
            Family::Message => "message",
            Family::Traffic => "traffic",
            Family::Network => "network",
            Family::Platform => "platform",
        }
    }
}

/// The argument that scales a fault, and the range in which it makes sense. `severe` may be the smaller one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Severity {
    /// Name of the argument.
    pub arg: &'static str,
    /// Just enough to be noticed.
    pub mild: f64,
    /// As bad as it gets.
    pub severe: f64,
}

impl Severity {
    /// The value so far (0 to 1) between mild and severe.
    pub fn at(self, far: f64) -> f64 {
        self.mild + (self.severe - self.mild) * far
    }
}

/// Something an operator does that ends a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Set a key.
    Config {
        /// The service.
        service: String,
        /// The key.
        key: String,
        /// What must hold of its value: `>= 120`, `<= 5`, `= true`.
        is: String,
        /// A value for which that holds.
        value: String,
    },
    /// Restart a service.
    Restart {
        /// The service.
        service: String,
    },
    /// Take back the change that brought it.
    Rollback {
        /// The service that was changed.
        service: String,
    },
}

impl Cure {
    /// Back to the value of the day before. With the value that does harm, a number that goes most of the way is enough.
    pub fn config(plan: &Blueprint, service: &str, key: &str, bad: Option<&Value>) -> Vec<Cure> {
        let Some((at, info)) = plan.service(service).and_then(|s| plan.services[s].key(key).map(|k| (k, s))) else {
            return Vec::new();
        };
        let healthy = &plan.services[info].config[at];
        let is = match (healthy, bad) {
            (Value::Int(good), Some(Value::Int(bad))) if bad < good => format!(">= {}", good - (good - bad) / 5),
            (Value::Int(good), Some(Value::Int(bad))) if bad > good => format!("<= {}", good + (bad - good) / 5),
            _ => format!("= {healthy}"),
        };
        let (service, key, value) = (service.to_string(), key.to_string(), healthy.to_string());
        vec![Cure::Config { service, key, is, value }]
    }

    /// Restart a service.
    pub fn restart(service: &str) -> Cure {
        Cure::Restart { service: service.to_string() }
    }

    /// Take back what was last done to a service.
    pub fn rollback(service: &str) -> Cure {
        Cure::Rollback { service: service.to_string() }
    }
}

impl Cure {
    /// Whether its state is reached in a world, or about to be.
    pub fn holds(&self, world: &World) -> bool {
        let plan = world.plan();
        match self {
            Cure::Config { service, key, is, .. } => world.setting(service, key).is_some_and(|value| meets(value, is)),
            Cure::Restart { service } => plan.service(service).is_some_and(|s| world.runs_clean(s)),
            Cure::Rollback { service } => plan.service(service).is_some_and(|s| world.is_rolled_back(s)),
        }
    }

    /// The service and the key that it sets, if it sets one.
    pub fn setting(&self, plan: &Blueprint) -> Option<(usize, usize)> {
        let Cure::Config { service, key, .. } = self else { return None };
        let at = plan.service(service)?;
        Some((at, plan.services[at].key(key)?))
    }
}

/// Whether a value is `>= n`, `<= n` or `= value`.
fn meets(value: &Value, is: &str) -> bool {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let set = || match value {
        Value::Bool(_) => None,
        Value::Int(whole) => Some(*whole as f64),
        Value::Text(text) => number(text),
    };
    let compared = |text: &str, holds: fn(f64, f64) -> bool| set().zip(number(text)).is_some_and(|(a, b)| holds(a, b));
    match (is.trim().strip_prefix(">="), is.trim().strip_prefix("<=")) {
        (Some(least), _) => compared(least, |a, b| a >= b),
        (_, Some(most)) => compared(most, |a, b| a <= b),
        _ => value.to_string() == is.trim_start_matches(['=', ' ']).trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_meet_what_a_cure_asks_for() {
        let check = |value: Value, is: &str, expect: bool| assert_eq!(meets(&value, is), expect, "{value} {is}");
        check(Value::Int(300), ">= 120", true);
        check(Value::Int(119), ">= 120", false);
        check(Value::Int(5), "<= 5", true);
        check(Value::Int(6), "<= 5", false);
        check(Value::Bool(true), "= true", true);
        check(Value::Bool(false), "= true", false);
        check(Value::Bool(true), ">= 1", false);
        check(Value::Text("/healthz".into()), "= /healthz", true);
    }
}
