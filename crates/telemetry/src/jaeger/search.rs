//! Finding traces.

use crate::http::Params;
use crate::json;

use super::params::{Search, trace_id};
use super::spans::{JaegerSpan, TraceId};
use super::told::{trace_json, trace_name};
use super::{Jaeger, JaegerResult, Refusal, Told};

impl Jaeger {
    pub(super) fn traces(&self, params: &Params) -> JaegerResult {
        let search = Search::read(params, self.now)?;
        let raw = params.get("raw") == "true";
        if !search.traces.is_empty() {
            return Ok(self.named(&search.traces, raw));
        }
        let mut found: Vec<&[JaegerSpan]> =
            self.store.traces().filter(|spans| spans.iter().any(|span| search.fits(span))).collect();
        // The newest ones are told where there are too many.
        found.sort_by_key(|spans| std::cmp::Reverse(first_start(spans)));
        if search.limit > 0 {
            found.truncate(search.limit as usize);
        }
        let parts: Vec<String> = found.iter().map(|spans| trace_json(spans, raw)).collect();
        Ok(Told::data(format!("[{}]", parts.join(","))))
    }

    pub(super) fn trace(&self, id: &str, raw: bool) -> JaegerResult {
        let id = trace_id(id)?;
        let spans = self.store.trace(id).ok_or_else(|| Refusal(404, "trace not found".to_owned()))?;
        Ok(Told::data(format!("[{}]", trace_json(spans, raw))))
    }

    /// Traces by their names; what is missing is told beside them.
    fn named(&self, ids: &[TraceId], raw: bool) -> Told {
        let mut parts = Vec::new();
        let mut missing = Vec::new();
        for id in ids {
            match self.store.trace(*id) {
                Some(spans) => parts.push(trace_json(spans, raw)),
                None => missing
                    .push(format!("{{\"msg\":\"trace not found\",\"traceID\":{}}}", json::string(&trace_name(*id)))),
            }
        }
        let mut told = Told::data(format!("[{}]", parts.join(",")));
        if !missing.is_empty() {
            told.errors = format!("[{}]", missing.join(","));
        }
        told
    }
}

pub(super) fn first_start(spans: &[JaegerSpan]) -> i64 {
    spans.iter().map(|s| s.start).min().unwrap_or(0)
}

impl Search {
    /// One span must fit in every respect.
    fn fits(&self, span: &JaegerSpan) -> bool {
        let nanos = span.duration.saturating_mul(1000);
        span.service == self.service
            && (self.operation.is_empty() || span.operation == self.operation)
            && span.start >= self.start
            && span.start <= self.end
            && self.shortest.is_none_or(|least| nanos >= least)
            && self.longest.is_none_or(|most| nanos <= most)
            && self.tags.iter().all(|(name, value)| has_tag(span, name, value))
    }
}

/// Tags of the span, of its process and fields of its logs all count.
fn has_tag(span: &JaegerSpan, name: &str, value: &str) -> bool {
    let own = span.tags.iter().chain(&span.process).chain(span.logs.iter().flat_map(|log| &log.fields));
    own.into_iter().any(|(n, v)| n == name && v.as_text() == value)
}
