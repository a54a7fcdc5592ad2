//! Jobs: pods that run until enough of them have succeeded.

mod indexes;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{is_active, is_ready, key_of, pod_from};
use crate::agenda::Actor;
use crate::api::DeleteOptions;
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::time::Stamp;
use crate::{Cluster, json, meta};

const SOURCE: &str = "job-controller";
const JOBS: &str = "jobs.batch";
const TRACKING: &str = "batch.kubernetes.io/job-tracking";

impl Cluster {
    pub(crate) fn sync_job(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(job) = self.store.at(key).cloned() else {
            return;
        };
        if meta::is_going(&job) || is_finished(&job) {
            return self.release_pods(&job);
        }
        if json::flag(&job, "spec.suspend") {
            return self.suspend(key, &job);
        }
        let now = self.now;
        self.change(key, |job| json::set_default(job, "status.startTime", now.rfc3339()));
        self.count_ended(key);
        let Some(job) = self.store.at(key).cloned() else { return };
        if let Some((reason, message)) = self.failure(&job) {
            return self.end(key, &job, false, reason, message);
        }
        let done = json::int(&job, "status.succeeded").unwrap_or(0);
        let wanted = json::int(&job, "spec.completions");
        let active: Vec<_> = self.pods_of(&job).into_iter().filter(|pod| is_active(pod)).collect();
        let is_complete = match wanted {
            Some(wanted) => done >= wanted,
            None => done > 0 && active.is_empty(),
        };
        if is_complete {
            return self.end(key, &job, true, "CompletionsReached", "Reached expected number of succeeded pods");
        }
        let parallel = json::int(&job, "spec.parallelism").unwrap_or(1);
        let room = wanted.map_or(parallel, |wanted| parallel.min(wanted - done));
        let room = if wanted.is_none() && done > 0 { active.len() as i64 } else { room };
        self.fill(programs, key, &job, &active, room);
        self.note_job(key);
    }

    /// Counts pods that ended, once each, and lets go of them.
    fn count_ended(&mut self, key: &ObjectKey) {
        let Some(job) = self.store.at(key).cloned() else { return };
        let (mut succeeded, mut failed) = (0, 0);
        let mut completed = BTreeSet::new();
        for pod in self.pods_of(&job) {
            let is_counted = !json::list(&pod, "metadata.finalizers").iter().any(|finalizer| finalizer == TRACKING);
            if is_counted {
                continue;
            }
            let phase = json::text(&pod, "status.phase");
            match phase {
                "Succeeded" => {
                    succeeded += 1;
                    completed.extend(indexes::index_of(&pod));
                }
                "Failed" => failed += 1,
                _ if meta::is_going(&pod) && json::text(&pod, "spec.nodeName").is_empty() => failed += 1,
                _ => continue,
            }
            self.untrack(&pod);
        }
        if succeeded + failed > 0 {
            let now = self.now;
            self.change(key, |job| {
                for (field, more) in [("succeeded", succeeded), ("failed", failed)] {
                    if more > 0 {
                        let before = json::int(job, &format!("status.{field}")).unwrap_or(0);
                        json::set(job, &format!("status.{field}"), before + more);
                    }
                }
                if indexes::is_indexed(job) {
                    indexes::complete(job, &completed);
                }
            });
            if failed > 0 {
                self.last_failures.insert(key.clone(), now);
            }
        }
    }

    fn untrack(&mut self, pod: &Value) {
        self.change(&key_of("pods", pod), |pod| {
            json::list_mut(pod, "metadata.finalizers").retain(|finalizer| finalizer != TRACKING);
            if json::list(pod, "metadata.finalizers").is_empty() {
                json::remove(pod, "metadata.finalizers");
            }
        });
    }

    fn release_pods(&mut self, job: &Value) {
        for pod in self.pods_of(job) {
            let is_over = matches!(json::text(&pod, "status.phase"), "Succeeded" | "Failed") || meta::is_going(&pod);
            if is_over && !json::list(&pod, "metadata.finalizers").is_empty() {
                self.untrack(&pod);
            }
        }
    }

