//! series, labels, label values and metadata.

use std::collections::{BTreeMap, BTreeSet};

use crate::http::Params;
use crate::json;
use crate::labels::Labels;
use crate::matcher::Matcher;
use crate::store::{MetricMetadata, StoredSeries};

use super::Prometheus;
use super::params::{limit, selectors, time_or};
use crate::api::{ApiData, ApiFailure, ApiResult};

/// Where nothing else is asked for, all of time.
const ALL_TIME: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);

impl Prometheus {
    pub(super) fn series(&self, params: &Params) -> ApiResult {
        if params.find("match[]").is_none() {
            return Err(ApiFailure::bad("no match[] parameter provided"));
        }
        let (start, end) = range_of(params)?;
        let most = limit(params)?;
        let selectors = selectors(params).map_err(|why| ApiFailure::parameter("match[]", why))?;
        let found: BTreeSet<&Labels> = self.seen(&selectors, start, end).map(StoredSeries::labels).collect();
        let (list, warnings) = cut(found.into_iter().map(json::labels).collect(), most);
        Ok(ApiData { data: format!("[{}]", list.join(",")), warnings, infos: Vec::new() })
    }

    pub(super) fn labels(&self, params: &Params) -> ApiResult {
        let most = limit(params)?;
        let (start, end) = range_of(params)?;
        let selectors = selectors(params).map_err(ApiFailure::bad)?;
        let mut names: BTreeSet<String> = BTreeSet::new();
        for series in self.seen(&selectors, start, end) {
            names.extend(series.labels().iter().map(|(name, _)| name.to_owned()));
        }
        list_of(names, most)
    }

    pub(super) fn label_values(&self, name: &str, params: &Params) -> ApiResult {
        let name = unescaped(name);
        let most = limit(params)?;
        let (start, end) = range_of(params)?;
        let selectors = selectors(params).map_err(ApiFailure::bad)?;
        let mut values: BTreeSet<String> = BTreeSet::new();
        for series in self.seen(&selectors, start, end) {
            values.extend(series.labels().find(&name).map(str::to_owned));
        }
        list_of(values, most)
    }

    pub(super) fn metadata(&self, params: &Params) -> ApiResult {
        let most = limit(params).map_err(|_| ApiFailure::bad("limit must be a number"))?;
        let per_metric: usize = params.get("limit_per_metric").parse().unwrap_or(0);
        let wanted = params.find("metric").filter(|m| !m.is_empty());
        let known: BTreeMap<&String, &Vec<MetricMetadata>> =
            self.store.metadata().iter().filter(|(name, _)| wanted.is_none_or(|w| w == *name)).collect();
        let take = if most == 0 { usize::MAX } else { most };
        let take_each = if per_metric == 0 { usize::MAX } else { per_metric };
        let parts: Vec<String> = known
            .into_iter()
            .take(take)
            .map(|(name, list)| {
                let each: Vec<String> = list.iter().take(take_each).map(metadata_json).collect();
                format!("{}:[{}]", json::string(name), each.join(","))
            })
            .collect();
        Ok(format!("{{{}}}", parts.join(",")).into())
    }

    /// Series that fit any of the selectors (all where there is none) and have a sample in the range.
    fn seen<'s>(
        &'s self,
        selectors: &[Vec<Matcher>],
        start: i64,
        end: i64,
    ) -> impl Iterator<Item = &'s StoredSeries> + use<'s> {
        let found: Vec<&StoredSeries> = if selectors.is_empty() {
            self.store.iter().collect()
        } else {
            selectors.iter().flat_map(|matchers| self.store.select(matchers)).collect()
        };
        found.into_iter().filter(move |series| series.is_seen_in(start, end))
    }
}

pub(super) fn metadata_json(metadata: &MetricMetadata) -> String {
    format!(
        "{{\"type\":{},\"unit\":{},\"help\":{}}}",
        json::string(&metadata.kind),
        json::string(&metadata.unit),
        json::string(&metadata.help)
    )
}

fn range_of(params: &Params) -> Result<(i64, i64), ApiFailure> {
    let start = time_or(params, "start", ALL_TIME.0)?;
    let end = time_or(params, "end", ALL_TIME.1)?;
    Ok((start, end))
}

fn cut(mut list: Vec<String>, most: usize) -> (Vec<String>, Vec<String>) {
    if most == 0 || list.len() <= most {
        return (list, Vec::new());
    }
    list.truncate(most);
    (list, vec!["results truncated due to limit".to_owned()])
}

fn list_of(texts: BTreeSet<String>, most: usize) -> ApiResult {
    let (list, warnings) = cut(texts.into_iter().collect(), most);
    Ok(ApiData { data: json::strings(list.iter().map(String::as_str)), warnings, infos: Vec::new() })
}

/// `U__a_2d_b` is `a-b`: names that are not plain are escaped in paths.
fn unescaped(name: &str) -> String {
    let Some(rest) = name.strip_prefix("U__") else { return name.to_owned() };
    let mut out = String::new();
    let mut parts = rest.split('_');
    out.push_str(parts.next().unwrap_or(""));
    let mut escaped = true;
    let mut pending: Option<&str> = None;
    for part in parts {
        if escaped {
            pending = Some(part);
        } else {
            out.push_str(part);
        }
        if let Some(code) = pending.take() {
            match u32::from_str_radix(code, 16).ok().and_then(char::from_u32) {
                Some(c) => out.push(c),
                None if code.is_empty() => out.push('_'),
                None => return name.to_owned(),
            }
        }
        escaped = !escaped;
    }
    out
}
