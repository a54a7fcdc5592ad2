//! What a right answer says: the cause in words that the diagnosis grader knows, the fix, the title.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use world::faults::Cure;

use crate::grade::concepts::{self, Concept};
use crate::grade::judge;
use crate::task::TaskDraft;

/// The words of a task.
pub(super) struct Said {
    pub title: String,
    /// The calls that end the incident and say so.
    pub calls: Vec<String>,
}

/// Causes in words that the grader understands, by mechanism and service: candidates of a world share them, and to find some
/// takes longer than to read many.
#[derive(Default)]
pub(super) struct Sayings(Mutex<BTreeMap<(&'static str, String), Option<String>>>);

/// What is right to say for a task, from its cause in words.
pub(super) fn said(task: &TaskDraft, cures: &[Cure], cause: &str) -> Said {
    let (mut calls, mut fixes) = (Vec::new(), Vec::new());
    for cure in cures {
        let (own, fix) = ended_by(cure);
        calls.extend(own);
        fixes.push(fix);
    }
    for response in &task.responders {
        let Some((key, _)) = &response.set else { continue };
        let info = &task.plan.services[response.service];
        let (service, key, value) = (&info.name, info.kind.keys()[*key].name, info.config[*key].to_string());
        let value = scaled(service, key, &value);
        calls.push(format!("update_config({service}, {key}, {value})"));
        fixes.push(format!("set {key} of {service} back to {value}"));
    }
    let fix = fixes.join(", ");
    calls.push(format!("resolve_incident(root_cause=\"{cause}\", fix=\"{fix}\")"));
    let what = task.faults.iter().map(|f| f.fault.name()).collect::<Vec<_>>().join(" and ");
    // The value is one of the situation, and a title is one of the task.
    let cause = cause.split(" was set to {").next().unwrap_or(cause);
    Said { title: format!("{what}: {cause}"), calls }
}

/// The calls of a cure, and how one would say it.
fn ended_by(cure: &Cure) -> (Vec<String>, String) {
    match cure {
        Cure::Config { service, key, value, .. } => {
            let value = scaled(service, key, value);
            (vec![format!("update_config({service}, {key}, {value})")], format!("set {key} of {service} to {value}"))
        }
        Cure::Restart { service } => (vec![format!("restart_service({service})")], format!("restarted {service}")),
        Cure::Rollback { service } => (
            vec!["list_changes()".to_string(), format!("rollback_change({{change:{service}}})")],
            format!("rolled back the last change of {service}"),
        ),
    }
}

/// A number is written for the place as written, and scaled to the place as drawn.
fn scaled(service: &str, key: &str, value: &str) -> String {
    if value.parse::<i64>().is_ok() { format!("{{{service}.{key}={value}}}") } else { value.to_string() }
}

/// The cause of a task in words that earn their credit; `None` if none of the catalogue's would be understood.
pub(super) fn cause(task: &TaskDraft, sayings: &Sayings) -> Option<String> {
    let (name, component) = (task.concepts.first()?, &task.component);
    let concept = concepts::find(name)?;
    let args = &task.faults.first()?.args.0;
    let set = match (args.get("key"), args.get("value")) {
        (Some(key), Some(value)) if value.parse::<i64>().is_ok() => {
            Some(format!("{component} {key} was set to {{{component}.{key}}}"))
        }
        (Some(key), Some(value)) => Some(format!("{component} {key} was set to {value}")),
        (Some(key), None) => Some(format!("{component} {key} is no longer true")),
        _ => None,
    };
    // Whether that is understood is proved with all else of a task, and takes longer than to say it.
    set.or_else(|| sayings.of(concept, component))
}

impl Sayings {
    /// What a mechanism at a service is called, in the first words that are understood.
    fn of(&self, concept: &'static Concept, component: &str) -> Option<String> {
        // A panic elsewhere leaves the map as it is: at worst words are looked for again.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry((concept.name, component.to_string())).or_insert_with(|| {
            let phrases = concept.phrases().filter(|p| !p.contains(".."));
            let mut plain = phrases.flat_map(|p| [format!("{component}: {p}"), format!("{p} at {component}")]);
            plain.find(|text| judge(text, component, &[concept.name]).credit())
        });
        found.clone()
    }
}
