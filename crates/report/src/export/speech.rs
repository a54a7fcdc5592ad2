//! What was said in an episode, turn by turn, before any format gives it its shape.

use record::Step;
use serde_json::Value;

use super::{ExportEpisode, tools};

/// One turn: what the agent said and did, and what it was shown.
pub struct Speech<'a> {
    /// The step of the record.
    pub step: &'a Step,
    /// The call, if it was a valid one.
    pub call: Option<SpokenCall<'a>>,
}

/// A valid call.
pub struct SpokenCall<'a> {
    /// An id that is its own within the episode.
    pub id: String,
    /// The tool.
    pub tool: &'a str,
    /// The arguments, an object.
    pub arguments: Value,
}

/// All turns of an episode.
pub fn speeches(entry: &ExportEpisode) -> impl Iterator<Item = Speech<'_>> {
    entry.steps().map(|step| {
        let valid = step.invalid.is_none() && !step.tool.is_empty();
        let call = valid.then(|| SpokenCall {
            id: format!("call_{}", step.index),
            tool: &step.tool,
            arguments: tools::arguments(entry, step),
        });
        Speech { step, call }
    })
}

impl<'a> Speech<'a> {
    /// All that the agent said: the words of its model, or else the action's own text.
    pub fn words(&self) -> &'a str {
        self.step.model.as_ref().map_or(&self.step.text, |turn| &turn.output)
    }

    /// What the agent's model thought, where its provider tells.
    pub fn reasoning(&self) -> Option<&'a str> {
        self.step.model.as_ref()?.reasoning.as_deref()
    }

    /// What the agent said besides its call.
    pub fn thought(&self) -> &'a str {
        match &self.call {
            None => self.words(),
            Some(_) => self.step.model.as_ref().map_or("", |turn| before_action(&turn.output, &self.step.text)),
        }
    }
}

/// What stands before the action, without the marks that models put in front of one.
fn before_action<'a>(output: &'a str, action: &str) -> &'a str {
    let end = output.find(action.trim()).unwrap_or(output.len());
    let mut thought = output[..end].trim_end();
    for mark in ["```json", "```", "**Action:**", "Action:", "ACTION:", "action:"] {
        thought = thought.strip_suffix(mark).unwrap_or(thought).trim_end();
    }
    thought.trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_action_is_not_said_twice() {
        let check = |output: &str, expect: &str| assert_eq!(before_action(output, "check_status(cache)"), expect);
        check("check_status(cache)", "");
        check("Is it up?\nAction: check_status(cache)", "Is it up?");
        check("Is it up?\n```\ncheck_status(cache)\n```", "Is it up?");
        check("Is it up?\n**Action:** check_status(cache)\nThen the logs.", "Is it up?");
        check("I look at the cache.", "I look at the cache.");
        check("", "");
    }
}
