//! CronJobs: jobs at their times.

use serde_json::json;

use super::job::is_finished;
use super::key_of;
use crate::agenda::Actor;
use crate::api::DeleteOptions;
use crate::cron::CronSchedule;
use crate::events::Told;
use crate::program::Programs;
use crate::resource::built_in;
use crate::store::{ObjectKey, Stored};
use crate::time::Stamp;
use crate::{Cluster, json, meta};

const SOURCE: &str = "cronjob-controller";
const CRON: &str = "cronjobs.batch";
const JOBS: &str = "jobs.batch";

impl Cluster {
    pub(crate) fn sync_cron_job(&mut self, programs: &mut dyn Programs, key: &ObjectKey) {
        let Some(cron) = self.store.at(key).cloned() else { return };
        if meta::is_going(&cron) {
            return;
        }
        self.note_finished(key, &cron);
        self.forget_jobs(&cron);
        let Some(cron) = self.store.at(key).cloned() else { return };
        let Ok(schedule) = CronSchedule::parse(json::text(&cron, "spec.schedule")) else { return };
        if json::flag(&cron, "spec.suspend") {
            return;
        }
        if let Some(due) = self.missed(&cron, &schedule) {
            self.run_cron(programs, key, &cron, due);
        }
        if let Some(next) = schedule.next(self.now) {
            // A little after the minute, as the real one.
            self.plan(Actor::CronJob, key.clone(), Stamp(next.0 + 100_000).since(self.now));
        }
    }

    /// The latest time that has passed without a run.
    fn missed(&mut self, cron: &Stored, schedule: &CronSchedule) -> Option<Stamp> {
        let last =
            meta::stamp(cron, "status.lastScheduleTime").or_else(|| meta::stamp(cron, "metadata.creationTimestamp"))?;
        let patience = json::int(cron, "spec.startingDeadlineSeconds");
        let earliest = patience.map_or(last, |seconds| last.max(self.now.after_secs(-seconds)));
        let mut latest = None;
        let mut count = 0;
        let mut at = earliest;
        while let Some(next) = schedule.next(at).filter(|next| *next <= self.now) {
            latest = Some(next);
            at = next;
            count += 1;
            if count > 100_000 {
                break;
            }
        }
        if count > 100 {
            let message =
                "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
            self.tell(cron, built_in(CRON), &Told::warning(SOURCE, "TooManyMissedTimes", message));
        }
        let Some(due) = latest else {
            // A time before the deadline is lost.
            let lost = schedule.next(last).filter(|next| *next <= self.now && patience.is_some());
            if let Some(lost) = lost.filter(|lost| *lost < earliest) {
                let message = format!("Missed scheduled time to start a job: {}", rfc1123(lost));
                self.tell(cron, built_in(CRON), &Told::warning(SOURCE, "MissSchedule", &message));
            }
            return None;
        };
        Some(due)
    }

