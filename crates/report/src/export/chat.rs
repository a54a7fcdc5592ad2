//! Chat fine-tuning data: a conversation per line, with native tool calls in OpenAI's shape. A line holds
//! what the agent could see and what it said, and nothing by which a model could learn the answers.

use record::Split;
use serde_json::{Value, json};

use super::speech::{Speech, speeches};
use super::{Export, ExportEpisode, ExportError, ExportFilter, Format, Only, Shelf, Sink, tools};

/// What the model is told before the page.
const SYSTEM: &str = "You are the engineer on call for a company's services. Work on the incident with the tools, one \
    call at a time: look before you change anything, change only what the evidence points to, check that it helped, \
    and close the incident when it is over.";

/// `chat`.
pub struct ChatExport;

impl Format for ChatExport {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn about(&self) -> &'static str {
        "chat fine-tuning data: JSON lines of messages and tools; by default successes on tasks of the train split"
    }

    fn extension(&self) -> Option<&'static str> {
        Some("jsonl")
    }

    fn usual(&self) -> ExportFilter {
        ExportFilter { only: Only::Success, split: Some(Split::Train), min_reward: None }
    }

    /// Half an episode teaches half an answer.
    fn takes_provider_failures(&self) -> bool {
        false
    }

    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(ChatLines { file: None }))
    }
}

struct ChatLines {
    file: Option<Box<dyn Sink>>,
}

impl Export for ChatLines {
    fn add(&mut self, entry: &ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(shelf.create("chat.jsonl")?),
        };
        if let Some(line) = line(entry) {
            writeln!(file, "{line}")?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        Ok(self.file.map_or(Ok(()), Sink::keep)?)
    }
}

/// One conversation; none if the agent never said anything.
fn line(entry: &ExportEpisode) -> Option<String> {
    let messages = messages(entry)?;
    Some(json!({"messages": messages, "tools": tools::definitions(entry)}).to_string())
}

/// What was said, from the page to the agent's last word; nothing if the agent never said anything.
pub fn messages(entry: &ExportEpisode) -> Option<Vec<Value>> {
    entry.steps().next()?;
    let mut messages =
        vec![json!({"role": "system", "content": SYSTEM}), json!({"role": "user", "content": entry.page().1})];
    messages.extend(speeches(entry).flat_map(|speech| [said(&speech), shown(&speech)]));
    // Nothing is learnt from what comes after the last word, and some trainers refuse it.
    messages.pop();
    Some(messages)
}

fn said(speech: &Speech<'_>) -> Value {
    let thought = speech.thought();
    let content = if thought.is_empty() { Value::Null } else { json!(thought) };
    match &speech.call {
        None => json!({"role": "assistant", "content": thought}),
        Some(call) => json!({
            "role": "assistant",
            "content": content,
            "tool_calls": [{
                "id": call.id,
                "type": "function",
                "function": {"name": call.tool, "arguments": call.arguments.to_string()},
            }],
        }),
    }
}

fn shown(speech: &Speech<'_>) -> Value {
    let seen = &speech.step.observation;
    match &speech.call {
        None => json!({"role": "user", "content": seen}),
        Some(call) => json!({"role": "tool", "tool_call_id": call.id, "content": seen}),
    }
}
