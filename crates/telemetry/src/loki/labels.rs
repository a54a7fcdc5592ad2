//! labels, label values and series.

use std::collections::BTreeSet;

use crate::http::Params;
use crate::json;
use crate::labels::Labels;
use crate::logql::ast::Query;
use crate::logql::parse;
use crate::matcher::Matcher;

use super::params::range;
use super::{Loki, LokiResult, Refused};

/// The matchers of a parameter that may only be a selector.
pub(super) fn selector(text: &str) -> Result<Vec<Matcher>, Refused> {
    match parse(text).map_err(|e| Refused(400, e.to_string()))? {
        Query::Log(log) if log.stages.is_empty() => Ok(log.matchers),
        _ => Err(Refused(400, "only label matchers are supported".to_owned())),
    }
}

impl Loki {
    pub(super) fn labels(&self, params: &Params) -> LokiResult {
        let mut names = BTreeSet::new();
        for labels in self.present(params)? {
            names.extend(labels.iter().map(|(name, _)| name.to_owned()));
        }
        Ok(list(&names))
    }

    pub(super) fn label_values(&self, name: &str, params: &Params) -> LokiResult {
        let mut values = BTreeSet::new();
        for labels in self.present(params)? {
            values.extend(labels.find(name).map(str::to_owned));
        }
        Ok(list(&values))
    }

    pub(super) fn series(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        let mut found: BTreeSet<&Labels> = BTreeSet::new();
        let asked: Vec<&str> = params.all("match[]").chain(params.all("match")).collect();
        for text in &asked {
            let matchers = selector(text)?;
            found.extend(self.overlapping(start, end).filter(|l| matchers.iter().all(|m| m.fits(l))));
        }
        if asked.is_empty() {
            found.extend(self.overlapping(start, end));
        }
        let parts: Vec<String> = found.into_iter().map(json::labels).collect();
        Ok(format!("{{\"status\":\"success\",\"data\":[{}]}}", parts.join(",")))
    }

    /// The label sets that a request asks about.
    fn present(&self, params: &Params) -> Result<Vec<&Labels>, Refused> {
        let (start, end) = range(params, self.now)?;
        let matchers = match params.get("query") {
            "" => Vec::new(),
            text => selector(text)?,
        };
        Ok(self.overlapping(start, end).filter(|l| matchers.iter().all(|m| m.fits(l))).collect())
    }

    /// Streams whose lines reach into the range.
    pub(super) fn overlapping(&self, start: i64, end: i64) -> impl Iterator<Item = &Labels> {
        self.store
            .streams()
            .filter(move |(_, stream)| {
                let lines = stream.lines();
                lines.first().is_some_and(|l| l.time <= end) && lines.last().is_some_and(|l| l.time >= start)
            })
            .map(|(labels, _)| labels)
    }
}

/// Names or values; where there are none, the data is left out.
fn list(texts: &BTreeSet<String>) -> String {
    if texts.is_empty() {
        return "{\"status\":\"success\"}".to_owned();
    }
    format!("{{\"status\":\"success\",\"data\":{}}}", json::strings(texts.iter().map(String::as_str)))
}
