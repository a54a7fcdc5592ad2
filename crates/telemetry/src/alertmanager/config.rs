//! Routes, receivers and inhibitions.

use crate::json;
use crate::labels::Labels;
use crate::matcher::Matcher;

/// Alerts that fit go to a receiver.
#[derive(Clone, Debug)]
pub struct AlertRoute {
    /// What an alert must have.
    pub matchers: Vec<Matcher>,
    /// Who is told.
    pub receiver: String,
}

/// While a source fires, targets with the same values are not told.
#[derive(Clone, Debug)]
pub struct InhibitRule {
    /// What the source has.
    pub source: Vec<Matcher>,
    /// What the target has.
    pub target: Vec<Matcher>,
    /// Labels that both have alike.
    pub equal: Vec<String>,
}

/// What a server is told to do.
#[derive(Clone, Debug)]
pub struct AlertmanagerConfig {
    /// Who is told where no route fits.
    pub receiver: String,
    /// The first that fits counts.
    pub routes: Vec<AlertRoute>,
    /// Labels that make a group.
    pub group_by: Vec<String>,
    /// What silences what.
    pub inhibit: Vec<InhibitRule>,
    /// How long an alert without an end lasts, in nanoseconds.
    pub resolve_timeout: i64,
    /// The configuration as it was written.
    pub original: String,
}

impl Default for AlertmanagerConfig {
    fn default() -> Self {
        Self {
            receiver: "default".to_owned(),
            routes: Vec::new(),
            group_by: vec!["alertname".to_owned(), "namespace".to_owned()],
            inhibit: Vec::new(),
            resolve_timeout: 300_000_000_000,
            original: String::new(),
        }
    }
}

impl AlertmanagerConfig {
    /// Who is told of an alert.
    pub fn receiver_of(&self, labels: &Labels) -> &str {
        let route = self.routes.iter().find(|r| r.matchers.iter().all(|m| m.fits(labels)));
        route.map_or(&self.receiver, |r| &r.receiver)
    }

    /// All receivers, each once, in the order in which they are named.
    pub(super) fn receivers(&self) -> Vec<&str> {
        let mut names = vec![self.receiver.as_str()];
        for route in &self.routes {
            if !names.contains(&route.receiver.as_str()) {
                names.push(&route.receiver);
            }
        }
        names
    }

    pub(super) fn receivers_json(&self) -> String {
        let parts: Vec<String> = self.receivers().iter().map(|n| format!("{{\"name\":{}}}", json::string(n))).collect();
        format!("[{}]", parts.join(","))
    }
}
