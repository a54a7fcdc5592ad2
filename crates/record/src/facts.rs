//! What an observation showed and what an action changed: the part of a step that graders read.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Something that a reply showed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// What kind of thing.
    pub kind: FactKind,
    /// The service it is about; for the state of a route, its application.
    pub service: Arc<str>,
    /// The series, log template, key, alert, change, ...
    pub item: Cow<'static, str>,
    /// Whether it shows something out of the ordinary; for configuration, whether the value was shown.
    pub telling: bool,
}

impl Fact {
    /// A fact.
    pub fn new(kind: FactKind, service: &Arc<str>, item: impl Into<Cow<'static, str>>, telling: bool) -> Fact {
        Fact { kind, service: service.clone(), item: item.into(), telling }
    }
}

/// What kind of thing a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// A series.
    Metrics,
    /// A log template.
    Logs,
    /// A status page, or a route's standing.
    Status,
    /// A configuration key.
    Config,
    /// How one service sees another.
    Dependency,
    /// An entry of the change history.
    Change,
    /// An alert.
    Alert,
    /// A step of a sampled request.
    Trace,
}

impl FactKind {
    /// All of them.
    pub const ALL: [FactKind; 8] = [
        FactKind::Metrics,
        FactKind::Logs,
        FactKind::Status,
        FactKind::Config,
        FactKind::Dependency,
        FactKind::Change,
        FactKind::Alert,
        FactKind::Trace,
    ];

    /// The kind of that word.
    pub fn find(word: &str) -> Option<FactKind> {
        FactKind::ALL.into_iter().find(|kind| kind.text() == word)
    }

    /// In one lower-case word.
    pub fn text(self) -> &'static str {
        match self {
            FactKind::Metrics => "metrics",
            FactKind::Logs => "logs",
            FactKind::Status => "status",
            FactKind::Config => "config",
            FactKind::Dependency => "dependency",
            FactKind::Change => "change",
            FactKind::Alert => "alert",
            FactKind::Trace => "trace",
        }
    }
}

/// Something that a call changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "touch", rename_all = "snake_case", deny_unknown_fields)]
pub enum Touch {
    /// A configuration key was given another value.
    Config {
        /// The service.
        service: String,
        /// The key.
        key: String,
        /// The value before.
        from: String,
        /// The value after.
        to: String,
    },
    /// A service was restarted.
    Restart {
        /// The service.
        service: String,
    },
    /// A change was taken back that had brought more than settings: a build, a route of traffic.
    Rollback {
        /// The service that it was made to.
        service: String,
    },
    /// An alert was silenced.
    Silence {
        /// The alert.
        alert: String,
    },
    /// Something else was done to a service. It leaves nothing behind that could be taken back.
    Other {
        /// The service.
        service: String,
        /// What was done, in one word of the tool.
        verb: String,
        /// To which part of it; empty for all of it.
        what: String,
    },
}

impl Touch {
    /// The service that was touched; an alert is on none.
    pub fn service(&self) -> Option<&str> {
        match self {
            Touch::Config { service, .. }
            | Touch::Restart { service }
            | Touch::Rollback { service }
            | Touch::Other { service, .. } => Some(service),
            Touch::Silence { .. } => None,
        }
    }

    /// What was touched: the service, or the alert.
    pub fn target(&self) -> &str {
        match self {
            Touch::Silence { alert } => alert,
            touch => touch.service().expect("all but silences are on a service"),
        }
    }

    /// What was done, in one word; a learner counts it under `did:` and this word.
    pub fn verb(&self) -> &str {
        match self {
            Touch::Config { .. } => "config",
            Touch::Restart { .. } => "restart",
            Touch::Rollback { .. } => "rollback",
            Touch::Silence { .. } => "silence",
            Touch::Other { verb, .. } => verb,
        }
    }

    /// What was done, in words.
    pub fn deed(&self) -> String {
        match self {
            Touch::Config { service, key, to, .. } => format!("set {key} of {service} to {to}"),
            Touch::Restart { service } => format!("restarted {service}"),
            Touch::Rollback { service } => format!("rolled back the last change of {service}"),
            Touch::Silence { alert } => format!("silenced {alert}"),
            Touch::Other { service, verb, what } if what.is_empty() => format!("{verb} {service}"),
            Touch::Other { service, verb, what } => format!("{verb} {what} of {service}"),
        }
    }
}
