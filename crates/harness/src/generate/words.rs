//! What a right answer says: the cause in words that the diagnosis grader knows, the fix, the title.

use world::faults::Cure;

use crate::grade::{concepts, judge};
use crate::task::Task;

/// The words of a task.
pub(super) struct Said {
    pub title: String,
    /// The calls that end the incident and say so.
    pub calls: Vec<String>,
}

/// Finds words for a task; `None` if none of the catalogue's would be understood.
pub(super) fn said(task: &Task, cure: &Cure) -> Option<Said> {
    let cause = cause(task)?;
    let (mut calls, fix) = match cure {
        Cure::Config { service, key, value, .. } => {
            (vec![format!("update_config({service}, {key}, {value})")], format!("set {key} of {service} to {value}"))
        }
        Cure::Restart { service } => (vec![format!("restart_service({service})")], format!("restarted {service}")),
        Cure::Rollback { service } => (
            vec!["list_changes()".to_string(), format!("rollback_change({{change:{service}}})")],
            format!("rolled back the last change of {service}"),
        ),
    };
    calls.push(format!("resolve_incident(root_cause=\"{cause}\", fix=\"{fix}\")"));
    let what = task.faults.iter().map(|f| f.fault.name()).collect::<Vec<_>>().join(" and ");
    Some(Said { title: format!("{what}: {cause}"), calls })
}

/// The cause in words that earn their credit.
fn cause(task: &Task) -> Option<String> {
    let (name, component) = (task.concepts.first()?, &task.component);
    let concept = concepts::find(name)?;
    let args = &task.faults.first()?.args.0;
    let set = match (args.get("key"), args.get("value")) {
        (Some(key), Some(value)) => Some(format!("{component} {key} was set to {value}")),
        (Some(key), None) => Some(format!("{component} {key} is no longer true")),
        _ => None,
    };
    let phrases: Vec<&str> = concept.phrases().filter(|p| !p.contains("..")).collect();
    let plain = phrases.iter().flat_map(|p| [format!("{component}: {p}"), format!("{p} at {component}")]);
    set.into_iter().chain(plain).find(|text| judge(text, component, &task.concepts).credit())
}
