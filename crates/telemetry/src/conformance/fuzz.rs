//! Random queries that are well typed, for comparison with a real server.

use serde_json::Value as Json;

use crate::http::TelemetryRequest;
use crate::prometheus::Prometheus;

use super::recorded::{body_of, difference};

/// Draws queries over the metrics of a server; the same seed gives the same queries.
pub struct QueryMaker {
    state: u64,
}

const COUNTERS: [&str; 5] = [
    "demo_cpu_usage_seconds_total",
    "http_requests_total",
    "container_cpu_usage_seconds_total",
    "http_request_duration_seconds_count",
    "demo_api_request_duration_seconds_count",
];
const GAUGES: [&str; 8] = [
    "demo_memory_usage_bytes",
    "demo_num_cpus",
    "demo_intermittent_metric",
    "container_memory_working_set_bytes",
    "node_memory_MemAvailable_bytes",
    "kube_deployment_spec_replicas",
    "up",
    "demo_disk_usage_bytes",
];
const LABELS: [&str; 8] = ["instance", "job", "mode", "service", "code", "pod", "namespace", "node"];
const MATCHERS: [&str; 7] = [
    "job=\"demo\"",
    "instance=~\".*0\"",
    "mode!=\"idle\"",
    "service=~\"cart|payment\"",
    "code=\"200\"",
    "pod!~\"cart.*\"",
    "job=~\".+\"",
];

impl QueryMaker {
    /// A maker with a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }

    /// A query that gives a vector.
    pub fn query(&mut self) -> String {
        self.vector(3)
    }

    fn selector(&mut self, counter: bool) -> String {
        let name = if counter { self.pick(&COUNTERS) } else { self.pick(&GAUGES) };
        match self.below(3) {
            0 => name.to_owned(),
            1 => format!("{name}{{{}}}", self.pick(&MATCHERS)),
            _ => format!("{name}{{{},{}}}", self.pick(&MATCHERS), self.pick(&MATCHERS)),
        }
    }

