//! detected_labels and detected_fields: what a user interface offers to filter by.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::http::Params;
use crate::json;
use crate::logql::ast::Query;
use crate::logql::{logfmt_fields, parse, sanitized};

use super::params::{limit, range};
use super::{Loki, LokiResult, Refused};

/// Lines that are looked at for fields.
const LOOKED_AT: usize = 1000;

#[derive(Default)]
struct Field {
    values: BTreeSet<String>,
    parsers: BTreeSet<&'static str>,
    path: Vec<String>,
}

impl Loki {
    pub(super) fn detected_labels(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        let matchers = match params.get("query") {
            "" => Vec::new(),
            text => super::labels::selector(text)?,
        };
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for labels in self.overlapping(start, end).filter(|l| matchers.iter().all(|m| m.fits(l))) {
            for (name, value) in labels.iter() {
                values.entry(name).or_default().insert(value);
            }
        }
        let parts: Vec<String> = values
            .iter()
            .map(|(name, values)| format!("{{\"label\":{},\"cardinality\":{}}}", json::string(name), values.len()))
            .collect();
        Ok(format!("{{\"detectedLabels\":[{}]}}", parts.join(",")))
    }

    pub(super) fn detected_fields(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        let most = match params.get("limit") {
            "" => LOOKED_AT,
            _ => limit(params)?,
        };
        let log = match parse(params.get("query")).map_err(|e| e.to_string())? {
            Query::Log(log) => log,
            Query::Metric(_) => return Err(Refused(400, "only log selector is supported".to_owned())),
        };
        let mut fields: BTreeMap<String, Field> = BTreeMap::new();
        for mut entry in self.store.entries(&log, start, end).into_iter().rev().take(LOOKED_AT) {
            if !entry.run(&log.stages) {
                continue;
            }
            if let Some(level) = entry.labels.get("detected_level") {
                fields.entry("detected_level".to_owned()).or_default().values.insert(level.clone());
            }
            collect(&entry.line, &mut fields);
        }
        let parts: Vec<String> = fields.iter().take(most).map(|(name, field)| field.json(name)).collect();
        Ok(format!("{{\"fields\":[{}],\"limit\":{most}}}", parts.join(",")))
    }
}

fn collect(line: &str, fields: &mut BTreeMap<String, Field>) {
    if let Ok(Json::Object(object)) = serde_json::from_str(line) {
        walk(&object, &mut Vec::new(), fields);
        return;
    }
    for (name, value) in logfmt_fields(line, false).0 {
        let field = fields.entry(name).or_default();
        field.values.insert(value);
        field.parsers.insert("logfmt");
    }
}

fn walk(object: &serde_json::Map<String, Json>, path: &mut Vec<String>, fields: &mut BTreeMap<String, Field>) {
    for (key, value) in object {
        path.push(key.clone());
        let text = match value {
            Json::Object(inner) if path.len() < 20 => {
                walk(inner, path, fields);
                None
            }
            Json::Object(_) | Json::Array(_) | Json::Null => None,
            Json::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        if let Some(text) = text {
            let name = path.iter().map(|p| sanitized(p, false)).collect::<Vec<_>>().join("_");
            let field = fields.entry(name).or_default();
            field.values.insert(text);
            field.parsers.insert("json");
            field.path = path.clone();
        }
        path.pop();
    }
}

impl Field {
    fn json(&self, name: &str) -> String {
        let parsers = match self.parsers.is_empty() {
            true => "null".to_owned(),
            false => json::strings(self.parsers.iter().copied()),
        };
        let path = match self.path.is_empty() {
            true => String::new(),
            false => format!(",\"jsonPath\":{}", json::strings(self.path.iter().map(String::as_str))),
        };
        format!(
            "{{\"label\":{},\"type\":\"{}\",\"cardinality\":{},\"parsers\":{parsers}{path}}}",
            json::string(name),
            self.kind(),
            self.values.len()
        )
    }

    /// The narrowest type that holds all values.
    fn kind(&self) -> &'static str {
        let all = |test: fn(&str) -> bool| self.values.iter().all(|v| test(v));
        if all(|v| v.parse::<i64>().is_ok()) {
            "int"
        } else if all(|v| crate::go::parse_float(v).is_some()) {
            "float"
        } else if all(|v| matches!(v, "true" | "false")) {
            "boolean"
        } else if all(|v| crate::go::duration::parse_go(v).is_some()) {
            "duration"
        } else if all(|v| crate::logql::bytes(v).is_some()) {
            "bytes"
        } else {
            "string"
        }
    }
}
