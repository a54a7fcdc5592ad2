//! HorizontalPodAutoscalers: as many replicas as the load asks for.

use std::time::Duration;

use serde_json::{Value, json};

use super::{is_active, is_ready};
use crate::agenda::Actor;
use crate::api::LabelSelector;
use crate::events::Told;
use crate::program::Programs;
use crate::quantity::Quantity;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::{Cluster, json, meta};

const SOURCE: &str = "horizontal-pod-autoscaler";
const SCALERS: &str = "horizontalpodautoscalers.autoscaling";
const SYNC_SECONDS: u64 = 15;
const TOLERANCE: f64 = 0.1;

/// What a metric asks for.
struct Proposal {
    replicas: i64,
    status: Value,
    reason: String,
}

impl Cluster {
    pub(crate) fn sync_autoscaler(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(scaler) = self.store.at(key).cloned() else {
            self.recommendations.remove(key);
            return;
        };
        self.plan(Actor::Autoscaler, key.clone(), Duration::from_secs(SYNC_SECONDS));
        let reference = json::at(&scaler, "spec.scaleTargetRef").clone();
        let target = self
            .owner_key(&reference, &key.namespace)
            .and_then(|key| Some((key.clone(), self.store.at(&key)?.clone())));
        let now = self.now;
        let Some((target_key, target)) = target else {
            let name = json::text(&reference, "name");
            let plural = format!("{}s.apps", json::text(&reference, "kind").to_lowercase());
            let message =
                format!("the HPA controller was unable to get the target's current scale: {plural} {name:?} not found");
            self.change(key, |scaler| {
                meta::set_condition(scaler, "AbleToScale", "False", "FailedGetScale", &message, now);
            });
            let message = format!("{plural} {name:?} not found");
            return self.tell(&scaler, built_in(SCALERS), &Told::warning(SOURCE, "FailedGetScale", &message));
        };
        let current = json::int(&target, "spec.replicas").unwrap_or(1);
        let (least, most) =
            (json::int(&scaler, "spec.minReplicas").unwrap_or(1), json::int(&scaler, "spec.maxReplicas").unwrap_or(1));
        self.change(key, |scaler| {
            let message = "the HPA controller was able to get the target's current scale";
            meta::set_condition(scaler, "AbleToScale", "True", "SucceededGetScale", message, now);
            json::set(scaler, "status.currentReplicas", current);
        });
        if current == 0 {
            let message = "scaling is disabled since the replica count of the target is zero";
            self.change(key, |scaler| {
                meta::set_condition(scaler, "ScalingActive", "False", "ScalingDisabled", message, now);
            });
            return;
        }
        if current < least || current > most {
            let wanted = current.clamp(least, most);
            let why = if current < least {
                "Current number of replicas below Spec.MinReplicas"
            } else {
                "Current number of replicas above Spec.MaxReplicas"
            };
            return self.rescale(key, &scaler, &target_key, wanted, why);
        }
        match self.propose(programs, &scaler, &target, current) {
            Err(why) => self.tell_unable(key, &scaler, &why),
            Ok(proposal) => self.follow(key, &scaler, &target_key, current, proposal),
        }
    }

    /// The highest proposal of all metrics.
    fn propose(
        &mut self,
        programs: &mut dyn Programs,
        scaler: &Value,
        target: &Value,
        current: i64,
    ) -> Result<Proposal, String> {
        let selector = LabelSelector::of(json::at(target, "spec.selector"));
        let namespace = json::text(target, "metadata.namespace").to_string();
        let pods: Vec<_> = self
            .store
            .list("pods", Some(&namespace))
            .filter(|pod| is_active(pod) && selector.matches(json::at(pod, "metadata.labels")))
            .cloned()
            .collect();
        let mut best: Option<Proposal> = None;
        let mut statuses = Vec::new();
        for metric in json::list(scaler, "spec.metrics") {
            let proposal = self.by_metric(programs, metric, &pods, current)?;
            statuses.push(proposal.status.clone());
            if best.as_ref().is_none_or(|best| proposal.replicas > best.replicas) {
                best = Some(proposal);
            }
        }
        let best = best.ok_or("no metrics are given")?;
        Ok(Proposal { status: statuses.into(), ..best })
    }

    fn by_metric(
        &mut self,
        programs: &mut dyn Programs,
        metric: &Value,
        pods: &[Stored],
        current: i64,
    ) -> Result<Proposal, String> {
        let name = json::text(metric, "resource.name").to_string();
        let unable = |why: String| format!("failed to get {name} utilization: {why}");
        let wanted = json::int(metric, "resource.target.averageUtilization");
        let (mut used, mut asked, mut measured) = (0, 0, 0);
        for pod in pods.iter().filter(|pod| is_ready(pod)) {
            let metrics = self.pod_usage(programs, pod);
            if metrics.is_empty() {
                continue;
            }
            if wanted.is_some() {
                asked += requested(pod, &name).map_err(unable)?;
            }
            used += metrics.iter().map(|(_, own)| if name == "cpu" { own.cpu_milli } else { own.memory }).sum::<i64>();
            measured += 1;
        }
        if measured == 0 {
            let why = match pods.iter().any(|pod| is_ready(pod)) {
                true => {
                    format!("unable to get metrics for resource {name}: no metrics returned from resource metrics API")
                }
                false => "did not receive metrics for targeted pods (pods might be unready)".into(),
            };
            return Err(unable(why));
        }
        let average = used / measured;
        let value =
            if name == "cpu" { Quantity::from_milli(average).text() } else { Quantity::from_bytes(average).text() };
        let mut now = json!({"averageValue": value});
        let (ratio, reason) = match wanted {
            Some(target) => {
                let percent = used * 100 / asked.max(1);
                now["averageUtilization"] = percent.into();
                (percent as f64 / target.max(1) as f64, format!("{name} resource utilization (percentage of request)"))
            }
            None => {
                let target =
                    Quantity::parse(json::text(metric, "resource.target.averageValue")).unwrap_or(Quantity::ZERO);
                let target = if name == "cpu" { target.milli() } else { target.whole() };
                (average as f64 / target.max(1) as f64, format!("{name} resource"))
            }
        };
        let status = json!({"type": "Resource", "resource": {"name": name, "current": now}});
        let replicas = if (ratio - 1.0).abs() <= TOLERANCE { current } else { (ratio * measured as f64).ceil() as i64 };
        // Pods that are not measured hold a decision back; they never turn it round.
        let replicas = match ratio > 1.0 {
            true => replicas.max(current),
            false => replicas.min(current),
        };
        Ok(Proposal { replicas, status, reason })
    }

