//! Records of older versions, lifted to today's one step at a time: a stored run stays readable for ever.
//!
//! A new version adds a function here and an entry to [`STEPS`]; the functions before it stay as they are. What an older
//! version did not write down is filled in from the rest of the record, or with a word that says that it is not known.

use serde_json::{Value, json};

use crate::events::RECORD_VERSION;

/// From version 1 on, what lifts a record to the next.
const STEPS: [fn(&mut [Value]); RECORD_VERSION as usize - 1] = [families, header];

/// Lifts the events of a record from an older version to today's.
pub(crate) fn lift(events: &mut [Value], from: u32) {
    assert!((1..=RECORD_VERSION).contains(&from), "the version was looked at before");
    for step in &STEPS[from as usize - 1..] {
        step(events);
    }
    if let Some(first) = events.first_mut() {
        first["record_version"] = RECORD_VERSION.into();
    }
}

/// Version 2 knows families of tasks. Which one it was is not in the record: its tasks stay apart from others.
fn families(events: &mut [Value]) {
    if let Some(task) = events.first_mut().and_then(|first| first.get_mut("task")) {
        task["family"] = "unknown".into();
    }
}

/// Version 3 says in the header what an export needs: the services, the tools with their schemas, what it was played on.
fn header(events: &mut [Value]) {
    let brief = events.iter().find_map(|event| event.get("brief")?.as_str()).unwrap_or_default();
    let services = json!(services(brief));
    let Some(first) = events.first_mut() else { return };
    let toolbox = toolbox(first["tools"].as_str().unwrap_or_default());
    first["services"] = services;
    first["toolbox"] = toolbox;
    first["backend"] = "simulator".into();
}

/// The services that a brief of version 2 lists.
fn services(brief: &str) -> Vec<&str> {
    let line = brief.lines().find_map(|line| line.strip_prefix("Services: "));
    line.map(|line| line.trim_end_matches('.').split(", ").collect()).unwrap_or_default()
}

/// The tools that there were in version 2, frozen.
const TOOLS_2: &str = include_str!("tools_2.json");
const CLASSIC_2: [&str; 8] = [
    "inspect_logs",
    "inspect_metrics",
    "check_status",
    "inspect_config",
    "restart_service",
    "update_config",
    "resolve_incident",
    "escalate",
];

fn toolbox(set: &str) -> Value {
    let full: Value = serde_json::from_str(TOOLS_2).expect("the table is JSON");
    if set != "classic" {
        return full;
    }
    let find = |name: &&str| full.as_array().into_iter().flatten().find(|tool| tool["name"] == *name).cloned();
    CLASSIC_2.iter().filter_map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_stand_in_the_brief() {
        assert_eq!(services("PAGE\n\nServices: web_server, cache.\nFind"), ["web_server", "cache"]);
        assert!(services("nothing").is_empty());
    }

    #[test]
    fn the_frozen_tools_are_all_there() {
        assert_eq!(toolbox("classic").as_array().map(Vec::len), Some(8));
        assert_eq!(toolbox("full").as_array().map(Vec::len), Some(17));
    }
}
