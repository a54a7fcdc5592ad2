//! What is kept of an incident by those who lived through it: what they were told, what is no symptom, what solved it.

use crate::memory::Example;
use crate::player::Playable;

/// The seeds of what is remembered begin here, far from those that are usually played.
pub(crate) const FIRST_SEED: u64 = 1 << 40;

/// What there is to remember of something that has just begun; nothing of a question.
pub(crate) fn example(begun: &dyn Playable) -> Option<Example> {
    let brief = begun.brief().clone();
    if brief.messages.is_some() {
        return None;
    }
    // Each look is taken on a copy, so that all of them are of the first moment.
    let look = |call: &str| {
        let mut copy = begun.fork();
        copy.step(call, None);
        copy.steps().last().map_or_else(String::new, |step| step.observation.clone())
    };
    let config = brief.services.iter().map(|service| look(&format!("inspect_config({service})"))).collect();
    Some(Example { changes: look("list_changes()"), config, solution: begun.answer().1.solution, brief })
}
