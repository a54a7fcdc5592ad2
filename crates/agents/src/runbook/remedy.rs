//! What can be done about it.

use crate::cause::of_setting;

/// Why a restart would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// An instance is not running.
    Process,
    /// Workers are gone.
    Workers,
    /// Memory is never given back.
    Leak,
    /// Something else that the catalogue of causes knows by this name.
    Other(&'static str),
}

/// A remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunbookFix {
    /// Restart a service.
    Restart {
        /// The service.
        service: String,
        /// Why.
        why: Death,
    },
    /// Take a deployment back.
    TakeBack {
        /// The service.
        service: String,
        /// The change.
        id: String,
        /// What the catalogue of causes calls it.
        cause: &'static str,
    },
    /// Set a key.
    Set {
        /// The service.
        service: String,
        /// The key.
        key: String,
        /// Its value before.
        from: String,
        /// Its value after.
        to: String,
        /// The change that is taken back, where the history knows it.
        change: Option<String>,
    },
    /// Set how much work is done at once, to break a loop in which nothing is set wrong.
    Ease {
        /// The service.
        service: String,
        /// The key.
        key: String,
        /// Its value before.
        from: String,
        /// Its value after.
        to: String,
        /// The service in which the loop turns.
        turns: String,
        /// What the catalogue of causes calls it.
        cause: &'static str,
    },
}

impl RunbookFix {
    /// As an action.
    pub fn call(&self) -> String {
        match self {
            RunbookFix::Restart { service, .. } => format!("restart_service({service})"),
            RunbookFix::TakeBack { id, .. } | RunbookFix::Set { change: Some(id), .. } => {
                format!("rollback_change({id})")
            }
            RunbookFix::Set { service, key, to, .. } | RunbookFix::Ease { service, key, to, .. } => {
                format!("update_config({service}, {key}, {to})")
            }
        }
    }

    /// The service that it is done to.
    pub fn service(&self) -> &str {
        match self {
            RunbookFix::Restart { service, .. }
            | RunbookFix::TakeBack { service, .. }
            | RunbookFix::Set { service, .. }
            | RunbookFix::Ease { service, .. } => service,
        }
    }

    /// Whether it is there to break a loop.
    pub fn breaks_a_loop(&self) -> bool {
        matches!(self, RunbookFix::Ease { .. })
    }

    /// The action that takes it back; a restart cannot be.
    pub fn undo(&self) -> Option<String> {
        match self {
            RunbookFix::Restart { .. } | RunbookFix::TakeBack { .. } => None,
            RunbookFix::Set { service, key, from, .. } | RunbookFix::Ease { service, key, from, .. } => {
                Some(format!("update_config({service}, {key}, {from})"))
            }
        }
    }

    /// Whether more of the same may help where this did not.
    pub fn can_be_more(&self) -> bool {
        match self {
            RunbookFix::Set { from, to, .. } => from.parse::<f64>().ok() < to.parse::<f64>().ok(),
            _ => false,
        }
    }

    /// Whether it works on the same thing as another.
    pub fn is_like(&self, other: &RunbookFix) -> bool {
        match (self, other) {
            (RunbookFix::Restart { service: a, .. }, RunbookFix::Restart { service: b, .. }) => a == b,
            (
                RunbookFix::Set { service: a, key: x, .. } | RunbookFix::Ease { service: a, key: x, .. },
                RunbookFix::Set { service: b, key: y, .. } | RunbookFix::Ease { service: b, key: y, .. },
            ) => a == b && x == y,
            (RunbookFix::TakeBack { service: a, .. }, RunbookFix::TakeBack { service: b, .. }) => a == b,
            _ => false,
        }
    }

    /// The resolution, in words that were seen: component, mechanism, key of each.
    pub fn resolve(all: &[RunbookFix], page: &str) -> String {
        let join = |part: fn(&RunbookFix) -> String, by: &str| all.iter().map(part).collect::<Vec<_>>().join(by);
        let (cause, fix) = (join(RunbookFix::cause, ". "), join(RunbookFix::fix, ", "));
        let symptom: String = page.split(", ").next().unwrap_or_default().chars().filter(|c| *c != '"').collect();
        let exact: Option<Vec<String>> = all.iter().map(RunbookFix::exact).collect();
        let exact = exact.map_or_else(String::new, |exact| format!(", causes=\"{}\"", exact.join("; ")));
        format!("resolve_incident(root_cause=\"{cause}. It showed as {symptom}\", fix=\"{fix}\"{exact})")
    }

    /// The cause as a structured answer, where a setting was wrong.
    fn exact(&self) -> Option<String> {
        match self {
            // Retries without end have a cause of their own.
            RunbookFix::Set { key, from, to, .. } if key.contains("RETRY") && from.len() > to.len() => None,
            RunbookFix::Set { service, key, from, to, .. } => of_setting(service, key, from, to),
            RunbookFix::TakeBack { service, cause, .. } => Some(format!("{service}/{cause}")),
            RunbookFix::Ease { turns, cause, .. } => Some(format!("{turns}/{cause}")),
            RunbookFix::Restart { service, why } => {
                let cause = match why {
                    Death::Process => "crash",
                    Death::Workers => "worker_crash",
                    Death::Leak => "memory_leak",
                    Death::Other(cause) => cause,
                };
                Some(format!("{service}/{cause}"))
            }
        }
    }

    fn cause(&self) -> String {
        match self {
            RunbookFix::Restart { service, why: Death::Process } => {
                format!("the {service} process crashed and was not running")
            }
            RunbookFix::Restart { service, why: Death::Workers } => {
                format!("{service} worker processes crashed and stayed dead")
            }
            RunbookFix::Restart { service, why: Death::Leak } => {
                format!("{service} has a memory leak: its memory keeps growing until nothing is left")
            }
            RunbookFix::Restart { service, why: Death::Other(cause) } => {
                format!("{service} suffers from {}", cause.replace('_', " "))
            }
            RunbookFix::TakeBack { service, cause, .. } => {
                format!("the last deployment of {service} is a {}", cause.replace('_', " "))
            }
            RunbookFix::Ease { turns, cause, .. } => {
                format!("{turns} is in a {} that outlives its trigger", cause.replace('_', " "))
            }
            RunbookFix::Set { service, key, from, to, .. } => match (from.parse::<f64>(), to.parse::<f64>()) {
                (Ok(was), Ok(is)) if was < is => format!("{service} {key} of {from} is too low"),
                (Ok(_), Ok(_)) if key.contains("RETRY") => {
                    format!(
                        "{service} {key} of {from} is too high, so that poison messages, which always fail, are retried again and again"
                    )
                }
                (Ok(_), Ok(_)) => format!("{service} {key} of {from} is too high"),
                _ => format!("{service} {key} is wrongly set to {from}"),
            },
        }
    }

    fn fix(&self) -> String {
        match self {
            RunbookFix::Restart { service, .. } => format!("restarted {service}"),
            RunbookFix::TakeBack { service, .. } => format!("took the last deployment of {service} back"),
            RunbookFix::Set { service, key, to, .. } | RunbookFix::Ease { service, key, to, .. } => {
                format!("set {service} {key} to {to}")
            }
        }
    }
}
