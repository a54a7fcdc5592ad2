//! The flags that say how a model is sampled. They are part of every record.

use agents::model::{Effort, Sampling};
use std::path::{Path, PathBuf};

use agents::model_agents::{AgentOptions, OwnProfile};
use anyhow::anyhow;
use clap::ValueHint;
use harness::read_text;
use serde_json::Value;

use super::run_agents::ModelSettings;

/// How a model is sampled. What is not said is left to the agent's profile, then to the provider.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Model settings (kept in every record)")]
pub struct SamplingArgs {
    /// A prompt of your own: a text file, played as an agent of the file's name; several with commas between them
    ///
    /// Above a line `---` the file may say `agent: react` (whose loop asks with it), `name: NAME`, `version: 2`, and
    /// settings such as `temperature: 0`. See docs/prompts.md.
    #[arg(long, value_name = "FILE,..", value_delimiter = ',', value_hint = ValueHint::FilePath)]
    pub prompt: Vec<PathBuf>,
    /// Randomness, from 0
    #[arg(long, value_name = "T")]
    pub temperature: Option<f64>,
    /// Nucleus sampling, from 0 to 1
    #[arg(long, value_name = "P")]
    pub top_p: Option<f64>,
    /// The longest answer in tokens, reasoning included
    #[arg(long, value_name = "N")]
    pub max_output_tokens: Option<u32>,
    /// A seed for the sampling, where the provider takes one
    #[arg(long, value_name = "N")]
    pub sampling_seed: Option<u64>,
    /// How hard a reasoning model thinks: minimal, low, medium, high, xhigh or max
    #[arg(long, value_name = "WORD")]
    pub effort: Option<Effort>,
    /// How many tokens a reasoning model may think, where the provider takes a number
    #[arg(long, value_name = "N")]
    pub thinking_tokens: Option<u32>,
    /// Leave the reasoning out of the replies
    #[arg(long)]
    pub exclude_reasoning: bool,
    /// Tell the model not to reason
    #[arg(long)]
    pub no_think: bool,
    /// Show the model only this many of the latest exchanges [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub history: Option<u32>,
    /// A further field of the request, as the provider names it: name=JSON
    #[arg(long = "set", value_name = "NAME=JSON", value_parser = field)]
    pub extra: Vec<(String, Value)>,
}

fn field(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("it is written name=value, such as top_k=40")?;
    // A word without quotes is a text, as on every command line.
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_string()));
    Ok((name.to_string(), value))
}

impl SamplingArgs {
    /// All that was given, prompts read.
    pub fn model_settings(&self) -> anyhow::Result<ModelSettings> {
        let own = self.prompt.iter().map(|path| own_profile(path)).collect::<anyhow::Result<_>>()?;
        Ok(ModelSettings { sampling: self.settings(), options: self.options(), own })
    }

    /// What else was said of the agents.
    fn options(&self) -> AgentOptions {
        AgentOptions { history: self.history.map(|n| n as usize) }
    }

    /// The settings that were given.
    pub fn settings(&self) -> Sampling {
        Sampling {
            temperature: self.temperature,
            top_p: self.top_p,
            max_tokens: self.max_output_tokens,
            seed: self.sampling_seed,
            effort: self.effort,
            thinking_tokens: self.thinking_tokens,
            exclude_reasoning: self.exclude_reasoning,
            no_think: self.no_think,
            extra: self.extra.iter().cloned().collect(),
        }
    }
}

/// The profile in a file of the user's own.
pub fn own_profile(path: &Path) -> anyhow::Result<OwnProfile> {
    let text = read_text(path, "read the prompt", "save it as text in UTF-8")?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    OwnProfile::parse(&stem, &text).map_err(|problem| anyhow!("{}: {problem}", path.display()))
}
