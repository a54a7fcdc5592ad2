//! A recorded session with a real Alertmanager.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::alertmanager::{AlertRoute, Alertmanager, AlertmanagerConfig, InhibitRule};
use crate::go::time::parse_rfc3339;
use crate::matcher::Matcher;

use super::Verdicts;
use super::recorded::{Recorded, body_of, difference, read};

/// Plays the session in its order: ids of silences that were given out then stand for those given out now.
pub fn run_alertmanager_recorded(recorded: &str) -> Result<Verdicts, String> {
    let mut session = Session { server: server()?, ids: BTreeMap::new() };
    let mut verdicts = Verdicts::default();
    for line in read(recorded)? {
        // A second or so passes between requests; only their order counts.
        session.server.now += 1_000_000_000;
        let outcome = session.check(&line);
        verdicts.note(outcome.map_err(|why| {
            format!("{} {} {} {}\n    {why}", line.id, line.request.method, line.request.path, line.request.query)
        }));
    }
    Ok(verdicts)
}

fn server() -> Result<Alertmanager, String> {
    let now = parse_rfc3339("2026-11-15T10:55:42Z").ok_or("a moment")?;
    Ok(Alertmanager::new(
        AlertmanagerConfig {
            routes: vec![AlertRoute {
                matchers: vec![Matcher::equal("severity", "critical")],
                receiver: "pager".to_owned(),
            }],
            inhibit: vec![InhibitRule {
                source: vec![Matcher::equal("alertname", "NodeDown")],
                target: vec![Matcher::equal("severity", "warning")],
                equal: vec!["node".to_owned()],
            }],
            ..AlertmanagerConfig::default()
        },
        now,
    ))
}

struct Session {
    server: Alertmanager,
    /// From ids of the recording to ours.
    ids: BTreeMap<String, String>,
}

impl Session {
    fn check(&mut self, line: &Recorded) -> Result<(), String> {
        let mut request = line.request.clone();
        for (then, now) in &self.ids {
            request.path = request.path.replace(then, now);
            request.body = String::from_utf8_lossy(&request.body).replace(then, now).into_bytes();
        }
        let response = self.server.answer(&request);
        let got = body_of(&response);
        if response.status != line.status {
            return Err(format!("status {}, got {}: {}", line.status, response.status, difference(&line.body, &got)));
        }
        let kind = line.line["content_type"].as_str().unwrap_or("");
        if kind != response.content_type {
            return Err(format!("content type {kind:?}, got {:?}", response.content_type));
        }
        if let (Some(then), Some(now)) = (line.body["silenceID"].as_str(), got["silenceID"].as_str()) {
            self.ids.insert(then.to_owned(), now.to_owned());
        }
        let (wanted, got) = (self.plain(&line.body), self.plain(&got));
        if wanted == got { Ok(()) } else { Err(difference(&wanted, &got)) }
    }

    /// Without what differs from session to session: times that are not given, ids and versions.
    fn plain(&self, json: &Json) -> Json {
        match json {
            Json::Object(fields) => Json::Object(
                fields
                    .iter()
                    .map(|(key, value)| {
                        let varies = ["updatedAt", "uptime", "versionInfo", "original"].contains(&key.as_str());
                        let moving = matches!(key.as_str(), "startsAt" | "endsAt")
                            && value.as_str().is_some_and(|t| t.starts_with("2026-11-15"));
                        let value = if varies || moving { Json::Bool(true) } else { self.plain(value) };
                        (key.clone(), value)
                    })
                    .collect(),
            ),
            Json::Array(list) => Json::Array(list.iter().map(|v| self.plain(v)).collect()),
            Json::String(text) => {
                let ours = self.ids.get(text).cloned();
                Json::String(ours.unwrap_or_else(|| text.clone()))
            }
            other => other.clone(),
        }
    }
}
