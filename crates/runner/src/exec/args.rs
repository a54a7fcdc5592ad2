//! The flags for agents that are programs of their own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::ValueHint;

use super::{Mode, ProgramSpec, Rules, Sandbox};
use crate::numbers::non_negative;

/// Agents that are programs, and what they are held to.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "External agents (docs/clients/exec.md)")]
pub struct ExecArgs {
    /// A command that speaks JSON lines, under this name; `--agents exec:CMD` is the same without one
    #[arg(long = "exec", value_name = "NAME=CMD")]
    lines: Vec<String>,
    /// A command that comes to the episode's own MCP or HTTP endpoint, as coding agents do; or
    /// `--agents exec-mcp:CMD`
    #[arg(long = "exec-mcp", value_name = "NAME=CMD")]
    endpoint: Vec<String>,
    #[command(flatten)]
    limits: ExecLimits,
}

/// What programs are held to, and what they get.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "External agents (docs/clients/exec.md)")]
pub struct ExecLimits {
    /// Hand these variables of your environment to the programs; others, keys included, do not reach them
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    exec_env: Vec<String>,
    /// How long a program may take over one action
    #[arg(long, value_name = "S", default_value_t = 120.0, value_parser = non_negative)]
    exec_timeout_seconds: f64,
    /// How long a program may take over an episode
    #[arg(long, value_name = "S", default_value_t = 1800.0, value_parser = non_negative)]
    exec_episode_seconds: f64,
    /// How much a program may write in an episode, standard error included
    #[arg(long, value_name = "BYTES", default_value_t = 16 * 1024 * 1024, value_parser = clap::value_parser!(u64).range(1024..))]
    exec_max_output: u64,
    /// Hide files and other processes from the programs with bubblewrap; the network stays
    #[arg(long)]
    exec_sandbox: bool,
    /// Show this file or folder in the sandbox, read-only
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, requires = "exec_sandbox")]
    exec_share: Vec<PathBuf>,
}

impl ExecArgs {
    /// Whether an agent is named here.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.endpoint.is_empty()
    }

    /// The agents that are named here.
    pub fn specs(&self) -> anyhow::Result<Vec<ProgramSpec>> {
        let lines =
            self.lines.iter().map(|text| ProgramSpec::named(text, Mode::Lines).map_err(|e| anyhow!("--exec {e}")));
        let endpoint = self
            .endpoint
            .iter()
            .map(|text| ProgramSpec::named(text, Mode::Endpoint).map_err(|e| anyhow!("--exec-mcp {e}")));
        lines.chain(endpoint).collect()
    }

    /// What programs are held to.
    pub fn rules(&self) -> anyhow::Result<Arc<Rules>> {
        self.limits.rules()
    }
}

impl ExecLimits {
    /// What programs are held to. What is missing is an error here, not in the middle of a run.
    pub fn rules(&self) -> anyhow::Result<Arc<Rules>> {
        let env = self.exec_env.iter().map(|name| name.trim());
        let env = env.map(|name| match std::env::var_os(name) {
            Some(value) => Ok((name.to_string(), value)),
            None => Err(anyhow!("--exec-env {name}: it is not set in your environment; set it, or leave it out")),
        });
        // A limit of nothing would let no program play.
        let time = |seconds: f64| Duration::from_secs_f64(seconds.max(0.001));
        Ok(Arc::new(Rules {
            action: time(self.exec_timeout_seconds),
            episode: time(self.exec_episode_seconds),
            output: self.exec_max_output,
            env: env.collect::<anyhow::Result<_>>()?,
            sandbox: if self.exec_sandbox { Some(Sandbox::find(&self.exec_share)?) } else { None },
        }))
    }
}
