//! An episode as a sample of a log: the conversation, the scores, what was used.

use record::EndReason;
use record::Usage;
use serde_json::{Map, Value, json};

use super::results::{CLUSTER, measures};
use crate::export::ExportEpisode;
use crate::export::clock::stamp;
use crate::export::speech::{Speech, speeches};
use crate::stats::cluster;

/// An episode and its place among the epochs of its task.
pub struct InspectSample<'a> {
    /// The episode.
    pub entry: &'a ExportEpisode,
    /// From 1.
    pub epoch: u32,
}

impl InspectSample<'_> {
    /// The sample's id: that of the task.
    pub fn id(&self) -> &str {
        &self.entry.header().task.id
    }

    /// All of it.
    pub fn whole(&self) -> Value {
        let mut sample = self.common();
        let messages = self.messages();
        let last = messages.iter().rev().find(|message| message["role"] == "assistant");
        sample["output"] = json!({
            "model": model(self.entry),
            "choices": last.map(choice).as_slice(),
        });
        sample["messages"] = json!(messages);
        if let Some(word) = self.entry.failure() {
            sample["error"] = json!({"message": failure(word), "traceback": failure(word), "traceback_ansi": ""});
        }
        if self.entry.score.end == EndReason::BudgetSpent {
            sample["limit"] = json!({"type": "custom", "limit": self.entry.score.budget});
        }
        sample
    }

    /// What lists of samples show.
    pub fn summary(&self) -> Value {
        let mut sample = self.common();
        sample["completed"] = json!(true);
        // The page, and one message each for what was said and shown.
        sample["message_count"] = json!(1 + 2 * self.entry.steps().count());
        sample["input"] = json!(clip(self.entry.page().1));
        if let Some(word) = self.entry.failure() {
            sample["error"] = json!(failure(word));
        }
        if self.entry.score.end == EndReason::BudgetSpent {
            sample["limit"] = json!("custom");
        }
        sample
    }

    fn common(&self) -> Value {
        let (entry, (paged, brief)) = (self.entry, self.entry.page());
        let seconds = entry.ended().saturating_sub(paged) as f64 / 1000.0;
        json!({
            "id": self.id(),
            "epoch": self.epoch,
            "uuid": entry.digest[..22.min(entry.digest.len())],
            "input": brief,
            "target": entry.seal().map_or("", |seal| &seal.fault),
            "metadata": metadata(entry),
            "scores": scores(entry),
            "model_usage": usage_of(&model(entry), entry.score.usage, entry.score.cost_usd),
            "started_at": stamp(paged),
            "completed_at": stamp(entry.ended()),
            "total_time": seconds,
            "working_time": seconds,
        })
    }

    fn messages(&self) -> Vec<Value> {
        let page = json!({"role": "user", "content": self.entry.page().1, "source": "input"});
        let turns = speeches(self.entry).flat_map(|speech| [said(self.entry, &speech), shown(&speech)]);
        std::iter::once(page).chain(turns).collect()
    }
}

/// The model's name; Inspect calls it so when there is none.
pub fn model(entry: &ExportEpisode) -> String {
    entry.score.model.as_deref().unwrap_or("none/none").to_string()
}

/// What was used, by model. Nothing is said where there is no model.
pub fn usage_of(model: &str, used: Option<Usage>, cost: Option<f64>) -> Value {
    let Some(used) = used else { return json!({}) };
    json!({ model: {
        // Inspect counts tokens from the cache apart.
        "input_tokens": used.input.saturating_sub(used.cached),
        "input_tokens_cache_read": used.cached,
        "output_tokens": used.output,
        "reasoning_tokens": used.reasoning,
        "total_tokens": used.total(),
        "total_cost": cost,
    } })
}

fn said(entry: &ExportEpisode, speech: &Speech<'_>) -> Value {
    let words = json!({"type": "text", "text": speech.words()});
    let thought = speech.reasoning().map(|reasoning| json!({"type": "reasoning", "reasoning": reasoning}));
    let content = match thought {
        Some(thought) => json!([thought, words]),
        None => json!(speech.words()),
    };
    let mut message = json!({"role": "assistant", "content": content, "source": "generate", "model": model(entry)});
    if let Some(call) = &speech.call {
        message["tool_calls"] =
            json!([{"id": call.id, "function": call.tool, "arguments": call.arguments, "type": "function"}]);
    }
    message
}

fn shown(speech: &Speech<'_>) -> Value {
    let seen = &speech.step.observation;
    match &speech.call {
        Some(call) => json!({"role": "tool", "tool_call_id": call.id, "function": call.tool, "content": seen}),
        None => json!({"role": "user", "content": seen}),
    }
}

fn choice(message: &Value) -> Value {
    let stopped = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    json!({"message": message, "stop_reason": stopped})
}

/// Nothing is scored that says nothing of the agent.
fn scores(entry: &ExportEpisode) -> Value {
    if !entry.score.counts() {
        return Value::Null;
    }
    let mut scores = Map::new();
    for measure in measures() {
        if let Some(value) = measure.of(&entry.score) {
            scores.insert(measure.name.to_string(), json!({"value": value, "explanation": measure.about}));
        }
    }
    if let Some(success) = scores.get_mut("success") {
        let word = if entry.score.success { "C" } else { "I" };
        *success = json!({
            "value": word,
            "answer": entry.steps().last().map(|step| &step.text),
            "explanation": entry.score.ending.word,
            "metadata": {"checks": entry.seal().map(|seal| &seal.checks), "parts": entry.score.parts},
        });
    }
    Value::Object(scores)
}

fn metadata(entry: &ExportEpisode) -> Value {
    let (header, score) = (entry.header(), &entry.score);
    json!({
        "task": header.task.id,
        "family": header.task.family,
        CLUSTER: cluster(score).to_string(),
        "difficulty": header.task.difficulty,
        "split": header.task.split,
        "component": header.task.component,
        "seed": header.seed,
        "repeat": header.repeat,
        "noise": header.noise,
        "tools": header.tools,
        "incident": header.incident,
        "end": score.end,
        "ending": score.ending.word,
        "failure_mode": score.failure_mode,
        "steps": score.steps,
        "budget": score.budget,
        "record": entry.digest,
    })
}

fn failure(word: &str) -> String {
    format!("the provider failed: {word}")
}

/// So much of the page is enough in a list.
fn clip(text: &str) -> String {
    const CHARS: usize = 1000;
    text.chars().take(CHARS).collect()
}