    fn failure(&mut self, job: &Value) -> Option<(&'static str, &'static str)> {
        let limit = json::int(job, "spec.backoffLimit").unwrap_or(6);
        let restarts: i64 = match json::text(job, "spec.template.spec.restartPolicy") {
            "OnFailure" => self
                .pods_of(job)
                .iter()
                .filter(|pod| is_active(pod))
                .flat_map(|pod| json::list(pod, "status.containerStatuses"))
                .filter_map(|status| json::int(status, "restartCount"))
                .sum(),
            _ => 0,
        };
        if json::int(job, "status.failed").unwrap_or(0) > limit || (restarts > 0 && restarts >= limit) {
            return Some(("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
        }
        let begun = meta::stamp(job, "status.startTime")?;
        let seconds = json::int(job, "spec.activeDeadlineSeconds")?;
        let due = begun.after_secs(seconds);
        if self.now >= due {
            return Some(("DeadlineExceeded", "Job was active longer than specified deadline"));
        }
        self.plan(Actor::Job, key_of(JOBS, job), due.since(self.now));
        None
    }

    /// Creates pods up to the room, or removes those beyond it; after failures it waits longer and longer.
    fn fill(&mut self, programs: &mut dyn Programs, key: &ObjectKey, job: &Stored, active: &[Stored], room: i64) {
        let have = active.len() as i64;
        for pod in active.iter().take((have - room).max(0) as usize) {
            self.untrack(pod);
            self.unmake(&key_of("pods", pod), &DeleteOptions::default());
            let message = format!("Deleted pod: {}", json::text(pod, "metadata.name"));
            self.tell(job, built_in(JOBS), &Told::normal(SOURCE, "SuccessfulDelete", &message));
        }
        if have >= room {
            return;
        }
        let failures = json::int(job, "status.failed").unwrap_or(0);
        if let Some(last) = self.last_failures.get(key).copied().filter(|_| failures > 0) {
            let seconds = (10u64 << (failures - 1).clamp(0, 6)).min(600);
            let due = last.after(Duration::from_secs(seconds));
            if due > self.now {
                return self.plan(Actor::Job, key.clone(), due.since(self.now));
            }
        }
        let mut has_failed = false;
        if self.is_held(Actor::Job, job, key) {
            return;
        }
        let missing = self.may_make(Actor::Job, key, room - have);
        let name = json::text(job, "metadata.name");
        let numbers = match indexes::is_indexed(job) {
            true => indexes::missing(job, active, missing).into_iter().map(Some).collect(),
            false => vec![None; missing.max(0) as usize],
        };
        for number in numbers {
            let mut pod = pod_from(json::at(job, "spec.template"), job, &format!("{name}-"));
            if let Some(number) = number {
                indexes::number(&mut pod, name, number);
            }
            json::list_mut(&mut pod, "metadata.finalizers").push(TRACKING.into());
            match self.make(programs, "pods", &key.namespace, pod) {
                Ok(pod) => {
                    let message = format!("Created pod: {}", json::text(&pod, "metadata.name"));
                    self.tell(job, built_in(JOBS), &Told::normal(SOURCE, "SuccessfulCreate", &message));
                }
                Err(error) => {
                    let message = format!("Error creating: {}", error.message);
                    self.tell(job, built_in(JOBS), &Told::warning(SOURCE, "FailedCreate", &message));
                    has_failed = true;
                    break;
                }
            }
        }
        self.retry(key, has_failed);
    }

    fn suspend(&mut self, key: &ObjectKey, job: &Stored) {
        for pod in self.pods_of(job).into_iter().filter(|pod| is_active(pod)) {
            self.untrack(&pod);
            self.unmake(&key_of("pods", &pod), &DeleteOptions::default());
        }
        let now = self.now;
        if meta::condition(job, "Suspended") != "True" {
            self.change(key, |job| {
                condition(job, "Suspended", "JobSuspended", "Job suspended", now);
                json::remove(job, "status.startTime");
            });
            self.tell(job, built_in(JOBS), &Told::normal(SOURCE, "Suspended", "Job suspended"));
        }
    }

    /// The job is over, well or badly.
    fn end(&mut self, key: &ObjectKey, job: &Stored, is_good: bool, reason: &str, message: &str) {
        for pod in self.pods_of(job).into_iter().filter(|pod| is_active(pod)) {
            self.untrack(&pod);
            self.unmake(&key_of("pods", &pod), &DeleteOptions::default());
        }
        let now = self.now;
        let (first, last) = if is_good { ("SuccessCriteriaMet", "Complete") } else { ("FailureTarget", "Failed") };
        self.change(key, |job| {
            condition(job, first, reason, message, now);
            condition(job, last, reason, message, now);
            if is_good {
                json::set(job, "status.completionTime", now.rfc3339());
            }
            for field in ["active", "ready"] {
                json::remove(job, &format!("status.{field}"));
            }
            json::set(job, "status.ready", 0);
            json::set(job, "status.terminating", 0);
            json::set(job, "status.uncountedTerminatedPods", json!({}));
        });
        let told = if is_good {
            Told::normal(SOURCE, "Completed", "Job completed")
        } else {
            Told::warning(SOURCE, reason, message)
        };
        self.tell(job, built_in(JOBS), &told);
        self.last_failures.remove(key);
        if let Some(seconds) = json::int(job, "spec.ttlSecondsAfterFinished") {
            self.plan(Actor::Expiry, key.clone(), Duration::from_secs(seconds.max(0) as u64));
        }
    }

    fn note_job(&mut self, key: &ObjectKey) {
        let Some(job) = self.store.at(key).cloned() else { return };
        let pods = self.pods_of(&job);
        let active = pods.iter().filter(|pod| is_active(pod)).count();
        let ready = pods.iter().filter(|pod| is_active(pod) && is_ready(pod)).count();
        let going = pods.iter().filter(|pod| meta::is_going(pod)).count();
        self.change(key, |job| {
            super::replicaset::set_count(job, "status.active", active as i64);
            json::set(job, "status.ready", ready);
            json::set(job, "status.terminating", going);
            json::set(job, "status.uncountedTerminatedPods", json!({}));
        });
    }
}

/// Whether a job is over.
pub(super) fn is_finished(job: &Value) -> bool {
    ["Complete", "Failed"].iter().any(|kind| meta::condition(job, kind) == "True")
}

fn condition(job: &mut Value, kind: &str, reason: &str, message: &str, now: Stamp) {
    let new = json!({
        "type": kind,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastProbeTime": now.rfc3339(),
        "lastTransitionTime": now.rfc3339(),
    });
    json::list_mut(job, "status.conditions").push(new);
}
