//! The flags that say how a run goes about its work. None of them changes a result.

use std::path::PathBuf;
use std::time::Duration;

use agents::client::{Adaptive, Caps, Patience, Policy, Published};
use clap::ValueHint;
use harness::sweep::Shard;

use crate::exec::ExecArgs;
use crate::numbers::non_negative;

use super::gate::GateArgs;

/// How a run goes about its work.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running the episodes (changes no result)")]
pub struct RunFlags {
    /// How many episodes are played at a time [default: all cores; 32 with models]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Where results are kept [default: a folder in runs/ that is named after the settings]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Go on where an earlier run stopped; that is the default when the folder exists
    #[arg(long, conflicts_with = "fresh")]
    pub resume: bool,
    /// Start over: remove what an earlier run left in the folder
    #[arg(long)]
    pub fresh: bool,
    /// Play episodes again that ended on their provider
    #[arg(long, conflicts_with = "fresh")]
    pub retry_failed: bool,
    /// Play only part i of n, for several machines; `sre-zero merge` puts the parts together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Take every answer of a model from the recording in this run's folder; no provider is called
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub replay: Option<PathBuf>,
    /// Play the episodes again from this step on; the steps before it are replayed and not paid again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["fresh", "replay"])]
    pub from_step: Option<u32>,
    /// Say what would be played, called and paid, and stop
    #[arg(long)]
    pub dry_run: bool,
    /// Dry run: tokens that a model thinks and writes in one call [default: as many as a responder by rules writes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "dry_run")]
    pub tokens_per_call: Option<u64>,
    /// Stop before the next step as soon as this file exists
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub pause_file: Option<PathBuf>,
    /// Where the log goes [default: run.log in the folder, with models or programs]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub log_file: Option<PathBuf>,
    /// A full-screen view with pause, detail by target and the tail of the log
    ///
    /// Press ? in it for its keys. It needs a build with `--features tui` and a terminal; without a terminal the run
    /// goes on without it. docs/sweeps.md shows it.
    #[arg(long, conflicts_with = "json")]
    pub tui: bool,
    /// Print the summary as JSON instead of the table
    #[arg(long)]
    pub json: bool,
    /// Bars to reach.
    #[command(flatten)]
    pub gate: GateArgs,
    /// Calls to providers.
    #[command(flatten)]
    pub calls: Calls,
    /// Agents that are programs.
    #[command(flatten)]
    pub exec: ExecArgs,
}

/// How providers are called.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Calls to model providers")]
pub struct Calls {
    /// How fast a provider is called: published (the benchmark's own: slow, the same for all),
    /// adaptive (as fast as the provider likes) or none (no limit, for a server of your own)
    #[arg(long, value_name = "POLICY", default_value = "published", value_parser = ["published", "adaptive", "none"])]
    pub policy: String,
    /// Tries after the first
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub llm_max_retries: u32,
    /// Published policy: seconds from one call to the next
    #[arg(long, value_name = "S", default_value_t = 15.0, value_parser = non_negative)]
    pub llm_min_request_interval_seconds: f64,
    /// Published policy: calls in a window
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub llm_rate_limit_requests: u32,
    /// Published policy: the window's length in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = non_negative)]
    pub llm_rate_limit_window_seconds: f64,
    /// Published policy: failures in a row that bring a pause; 0 for no pause
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub llm_rejection_pause_threshold: u32,
    /// Published policy: the pause's length in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = non_negative)]
    pub llm_rejection_pause_seconds: f64,
    /// Adaptive policy: the most calls in flight to one provider
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub llm_max_concurrency: u32,
    /// Seconds before the second try; it doubles from try to try
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = non_negative)]
    pub llm_backoff_seconds: f64,
    /// How long one call may take
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = non_negative)]
    pub timeout_seconds: f64,
    /// Go on even if a model has answered no call yet: a wrong key, no such model, no such host
    #[arg(long)]
    pub keep_going: bool,
    /// Stop before the next call once this many US dollars are spent
    #[arg(long, value_name = "USD", value_parser = non_negative)]
    pub max_cost: Option<f64>,
    /// Stop before the next call once this many tokens are used
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Stop once this many calls were made
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,
    /// Where the provider `custom` is: any server with chat completions [env: SRE_ZERO_BASE_URL]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub base_url: Option<String>,
    /// A price table of your own, laid over the built-in one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub prices: Option<PathBuf>,
}

impl Calls {
    /// The policy that was asked for.
    pub fn policy(&self) -> Policy {
        match self.policy.as_str() {
            "adaptive" => {
                let most = self.llm_max_concurrency;
                Policy::Adaptive(Adaptive { most, start: Adaptive::default().start.min(most), ..Adaptive::default() })
            }
            "none" => Policy::Unlimited,
            _ => Policy::Published(Published {
                min_interval: Duration::from_secs_f64(self.llm_min_request_interval_seconds),
                window_calls: self.llm_rate_limit_requests,
                window: Duration::from_secs_f64(self.llm_rate_limit_window_seconds),
                pause_after: self.llm_rejection_pause_threshold,
                pause: Duration::from_secs_f64(self.llm_rejection_pause_seconds),
            }),
        }
    }

    /// How patient to be.
    pub fn patience(&self) -> Patience {
        Patience {
            timeout: Duration::from_secs_f64(self.timeout_seconds.max(0.001)),
            retries: self.llm_max_retries,
            backoff: Duration::from_secs_f64(self.llm_backoff_seconds),
            ..Patience::default()
        }
    }

    /// When it is enough.
    pub fn caps(&self) -> Caps {
        Caps { cost: self.max_cost, tokens: self.max_tokens, calls: self.max_calls }
    }
}
