//! The conversation so far: the brief, then what the model said and what it was shown, round by round.

use std::collections::BTreeSet;

use crate::model::{ChatMessage, ModelAnswer, ToolCall};

/// A conversation.
pub(super) struct Transcript {
    brief: String,
    rounds: Vec<Vec<ChatMessage>>,
    /// What the model said last, waiting for what it is shown.
    open: Option<Open>,
    most: Option<usize>,
}

struct Open {
    said: ChatMessage,
    /// The id and the tool of each native call.
    calls: Vec<(String, String)>,
}

/// Calls of one turn with ids of their own: some servers give the same id twice, or none, and refuse to read it back.
fn told_apart(calls: &[ToolCall]) -> Vec<ToolCall> {
    let mut seen = BTreeSet::new();
    let apart = |(at, call): (usize, &ToolCall)| {
        let fresh = !call.id.is_empty() && seen.insert(call.id.clone());
        let id = if fresh { call.id.clone() } else { format!("{}call_{at}", call.id) };
        ToolCall { id, ..call.clone() }
    };
    calls.iter().enumerate().map(apart).collect()
}

/// What calls beside the first are told.
const NOT_DONE: &str = "Not carried out: one action at a time. Only the first call of a turn is.";

impl Transcript {
    pub fn new(brief: &str, most: Option<usize>) -> Transcript {
        Transcript { brief: brief.to_string(), rounds: Vec::new(), open: None, most }
    }

    /// What the last action brought to light. The brief is the observation before the first action.
    pub fn observe(&mut self, observation: &str) {
        let Some(Open { said, calls }) = self.open.take() else { return };
        let mut round = vec![said];
        if calls.is_empty() {
            round.push(ChatMessage::user(observation));
        }
        for (at, (call_id, name)) in calls.into_iter().enumerate() {
            let text = if at == 0 { observation } else { NOT_DONE };
            round.push(ChatMessage::Tool { call_id, name, text: text.to_string() });
        }
        self.rounds.push(round);
    }

    /// What the model said. What it made up of the world's answer is left out: it will be shown the real one.
    pub fn said(&mut self, answer: &ModelAnswer) {
        let ModelAnswer { text, carry, .. } = answer;
        let tool_calls = told_apart(&answer.tool_calls);
        let text = text.split("\nObservation:").next().unwrap_or_default();
        // Providers refuse an empty message of the model's.
        let text = if text.trim().is_empty() && tool_calls.is_empty() { "(no answer)" } else { text };
        let calls: Vec<_> = tool_calls.iter().map(|call| (call.id.clone(), call.name.clone())).collect();
        // Only what led to a native call is wanted back.
        let carry = if calls.is_empty() { Vec::new() } else { carry.clone() };
        let said = ChatMessage::Assistant { text: text.to_string(), tool_calls, carry };
        self.open = Some(Open { said, calls });
    }

    /// The conversation to be answered.
    pub fn messages(&self) -> Vec<ChatMessage> {
        let from = self.most.map_or(0, |most| self.rounds.len().saturating_sub(most));
        let first = std::iter::once(ChatMessage::user(self.brief.as_str()));
        first.chain(self.rounds[from..].iter().flatten().cloned()).collect()
    }
}
