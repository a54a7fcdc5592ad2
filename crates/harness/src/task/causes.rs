//! The causes that a task asks for beside the first: what else broke and has to be put right.

use record::CauseCard;

use super::{PlannedFault, TaskDraft};
use crate::suite_names;

/// The mechanism of faults in the instruments: nothing of the service is wrong.
const INSTRUMENTS: &str = "telemetry";

/// The other causes of a task. A fault that nothing has to end, that is in the instruments or that the first cause
/// tells of is none; the published incidents ask for what was published.
pub(super) fn also(task: &TaskDraft) -> Vec<CauseCard> {
    let mut found: Vec<CauseCard> = Vec::new();
    if task.suites.iter().any(|suite| suite == suite_names::DEFAULT) {
        return found;
    }
    let first = first(task);
    for (at, planned) in task.faults.iter().enumerate() {
        let (component, concept) = (planned.fault.component(&planned.args), planned.fault.concept(&planned.args));
        let is_known = component == task.component && task.concepts.iter().any(|name| name == concept);
        let is_asked = Some(at) != first && !is_known && concept != INSTRUMENTS && !concept.is_empty();
        let is_ended = task.fix.iter().any(|fix| fix.service() == component);
        let cause = CauseCard { aliases: task.aliases_of(&component), component, concepts: vec![concept.to_string()] };
        if is_asked && is_ended && can_be_ended(task, planned) && !found.contains(&cause) {
            found.push(cause);
        }
    }
    found
}

/// The fault that the diagnosis tells of: the one of its mechanism, else the first at its service.
fn first(task: &TaskDraft) -> Option<usize> {
    let at_service = |f: &PlannedFault| f.fault.component(&f.args) == task.component;
    let named = |f: &PlannedFault| at_service(f) && task.concepts.iter().any(|name| name == f.fault.concept(&f.args));
    let place = |of: &dyn Fn(&PlannedFault) -> bool| task.faults.iter().position(of);
    place(&named).or_else(|| place(&at_service)).or(Some(0))
}

fn can_be_ended(task: &TaskDraft, planned: &PlannedFault) -> bool {
    !planned.fault.is_trigger() && !planned.fault.cures(&planned.args, &task.plan).is_empty()
}
