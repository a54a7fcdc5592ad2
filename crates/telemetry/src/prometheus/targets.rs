//! What is scraped, and how the last scrape went.

use std::collections::BTreeSet;

use crate::go::time::rfc3339_nanos;
use crate::http::Params;
use crate::json;
use crate::labels::Labels;
use crate::promql::parse_selector;

use super::Prometheus;
use crate::api::{ApiFailure, ApiResult};

/// How the last scrape of a target went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetHealth {
    /// It answered.
    Up,
    /// It did not.
    Down,
    /// It was not scraped yet.
    Unknown,
}

impl TargetHealth {
    fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Unknown => "unknown",
        }
    }
}

/// An endpoint that is scraped.
#[derive(Clone, Debug)]
pub struct ScrapeTarget {
    /// The job it belongs to.
    pub pool: String,
    /// What discovery said about it.
    pub discovered: Labels,
    /// What its series carry.
    pub labels: Labels,
    /// Where it is scraped.
    pub url: String,
    /// How it went.
    pub health: TargetHealth,
    /// Why it failed, empty where it did not.
    pub last_error: String,
    /// When, in milliseconds.
    pub last_scrape: i64,
    /// How long it took, in seconds.
    pub last_duration: f64,
    /// `15s`
    pub interval: String,
    /// `10s`
    pub timeout: String,
}

impl Prometheus {
    pub(super) fn targets(&self, params: &Params) -> ApiResult {
        let state = params.get("state").to_lowercase();
        let pool = params.get("scrapePool");
        let active = matches!(state.as_str(), "" | "any" | "active");
        let shown: Vec<String> = self
            .targets
            .iter()
            .filter(|t| active && (pool.is_empty() || pool == t.pool))
            .map(ScrapeTarget::json)
            .collect();
        let counts = match state.as_str() {
            "active" => "null".to_owned(),
            _ => {
                let pools: BTreeSet<&str> = self.targets.iter().map(|t| t.pool.as_str()).collect();
                let parts: Vec<String> = pools.iter().map(|p| format!("{}:0", json::string(p))).collect();
                format!("{{{}}}", parts.join(","))
            }
        };
        Ok(format!(
            "{{\"activeTargets\":[{}],\"droppedTargets\":[],\"droppedTargetCounts\":{counts}}}",
            shown.join(",")
        )
        .into())
    }

    pub(super) fn scrape_pools(&self) -> ApiResult {
        let pools: BTreeSet<&str> = self.targets.iter().map(|t| t.pool.as_str()).collect();
        Ok(format!("{{\"scrapePools\":{}}}", json::strings(pools)).into())
    }

    pub(super) fn targets_metadata(&self, params: &Params) -> ApiResult {
        let matchers = match params.get("match_target") {
            "" => Vec::new(),
            text => parse_selector(text).map_err(|e| ApiFailure::bad(e.to_string()))?.matchers,
        };
        let metric = params.get("metric");
        let most = params.get("limit").parse::<usize>().unwrap_or(usize::MAX);
        let mut out = Vec::new();
        for target in self.targets.iter().filter(|t| matchers.iter().all(|m| m.fits(&t.labels))) {
            for (name, list) in self.store.metadata().iter().filter(|(n, _)| metric.is_empty() || metric == *n) {
                for metadata in list {
                    let named =
                        if metric.is_empty() { format!("\"metric\":{},", json::string(name)) } else { String::new() };
                    out.push(format!(
                        "{{\"target\":{},{named}\"type\":{},\"help\":{},\"unit\":{}}}",
                        json::labels(&target.labels),
                        json::string(&metadata.kind),
                        json::string(&metadata.help),
                        json::string(&metadata.unit)
                    ));
                }
            }
        }
        out.truncate(most);
        Ok(format!("[{}]", out.join(",")).into())
    }
}

impl ScrapeTarget {
    fn json(&self) -> String {
        format!(
            "{{\"discoveredLabels\":{},\"labels\":{},\"scrapePool\":{},\"scrapeUrl\":{url},\"globalUrl\":{url},\
             \"lastError\":{},\"lastScrape\":\"{}\",\"lastScrapeDuration\":{},\"health\":\"{}\",\
             \"scrapeInterval\":{},\"scrapeTimeout\":{}}}",
            json::labels(&self.discovered),
            json::labels(&self.labels),
            json::string(&self.pool),
            json::string(&self.last_error),
            rfc3339_nanos(self.last_scrape * 1_000_000),
            crate::go::number::general(self.last_duration),
            self.health.name(),
            json::string(&self.interval),
            json::string(&self.timeout),
            url = json::string(&self.url),
        )
    }
}
