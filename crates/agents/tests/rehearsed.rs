//! Our side of every wire format against the rehearsal provider's side of it, without a socket: the two
//! were written apart, so that where they agree both are probably right.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests are referees: they see tasks and truth")]

mod common;

use std::sync::Arc;

use agents::fake_provider::faults::{FailureKind, FailureProfile, Schedule};
use agents::fake_provider::{FakeProvider, FakeProviderSettings, IncomingRequest, Manner, PlannedReply, ResponderKind};
use agents::model::{
    ChatMessage, LanguageModel, ModelAnswer, ModelRequest, RequestFailure, Sampling, Stopped, Target, ToolSpec,
    UnixSeconds,
};
use agents::model_agents::{AgentOptions, Connect, model_agent};
use agents::prices::Prices;
use agents::providers::Env;
use harness::record::Event;
use harness::{AgentKind, Episode, EpisodeOptions, ProviderFault, Record, Scenario, ToolSet, run_episode, tasks};

const KEY: &str = "sk-canary-rehearsed";
const HERE: &str = "http://127.0.0.1:8088";
const NOW: UnixSeconds = UnixSeconds(1_800_000_000);
const TARGETS: &[&str] = &["openai", "openai-responses", "anthropic", "bedrock", "gemini", "openrouter", "rehearsal"];

/// A model at the other end of a provider that is a function.
#[derive(Clone)]
struct Wired {
    target: Target,
    provider: Arc<FakeProvider>,
}

impl LanguageModel for Wired {
    fn ask(&mut self, ask: &ModelRequest, _: u32) -> Result<ModelAnswer, Stopped> {
        for _ in 0..20 {
            match self.once(ask) {
                Ok(answer) => return Ok(answer),
                Err(failure) if failure.retryable => {}
                Err(failure) => return Err(Stopped::ProviderFailed(failure.fault)),
            }
        }
        panic!("every fault passes within a few tries")
    }
}

impl Wired {
    fn once(&self, ask: &ModelRequest) -> Result<ModelAnswer, RequestFailure> {
        let request = self.target.request(ask, NOW);
        let path = request.url.strip_prefix(HERE).expect("it is pointed there");
        let (headers, body) = (&request.headers[..], &request.body[..]);
        self.read(&self.provider.exchange(&IncomingRequest { method: request.method, target: path, headers, body }))
    }

    /// Reads what was sent, and compares what we make of it with what the provider says it did.
    fn read(&self, exchange: &PlannedReply) -> Result<ModelAnswer, RequestFailure> {
        let said = exchange.line.as_ref().and_then(|line| line.fault);
        let reply = &exchange.reply;
        let half = &reply.body[..reply.body.len() / 2];
        let body = match exchange.manner {
            Manner::Whole | Manner::Slowly(_) => &reply.body[..],
            Manner::Understated => half,
            // What happens to a connection is the transport's business.
            Manner::Silent | Manner::Stalling => return Err(RequestFailure::new(ProviderFault::Timeout, "no answer")),
            Manner::Closed | Manner::CutOff => return Err(RequestFailure::new(ProviderFault::Network, "closed")),
        };
        let headers: Vec<(String, String)> = reply.headers.iter().map(|(n, v)| (n.to_string(), v.clone())).collect();
        let read = self.target.reply(reply.status, &headers, body, NOW);
        assert_eq!(read.as_ref().err().map(|failure| failure.fault), said, "{}: {:?}", self.target, exchange.line);
        read
    }
}

fn target(provider: &str) -> Target {
    let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "AWS_ACCESS_KEY_ID"];
    let env = keys.iter().fold(Env::default(), |env, name| env.with(name, KEY));
    let env = env
        .with("AWS_SECRET_ACCESS_KEY", KEY)
        .with("AWS_REGION", "us-east-1")
        .with("OPENAI_BASE_URL", &format!("{HERE}/v1"))
        .with("OPENROUTER_BASE_URL", &format!("{HERE}/v1"))
        .with("GEMINI_BASE_URL", &format!("{HERE}/v1beta"))
        .with("ANTHROPIC_BASE_URL", HERE)
        .with("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", HERE);
    Target::parse(&format!("{provider}/runbook"), &env).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The calls of an episode, as the gate understood them.
