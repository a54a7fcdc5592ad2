//! Running the groups that are due.

use std::collections::BTreeMap;

use crate::labels::{Labels, METRIC_NAME};
use crate::promql::{Engine, EvalError, QueryValue, ResultSeries};
use crate::store::{STALE, SeriesStore};

use super::annotations::expand;
use super::{ActiveAlert, AlertState, LoadedRule, RuleBook, RuleKind};

/// How long a resolved alert is remembered, so that it can be sent, in milliseconds.
const REMEMBERED: i64 = 15 * 60_000;

impl RuleBook {
    /// Evaluates every group whose interval has passed; what rules write goes into the store at once, so that later rules
    /// see it.
    pub fn evaluate(&mut self, store: &mut SeriesStore, now: i64, default_step: i64) {
        for group in &mut self.groups {
            let due = group.last_evaluation.is_none_or(|last| now - last >= group.interval);
            if !due {
                continue;
            }
            group.last_evaluation = Some(now);
            for rule in &mut group.rules {
                rule.evaluate(store, now, default_step);
            }
        }
    }
}

impl LoadedRule {
    fn evaluate(&mut self, store: &mut SeriesStore, now: i64, default_step: i64) {
        self.last_evaluation = Some(now);
        let mut engine = Engine::new(store);
        engine.default_step = default_step;
        let outcome = engine.instant(&self.expr, now).and_then(|result| elements(result.value));
        let samples = match outcome {
            Err(error) => {
                self.last_error = Some(error.to_string());
                Vec::new()
            }
            Ok(elements) => {
                self.last_error = None;
                match &self.kind {
                    RuleKind::Recording => self.recorded(&elements),
                    RuleKind::Alerting { .. } => {
                        let settled = self.settle(&elements, store, now, default_step);
                        settled.unwrap_or_else(|error| {
                            self.last_error = Some(error.to_string());
                            Vec::new()
                        })
                    }
                }
            }
        };
        let written: Vec<Labels> = samples.iter().map(|(labels, _)| labels.clone()).collect();
        for gone in self.written.iter().filter(|labels| !written.contains(labels)) {
            store.append(gone, now, STALE);
        }
        for (labels, value) in samples {
            store.append(&labels, now, value);
        }
        self.written = written;
    }

    fn recorded(&self, elements: &[ResultSeries]) -> Vec<(Labels, f64)> {
        let named = |series: &ResultSeries| {
            let mut labels = series.labels.edit();
            labels.set(METRIC_NAME, self.name.as_str());
            for (name, value) in self.labels.iter() {
                labels.set(name, value);
            }
            (labels.finish(), series.points[0].value)
        };
        elements.iter().map(named).collect()
    }

    /// Moves the alerts of the rule on and tells the series that speak of them.
    fn settle(
        &mut self,
        elements: &[ResultSeries],
        store: &SeriesStore,
        now: i64,
        default_step: i64,
    ) -> Result<Vec<(Labels, f64)>, EvalError> {
        let found = self.found(elements, store, now, default_step)?;
        let RuleKind::Alerting { hold, keep_firing, active, .. } = &mut self.kind else {
            return Ok(Vec::new());
        };
        for (key, alert) in &found {
            match active.get_mut(key).filter(|known| known.state != AlertState::Resolved) {
                Some(known) => {
                    known.value = alert.value;
                    known.annotations = alert.annotations.clone();
                    known.keep_firing_since = None;
                }
                None => {
                    active.insert(key.clone(), alert.clone());
                }
            }
        }
        active.retain(|key, alert| {
            if found.contains_key(key) {
                if alert.state == AlertState::Pending && now - alert.active_at >= *hold {
                    alert.state = AlertState::Firing;
                    alert.fired_at = Some(now);
                }
                return true;
            }
            match alert.state {
                AlertState::Pending => return false,
                AlertState::Resolved => return alert.resolved_at.is_none_or(|at| now - at <= REMEMBERED),
                AlertState::Firing => {}
            }
            let since = *alert.keep_firing_since.get_or_insert(now);
            if *keep_firing == 0 || now - since >= *keep_firing {
                alert.state = AlertState::Resolved;
                alert.resolved_at = Some(now);
            }
            true
        });
        Ok(active.values().filter(|a| a.state != AlertState::Resolved).flat_map(series_of).collect())
    }

    /// The elements as alerts that begin now.
    fn found(
        &self,
        elements: &[ResultSeries],
        store: &SeriesStore,
        now: i64,
        default_step: i64,
    ) -> Result<BTreeMap<Labels, ActiveAlert>, EvalError> {
        let RuleKind::Alerting { annotations, .. } = &self.kind else { return Ok(BTreeMap::new()) };
        let mut engine = Engine::new(store);
        engine.default_step = default_step;
        let mut found = BTreeMap::new();
        for series in elements {
            let value = series.points[0].value;
            let told = |text: &str| expand(text, &series.labels, value, &engine, now);
            let mut labels = series.labels.without_name().edit();
            for (name, text) in self.labels.iter() {
                labels.set(name, told(text));
            }
            labels.set("alertname", self.name.as_str());
            let labels = labels.finish();
            let annotations = Labels::new(annotations.iter().map(|(name, text)| (name.as_str(), told(text))));
            let alert = ActiveAlert {
                labels: labels.clone(),
                annotations,
                state: AlertState::Pending,
                active_at: now,
                fired_at: None,
                resolved_at: None,
                keep_firing_since: None,
                value,
            };
            if found.insert(labels, alert).is_some() {
                return Err(EvalError::Execution(
                    "vector contains metrics with the same labelset after applying alert labels".to_owned(),
                ));
            }
        }
        Ok(found)
    }
}

/// `ALERTS` and `ALERTS_FOR_STATE` of an alert.
fn series_of(alert: &ActiveAlert) -> [(Labels, f64); 2] {
    let mut state = alert.labels.edit();
    state.set(METRIC_NAME, "ALERTS");
    state.set("alertstate", alert.state.name());
    let mut since = alert.labels.edit();
    since.set(METRIC_NAME, "ALERTS_FOR_STATE");
    [(state.finish(), 1.0), (since.finish(), (alert.active_at / 1000) as f64)]
}

fn elements(value: QueryValue<'_>) -> Result<Vec<ResultSeries>, EvalError> {
    match value {
        QueryValue::Vector(vector) => Ok(vector.series()),
        QueryValue::Scalar(value) => {
            Ok(vec![ResultSeries { labels: Labels::default(), points: vec![crate::promql::Point { time: 0, value }] }])
        }
        _ => Err(EvalError::Execution("rule result is not a vector or scalar".to_owned())),
    }
}