    fn run_cron(&mut self, programs: &mut dyn Programs, key: &ObjectKey, cron: &Stored, due: Stamp) {
        let active = json::list(cron, "status.active").to_vec();
        match json::text(cron, "spec.concurrencyPolicy") {
            "Forbid" if !active.is_empty() => {
                let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
                return self.tell(cron, built_in(CRON), &Told::normal(SOURCE, "JobAlreadyActive", message));
            }
            "Replace" => {
                for job in &active {
                    let name = json::text(job, "name").to_string();
                    self.unmake(&ObjectKey::new(JOBS, &key.namespace, &name), &DeleteOptions::default());
                    let message = format!("Deleted job {name}");
                    self.tell(cron, built_in(CRON), &Told::normal(SOURCE, "SuccessfulDelete", &message));
                }
            }
            _ => {}
        }
        let template = json::at(cron, "spec.jobTemplate");
        let name = format!("{}-{}", json::text(cron, "metadata.name"), due.secs() / 60);
        let mut annotations = json::at(template, "metadata.annotations").as_object().cloned().unwrap_or_default();
        annotations.insert("batch.kubernetes.io/cronjob-scheduled-timestamp".into(), due.rfc3339().into());
        let mut job = json!({
            "kind": "Job",
            "apiVersion": "batch/v1",
            "metadata": {"name": name, "annotations": annotations, "ownerReferences": [meta::controlled_by(cron)]},
            "spec": json::at(template, "spec"),
        });
        if let Some(labels) = json::at(template, "metadata").get("labels") {
            job["metadata"]["labels"] = labels.clone();
        }
        match self.make(programs, JOBS, &key.namespace, job) {
            Ok(job) => {
                let message = format!("Created job {name}");
                self.tell(cron, built_in(CRON), &Told::normal(SOURCE, "SuccessfulCreate", &message));
                let reference = meta::reference(&job, built_in(JOBS), "");
                self.change(key, |cron| {
                    if json::text(cron, "spec.concurrencyPolicy") == "Replace" {
                        json::set(cron, "status.active", json!([]));
                    }
                    json::list_mut(cron, "status.active").push(reference);
                    json::set(cron, "status.lastScheduleTime", due.rfc3339());
                });
            }
            Err(error) if error.reason == "AlreadyExists" => {
                self.change(key, |cron| json::set(cron, "status.lastScheduleTime", due.rfc3339()));
            }
            Err(error) => {
                let message = format!("Error creating job: {}", error.message);
                self.tell(cron, built_in(CRON), &Told::warning(SOURCE, "FailedCreate", &message));
            }
        }
    }

    /// Takes jobs that are over, or gone, from the list of active ones.
    fn note_finished(&mut self, key: &ObjectKey, cron: &Stored) {
        let mut left = Vec::new();
        let mut last = None;
        for active in json::list(cron, "status.active") {
            let name = json::text(active, "name");
            match self.store.get(JOBS, &key.namespace, name).cloned() {
                Some(job) if !is_finished(&job) => left.push(active.clone()),
                Some(job) => {
                    let is_good = meta::condition(&job, "Complete") == "True";
                    let word = if is_good { "Complete" } else { "Failed" };
                    let message = format!("Saw completed job: {name}, condition: {word}");
                    self.tell(cron, built_in(CRON), &Told::normal(SOURCE, "SawCompletedJob", &message));
                    if is_good {
                        last = Some(json::text(&job, "status.completionTime").to_string());
                    }
                }
                None => {
                    let message = format!("Active job went missing: {name}");
                    self.tell(cron, built_in(CRON), &Told::normal(SOURCE, "MissingJob", &message));
                }
            }
        }
        if left.len() == json::list(cron, "status.active").len() {
            return;
        }
        self.change(key, |cron| {
            match left.is_empty() {
                true => drop(json::remove(cron, "status.active")),
                false => json::set(cron, "status.active", left),
            }
            if let Some(last) = last {
                json::set(cron, "status.lastSuccessfulTime", last);
            }
        });
    }

    /// Removes finished jobs beyond those that are kept to be looked at.
    fn forget_jobs(&mut self, cron: &Stored) {
        for (kind, limit) in [("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")] {
            let kept = json::int(cron, &format!("spec.{limit}")).unwrap_or(3).max(0) as usize;
            let mut jobs: Vec<_> =
                self.children(cron, JOBS).into_iter().filter(|job| meta::condition(job, kind) == "True").collect();
            jobs.sort_by_key(|job| json::text(job, "status.startTime").to_string());
            let surplus = jobs.len().saturating_sub(kept);
            for job in &jobs[..surplus] {
                let message = format!("Deleted job {}", json::text(job, "metadata.name"));
                self.unmake(&key_of(JOBS, job), &DeleteOptions::default());
                self.tell(cron, built_in(CRON), &Told::normal(SOURCE, "SuccessfulDelete", &message));
            }
        }
    }
}

/// `Mon, 02 Jan 2006 15:04:05 +0000`.
fn rfc1123(at: Stamp) -> String {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (year, month, day, hour, minute, second) = at.civil();
    let (weekday, month) = (DAYS[at.weekday() as usize], MONTHS[(month - 1) as usize]);
    format!("{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} +0000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_as_mail_does() {
        let at = Stamp::parse("2026-11-15T02:37:22Z").expect("a time");
        assert_eq!(rfc1123(at), "Sun, 15 Nov 2026 02:37:22 +0000");
    }
}