fn calls(record: &Record) -> Vec<String> {
    let call = |event: &Event| match event {
        Event::Stepped(step) => Some(step.call.clone().unwrap_or_else(|| format!("! {}", step.text))),
        _ => None,
    };
    record.events.iter().filter_map(call).collect()
}

fn provider(faults: FailureProfile) -> Arc<FakeProvider> {
    let schedule = Schedule::new(faults, 7);
    let rules =
        FakeProviderSettings { brain: ResponderKind::Runbook, schedule, key: None, models: Vec::new(), latency_ms: 0 };
    Arc::new(FakeProvider::new(rules))
}

fn play(profile: &str, at: &str, faults: &str, scenario: &Arc<Scenario>) -> Record {
    let (target, provider) = (target(at), provider(FailureProfile::named(faults).expect("a profile of ours")));
    let wired = Wired { target: target.clone(), provider };
    let connect: Connect = Arc::new(move |_| Box::new(wired.clone()));
    let agent =
        model_agent(profile, &target, Sampling::default(), AgentOptions::default(), &Prices::shipped(), connect);
    let agent = agent.unwrap_or_else(|problem| panic!("{problem}"));
    run_episode(&agent, scenario, EpisodeOptions { agent: agent.name().to_string(), ..EpisodeOptions::default() })
}

fn scenario(task: usize) -> Arc<Scenario> {
    common::scenario(&tasks::embedded()[task].task().unwrap_or_else(|problem| panic!("{problem}")), 1)
}

#[test]
fn a_runbook_behind_any_wire_plays_as_the_runbook_does() {
    for task in [0, 19] {
        let scenario = scenario(task);
        let expect = calls(&common::play("runbook", &scenario, ToolSet::default()));
        for at in TARGETS {
            for profile in ["react", "tools"] {
                assert_eq!(calls(&play(profile, at, "none", &scenario)), expect, "{profile}@{at}, task {task}");
            }
        }
    }
}

#[test]
fn faults_are_read_as_they_were_meant_and_change_no_score() {
    let scenario = scenario(3);
    for (at, profile) in TARGETS.iter().zip(["prompting", "react", "tools", "guided", "tools", "react", "frontier"]) {
        let (calm, stormy) = (play(profile, at, "none", &scenario), play(profile, at, "heavy", &scenario));
        assert_eq!(calls(&stormy), calls(&calm), "{profile}@{at}");
        let reward = |record: &Record| record.score().expect("a whole record").reward;
        assert_eq!(reward(&stormy), reward(&calm), "{profile}@{at}");
    }
}

/// Every way to fail, in every wire format, with and without tools: [`Wired`] compares the faults.
#[test]
fn every_way_to_fail_is_told_apart_in_every_wire_format() {
    let brief = Episode::start(&scenario(0), EpisodeOptions::default()).brief().text.clone();
    let parameters = serde_json::json!({"type": "object", "properties": {}});
    let tool = ToolSpec { name: "check_status".into(), description: "looks".into(), parameters };
    for kind in FailureKind::ALL {
        let share = if kind.passes() { "lost" } else { "refused" };
        let profile =
            FailureProfile::parse(&format!("{share} = 1000\n[weights]\n{} = 1", kind.name())).expect("a profile");
        for (at, tools) in TARGETS.iter().flat_map(|at| [(at, vec![]), (at, vec![tool.clone()])]) {
            let wired = Wired { target: target(at), provider: provider(profile.clone()) };
            let ask =
                ModelRequest { messages: vec![ChatMessage::user(brief.as_str())], tools, ..ModelRequest::default() };
            let read = wired.once(&ask);
            assert_eq!(read.as_ref().err().map(|failure| failure.fault), kind.fault(), "{kind:?} at {at}: {read:?}");
            assert!(read.is_ok() || read.is_err_and(|failure| failure.retryable == kind.passes()), "{kind:?} at {at}");
        }
    }
}

#[test]
fn usage_is_counted_and_no_key_is_written_down() {
    let scenario = scenario(0);
    for provider in TARGETS {
        let record = play("tools", provider, "none", &scenario);
        for event in &record.events {
            assert!(!serde_json::to_string(event).expect("plain data").contains(KEY), "{provider}");
            let Event::Stepped(step) = event else { continue };
            let turn = step.model.as_ref().expect("every step asked the model");
            assert!(turn.usage.input > 0 && turn.usage.output > 0, "{provider}: {:?}", turn.usage);
        }
    }
}
