//! Which service calls which.

use std::collections::BTreeMap;

use crate::http::Params;
use crate::json;

use super::params::number_or;
use super::{Jaeger, JaegerResult, Told};

impl Jaeger {
    pub(super) fn dependencies(&self, params: &Params) -> JaegerResult {
        let end = number_or(params, "endTs", self.now / 1000)?;
        let lookback = number_or(params, "lookback", 24 * 3_600_000)?;
        let service = params.get("service");
        let (low, high) = (end.saturating_sub(lookback).saturating_mul(1000), end.saturating_mul(1000));
        let mut calls: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for spans in self.store.traces().filter(|spans| spans.iter().any(|s| s.start >= low && s.start <= high)) {
            for span in spans {
                let Some(parent) = span.parent.and_then(|id| spans.iter().find(|p| p.id == id)) else { continue };
                if parent.service != span.service {
                    *calls.entry((&parent.service, &span.service)).or_default() += 1;
                }
            }
        }
        let parts: Vec<String> = calls
            .iter()
            .filter(|((parent, child), _)| service.is_empty() || service == *parent || service == *child)
            .map(|((parent, child), count)| {
                format!(
                    "{{\"parent\":{},\"child\":{},\"callCount\":{count}}}",
                    json::string(parent),
                    json::string(child)
                )
            })
            .collect();
        Ok(Told::data(format!("[{}]", parts.join(","))))
    }
}
