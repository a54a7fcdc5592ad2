//! Jobs whose pods are numbered: each number, from 0 up to the completions, is to be completed once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::json;

/// The label and annotation in which a pod carries its number.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
const VARIABLE: &str = "JOB_COMPLETION_INDEX";

/// Whether the pods of a job are numbered.
pub(super) fn is_indexed(job: &Value) -> bool {
    json::text(job, "spec.completionMode") == "Indexed"
}

/// The number of a pod.
pub(super) fn index_of(pod: &Value) -> Option<i64> {
    json::at(pod, "metadata.annotations").get(INDEX)?.as_str()?.parse().ok()
}

/// The numbers of a job that are completed.
pub(super) fn completed(job: &Value) -> BTreeSet<i64> {
    let parts = json::text(job, "status.completedIndexes").split(',');
    let range = |part: &str| -> Option<std::ops::RangeInclusive<i64>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    parts.filter_map(range).flatten().collect()
}

/// Notes that pods of a job have completed these numbers, and how many that makes.
pub(super) fn complete(job: &mut Value, more: &BTreeSet<i64>) {
    let all: BTreeSet<i64> = completed(job).union(more).copied().collect();
    json::set(job, "status.succeeded", all.len());
    json::set(job, "status.completedIndexes", written(&all));
}

/// The numbers for which a job has to make pods now: the lowest that are neither completed nor under way.
pub(super) fn missing(job: &Value, active: &[impl std::ops::Deref<Target = Value>], count: i64) -> Vec<i64> {
    let done = completed(job);
    let under_way: BTreeSet<i64> = active.iter().filter_map(|pod| index_of(pod)).collect();
    let all = 0..json::int(job, "spec.completions").unwrap_or(0);
    all.filter(|index| !done.contains(index) && !under_way.contains(index)).take(count.max(0) as usize).collect()
}

/// Gives a pod its number: in its name, its host's name, a label, an annotation and the environment of every container.
pub(super) fn number(pod: &mut Value, job_name: &str, index: i64) {
    json::set(pod, "metadata.generateName", format!("{job_name}-{index}-"));
    json::set_default(pod, "spec.hostname", format!("{job_name}-{index}"));
    for field in ["labels", "annotations"] {
        pod["metadata"][field][INDEX] = index.to_string().into();
    }
    for list in ["spec.initContainers", "spec.containers"] {
        if json::list(pod, list).is_empty() {
            continue;
        }
        for container in json::list_mut(pod, list) {
            let variables = json::list_mut(container, "env");
            if variables.iter().all(|own| json::text(own, "name") != VARIABLE) {
                let path = format!("metadata.labels['{INDEX}']");
                variables.push(json!({"name": VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": path}}}));
            }
        }
    }
}

/// `0,2-4`: three or more in a row are written by the first and the last.
fn written(all: &BTreeSet<i64>) -> String {
    let mut rows: Vec<(i64, i64)> = Vec::new();
    for index in all {
        match rows.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => rows.push((*index, *index)),
        }
    }
    let row = |(first, last): &(i64, i64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    };
    rows.iter().map(row).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_written_in_rows() {
        let check = |text: &str, more: &[i64], expect: &str| {
            let mut job = json!({"status": {"completedIndexes": text}});
            complete(&mut job, &more.iter().copied().collect());
            assert_eq!(json::text(&job, "status.completedIndexes"), expect);
        };
        check("", &[0], "0");
        check("0", &[1], "0,1");
        check("0,1", &[2, 5], "0-2,5");
        check("0-2,5", &[4, 7], "0-2,4,5,7");
    }

    #[test]
    fn the_lowest_indexes_come_first() {
        let job = json!({"spec": {"completions": 5}, "status": {"completedIndexes": "1"}});
        let pod = Box::new(json!({"metadata": {"annotations": {INDEX: "0"}}}));
        assert_eq!(missing(&job, &[pod], 2), [2, 3]);
    }

    #[test]
    fn a_pod_carries_its_number_everywhere() {
        let mut pod = json!({"metadata": {"generateName": "sum-"}, "spec": {"containers": [{"name": "a"},
            {"name": "b", "env": [{"name": VARIABLE, "value": "own"}]}]}});
        number(&mut pod, "sum", 3);
        assert_eq!(json::text(&pod, "metadata.generateName"), "sum-3-");
        assert_eq!(json::text(&pod, "spec.hostname"), "sum-3");
        assert_eq!(pod["metadata"]["labels"][INDEX], "3");
        let path = &pod["spec"]["containers"][0]["env"][0]["valueFrom"]["fieldRef"]["fieldPath"];
        assert_eq!(path, "metadata.labels['batch.kubernetes.io/job-completion-index']");
        assert_eq!(pod["spec"]["containers"][1]["env"].as_array().map(Vec::len), Some(1));
    }
}
