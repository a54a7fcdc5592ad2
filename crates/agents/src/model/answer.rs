//! What a model answered, in one form for all providers: this is what a recording keeps.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Usage;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelAnswer {
    /// The words.
    pub text: String,
    /// What it thought, if the provider shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The tools it wants called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Tokens.
    pub usage: Usage,
    /// Why it stopped, in the provider's word.
    pub finish: String,
    /// What the provider wants back unchanged with the next ask, such as signed reasoning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carry: Vec<Value>,
}

/// A tool that the model wants called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's name for this call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments as the model wrote them: meant to be a JSON object, and not always one.
    pub arguments: String,
}
