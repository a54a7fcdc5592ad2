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

/// Something that a player is given beside its brief, for clients of its own such as kubectl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handout {
    /// The variable of the environment that has it.
    pub variable: &'static str,
    /// The value; of a file, what is in it.
    pub value: String,
    /// The name of the file, if it is one: then the variable says where it was put.
    pub file: Option<&'static str>,
}

impl Handout {
    /// A value of its own.
    pub fn plain(variable: &'static str, value: impl Into<String>) -> Handout {
        Handout { variable, value: value.into(), file: None }
    }

    /// A file.
    pub fn file(variable: &'static str, name: &'static str, text: impl Into<String>) -> Handout {
        Handout { variable, value: text.into(), file: Some(name) }
    }
}

/// The answer to a task, for agents that mark the bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerKey {
    /// Calls that solve it.
    pub solution: Vec<String>,
    /// Services whose remediation is a distraction.
    pub distractors: Vec<String>,
}