    fn tell_unable(&mut self, key: &ObjectKey, scaler: &Stored, why: &str) {
        let now = self.now;
        let message = format!("the HPA was unable to compute the replica count: {why}");
        self.change(key, |scaler| {
            meta::set_condition(scaler, "ScalingActive", "False", "FailedGetResourceMetric", &message, now);
        });
        self.tell(scaler, built_in(SCALERS), &Told::warning(SOURCE, "FailedGetResourceMetric", why));
        let all = format!(
            "invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {why}"
        );
        self.tell(scaler, built_in(SCALERS), &Told::warning(SOURCE, "FailedComputeMetricsReplicas", &all));
    }

    fn follow(&mut self, key: &ObjectKey, scaler: &Stored, target: &ObjectKey, current: i64, proposal: Proposal) {
        let now = self.now;
        let window = json::int(scaler, "spec.behavior.scaleDown.stabilizationWindowSeconds").unwrap_or(300);
        let history = self.recommendations.entry(key.clone()).or_default();
        history.retain(|(at, _)| now.since(*at).as_secs() as i64 <= window);
        history.push((now, proposal.replicas));
        let highest = history.iter().map(|(_, replicas)| *replicas).max().unwrap_or(proposal.replicas);
        let stable = if proposal.replicas < current { highest.min(current) } else { proposal.replicas };
        let (least, most) =
            (json::int(scaler, "spec.minReplicas").unwrap_or(1), json::int(scaler, "spec.maxReplicas").unwrap_or(1));
        let limit = (current * 2).max(4);
        let wanted = stable.min(limit).clamp(least, most);
        let limited = match () {
            () if stable > limit && wanted == limit => {
                ("True", "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
            }
            () if stable > most => {
                ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
            }
            () if stable < least => {
                ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
            }
            () => ("False", "DesiredWithinRange", "the desired count is within the acceptable range"),
        };
        self.change(key, |scaler| {
            let message =
                format!("the HPA was able to successfully calculate a replica count from {}", proposal.reason);
            meta::set_condition(scaler, "ScalingActive", "True", "ValidMetricFound", &message, now);
            let (reason, message) = match stable != proposal.replicas {
                true => (
                    "ScaleDownStabilized",
                    "recent recommendations were higher than current one, applying the highest recent recommendation",
                ),
                false => ("ReadyForNewScale", "recommended size matches current size"),
            };
            meta::set_condition(scaler, "AbleToScale", "True", reason, message, now);
            meta::set_condition(scaler, "ScalingLimited", limited.0, limited.1, limited.2, now);
            json::set(scaler, "status.currentMetrics", proposal.status);
            json::set(scaler, "status.desiredReplicas", wanted);
        });
        if wanted != current {
            let why = if wanted > current {
                format!("{} above target", proposal.reason)
            } else {
                "All metrics below target".into()
            };
            self.rescale(key, scaler, target, wanted, &why);
        }
    }

    fn rescale(&mut self, key: &ObjectKey, scaler: &Stored, target: &ObjectKey, wanted: i64, why: &str) {
        let now = self.now;
        self.change(target, |target| json::set(target, "spec.replicas", wanted));
        let message = format!("New size: {wanted}; reason: {why}");
        self.tell(scaler, built_in(SCALERS), &Told::normal(SOURCE, "SuccessfulRescale", &message));
        self.change(key, |scaler| {
            let message = format!("the HPA controller was able to update the target scale to {wanted}");
            meta::set_condition(scaler, "AbleToScale", "True", "SucceededRescale", &message, now);
            json::set(scaler, "status.lastScaleTime", now.rfc3339());
            json::set(scaler, "status.desiredReplicas", wanted);
        });
    }
}

/// What the containers of a pod ask for; refused if one of them says nothing.
fn requested(pod: &Value, name: &str) -> Result<i64, String> {
    let mut total = 0;
    for container in json::list(pod, "spec.containers") {
        let text = json::at(container, "resources.requests").get(name).and_then(Value::as_str).unwrap_or_default();
        let Some(amount) = Quantity::parse(text) else {
            let (container, pod) = (json::text(container, "name"), json::text(pod, "metadata.name"));
            return Err(format!("missing request for {name} in container {container} of Pod {pod}"));
        };
        total += if name == "cpu" { amount.milli() } else { amount.whole() };
    }
    Ok(total)
}
