//! rules and alerts as the API tells them.

use std::collections::BTreeMap;

use crate::api::{ApiFailure, ApiResult};
use crate::go::number::{exponent, general};
use crate::go::time::rfc3339_nanos;
use crate::http::Params;
use crate::json;
use crate::promql::parse_selector;

use super::{ActiveAlert, AlertState, LoadedRule, RuleBook, RuleGroup, RuleKind};

/// The time of something that has not happened.
const NEVER: &str = "0001-01-01T00:00:00Z";

impl RuleBook {
    pub(crate) fn rules_json(&self, params: &Params) -> ApiResult {
        let kind = params.get("type").to_lowercase();
        if !matches!(kind.as_str(), "" | "alert" | "record") {
            return Err(ApiFailure::parameter(
                "type",
                format!("not supported value {}", crate::go::quote(params.get("type"))),
            ));
        }
        let mut matchers = Vec::new();
        for text in params.all("match[]") {
            matchers.push(parse_selector(text).map_err(|e| ApiFailure::bad(e.to_string()))?.matchers);
        }
        let chosen = |name: &str, value: &str| params.find(name).is_none() || params.all(name).any(|v| v == value);
        let bare = params.get("exclude_alerts") == "true";
        let mut groups = Vec::new();
        for group in &self.groups {
            if !chosen("rule_group[]", &group.name) || !chosen("file[]", &group.file) {
                continue;
            }
            let rules: Vec<String> = group
                .rules
                .iter()
                .filter(|rule| match (&rule.kind, kind.as_str()) {
                    (RuleKind::Recording, "alert") | (RuleKind::Alerting { .. }, "record") => false,
                    _ => chosen("rule_name[]", &rule.name),
                })
                .filter(|rule| matchers.is_empty() || matchers.iter().any(|ms| ms.iter().all(|m| m.fits(&rule.labels))))
                .map(|rule| rule.json(bare))
                .collect();
            if !rules.is_empty() || params.find("rule_name[]").is_none() {
                groups.push(group.json(&rules));
            }
        }
        Ok(format!("{{\"groups\":[{}]}}", groups.join(",")).into())
    }

    pub(crate) fn alerts_json(&self) -> String {
        let alerts: Vec<String> = self.active().map(ActiveAlert::json).collect();
        format!("{{\"alerts\":[{}]}}", alerts.join(","))
    }
}

fn moment(millis: Option<i64>) -> String {
    millis.map_or_else(|| NEVER.to_owned(), |m| rfc3339_nanos(m * 1_000_000))
}

impl RuleGroup {
    fn json(&self, rules: &[String]) -> String {
        format!(
            "{{\"name\":{},\"file\":{},\"rules\":[{}],\"interval\":{},\"limit\":0,\"evaluationTime\":0,\
             \"lastEvaluation\":\"{}\"}}",
            json::string(&self.name),
            json::string(&self.file),
            rules.join(","),
            general(self.interval as f64 / 1000.0),
            moment(self.last_evaluation),
        )
    }
}

impl LoadedRule {
    fn json(&self, bare: bool) -> String {
        let health = match (&self.last_error, self.last_evaluation) {
            (Some(_), _) => "err",
            (None, Some(_)) => "ok",
            _ => "unknown",
        };
        let error = match &self.last_error {
            Some(text) => format!("\"lastError\":{},", json::string(text)),
            None => String::new(),
        };
        let tail = format!(
            "\"health\":\"{health}\",{error}\"evaluationTime\":0,\"lastEvaluation\":\"{}\"",
            moment(self.last_evaluation)
        );
        let (name, query) = (json::string(&self.name), json::string(&self.expr.to_string()));
        let labels = json::labels(&self.labels);
        match &self.kind {
            RuleKind::Recording => {
                format!("{{\"name\":{name},\"query\":{query},\"labels\":{labels},{tail},\"type\":\"recording\"}}")
            }
            RuleKind::Alerting { hold, keep_firing, annotations, .. } => {
                let state = self.active().map(|a| a.state).max().unwrap_or(AlertState::Resolved);
                let alerts: Vec<String> = if bare { vec![] } else { self.active().map(ActiveAlert::json).collect() };
                format!(
                    "{{\"state\":\"{}\",\"name\":{name},\"query\":{query},\"duration\":{},\"keepFiringFor\":{},\
                     \"labels\":{labels},\"annotations\":{},\"alerts\":[{}],{tail},\"type\":\"alerting\"}}",
                    state.name(),
                    general(*hold as f64 / 1000.0),
                    general(*keep_firing as f64 / 1000.0),
                    texts(annotations),
                    alerts.join(","),
                )
            }
        }
    }
}

fn texts(map: &BTreeMap<String, String>) -> String {
    let parts: Vec<String> =
        map.iter().map(|(name, text)| format!("{}:{}", json::string(name), json::string(text))).collect();
    format!("{{{}}}", parts.join(","))
}

impl ActiveAlert {
    fn json(&self) -> String {
        let keep = match self.keep_firing_since {
            Some(since) => format!("\"keepFiringSince\":\"{}\",", moment(Some(since))),
            None => String::new(),
        };
        format!(
            "{{\"labels\":{},\"annotations\":{},\"state\":\"{}\",\"activeAt\":\"{}\",{keep}\"value\":\"{}\"}}",
            json::labels(&self.labels),
            json::labels(&self.annotations),
            self.state.name(),
            moment(Some(self.active_at)),
            exponent(self.value),
        )
    }
}
