//! The rule-based responder, asked one question at a time: the conversation is played through it again.

use std::sync::Arc;

use harness::{Agent, AgentKind, AnswerKey, Brief, ExchangeLog, Move, Start, Turn};

use super::case::Case;
use crate::runbook::Runbook;

/// What the responder says next.
pub fn answer(case: &Case) -> String {
    if case.whole { with_history(case) } else { without_history(case) }
}

fn with_history(case: &Case) -> String {
    let mut responder = RunbookResponder::new(&case.brief);
    let first = responder.hear(&case.brief.text);
    case.observations.iter().fold(first, |_, observation| responder.hear(observation))
}

/// Without history it does what it would do had it seen the latest observation and, in place of all
/// others, nothing.
fn without_history(case: &Case) -> String {
    let latest = case.observations.first().map_or("", String::as_str);
    if let Some(done) = acted(latest) {
        return resolve(&case.brief, done);
    }
    let mut responder = RunbookResponder::new(&case.brief);
    let first = responder.hear(&case.brief.text);
    let mut said = first.clone();
    for _ in 1..case.brief.steps {
        if is_answer(&said, latest) {
            return responder.hear(latest);
        }
        said = responder.hear("");
    }
    first
}

struct RunbookResponder<'a> {
    agent: Box<dyn Agent>,
    brief: &'a Brief,
    step: u32,
}

impl<'a> RunbookResponder<'a> {
    fn new(brief: &'a Brief) -> RunbookResponder<'a> {
        let start =
            Start { seed: 0, key: &AnswerKey::default(), memory: Arc::default(), exchanges: ExchangeLog::in_memory() };
        RunbookResponder { agent: Runbook.start(brief, start), brief, step: 0 }
    }

    fn hear(&mut self, observation: &str) -> String {
        self.step += 1;
        let steps_left = (self.brief.steps + 1).saturating_sub(self.step).max(1);
        let turn = Turn { brief: self.brief, observation, invalid: false, step: self.step, steps_left };
        match self.agent.act(&turn) {
            Move::Act(saying) => saying.text,
            _ => "escalate(reason=\"nothing more to try\")".to_string(),
        }
    }
}

/// Whether an observation is the answer to a look, by its first line.
fn is_answer(look: &str, observation: &str) -> bool {
    let (tool, rest) = look.split_once('(').unwrap_or((look, ""));
    let service = rest.trim_end_matches(')');
    let shows = match tool {
        "inspect_logs" => " logs at ",
        "inspect_metrics" => " metrics at ",
        "inspect_config" => " configuration at ",
        "check_status" => " is ",
        "list_changes" => return observation.starts_with("changes at "),
        _ => return false,
    };
    observation.strip_prefix(service).is_some_and(|rest| rest.starts_with(shows))
}

/// What was done, if an observation tells of something done.
fn acted(observation: &str) -> Option<&str> {
    let line = observation.lines().next()?;
    let done = [": restart of ", " changed from ", "rolled back"];
    done.iter().any(|words| line.contains(words)).then_some(line)
}

fn resolve(brief: &Brief, done: &str) -> String {
    let plain = |text: &str| text.replace('"', "'");
    let (service, what) = done.split_once(": ").unwrap_or(("a service", done));
    let key = what.split_once(" changed from ").map(|(key, _)| key);
    let cause = key.map_or_else(|| format!("{service} crashed"), |key| format!("{service} {key} was wrongly set"));
    let symptom = plain(brief.page.split(", ").next().unwrap_or_default());
    format!("resolve_incident(root_cause=\"{}. It showed as {symptom}\", fix=\"{}\")", plain(&cause), plain(done))
}
