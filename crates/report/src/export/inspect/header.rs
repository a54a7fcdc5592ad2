//! What a log says of the whole: what was run, on what, by whom, and what it came to.

use std::collections::BTreeMap;

use record::Header;
use record::{Usage, sha256};
use serde_json::{Map, Value, json};

use super::results::Results;
use super::sample::{model, usage_of};
use crate::export::ExportEpisode;
use crate::export::clock::CREATED;

const LOG_VERSION: u32 = 2;

/// What is kept of the episodes of a log while it is written.
pub struct LogTotals {
    first: Header,
    model: String,
    results: Results,
    /// How many episodes each task has.
    epochs: BTreeMap<String, u32>,
    /// The digests of the records, as text to be digested.
    digests: String,
    used: Usage,
    cost: Option<f64>,
}

impl LogTotals {
    /// Begins with what all episodes of the log have in common with the first.
    pub fn new(first: &ExportEpisode) -> LogTotals {
        LogTotals {
            first: first.header().clone(),
            model: model(first),
            results: Results::default(),
            epochs: BTreeMap::new(),
            digests: String::new(),
            used: Usage::default(),
            cost: Some(0.0),
        }
    }

    /// Counts an episode, and says which epoch of its task it is.
    pub fn add(&mut self, entry: &ExportEpisode) -> u32 {
        self.results.add(&entry.score);
        self.used += entry.score.usage.unwrap_or_default();
        self.cost = self.cost.zip(entry.score.cost_usd).map(|(sum, cost)| sum + cost);
        self.digests = sha256(format!("{}{}", self.digests, entry.digest).as_bytes());
        let epoch = self.epochs.entry(entry.header().task.id.clone()).or_default();
        *epoch += 1;
        *epoch
    }

    /// What is known when a log begins.
    pub fn start(&self) -> Value {
        json!({"version": LOG_VERSION, "eval": self.spec(), "plan": self.plan()})
    }

    /// All of it but the samples.
    pub fn header(&self) -> Value {
        json!({
            "version": LOG_VERSION,
            "status": "success",
            "eval": self.spec(),
            "plan": self.plan(),
            "results": self.results.json(),
            "stats": {"started_at": CREATED, "completed_at": CREATED, "model_usage": self.usage()},
        })
    }

    fn spec(&self) -> Value {
        let (first, id) = (&self.first, &self.digests[..22.min(self.digests.len())]);
        // Lists of logs show the task and the model: without the agent two logs of one run look the same.
        let task = format!("sre-zero/{}/{}", first.suite, first.agent);
        json!({
            "eval_id": id,
            "run_id": id,
            "task_id": id,
            "created": CREATED,
            "task": task,
            "task_version": first.suite_version,
            "solver": first.agent,
            "model": self.model,
            "model_generate_config": self.sampling(),
            "dataset": {
                "name": first.suite,
                "samples": self.epochs.len(),
                "sample_ids": self.epochs.keys().collect::<Vec<_>>(),
                "shuffled": false,
            },
            "config": {"epochs": self.epochs.values().max(), "epochs_reducer": ["mean"], "fail_on_error": false},
            "packages": {"sre-zero": env!("CARGO_PKG_VERSION")},
            "metadata": {
                "agent": first.agent,
                "world_version": first.world_version,
                "suite_version": first.suite_version,
                "record_version": first.record_version,
                "prompt": first.model.as_ref().map(|card| &card.prompt),
            },
        })
    }

    fn plan(&self) -> Value {
        json!({"name": "plan", "steps": [{"solver": self.first.agent, "params": {}}]})
    }

    /// The settings of the sampling whose names Inspect has too.
    fn sampling(&self) -> Value {
        const SHARED: &[&str] = &["temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty"];
        let all = self.first.model.iter().flat_map(|card| &card.sampling);
        let shared = all.filter(|(name, value)| SHARED.contains(&name.as_str()) && value.is_number());
        Value::Object(shared.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
    }

    fn usage(&self) -> Value {
        usage_of(&self.model, self.first.model.as_ref().map(|_| self.used), self.cost)
    }
}
