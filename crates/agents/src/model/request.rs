//! What a model is asked: the same ask gives the same bytes, so that a recording can be found again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Sampling, ToolCall};

/// One question to a model, whole: providers keep no state between asks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelRequest {
    /// Standing instructions; none if empty.
    pub system: String,
    /// The conversation so far; it ends with what is to be answered.
    pub messages: Vec<ChatMessage>,
    /// Tools that the model may call natively; none if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// How to sample.
    pub sampling: Sampling,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ChatMessage {
    /// What we said.
    User {
        /// The words.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// The words.
        text: String,
        /// The tools it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What its provider wants back unchanged, as [`super::ModelAnswer::carry`] gave it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        carry: Vec<Value>,
    },
    /// What a tool answered.
    Tool {
        /// The call that it answers.
        call_id: String,
        /// The tool that was called.
        name: String,
        /// What it said.
        text: String,
    },
}

impl ChatMessage {
    /// A message of ours.
    pub fn user(text: impl Into<String>) -> ChatMessage {
        ChatMessage::User { text: text.into() }
    }

    /// A message of the model's, without tool calls.
    pub fn assistant(text: impl Into<String>) -> ChatMessage {
        ChatMessage::Assistant { text: text.into(), tool_calls: Vec::new(), carry: Vec::new() }
    }
}

/// A tool, as providers are told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its parameters, as a JSON Schema of an object.
    pub parameters: Value,
}

impl ModelRequest {
    /// The bytes that stand for this ask in a recording.
    pub fn canonical(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an ask is plain data")
    }
}
