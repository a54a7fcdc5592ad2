//! query, query_range and format_query.

use std::collections::BTreeMap;

use crate::go::duration::{format_go, format_prometheus};
use crate::http::{Params, TelemetryResponse};
use crate::json;
use crate::labels::Labels;
use crate::logql::ast::{LogQuery, MetricQuery, Query};
use crate::logql::{Entry, Moments, parse};
use crate::promql::{Point, QueryValue};

use super::params::{backward, limit, parse_time, range, seconds_or_duration, step};
use super::{Loki, LokiResult, Refused};

/// Longer queries are refused.
const LONGEST: i64 = 721 * 3_600_000_000_000;
const MOST_LINES: usize = 5000;

impl Loki {
    pub(super) fn query_range(&self, params: &Params) -> LokiResult {
        let (start, end) = range(params, self.now)?;
        if end <= start {
            return Err("end timestamp must not be before or equal to start time".to_owned().into());
        }
        let most = limit(params)?;
        let backward = backward(params)?;
        let step = step(params, start, end)?;
        if (end - start) / step > 11_000 {
            return Err(
                "exceeded maximum resolution of 11,000 points per time series. Try increasing the value of the \
                        step parameter"
                    .to_owned()
                    .into(),
            );
        }
        let interval = match params.get("interval") {
            "" => 0,
            text => seconds_or_duration(text)?,
        };
        let query = parse(params.get("query")).map_err(|e| e.to_string())?;
        if end - start > LONGEST {
            return Err(format!(
                "the query time range exceeds the limit (query length: {}, limit: {})",
                format_go(end - start),
                format_prometheus(30 * 86_400_000) + "1h"
            )
            .into());
        }
        match query {
            Query::Log(log) => {
                if most > MOST_LINES {
                    return Err(format!(
                        "max entries limit per query exceeded, limit > max_entries_limit_per_query ({most} > {MOST_LINES})"
                    )
                    .into());
                }
                Ok(self.lines(&log, start, end, most, backward, interval))
            }
            Query::Metric(metric) => {
                // Moments are multiples of the step, so that the same questions can be answered from a cache.
                let moments = Moments { start: start - start.rem_euclid(step), end: end - end.rem_euclid(step), step };
                self.values(&metric, moments)
            }
        }
    }

    pub(super) fn query(&self, params: &Params) -> LokiResult {
        let time = match params.get("time") {
            "" => self.now,
            text => parse_time(text)?,
        };
        limit(params)?;
        backward(params)?;
        match parse(params.get("query")).map_err(|e| e.to_string())? {
            Query::Log(_) => {
                Err("log queries are not supported as an instant query type, please change your query to a \
                                  range query type"
                    .to_owned()
                    .into())
            }
            Query::Metric(metric) => self.values(&metric, Moments { start: time, end: time, step: 0 }),
        }
    }

    fn values(&self, metric: &MetricQuery, moments: Moments) -> LokiResult {
        let value = metric
            .evaluate(moments, &|log, start, end| self.store.entries(log, start, end))
            .map_err(|e| Refused(400, e.0))?;
        let time = moments.start.div_euclid(1_000_000);
        let mut out = String::new();
        let (name, series) = match value {
            QueryValue::Scalar(value) => {
                json::write_point(&mut out, Point { time, value });
                return Ok(envelope("scalar", &out));
            }
            QueryValue::Text(_) => return Ok(envelope("vector", "[]")),
            QueryValue::Vector(vector) => ("vector", vector.series()),
            QueryValue::Matrix(series) => ("matrix", series),
        };
        let parts: Vec<String> = series
            .iter()
            .map(|one| {
                let mut points = Vec::new();
                for point in &one.points {
                    let mut text = String::new();
                    json::write_point(&mut text, *point);
                    points.push(text);
                }
                let labels = json::labels(&one.labels);
                match name {
                    "vector" => format!("{{\"metric\":{labels},\"value\":{}}}", points.concat()),
                    _ => format!("{{\"metric\":{labels},\"values\":[{}]}}", points.join(",")),
                }
            })
            .collect();
        Ok(envelope(name, &format!("[{}]", parts.join(","))))
    }

    fn lines(&self, log: &LogQuery, start: i64, end: i64, most: usize, backward: bool, interval: i64) -> String {
        let mut entries = self.store.entries(log, start, end);
        if backward {
            entries.reverse();
        }
        let mut streams: BTreeMap<Labels, Vec<Entry>> = BTreeMap::new();
        let mut count = 0;
        let mut last: Option<i64> = None;
        for mut entry in entries {
            if count == most {
                break;
            }
            if !entry.run(&log.stages) {
                continue;
            }
            let too_near = last.is_some_and(|last| (entry.time - last).abs() < interval);
            if interval > 0 && too_near {
                continue;
            }
            last = Some(entry.time);
            count += 1;
            streams.entry(entry.labels()).or_default().push(entry);
        }
        let parts: Vec<String> = streams
            .iter()
            .map(|(labels, entries)| {
                let values: Vec<String> =
                    entries.iter().map(|e| format!("[\"{}\",{}]", e.time, json::string(&e.line))).collect();
                format!("{{\"stream\":{},\"values\":[{}]}}", json::labels(labels), values.join(","))
            })
            .collect();
        envelope("streams", &format!("[{}]", parts.join(",")))
    }
}

/// Data with the statistics that clients read; they are zero, since nothing here has a clock.
fn envelope(kind: &str, result: &str) -> String {
    format!(
        "{{\"status\":\"success\",\"data\":{{\"resultType\":\"{kind}\",\"result\":{result},\"stats\":{{\"summary\":{{\
         \"bytesProcessedPerSecond\":0,\"linesProcessedPerSecond\":0,\"totalBytesProcessed\":0,\
         \"totalLinesProcessed\":0,\"execTime\":0,\"queueTime\":0,\"subqueries\":0,\"totalEntriesReturned\":0,\
         \"splits\":0,\"shards\":0}},\"querier\":{{}},\"ingester\":{{}},\"cache\":{{}},\"index\":{{}}}}}}}}"
    )
}

pub(super) fn format_query(params: &Params) -> TelemetryResponse {
    let (status, body) = match parse(params.get("query")) {
        Ok(query) => (200, format!("{{\"status\":\"success\",\"data\":{}}}", json::string(&query.to_string()))),
        Err(why) => {
            let text = json::string(&why.to_string());
            (400, format!("{{\"status\":\"invalid-query\",\"error\":{text}}}"))
        }
    };
    TelemetryResponse { content_type: super::JSON_UTF8, ..TelemetryResponse::json(status, body) }
}
