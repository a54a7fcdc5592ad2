//! What an agent is told at the start, and the answer that it is not told: plain data.

use faces::{ToolDoc, ToolSet};

/// What an agent is told at the start. Nothing in it names the task or the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// An opaque id.
    pub incident: String,
    /// All of it, as text.
    pub text: String,
    /// The page.
    pub page: String,
    /// The services that there are.
    pub services: Vec<String>,
    /// What can be done.
    pub tools: Vec<ToolDoc>,
    /// The step budget.
    pub steps: u32,
    /// Which set of tools it is.
    pub toolset: ToolSet,
    /// The messages of a question, for agents that ask a model; nothing for an incident.
    pub messages: Option<Messages>,
}

/// A question as a model is asked it: both together are the text of the brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    /// What to do, and in which form to answer.
    pub system: String,
    /// The question.
    pub user: String,
}

/// The answer to a task, for agents that mark the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerKey {
    /// Calls that solve it.
    pub solution: Vec<String>,
    /// Services whose remediation is a distraction.
    pub distractors: Vec<String>,
}
