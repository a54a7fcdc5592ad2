//! Jobs and CronJobs.

use cluster::{Stamp, human};
use serde_json::Value;

use super::{Page, events, long_time, selector, truth};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

fn or_unset(object: &Value, path: &str) -> String {
    match json::at(object, path) {
        Value::Null => "<unset>".into(),
        value => json::plain(value),
    }
}

pub(super) fn job(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    let labels = selector(json::at(object, "spec.selector"));
    if !labels.is_empty() {
        page.entry("Selector", &labels);
    }
    page.labels("Labels", json::at(object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(object, "metadata.annotations"), "");
    if let Some(owner) = super::pod::controller(object) {
        page.entry("Controlled By", owner);
    }
    page.entry("Parallelism", or_unset(object, "spec.parallelism"));
    page.entry("Completions", or_unset(object, "spec.completions"));
    if json::at(object, "spec.completionMode").is_string() {
        page.entry("Completion Mode", json::text(object, "spec.completionMode"));
    }
    if json::at(object, "spec.suspend").is_boolean() {
        page.entry("Suspend", json::flag(object, "spec.suspend").to_string());
    }
    if let Some(limit) = json::int(object, "spec.backoffLimit") {
        page.entry("Backoff Limit", limit.to_string());
    }
    if let Some(seconds) = json::int(object, "spec.ttlSecondsAfterFinished") {
        page.entry("TTL Seconds After Finished", seconds.to_string());
    }
    let (start, end) = (json::text(object, "status.startTime"), json::text(object, "status.completionTime"));
    if !start.is_empty() {
        page.entry("Start Time", long_time(object, "status.startTime"));
    }
    if !end.is_empty() {
        page.entry("Completed At", long_time(object, "status.completionTime"));
    }
    if let (Some(start), Some(end)) = (Stamp::parse(start), Stamp::parse(end)) {
        page.entry("Duration", human(end.since(start)));
    }
    if let Some(seconds) = json::int(object, "spec.activeDeadlineSeconds") {
        page.entry("Active Deadline Seconds", format!("{seconds}s"));
    }
    let number = |path: &str| json::int(object, path).unwrap_or(0);
    let ready = match json::int(object, "status.ready") {
        Some(ready) => format!("{} Active ({ready} Ready)", number("status.active")),
        None => format!("{} Active", number("status.active")),
    };
    page.entry(
        "Pods Statuses",
        format!("{ready} / {} Succeeded / {} Failed", number("status.succeeded"), number("status.failed")),
    );
    if json::text(object, "spec.completionMode") == "Indexed" {
        let done = json::text(object, "status.completedIndexes");
        page.entry("Completed Indexes", if done.is_empty() { "<none>" } else { done });
    }
    super::workload::pod_template(json::at(object, "spec.template"), page);
    events(call, found, page)
}

pub(super) fn cron_job(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let object = &found.object;
    page.head(object, true);
    page.entry("Schedule", json::text(object, "spec.schedule"));
    if json::at(object, "spec.timeZone").is_string() {
        page.entry("Time Zone", json::text(object, "spec.timeZone"));
    }
    page.entry("Concurrency Policy", json::text(object, "spec.concurrencyPolicy"));
    page.entry("Suspend", truth(json::flag(object, "spec.suspend")));
    page.entry("Successful Job History Limit", or_unset(object, "spec.successfulJobsHistoryLimit"));
    page.entry("Failed Job History Limit", or_unset(object, "spec.failedJobsHistoryLimit"));
    let deadline = or_unset(object, "spec.startingDeadlineSeconds");
    page.entry("Starting Deadline Seconds", if deadline == "<unset>" { deadline } else { format!("{deadline}s") });
    let job = json::at(object, "spec.jobTemplate");
    let labels = selector(json::at(job, "spec.selector"));
    page.entry("Selector", if labels.is_empty() { "<unset>" } else { &labels });
    page.entry("Parallelism", or_unset(job, "spec.parallelism"));
    page.entry("Completions", or_unset(job, "spec.completions"));
    if let Some(seconds) = json::int(job, "spec.activeDeadlineSeconds") {
        page.entry("Active Deadline Seconds", format!("{seconds}s"));
    }
    super::workload::pod_template(json::at(job, "spec.template"), page);
    let last = json::text(object, "status.lastScheduleTime");
    page.entry(
        "Last Schedule Time",
        if last.is_empty() { "<unset>".into() } else { long_time(object, "status.lastScheduleTime") },
    );
    let active: Vec<&str> = json::list(object, "status.active").iter().map(|job| json::text(job, "name")).collect();
    page.entry("Active Jobs", if active.is_empty() { "<none>".to_string() } else { active.join(", ") });
    events(call, found, page)
}
