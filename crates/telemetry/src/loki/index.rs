//! index/*: how much there is.

use std::collections::BTreeMap;

use crate::http::Params;
use crate::json;
use crate::labels::Labels;
use crate::matcher::Matcher;
use crate::promql::Point;

use super::labels::selector;
use super::params::{range, step};
use super::{Loki, LokiResult, Refused};

impl Loki {
    pub(super) fn index_stats(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        let matchers = selector(params.get("query"))?;
        let (mut streams, mut bytes, mut entries) = (0, 0, 0);
        for (_, stream) in self.store.select(&matchers) {
            let lines = stream.between(start, end);
            if !lines.is_empty() {
                streams += 1;
                entries += lines.len();
                bytes += lines.iter().map(|l| l.line.len()).sum::<usize>();
            }
        }
        Ok(format!("{{\"streams\":{streams},\"chunks\":{streams},\"bytes\":{bytes},\"entries\":{entries}}}"))
    }

    pub(super) fn index_volume(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        let volumes = self.volumes(params, start, end)?;
        let parts: Vec<String> = volumes
            .iter()
            .map(|(labels, bytes)| {
                let mut point = String::new();
                json::write_point(&mut point, Point { time: end.div_euclid(1_000_000), value: *bytes });
                format!("{{\"metric\":{},\"value\":{point}}}", json::labels(labels))
            })
            .collect();
        Ok(told("vector", &parts))
    }

    pub(super) fn index_volume_range(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        let step = step(params, start, end)?;
        let mut series: BTreeMap<Labels, Vec<String>> = BTreeMap::new();
        let mut from = start;
        while from < end {
            let to = (from + step).min(end);
            for (labels, bytes) in self.volumes(params, from, to)? {
                let mut point = String::new();
                json::write_point(&mut point, Point { time: to.div_euclid(1_000_000), value: bytes });
                series.entry(labels).or_default().push(point);
            }
            if series.values().map(Vec::len).sum::<usize>() > 1_000_000 {
                return Err(Refused(400, "the answer would be too large".to_owned()));
            }
            from = to;
        }
        let parts: Vec<String> = series
            .iter()
            .map(|(labels, points)| {
                format!("{{\"metric\":{},\"values\":[{}]}}", json::labels(labels), points.join(","))
            })
            .collect();
        Ok(told("matrix", &parts))
    }

    /// Bytes by the labels that were asked for, largest first.
    fn volumes(&self, params: &Params, start: i64, end: i64) -> Result<Vec<(Labels, f64)>, Refused> {
        let matchers = selector(params.get("query"))?;
        let targets: Vec<String> = match params.get("targetLabels") {
            "" => matchers.iter().map(|m: &Matcher| m.name.clone()).collect(),
            text => text.split(',').map(str::to_owned).collect(),
        };
        let by_labels = params.get("aggregateBy") == "labels";
        let mut volumes: BTreeMap<Labels, f64> = BTreeMap::new();
        for (labels, stream) in self.store.select(&matchers) {
            let bytes = stream.between(start, end).iter().map(|l| l.line.len()).sum::<usize>() as f64;
            if bytes == 0.0 {
                continue;
            }
            if by_labels {
                let chosen = labels
                    .iter()
                    .filter(|(n, _)| params.get("targetLabels").is_empty() || targets.iter().any(|t| t == n));
                for (name, _) in chosen {
                    *volumes.entry(Labels::new([(name, "")])).or_default() += bytes;
                }
                continue;
            }
            *volumes.entry(labels.filtered(|name| targets.iter().any(|t| t == name))).or_default() += bytes;
        }
        let most = params.get("limit").parse::<usize>().unwrap_or(100);
        let mut list: Vec<(Labels, f64)> = volumes.into_iter().collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list.truncate(most);
        Ok(list)
    }
}

fn told(kind: &str, parts: &[String]) -> String {
    format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"{kind}\",\"result\":[{}]}}}}", parts.join(","))
}
