//! The dry run: what a sweep would call and pay, judged by a rehearsal of part of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agents::client::{Caps, HttpReply, Meter, Policy, Published, Spent, Transport};
use agents::fake_provider::faults::{FailureProfile, Schedule};
use agents::fake_provider::{FakeProvider, FakeProviderSettings, IncomingRequest, ResponderKind};
use agents::model::{HttpRequest, RequestFailure};
use harness::sweep::{self, EpisodeLine, How, Plan};
use harness::{MemorySource, Stop, Usage};

use super::flags::RunFlags;
use super::live::Live;
use super::outcome::RunOutcome;
use super::part::RunRequest;
use super::run_agents::RunAgents;
use super::ticker::{short, time};
use crate::numbers::jobs;
use crate::{say, sheet};

/// So many tasks of each part are rehearsed; the others are taken to be like them.
const SAMPLE: usize = 12;

/// What one agent's episodes cost in the mean.
#[derive(Clone, Copy, Default)]
struct Mean {
    episodes: usize,
    calls: f64,
    input: f64,
    output: f64,
    cost: Option<f64>,
}

/// Rehearses, and says what the whole would come to. Nothing is written and no provider is called.
pub fn tell(request: &RunRequest, flags: &RunFlags, agents: &RunAgents) -> anyhow::Result<RunOutcome> {
    let stop = Stop::default();
    agents.connect(&Arc::new(Meter::new(Caps::default(), Spent::default(), &stop)), &Live::new(None));
    let mut lines = Vec::new();
    for part in request.parts.iter().filter(|_| agents.has_models()) {
        let plan = Plan {
            agents: agents.kinds().into_iter().filter(|kind| kind.model().is_some()).collect(),
            challenges: part.challenges.iter().take(SAMPLE).cloned().collect(),
            suite: part.suite.clone(),
            seeds: request.seeds[..1].to_vec(),
            repeats: 1,
            noise: part.noise,
            tools: request.tools,
            memory: MemorySource::default(),
            how: How { jobs: jobs(None), stop: stop.clone(), ..How::default() },
        };
        lines.extend(sweep::run(&plan, &mut [])?.lines);
    }
    let each: usize = request.parts.iter().map(|part| part.challenges.len()).sum();
    let each = each * request.seeds.len() * request.repeats as usize;
    let each = flags.shard.map_or(each, |shard| each.div_ceil(shard.of));
    say::print(&table(agents, each, &lines))?;
    say::print(&notes(request, flags, agents, each, &lines))?;
    Ok(RunOutcome::Fine)
}

fn table(agents: &RunAgents, each: usize, lines: &[EpisodeLine]) -> String {
    let means = means(lines);
    let row = |name: &str| {
        let mean = means.get(name).copied().unwrap_or_default();
        let all = |per_episode: f64| short((per_episode * each as f64).round() as u64);
        let cost = match mean.cost {
            _ if mean.episodes == 0 => "-".to_string(),
            Some(usd) => format!("${:.2}", usd * each as f64),
            None => "price not known".to_string(),
        };
        [name.to_string(), each.to_string(), all(mean.calls), all(mean.input), all(mean.output), cost]
    };
    let rows = agents.kinds().into_iter().map(|kind| row(kind.name()));
    sheet::wide(["agent", "episodes", "calls", "tokens in", "tokens out", "cost"], rows)
}

fn notes(request: &RunRequest, flags: &RunFlags, agents: &RunAgents, each: usize, lines: &[EpisodeLine]) -> String {
    let episodes = each * agents.kinds().len();
    let mut out = format!(
        "\n{}, {}, {}, {} under each: {}. Nothing was called or written.\n",
        say::count(agents.kinds().len(), "agent"),
        say::count(request.parts.iter().map(|part| part.challenges.len()).sum(), "task"),
        say::count(request.seeds.len(), "seed"),
        request.repeats,
        say::count(episodes, "episode"),
    );
    if agents.has_models() {
        out += &format!(
            "Judged by {} rehearsed episodes with a responder by rules in the model's place and four bytes a token;\n",
            lines.len()
        );
        out += &match flags.tokens_per_call {
            Some(tokens) => format!("each answer is taken to be {tokens} tokens, thinking included.\n"),
            None => "a model that writes or thinks more costs more: say how much with --tokens-per-call.\n".to_string(),
        };
        out += &at_least(flags, each, lines);
    }
    out
}

/// How long the published policy takes at least: it looks at the clock, not at the provider.
fn at_least(flags: &RunFlags, each: usize, lines: &[EpisodeLine]) -> String {
    let Policy::Published(Published { min_interval, window, window_calls, .. }) = flags.calls.policy() else {
        return String::new();
    };
    let step = min_interval.max(window / window_calls.max(1));
    let mut calls: BTreeMap<String, f64> = BTreeMap::new();
    for (agent, mean) in means(lines) {
        let provider = agent.split_once('@').and_then(|(_, model)| model.split_once('/')).map_or("", |(p, _)| p);
        *calls.entry(provider.to_string()).or_default() += mean.calls * each as f64;
    }
    let longest = calls.values().fold(0.0, |most: f64, calls| most.max(*calls));
    let takes: Duration = step.mul_f64(longest);
    format!("Under the published policy this takes at least {}; --policy adaptive is faster.\n", time(takes))
}

fn means(lines: &[EpisodeLine]) -> BTreeMap<String, Mean> {
    let mut all: BTreeMap<String, Vec<&EpisodeLine>> = BTreeMap::new();
    for line in lines {
        all.entry(line.score.agent.to_string()).or_default().push(line);
    }
    let mean = |lines: Vec<&EpisodeLine>| {
        let n = lines.len() as f64;
        let sum =
            |value: fn(&Usage) -> u64| lines.iter().filter_map(|l| l.score.usage.as_ref()).map(value).sum::<u64>();
        let cost: Option<f64> = lines.iter().map(|line| line.score.cost_usd).sum();
        Mean {
            episodes: lines.len(),
            calls: lines.iter().map(|line| f64::from(line.score.model_calls)).sum::<f64>() / n,
            input: sum(|usage| usage.input) as f64 / n,
            output: sum(|usage| usage.output) as f64 / n,
            cost: cost.map(|usd| usd / n),
        }
    };
    all.into_iter().map(|(agent, lines)| (agent, mean(lines))).collect()
}

/// The rehearsal provider in the place of a real one, without a socket.
pub struct Pretend(FakeProvider);

impl Pretend {
    /// One that never fails. Its answers take so many tokens; without a number, as many as they have.
    pub fn new(tokens_per_call: Option<u64>) -> Pretend {
        let none = FailureProfile::named("none").expect("it is one of the profiles");
        let schedule = Schedule::new(none, 0);
        let rules = FakeProviderSettings {
            brain: ResponderKind::Runbook,
            schedule,
            key: None,
            models: Vec::new(),
            latency_ms: 0,
        };
        let provider = FakeProvider::new(rules);
        Pretend(match tokens_per_call {
            Some(tokens) => provider.writing(tokens),
            None => provider,
        })
    }
}

impl Transport for Pretend {
    fn send(&self, request: &HttpRequest, _: Duration) -> Result<HttpReply, RequestFailure> {
        let rest = request.url.split_once("://").map_or(&*request.url, |(_, rest)| rest);
        let target = rest.find('/').map_or("/", |at| &rest[at..]);
        let HttpRequest { method, headers, body, .. } = request;
        let reply = self.0.exchange(&IncomingRequest { method, target, headers, body }).reply;
        let headers = reply.headers.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        Ok(HttpReply { status: reply.status, headers, body: reply.body })
    }
}
