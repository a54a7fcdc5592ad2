//! Alerts as they are held, and what keeps them quiet.

use crate::http::Params;
use crate::labels::Labels;

use super::matchers::{Filters, flag};
use super::{Alertmanager, Declined, Handled};

/// An alert that came in.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldAlert {
    /// What names it.
    pub labels: Labels,
    /// What it tells.
    pub annotations: Labels,
    /// Since when, in nanoseconds.
    pub starts_at: i64,
    /// Until when.
    pub ends_at: i64,
    /// When it last came in.
    pub updated_at: i64,
    /// Where it comes from; empty where it is not said.
    pub generator: String,
}

/// Why an alert is not told to its receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Quiet {
    pub silenced_by: Vec<String>,
    pub inhibited_by: Vec<String>,
}

impl Quiet {
    pub fn state(&self) -> &'static str {
        if self.silenced_by.is_empty() && self.inhibited_by.is_empty() { "active" } else { "suppressed" }
    }
}

impl Alertmanager {
    /// The alerts that last, sorted by fingerprint.
    pub fn lasting(&self) -> Vec<&HeldAlert> {
        let mut alerts: Vec<&HeldAlert> = self.alerts.values().filter(|a| a.ends_at > self.now).collect();
        alerts.sort_by_key(|a| a.labels.fingerprint());
        alerts
    }

    pub(super) fn quiet(&self, alert: &HeldAlert) -> Quiet {
        let silences = self.silences.iter().filter(|s| s.is_active(self.now) && s.fits(&alert.labels));
        let mut quiet = Quiet { silenced_by: silences.map(|s| s.id.clone()).collect(), ..Quiet::default() };
        for rule in &self.config.inhibit {
            if !rule.target.iter().all(|m| m.fits(&alert.labels)) {
                continue;
            }
            let source = self.lasting().into_iter().find(|source| {
                source.labels != alert.labels
                    && rule.source.iter().all(|m| m.fits(&source.labels))
                    && rule.equal.iter().all(|name| source.labels.get(name) == alert.labels.get(name))
            });
            // What is on both sides of a rule does not inhibit itself.
            let both = rule.source.iter().all(|m| m.fits(&alert.labels));
            if let Some(source) = source.filter(|s| !(both && rule.target.iter().all(|m| m.fits(&s.labels)))) {
                quiet.inhibited_by.push(format!("{:016x}", source.labels.fingerprint()));
            }
        }
        quiet
    }

    /// The alerts that a request asks for, with what keeps them quiet.
    pub(super) fn asked(&self, params: &Params) -> Result<Vec<(&HeldAlert, Quiet)>, Declined> {
        let filters = Filters::read(params)?;
        let [active, silenced, inhibited] = ["active", "silenced", "inhibited"].map(|name| flag(params, name));
        let mut out = Vec::new();
        for alert in self.lasting() {
            if !filters.fit(&alert.labels, self.config.receiver_of(&alert.labels)) {
                continue;
            }
            let quiet = self.quiet(alert);
            let hidden = (!active && quiet.state() == "active")
                || (!silenced && !quiet.silenced_by.is_empty())
                || (!inhibited && !quiet.inhibited_by.is_empty());
            if !hidden {
                out.push((alert, quiet));
            }
        }
        Ok(out)
    }

    pub(super) fn list(&self, params: &Params) -> Handled {
        let parts: Vec<String> =
            self.asked(params)?.iter().map(|(alert, quiet)| self.alert_json(alert, quiet)).collect();
        Ok(Some(format!("[{}]", parts.join(","))))
    }

    pub(super) fn list_v1(&self, params: &Params) -> Handled {
        let parts: Vec<String> =
            self.asked(params)?.iter().map(|(alert, quiet)| self.alert_json_v1(alert, quiet)).collect();
        Ok(Some(format!("{{\"status\":\"success\",\"data\":[{}]}}", parts.join(","))))
    }
}
