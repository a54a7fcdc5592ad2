//! Alerts that come in.

use serde_json::Value as Json;

use crate::go::json_error;
use crate::go::time::parse_rfc3339;
use crate::labels::{Labels, is_plain_name};

use super::{Alertmanager, Declined, Handled, HeldAlert};

impl Alertmanager {
    pub(super) fn post_alerts(&mut self, body: &str) -> Handled {
        let failed = |why: String| Declined::Coded {
            status: 400,
            code: 400,
            text: format!("parsing alerts body from \"\" failed, because {why}"),
        };
        let json: Json = serde_json::from_str(body).map_err(|_| failed(json_error(body)))?;
        let Json::Array(list) = json else {
            let kind = kind_of(&json);
            return Err(failed(format!("json: cannot unmarshal {kind} into Go value of type models.PostableAlerts")));
        };
        for (i, alert) in list.iter().enumerate() {
            if !alert["labels"].is_object() {
                return Err(Declined::invalid(602, format!("{i}.labels in body is required")));
            }
        }
        let mut refused = None;
        for alert in &list {
            // Good ones are kept although others are refused.
            match self.read_alert(alert).map_err(failed)? {
                Ok(alert) => self.receive(alert),
                Err(why) => {
                    refused.get_or_insert(why);
                }
            }
        }
        match refused {
            Some(why) => Err(Declined::bad(why)),
            None => Ok(None),
        }
    }

    /// Takes an alert in; one with the same labels is renewed, and keeps its start where the times overlap.
    pub fn receive(&mut self, mut alert: HeldAlert) {
        if let Some(known) = self.alerts.get(&alert.labels)
            && known.ends_at > alert.starts_at
            && known.starts_at < alert.ends_at
        {
            alert.starts_at = alert.starts_at.min(known.starts_at);
        }
        self.alerts.insert(alert.labels.clone(), alert);
    }

    fn read_alert(&self, json: &Json) -> Result<Result<HeldAlert, String>, String> {
        let time = |key: &str| match &json[key] {
            Json::Null => Ok(None),
            Json::String(text) if text.is_empty() || text.starts_with("0001-01-01") => Ok(None),
            Json::String(text) => parse_rfc3339(text).map(Some).ok_or_else(|| bad_time(text)),
            other => Err(format!("json: cannot unmarshal {} into Go value of type string", kind_of(other))),
        };
        let (starts, ends) = (time("startsAt")?, time("endsAt")?);
        let labels = texts(&json["labels"]);
        if let Some((bad, _)) = labels.iter().find(|(n, _)| !is_plain_name(&n.replace(':', "_"))) {
            return Ok(Err(format!("invalid label set: invalid name {}", crate::go::quote(bad))));
        }
        let labels = Labels::new(labels);
        if labels.is_empty() {
            return Ok(Err("at least one label pair required".to_owned()));
        }
        // An alert that only says when it ended began then at the latest.
        let starts_at = starts.or(ends.map(|e| e.min(self.now))).unwrap_or(self.now);
        let ends_at = ends.unwrap_or(self.now + self.config.resolve_timeout);
        if ends_at < starts_at {
            return Ok(Err("start time must be before end time".to_owned()));
        }
        Ok(Ok(HeldAlert {
            labels,
            annotations: Labels::new(texts(&json["annotations"])),
            starts_at,
            ends_at,
            updated_at: self.now,
            generator: json["generatorURL"].as_str().unwrap_or("").to_owned(),
        }))
    }
}

fn texts(json: &Json) -> Vec<(String, String)> {
    let fields = json.as_object().into_iter().flatten();
    fields.filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))).collect()
}

/// The error of a time in no known form.
pub(super) fn bad_time(text: &str) -> String {
    let shown = crate::go::quote(text);
    format!("parsing time {shown} as \"2006-01-02 15:04:05\": cannot parse {shown} as \"2006\"")
}

pub(super) fn kind_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
