//! What a request asks, whatever format it came in.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::call::ActionCall;

/// A conversation, read from a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IncomingPrompt {
    /// The model that is asked.
    pub model: String,
    /// LimitStanding instructions.
    pub system: String,
    /// What was said, in order; answers of tools count as the user's.
    pub messages: Vec<IncomingMessage>,
    /// Tools that may be called natively.
    pub tools: Vec<OfferedTool>,
    /// Whether the answer should come with its reasoning.
    pub reasons: bool,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingMessage {
    /// Who said it.
    pub by: By,
    /// What was said.
    pub text: String,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The user, or a tool.
    User,
    /// The model.
    Model,
}

/// A tool that is offered.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// Its parameters in order, with the type that each takes.
    pub params: Vec<(String, String)>,
}

impl IncomingPrompt {
    /// What the user said, in order.
    pub fn said_by_user(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().filter(|message| message.by == By::User).map(|message| message.text.as_str())
    }

    /// How often the model has answered so far.
    pub fn answers(&self) -> usize {
        self.messages.iter().filter(|message| message.by == By::Model).count()
    }
}

impl OfferedTool {
    /// A tool from its JSON Schema. Objects have no order, so what is required comes first, as listed there.
    pub fn new(name: &str, schema: &Value) -> OfferedTool {
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let mut names: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        names.extend(properties.keys().map(String::as_str).filter(|name| !names.contains(name)).collect::<Vec<_>>());
        let takes = |name: &str| properties.get(name).and_then(|p| p["type"].as_str()).unwrap_or("string").to_string();
        OfferedTool {
            name: name.to_string(),
            params: names.iter().map(|name| (name.to_string(), takes(name))).collect(),
        }
    }
}

/// Reads a conversation message by message, and refuses what a real provider would refuse: answers to
/// calls that were never made, and calls that were never answered.
#[derive(Default)]
pub(super) struct PromptReader {
    prompt: IncomingPrompt,
    open: BTreeSet<String>,
    called: bool,
}

impl PromptReader {
    pub fn new(model: &str) -> PromptReader {
        PromptReader {
            prompt: IncomingPrompt { model: model.to_string(), ..IncomingPrompt::default() },
            ..PromptReader::default()
        }
    }

    pub fn system(&mut self, text: &str) {
        let system = &mut self.prompt.system;
        *system = if system.is_empty() { text.to_string() } else { format!("{system}\n{text}") };
    }

    /// The user, or tools by way of the user.
    pub fn user(&mut self, text: String) -> Result<(), String> {
        match self.open.first() {
            Some(id) => Err(format!("the tool call `{id}` is not answered by the message that follows it")),
            None => {
                self.prompt.messages.push(IncomingMessage { by: By::User, text });
                Ok(())
            }
        }
    }

    pub fn model(&mut self, text: String, calls: Vec<(String, ActionCall)>) -> Result<(), String> {
        if let Some(id) = self.open.first() {
            return Err(format!("the tool call `{id}` is not answered by the message that follows it"));
        }
        let mut said = vec![text];
        for (id, call) in calls {
            said.push(call.to_string());
            self.called = true;
            if !self.open.insert(id.clone()) {
                return Err(format!("two tool calls are named `{id}`"));
            }
        }
        said.retain(|part| !part.is_empty());
        self.prompt.messages.push(IncomingMessage { by: By::Model, text: said.join("\n") });
        Ok(())
    }

    /// Marks a call as answered; the answer's text is said by the user.
    pub fn answered(&mut self, id: &str) -> Result<(), String> {
        let known = self.open.remove(id);
        if known { Ok(()) } else { Err(format!("no tool call `{id}` in the message before is open for this answer")) }
    }

    /// What a tool answered, in formats that give every answer a message of its own.
    pub fn tool_said(&mut self, text: String) {
        self.prompt.messages.push(IncomingMessage { by: By::User, text });
    }

    pub fn tool(&mut self, name: &str, schema: &Value) {
        self.prompt.tools.push(OfferedTool::new(name, schema));
    }

    pub fn reasons(&mut self, reasons: bool) {
        self.prompt.reasons = reasons;
    }

    /// Whether the model has called a tool so far.
    pub fn has_calls(&self) -> bool {
        self.called
    }

    pub fn finish(self) -> Result<IncomingPrompt, String> {
        if let Some(id) = self.open.first() {
            return Err(format!("the tool call `{id}` is not answered"));
        }
        match self.prompt.messages.last() {
            None => Err("there is no message to answer".to_string()),
            Some(last) if last.by == By::Model => Err("the last message must not be the model's".to_string()),
            Some(_) => Ok(self.prompt),
        }
    }
}
