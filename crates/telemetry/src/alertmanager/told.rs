//! Alerts, silences and the status as JSON.

use crate::go::time::{rfc3339, rfc3339_nanos};
use crate::json;
use crate::matcher::MatchOp;

use super::alerts::Quiet;
use super::silences::{Silence, SilenceState};
use super::{Alertmanager, HeldAlert};

/// `2026-11-15T10:55:44.159Z`: always three decimals.
fn time(nanos: i64) -> String {
    let base = rfc3339(nanos.div_euclid(1_000_000_000));
    let millis = nanos.rem_euclid(1_000_000_000) / 1_000_000;
    format!("\"{}.{millis:03}Z\"", base.trim_end_matches('Z'))
}

fn strings(texts: &[String]) -> String {
    json::strings(texts.iter().map(String::as_str))
}

impl Alertmanager {
    pub(super) fn alert_json(&self, alert: &HeldAlert, quiet: &Quiet) -> String {
        let generator = match alert.generator.as_str() {
            "" => String::new(),
            url => format!("\"generatorURL\":{},", json::string(url)),
        };
        format!(
            "{{\"annotations\":{},\"endsAt\":{},\"fingerprint\":\"{:016x}\",\"receivers\":[{{\"name\":{}}}],\
             \"startsAt\":{},\"status\":{{\"inhibitedBy\":{},\"silencedBy\":{},\"state\":\"{}\"}},\"updatedAt\":{},\
             {generator}\"labels\":{}}}",
            json::labels(&alert.annotations),
            time(alert.ends_at),
            alert.labels.fingerprint(),
            json::string(self.config.receiver_of(&alert.labels)),
            time(alert.starts_at),
            strings(&quiet.inhibited_by),
            strings(&quiet.silenced_by),
            quiet.state(),
            time(alert.updated_at),
            json::labels(&alert.labels),
        )
    }

    pub(super) fn alert_json_v1(&self, alert: &HeldAlert, quiet: &Quiet) -> String {
        let list = |texts: &[String]| if texts.is_empty() { "null".to_owned() } else { strings(texts) };
        format!(
            "{{\"labels\":{},\"annotations\":{},\"startsAt\":\"{}\",\"endsAt\":\"{}\",\"generatorURL\":{},\
             \"status\":{{\"state\":\"{}\",\"silencedBy\":{},\"inhibitedBy\":{}}},\"receivers\":[{}],\
             \"fingerprint\":\"{:016x}\"}}",
            json::labels(&alert.labels),
            json::labels(&alert.annotations),
            rfc3339_nanos(alert.starts_at),
            rfc3339_nanos(alert.ends_at),
            json::string(&alert.generator),
            quiet.state(),
            list(&quiet.silenced_by),
            list(&quiet.inhibited_by),
            json::string(self.config.receiver_of(&alert.labels)),
            alert.labels.fingerprint(),
        )
    }

    pub(super) fn silence_json(&self, silence: &Silence) -> String {
        let state = match silence.state(self.now) {
            SilenceState::Active => "active",
            SilenceState::Pending => "pending",
            SilenceState::Expired => "expired",
        };
        let matchers: Vec<String> = silence
            .matchers
            .iter()
            .map(|m| {
                format!(
                    "{{\"isEqual\":{},\"isRegex\":{},\"name\":{},\"value\":{}}}",
                    matches!(m.op, MatchOp::Equal | MatchOp::Matches),
                    matches!(m.op, MatchOp::Matches | MatchOp::NotMatches),
                    json::string(&m.name),
                    json::string(&m.value)
                )
            })
            .collect();
        format!(
            "{{\"id\":{},\"status\":{{\"state\":\"{state}\"}},\"updatedAt\":{},\"comment\":{},\"createdBy\":{},\
             \"endsAt\":{},\"matchers\":[{}],\"startsAt\":{}}}",
            json::string(&silence.id),
            time(silence.updated_at),
            json::string(&silence.comment),
            json::string(&silence.created_by),
            time(silence.ends_at),
            matchers.join(","),
            time(silence.starts_at),
        )
    }

    pub(super) fn status_json(&self) -> String {
        format!(
            "{{\"cluster\":{{\"peers\":[],\"status\":\"disabled\"}},\"config\":{{\"original\":{}}},\"uptime\":{},\
             \"versionInfo\":{{\"branch\":\"HEAD\",\"buildDate\":\"\",\"buildUser\":\"\",\"goVersion\":\"go1.19\",\
             \"revision\":\"unknown\",\"version\":\"0.25.0\"}}}}",
            json::string(&self.config.original),
            time(self.started),
        )
    }
}
