//! status/*: what the server says about itself.

use std::collections::BTreeMap;

use crate::go::time::rfc3339_nanos;
use crate::http::Params;
use crate::json;
use crate::labels::METRIC_NAME;

use super::Prometheus;
use crate::api::{ApiFailure, ApiResult};

impl Prometheus {
    pub(super) fn status(&self, what: &str, params: &Params) -> ApiResult {
        Ok(match what {
            "config" => format!("{{\"yaml\":{}}}", json::string(&self.config)),
            "flags" => flags(),
            "runtimeinfo" => self.runtime(),
            "buildinfo" => BUILD.to_owned(),
            "tsdb" => self.tsdb(params)?,
            _ => "{\"min\":0,\"max\":0,\"current\":0}".to_owned(),
        }
        .into())
    }

    fn runtime(&self) -> String {
        format!(
            "{{\"startTime\":\"{}\",\"CWD\":\"/prometheus\",\"hostname\":\"prometheus\",\"serverTime\":\"{}\",\
             \"reloadConfigSuccess\":true,\"lastConfigTime\":\"{}\",\"corruptionCount\":0,\"goroutineCount\":40,\
             \"GOMAXPROCS\":2,\"GOMEMLIMIT\":9223372036854775807,\"GOGC\":\"75\",\"GODEBUG\":\"\",\
             \"storageRetention\":\"15d\"}}",
            rfc3339_nanos(self.started * 1_000_000),
            rfc3339_nanos(self.now * 1_000_000),
            crate::go::time::rfc3339(self.started.div_euclid(1000)),
        )
    }

    fn tsdb(&self, params: &Params) -> Result<String, ApiFailure> {
        let most = match params.get("limit") {
            "" => 10,
            text => match text.parse::<usize>() {
                Ok(limit @ 1..=10_000) => limit,
                _ => return Err(ApiFailure::bad("limit must be a positive number")),
            },
        };
        let (mut least, mut last, mut pairs) = (i64::MAX, i64::MIN, 0);
        for series in self.store.iter() {
            least = least.min(*series.times().first().unwrap_or(&i64::MAX));
            last = last.max(*series.times().last().unwrap_or(&i64::MIN));
        }
        let mut by_label: BTreeMap<String, u64> = BTreeMap::new();
        let mut memory: BTreeMap<String, u64> = BTreeMap::new();
        let mut by_pair: BTreeMap<String, u64> = BTreeMap::new();
        for name in self.store.label_names() {
            for (value, count) in self.store.values_of(name) {
                pairs += 1;
                *by_label.entry(name.to_owned()).or_default() += 1;
                *memory.entry(name.to_owned()).or_default() += value.len() as u64;
                by_pair.insert(format!("{name}={value}"), count as u64);
            }
        }
        let by_metric =
            self.store.values_of(METRIC_NAME).map(|(name, count)| (name.to_owned(), count as u64)).collect();
        Ok(format!(
            "{{\"headStats\":{{\"numSeries\":{0},\"numLabelPairs\":{pairs},\"chunkCount\":{0},\"minTime\":{least},\
             \"maxTime\":{last}}},\"seriesCountByMetricName\":{1},\"labelValueCountByLabelName\":{2},\
             \"memoryInBytesByLabelName\":{3},\"seriesCountByLabelValuePair\":{4}}}",
            self.store.len(),
            top(by_metric, most),
            top(by_label, most),
            top(memory, most),
            top(by_pair, most),
        ))
    }
}

const BUILD: &str = "{\"version\":\"3.14.0\",\"revision\":\"unknown\",\"branch\":\"HEAD\",\"buildUser\":\"\",\
                     \"buildDate\":\"\",\"goVersion\":\"go1.25\"}";

fn top(counts: BTreeMap<String, u64>, most: usize) -> String {
    let mut list: Vec<(String, u64)> = counts.into_iter().collect();
    list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let parts: Vec<String> = list
        .iter()
        .take(most)
        .map(|(name, value)| format!("{{\"name\":{},\"value\":{value}}}", json::string(name)))
        .collect();
    format!("[{}]", parts.join(","))
}

fn flags() -> String {
    let parts: Vec<String> = [
        ("config.file", "/etc/prometheus/prometheus.yml"),
        ("query.lookback-delta", "5m"),
        ("query.max-concurrency", "20"),
        ("query.max-samples", "50000000"),
        ("query.timeout", "2m"),
        ("storage.tsdb.path", "/prometheus"),
        ("storage.tsdb.retention.time", "15d"),
        ("web.enable-admin-api", "false"),
        ("web.enable-lifecycle", "false"),
        ("web.listen-address", "0.0.0.0:9090"),
    ]
    .iter()
    .map(|(name, value)| format!("\"{name}\":\"{value}\""))
    .collect();
    format!("{{{}}}", parts.join(","))
}

/// Alerts are handed on inside the process.
pub(super) fn alertmanagers() -> String {
    "{\"activeAlertmanagers\":[],\"droppedAlertmanagers\":[]}".to_owned()
}