    fn modifier(&mut self) -> &'static str {
        self.pick(&["", "", "", "", " offset 3m", " offset -2m", " @ 1767270007", " offset 50s @ 1767270607"])
    }

    fn range(&mut self, depth: usize, counter: bool) -> String {
        let length = self.pick(&["1m", "2m30s", "5m", "10m", "20m", "1h"]);
        // Noise of computed values would look like resets of a counter.
        if depth > 0 && !counter && self.below(4) == 0 {
            let rates = self.below(2) == 0;
            let inner = match self.selector(rates) {
                counter if rates => format!("rate({counter}[5m])"),
                gauge => gauge,
            };
            let step = self.pick(&["30s", "1m", "90s", ""]);
            return format!("({inner})[{length}:{step}]{}", self.modifier());
        }
        format!("{}[{length}]{}", self.selector(counter), self.modifier())
    }

    fn vector(&mut self, depth: usize) -> String {
        if depth == 0 {
            let counter = self.below(2) == 0;
            return self.selector(counter) + self.modifier();
        }
        match self.below(10) {
            0 => self.selector(false) + self.modifier(),
            1 | 2 => {
                let function =
                    self.pick(&["rate", "increase", "irate", "delta", "idelta", "changes", "resets", "deriv"]);
                let counter = !matches!(function, "delta" | "idelta" | "deriv");
                let range = self.range(if counter { 0 } else { depth }, counter);
                format!("{function}({range})")
            }
            3 => self.over_time(depth),
            4 => self.aggregate(depth),
            5 | 6 => self.binary(depth),
            7 => self.function(depth),
            8 => {
                let q = self.pick(&["0.5", "0.9", "0.99", "0", "1", "0.123"]);
                let by = self.pick(&["le", "le, instance", "le, job"]);
                format!("histogram_quantile({q}, sum by ({by}) (rate(demo_api_request_duration_seconds_bucket[5m])))")
            }
            _ => format!("({})", self.vector(depth - 1)),
        }
    }

    fn over_time(&mut self, depth: usize) -> String {
        let name = self
            .pick(&["sum", "avg", "min", "max", "count", "stddev", "stdvar", "last", "present", "quantile", "predict"]);
        let range = self.range(depth, false);
        match name {
            "quantile" => format!("quantile_over_time({}, {range})", self.pick(&["0", "0.3", "0.5", "1"])),
            "predict" => format!("predict_linear({range}, 600)"),
            name => format!("{name}_over_time({range})"),
        }
    }

    fn grouping(&mut self) -> String {
        let labels: Vec<&str> = (0..self.below(3)).map(|_| self.pick(&LABELS)).collect();
        match self.below(3) {
            0 => String::new(),
            1 => format!(" by ({})", labels.join(", ")),
            _ => format!(" without ({})", labels.join(", ")),
        }
    }

    fn aggregate(&mut self, depth: usize) -> String {
        let op =
            self.pick(&["sum", "avg", "min", "max", "count", "group", "quantile", "count_values", "stddev", "stdvar"]);
        let grouping = self.grouping();
        let inner = self.vector(depth - 1);
        match op {
            "quantile" => format!("quantile{grouping} ({}, {inner})", self.pick(&["0", "0.5", "0.77", "1"])),
            "count_values" => format!("count_values{grouping} (\"value\", round({inner}))"),
            // Older servers give zero for a single NaN.
            "stddev" | "stdvar" => format!("{op}{grouping} (({inner}) > -Inf)"),
            op => format!("{op}{grouping} ({inner})"),
        }
    }

    fn binary(&mut self, depth: usize) -> String {
        let op = self.pick(&["+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<=", "and", "or", "unless"]);
        let left = self.vector(depth - 1);
        let set = matches!(op, "and" | "or" | "unless");
        let compares = matches!(op, "==" | "!=" | ">" | "<" | ">=" | "<=");
        let bool = if compares && self.below(3) == 0 { " bool" } else { "" };
        if !set && self.below(2) == 0 {
            let number = self.pick(&["2", "0", "-1.5", "1e3", "0.3", "time()", "scalar(demo_num_cpus)"]);
            return match self.below(2) {
                0 => format!("({left}) {op}{bool} {number}"),
                _ => format!("{number} {op}{bool} ({left})"),
            };
        }
        let right = if self.below(2) == 0 { left.clone() } else { self.vector(depth - 1) };
        let label = self.pick(&LABELS);
        let matching = match self.below(5) {
            0 => format!(" on ({label})"),
            1 => format!(" ignoring ({label})"),
            2 if !set => format!(" on ({label}) group_left ()"),
            3 if !set => format!(" ignoring ({label}) group_right ({})", self.pick(&LABELS)),
            _ => String::new(),
        };
        format!("({left}) {op}{bool}{matching} ({right})")
    }

    fn function(&mut self, depth: usize) -> String {
        let name = self.pick(&[
            "abs",
            "ceil",
            "floor",
            "exp",
            "sqrt",
            "ln",
            "log2",
            "log10",
            "sgn",
            "sin",
            "cos",
            "atan",
            "round",
            "clamp",
            "clamp_min",
            "clamp_max",
            "timestamp",
            "absent",
            "vector",
            "label_replace",
            "label_join",
            "hour",
            "minute",
            "day_of_week",
            "month",
            "deg",
            "neg",
            "absent_over_time",
            "sort",
        ]);
        let inner = if depth > 0 { self.vector(depth - 1) } else { self.selector(false) };
        match name {
            "round" => format!("round({inner}, {})", self.pick(&["1", "0.1", "5"])),
            "clamp" => format!("clamp({inner}, {}, 100)", self.pick(&["0", "-5", "200"])),
            "clamp_min" | "clamp_max" => format!("{name}({inner}, 3)"),
            "vector" => format!("vector(scalar({inner}))"),
            "label_replace" => format!("label_replace({inner}, \"x\", \"$1-y\", \"instance\", \"(.*):.*\")"),
            "label_join" => format!("label_join({inner}, \"x\", \"-\", \"job\", \"instance\")"),
            "neg" => format!("-({inner})"),
            // Older servers take an offset twice where `@` stands beside it.
            "timestamp" => format!("timestamp({})", self.selector(false)),
            // Of large numbers, the last bit decides about a sine.
            "sin" | "cos" => format!("{name}(clamp({inner}, -3, 3))"),
            "absent_over_time" => format!("absent_over_time({})", self.range(0, false)),
            name => format!("{name}({inner})"),
        }
    }
}

/// How an answer of a real server differs from ours; nothing where it does not.
pub fn compare_with_real(server: &Prometheus, query: &str, time: i64, status: u16, body: &str) -> Result<(), String> {
    let time = time.to_string();
    let request = TelemetryRequest::get("/api/v1/query", &[("query", query), ("time", &time)]);
    let response = server.answer(&request);
    let got = body_of(&response);
    let wanted: Json = serde_json::from_str(body).map_err(|e| e.to_string())?;
    if status != response.status {
        return Err(format!("status {status}, got {}: {}", response.status, difference(&wanted, &got)));
    }
    if status != 200 {
        let head = |json: &Json| json["error"].as_str().unwrap_or("").split(": [").next().unwrap_or("").to_owned();
        return if head(&wanted) == head(&got) { Ok(()) } else { Err(difference(&wanted, &got)) };
    }
    let list = |json: &Json| json["data"]["result"].as_array().cloned().unwrap_or_default();
    let (wanted_list, got_list) = (list(&wanted), list(&got));
    let all = |a: &[Json], b: &[Json]| {
        a.iter().all(|x| b.iter().any(|y| x["metric"] == y["metric"] && near(&x["value"], &y["value"])))
    };
    if wanted_list.len() == got_list.len() && all(&wanted_list, &got_list) {
        return Ok(());
    }
    Err(difference(&wanted, &got))
}

/// Equal up to float noise: a real server of another version sums in another order and without compensation.
fn near(a: &Json, b: &Json) -> bool {
    let value = |json: &Json| json[1].as_str().and_then(crate::go::parse_float);
    match (value(a), value(b)) {
        (Some(a), Some(b)) if a.is_nan() && b.is_nan() => true,
        (Some(a), Some(b)) => a == b || (a - b).abs() <= 1e-7 * a.abs().max(b.abs()) || (a - b).abs() < 1e-9,
        _ => false,
    }
}
