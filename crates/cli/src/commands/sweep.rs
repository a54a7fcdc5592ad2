//! `sweep`: agents x models x suites x seeds x episodes x noise, from a file or a preset.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser};
use harness::{Incident, Noise, ToolSet, remember, suites};
use runner::{PRESETS, RunFlags, RunRequest, SamplingArgs, Seeds, SweepFile, SweepPart, own_profile, seeds};

use crate::exit::CommandOutcome;
use crate::pick::{self, TaskLibrary};

const EXAMPLES: &str = "\
Examples:
  sre-zero sweep my-sweep.toml                                      what the file says
  sre-zero sweep my-sweep.toml --dry-run                            calls, tokens and cost
  sre-zero sweep --preset quick --agents react --models openai/M    a preset instead of a file
  sre-zero sweep my-sweep.toml --max-cost 20 --policy adaptive      fast, and never much above $20
  sre-zero sweep my-sweep.toml --shard 3/8                          one of eight; then merge them

A sweep file (flags win over it):
  agents = [\"react\", \"tools\", \"scripted\"]
  models = [\"openai/gpt-5\", \"anthropic/claude-sonnet-4-5\"]
  prompts = [\"careful.md\"]      # prompts of your own, beside this file; see docs/prompts.md
  suites = [\"srezero-40\", \"recovery\"]
  seeds = [0, 1, 2]               # or { first = 0, count = 3 }
  episodes = 2                    # for each agent, task and seed
  noise = [0, 2]
  tools = \"classic\"
  [sampling]
  temperature = 0.0

Each suite and noise gets a folder of its own in the sweep's folder. A sweep can be stopped at any
time, with Ctrl-C, a pause file or a cap; the same command goes on and pays for nothing twice.";

/// Arguments of `sweep`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The sweep file
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "preset")]
    file: Option<PathBuf>,
    /// A sweep that is often wanted
    #[arg(long, value_name = "NAME", value_parser = presets(), conflicts_with = "file")]
    preset: Option<String>,
    /// The agents, with commas between them
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    agents: Vec<String>,
    /// The models of those agents that need one, as provider/model
    #[arg(long, value_name = "P/M,..", value_delimiter = ',')]
    models: Vec<String>,
    /// The suites
    #[arg(long, value_name = "SUITE,..", value_delimiter = ',', value_parser = pick::suite_names())]
    suites: Vec<String>,
    /// The seeds
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = pick::seed)]
    seeds: Vec<u64>,
    /// Episodes for each agent, task and seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    episodes: Option<u32>,
    /// The noise dials, each from 0 to 3
    #[arg(long, value_name = "0..3,..", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=3))]
    noise: Vec<u8>,
    /// The tools at hand: classic (the eight published actions) or full
    #[arg(long, value_name = "SET")]
    tools: Option<ToolSet>,
    /// How it goes about it.
    #[command(flatten)]
    flags: RunFlags,
    /// How models are asked.
    #[command(flatten)]
    sampling: SamplingArgs,
}

/// Plays a sweep.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let file = match (&args.preset, &args.file) {
        (Some(name), _) => SweepFile::preset(name)?,
        (None, Some(path)) => SweepFile::read(path)?,
        (None, None) => SweepFile::default(),
    };
    let mut models = args.sampling.model_settings()?;
    models.sampling = models.sampling.or(&file.sampling);
    if models.own.is_empty() {
        models.own = file.prompts.iter().map(|path| own_profile(path)).collect::<anyhow::Result<_>>()?;
    }
    Ok(runner::run(&request(args, &file)?, &args.flags, models)?.into())
}

fn request(args: &Args, file: &SweepFile) -> anyhow::Result<RunRequest> {
    let catalogue = TaskLibrary::open(None)?;
    let suites = or(&args.suites, &file.suites, &[suites::DEFAULT.to_string()]);
    let noise = or(&args.noise, &file.noise, &[0]);
    let mut parts = Vec::new();
    for suite in &suites {
        let tasks = catalogue.suite(Some(suite))?;
        let (challenges, remembered) = (Incident::on_simulator(&tasks), remember::remembered(&tasks)?);
        parts.extend(noise.iter().map(|noise| SweepPart {
            suite: suite.clone(),
            challenges: challenges.clone(),
            remembered: remembered.clone(),
            noise: Noise(*noise),
        }));
    }
    let agents = or(&args.agents, &file.agents, &[]);
    let no_prompt = args.sampling.prompt.is_empty() && file.prompts.is_empty();
    if agents.is_empty() && args.flags.exec.is_empty() && no_prompt {
        bail!("no agents: say which with --agents, or with `agents = [...]` in the file; `sre-zero agents` lists them");
    }
    let tools = match (args.tools, &file.tools) {
        (Some(tools), _) => tools,
        (None, Some(word)) => word.parse().map_err(anyhow::Error::msg)?,
        (None, None) => ToolSet::CLASSIC,
    };
    Ok(RunRequest {
        agents,
        models: or(&args.models, &file.models, &[]),
        seeds: seeds_of(args, file)?,
        repeats: args.episodes.or(file.episodes).unwrap_or(1),
        tools,
        parts,
        own: None,
    })
}

fn seeds_of(args: &Args, file: &SweepFile) -> anyhow::Result<Vec<u64>> {
    match &file.seeds {
        _ if !args.seeds.is_empty() => Ok(args.seeds.clone()),
        Some(Seeds::List(list)) => Ok(list.clone()),
        Some(Seeds::Row(row)) => seeds(row.first, row.count),
        None => Ok(vec![0]),
    }
}

/// What the flags say, else what the file says, else the default; each once.
fn or<T: Clone + PartialEq>(flags: &[T], file: &[T], default: &[T]) -> Vec<T> {
    let chosen = [flags, file, default].into_iter().find(|list| !list.is_empty()).unwrap_or_default();
    let mut each: Vec<T> = Vec::new();
    for one in chosen {
        if !each.contains(one) {
            each.push(one.clone());
        }
    }
    each
}

fn presets() -> PossibleValuesParser {
    PRESETS.iter().map(|(name, about, _)| PossibleValue::new(*name).help(*about)).into()
}
