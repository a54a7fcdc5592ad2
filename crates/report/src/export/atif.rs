//! ATIF, the Agent Trajectory Interchange Format of Harbor, version 1.7: one file per episode. Agents'
//! turns hold what they saw and said; truth stands in `extra` at the root alone.

use std::collections::BTreeMap;

use record::ModelTurn;
use serde_json::{Map, Value, json};

use super::clock::stamp;
use super::speech::{Speech, speeches};
use super::{Export, ExportEpisode, ExportError, Format, Shelf, tools};

const VERSION: &str = "ATIF-v1.7";
const NOTES: &str = "Timestamps are those of the simulated clock; nothing in this file depends on the day it was made.";

/// `atif`.
pub struct Atif;

impl Format for Atif {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn about(&self) -> &'static str {
        "trajectories in Harbor's interchange format, ATIF 1.7: one file per episode"
    }

    fn extension(&self) -> Option<&'static str> {
        Some("json")
    }

    fn start(&self) -> Result<Box<dyn Export>, ExportError> {
        Ok(Box::new(AtifFiles::default()))
    }
}

#[derive(Default)]
struct AtifFiles {
    /// How many episodes of a key there were: several runs may have played the same.
    keys: BTreeMap<String, u32>,
}

impl Export for AtifFiles {
    fn add(&mut self, entry: &ExportEpisode, shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        let count = self.keys.entry(entry.key()).or_default();
        *count += 1;
        let again = if *count > 1 { format!("-{count}") } else { String::new() };
        let mut file = shelf.create(&format!("{}{again}.json", entry.key()))?;
        serde_json::to_writer_pretty(&mut file, &trajectory(entry)).map_err(std::io::Error::from)?;
        writeln!(file)?;
        Ok(file.keep()?)
    }

    fn finish(self: Box<Self>, _shelf: &mut dyn Shelf) -> Result<(), ExportError> {
        Ok(())
    }
}

fn trajectory(entry: &ExportEpisode) -> Value {
    let (time, brief) = entry.page();
    let mut steps = vec![json!({"step_id": 1, "timestamp": stamp(time), "source": "user", "message": brief})];
    steps.extend(speeches(entry).map(|speech| step(&speech)));
    json!({
        "schema_version": VERSION,
        "session_id": entry.key(),
        "trajectory_id": entry.digest,
        "agent": agent(entry),
        "final_metrics": final_metrics(entry, steps.len()),
        "steps": steps,
        "notes": NOTES,
        "extra": extra(entry),
    })
}

fn agent(entry: &ExportEpisode) -> Value {
    let header = entry.header();
    let mut agent = json!({
        "name": header.agent,
        "version": env!("CARGO_PKG_VERSION"),
        "tool_definitions": tools::definitions(entry),
    });
    if let Some(card) = &header.model {
        agent["model_name"] = json!(format!("{}/{}", card.provider, card.model));
        agent["extra"] = json!({"prompt": card.prompt, "sampling": card.sampling});
    }
    agent
}

fn step(speech: &Speech<'_>) -> Value {
    let taken = speech.step;
    let mut result = json!({"content": taken.observation});
    let mut step = json!({
        "step_id": taken.index + 1,
        "timestamp": stamp(taken.time),
        "source": "agent",
        "message": speech.words(),
        "extra": {"reward": taken.reward, "took_ms": taken.took},
    });
    if let Some(call) = &speech.call {
        step["tool_calls"] =
            json!([{"tool_call_id": call.id, "function_name": call.tool, "arguments": call.arguments}]);
        result["source_call_id"] = json!(call.id);
    }
    if let Some(problem) = &taken.invalid {
        step["extra"]["invalid"] = json!(problem);
    }
    step["observation"] = json!({"results": [result]});
    if let Some(turn) = &taken.model {
        asked(&mut step, turn, speech.reasoning());
    }
    step
}

/// What was asked of a model. Without a call, the format wants nothing of it said.
fn asked(step: &mut Value, turn: &ModelTurn, reasoning: Option<&str>) {
    step["llm_call_count"] = json!(turn.calls);
    if turn.calls == 0 {
        return;
    }
    let mut metrics = json!({
        "prompt_tokens": turn.usage.input,
        "completion_tokens": turn.usage.output,
        "cached_tokens": turn.usage.cached,
        "extra": {"reasoning_tokens": turn.usage.reasoning},
    });
    if let Some(cost) = turn.cost_usd {
        metrics["cost_usd"] = json!(cost);
    }
    step["metrics"] = metrics;
    if let Some(reasoning) = reasoning {
        step["reasoning_content"] = json!(reasoning);
    }
}

fn final_metrics(entry: &ExportEpisode, steps: usize) -> Value {
    let mut metrics = Map::new();
    metrics.insert("total_steps".into(), json!(steps));
    if let Some(usage) = entry.score.usage {
        metrics.insert("total_prompt_tokens".into(), json!(usage.input));
        metrics.insert("total_completion_tokens".into(), json!(usage.output));
        metrics.insert("total_cached_tokens".into(), json!(usage.cached));
    }
    if let Some(cost) = entry.score.cost_usd {
        metrics.insert("total_cost_usd".into(), json!(cost));
    }
    let score = &entry.score;
    metrics.insert("extra".into(), json!({"success": score.success, "reward": score.reward, "steps": score.steps}));
    Value::Object(metrics)
}

fn extra(entry: &ExportEpisode) -> Value {
    let header = entry.header();
    json!({
        "task": header.task.id,
        "incident": header.incident,
        "noise": header.noise,
        "tools": header.tools,
        "record_version": header.record_version,
        "world_version": header.world_version,
        "suite_version": header.suite_version,
        "provider_failure": entry.failure(),
        "score": entry.score,
    })
}
