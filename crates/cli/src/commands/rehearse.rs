//! `rehearse`: a model provider on this machine that costs nothing and fails on purpose.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use agents::fake_provider::faults::{FailureProfile, Schedule};
use agents::fake_provider::{FakeProvider, FakeProviderSettings, RequestLimit, ResponderKind, ScriptFile};
use anyhow::{Context, anyhow, bail};
use clap::ValueHint;
use runner::rehearsal::{Journal, JournalCounts, Server};

use crate::exit::CommandOutcome;
use crate::{pick, say};

const EXAMPLES: &str = "\
Examples:
  sre-zero rehearse                                answers like the runbook, and nothing goes wrong
  sre-zero rehearse --faults heavy --seed 7        a bad day, the same one every time
  sre-zero rehearse --faults my.toml --log log     a bad day of your own, and what was done to whom
  sre-zero rehearse --brain script answers.toml    answers from a file
  sre-zero rehearse --port 0 --latency-ms 800      on a free port, as slow as a real one
  sre-zero rehearse --limit 500/60                 500 requests in any minute, as your account has

Addresses, all on 127.0.0.1:
  OpenAI chat         POST /v1/chat/completions, /chat/completions
  OpenAI Responses    POST /v1/responses
  Anthropic           POST /v1/messages
  Bedrock Converse    POST /model/MODEL/converse
  Gemini              POST /v1beta/models/MODEL:generateContent
  models              GET /v1/models

A model named `runbook` or `random` (also as a part, as in `random-2`) answers with that brain, all
others with the one of --brain. The same request gets the same answer. What goes wrong depends on
--seed and on the request, never on the order of requests.

Profiles of faults:
  none     nothing goes wrong
  light    of 1000 requests 50 fail once
  heavy    300 of 1000 fail up to three times in a row, in every way that passes
  storm    half fail up to four times; one in 100 is never answered, one in 100 is refused for good

docs/rehearsal.md tells how to write profiles and scripts, and what the log holds.";

/// Arguments of `rehearse`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The port on 127.0.0.1; 0 picks a free one and prints it
    #[arg(long, value_name = "P", default_value_t = 8088)]
    port: u16,
    /// Who answers: runbook, random, or script FILE
    #[arg(long, value_names = ["BRAIN", "FILE"], num_args = 1..=2, default_value = "runbook")]
    brain: Vec<String>,
    /// What goes wrong: none, light, heavy, storm, or a TOML file
    #[arg(long, value_name = "PROFILE", default_value = "none")]
    faults: String,
    /// Picks which requests fail, and how
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = pick::seed, allow_negative_numbers = true)]
    seed: u64,
    /// What a 429 says of when to come back, in seconds, instead of what the profile says
    #[arg(long, value_name = "SECONDS")]
    retry_after: Option<u32>,
    /// Write what was done to every request into this file, one JSON object per line; written anew
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    log: Option<PathBuf>,
    /// How long an answer takes, about; the same request takes the same time
    #[arg(long, value_name = "MEAN", default_value_t = 0)]
    latency_ms: u32,
    /// Let in at most so many requests in any window of so many seconds, and answer 429 to the others
    #[arg(long, value_name = "N/SECONDS", value_parser = limit)]
    limit: Option<RequestLimit>,
    /// Refuse requests that do not show this key; ID:SECRET also checks the signatures of Bedrock's clients
    #[arg(long, value_name = "KEY", env = "SRE_ZERO_REHEARSAL_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Refuse models other than these, with commas between them
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    models: Vec<String>,
}

/// Serves until it is interrupted, then says what was done.
pub fn run(args: &Args) -> anyhow::Result<CommandOutcome> {
    let mut provider = FakeProvider::new(rules(args)?);
    if let Some(limit) = args.limit {
        provider = provider.limited(limit);
    }
    // The port comes first: a log that another server is writing must stay as it is.
    let listener = Server::listen(args.port).with_context(|| {
        format!("cannot listen on port {} of this machine; choose another with --port, or 0 for a free one", args.port)
    })?;
    let journal = args.log.as_deref().map_or_else(|| Ok(Journal::default()), Journal::create)?;
    let server = Server::start(listener, provider, journal).context("cannot start a thread")?;
    let (end, ended) = mpsc::channel();
    let interrupted = move || {
        // The waiting thread may be gone already.
        let _ = end.send(());
    };
    ctrlc::set_handler(interrupted).context("cannot listen for Ctrl-C")?;
    say::print(&format!("rehearsing on http://{}\n", server.address()))?;
    say::note(&format!("brain {}, faults {}, seed {}; Ctrl-C ends it", args.brain[0], args.faults, args.seed));
    ended.recv().context("nothing is left that could end this")?;
    say::print(&told(&server.stop()))?;
    Ok(CommandOutcome::Fine)
}

fn rules(args: &Args) -> anyhow::Result<FakeProviderSettings> {
    let mut profile = profile(&args.faults)?;
    if let Some(seconds) = args.retry_after {
        profile.retry_after_seconds = vec![seconds];
    }
    Ok(FakeProviderSettings {
        brain: brain(&args.brain)?,
        schedule: Schedule::new(profile, args.seed),
        key: args.key.clone().filter(|key| !key.is_empty()),
        models: args.models.clone(),
        latency_ms: args.latency_ms,
    })
}

/// `500/60` are 500 requests in any minute.
fn limit(text: &str) -> Result<RequestLimit, String> {
    let read = text.split_once('/').and_then(|(n, seconds)| Some((n.parse().ok()?, seconds.parse::<u32>().ok()?)));
    match read {
        Some((requests, seconds)) if requests > 0 && seconds > 0 => {
            Ok(RequestLimit { requests, window_ms: u64::from(seconds) * 1000 })
        }
        _ => Err("write requests and seconds, such as 500/60".to_string()),
    }
}

fn profile(name: &str) -> anyhow::Result<FailureProfile> {
    if let Some(profile) = FailureProfile::named(name) {
        return Ok(profile);
    }
    let path = Path::new(name);
    if !path.exists() {
        bail!(
            "there is no profile `{name}` and no file of that name; there are {}",
            FailureProfile::names().join(", ")
        );
    }
    FailureProfile::parse(&text(path)?).map_err(|problem| anyhow!("{name}: {problem}"))
}

fn brain(words: &[String]) -> anyhow::Result<ResponderKind> {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["runbook"] => Ok(ResponderKind::Runbook),
        ["random"] => Ok(ResponderKind::Random),
        ["script", file] => {
            let script = ScriptFile::parse(&text(Path::new(file))?);
            script.map(ResponderKind::ScriptFile).map_err(|problem| anyhow!("{file}: {problem}"))
        }
        ["script"] => bail!("--brain script needs a file: --brain script answers.toml"),
        ["runbook" | "random", extra] => bail!("`{extra}` is too much: only --brain script takes a file"),
        _ => bail!("there is no brain `{}`; there are runbook, random, and script FILE", words.join(" ")),
    }
}

fn text(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// `12 requests: 9 answered, 2 rate_limit, 1 timeout`.
fn told(tally: &JournalCounts) -> String {
    let all = say::count(tally.values().sum::<u64>() as usize, "request");
    let mut parts: Vec<(&String, &u64)> = tally.iter().collect();
    parts.sort_by_key(|(did, times)| (*did != "answered", u64::MAX - **times));
    let parts: Vec<String> = parts.iter().map(|(did, times)| format!("{times} {did}")).collect();
    if parts.is_empty() { "no requests\n".to_string() } else { format!("{all}: {}\n", parts.join(", ")) }
}
