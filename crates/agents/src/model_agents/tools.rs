//! `tools`: native tool calls, with history.

use harness::{Agent, Brief, Move, ToolDoc, Turn};
use serde_json::{Value, json};

use crate::extract::{Extracted, call_of};
use crate::model::{ToolCall, ToolSpec};

use super::AgentOptions;
use super::conversation::Conversation;
use super::history::Transcript;

/// Starts the loop.
pub(super) fn start(mut conversation: Conversation, brief: &Brief, options: AgentOptions) -> Box<dyn Agent> {
    conversation.tools = brief.tools.iter().map(spec).collect();
    Box::new(Tools { conversation, history: Transcript::new(&brief.text, options.history) })
}

/// A tool as providers are told of it.
pub(super) fn spec(tool: &ToolDoc) -> ToolSpec {
    ToolSpec { name: tool.name.to_string(), description: tool.about.to_string(), parameters: tool.schema() }
}

struct Tools {
    conversation: Conversation,
    history: Transcript,
}

impl Agent for Tools {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.history.observe(turn.observation);
        let answer = match self.conversation.ask(self.history.messages(), "", turn.step) {
            Ok(answer) => answer,
            Err(stopped) => return stopped.into(),
        };
        self.history.said(&answer);
        if let Some(call) = answer.tool_calls.first() {
            return self.conversation.act(action(call));
        }
        // Some models write their calls into the text all the same.
        match self.conversation.action(&answer.text) {
            Extracted::Found { text, .. } => self.conversation.act(text),
            Extracted::NotFound => self.conversation.fumble(answer.text),
        }
    }
}

/// A native call as the text of an action. What cannot be written as a call goes on as the object
/// that it is: the gate says what is wrong with it.
pub(super) fn action(call: &ToolCall) -> String {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
    let object = json!({"action": call.name, "args": arguments});
    call_of(&object, &[&call.name]).unwrap_or_else(|| object.to_string())
}
