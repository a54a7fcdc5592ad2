//! The provider: a request in, what is to be sent out.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use harness::{ProviderFault, sha256};
use serde_json::{Value, json};

use super::answer::{Finish, Tokens};
use super::faults::{FailureKind, Schedule};
use super::formats::{self, RequestHeaders, RequestProblem, Sent, ServerFormat};
use super::limit::{LimitStanding, LimitWindow, RequestLimit};
use super::log::RequestEntry;
use super::prompt::IncomingPrompt;
use super::reply::{FakeReply, Manner};
use super::responders::ResponderKind;

/// A provider, and how often it has seen each request.
pub struct FakeProvider {
    rules: FakeProviderSettings,
    seen: Mutex<BTreeMap<String, u32>>,
    limit: Option<RequestLimit>,
    output_tokens: Option<u64>,
    window: Mutex<LimitWindow>,
}

/// How a provider answers.
#[derive(Clone, Debug)]
pub struct FakeProviderSettings {
    /// Who answers, unless the model's name asks for another.
    pub brain: ResponderKind,
    /// What goes wrong.
    pub schedule: Schedule,
    /// The key that requests must show; any will do if there is none.
    pub key: Option<String>,
    /// The models that there are; any name will do if there are none.
    pub models: Vec<String>,
    /// How long an answer takes in the mean.
    pub latency_ms: u32,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct IncomingRequest<'a> {
    /// `GET`, `POST`.
    pub method: &'a str,
    /// The path, and what follows a question mark.
    pub target: &'a str,
    /// The headers.
    pub headers: &'a [(String, String)],
    /// The body.
    pub body: &'a [u8],
}

/// What is to be done about a request.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedReply {
    /// What is sent.
    pub reply: FakeReply,
    /// How it is sent.
    pub manner: Manner,
    /// How long to wait first.
    pub wait_ms: u32,
    /// The line for the log; it is to be written before anything is sent. Looks at what there is have none.
    pub line: Option<RequestEntry>,
}

/// The models that are listed where any name will do.
const MODELS: &[&str] = &["runbook", "random"];

/// What a proxy says when it cannot reach what stands behind it.
const NO_JSON: &str = "upstream connect error or disconnect/reset before headers. reset reason: overflow";

/// What a proxy shows to people.
const PAGE: &str =
    "<!DOCTYPE html>\n<html><head><title>Checking your browser</title></head><body>One moment, please.</body></html>\n";

impl FakeProvider {
    /// A provider that has seen nothing yet.
    pub fn new(rules: FakeProviderSettings) -> FakeProvider {
        FakeProvider { rules, seen: Mutex::default(), limit: None, output_tokens: None, window: Mutex::default() }
    }

    /// The same, with a limit on requests.
    pub fn limited(self, limit: RequestLimit) -> FakeProvider {
        FakeProvider { limit: Some(limit), ..self }
    }

    /// The same, but every answer says that it took so many tokens to think and to write.
    pub fn writing(self, output_tokens: u64) -> FakeProvider {
        FakeProvider { output_tokens: Some(output_tokens), ..self }
    }

    /// What is to be done about a request, where time does not matter.
    pub fn exchange(&self, asked: &IncomingRequest<'_>) -> PlannedReply {
        self.exchange_at(asked, 0)
    }

    /// What is to be done about a request that came at this time, in milliseconds since whenever.
    pub fn exchange_at(&self, asked: &IncomingRequest<'_>, now_ms: u64) -> PlannedReply {
        let (path, query) = asked.target.split_once('?').unwrap_or((asked.target, ""));
        if asked.method == "GET" {
            return self.look(path, &RequestHeaders(asked.headers));
        }
        let route = |wire: &&'static dyn ServerFormat| Some((*wire, wire.route(path)?));
        match formats::ALL.iter().find_map(route) {
            Some((wire, model)) if asked.method == "POST" => {
                // A key behind the question mark is as good as one in a header.
                let key = query.split('&').find_map(|pair| pair.strip_prefix("key="));
                let mut headers = asked.headers.to_vec();
                headers.extend(key.map(|key| ("x-goog-api-key".to_string(), key.to_string())));
                let (headers, body) = (RequestHeaders(&headers), asked.body);
                self.ask(wire, model, &Sent { method: asked.method, path, query, headers, body }, now_ms)
            }
            Some(_) => nothing_here(path, 405, "this address takes POST only"),
            None => nothing_here(path, 404, "there is no such address here; `sre-zero help rehearse` lists them"),
        }
    }

    fn ask(&self, wire: &dyn ServerFormat, named: Option<String>, sent: &Sent<'_>, now_ms: u64) -> PlannedReply {
        let digest = sha256(sent.body);
        let line = RequestEntry {
            path: sent.path.to_string(),
            wire: wire.name().to_string(),
            body: digest,
            ..RequestEntry::default()
        };
        let refuse = |line: RequestEntry, did: &str, fault, problem: &RequestProblem<'_>| {
            let said = wire.problem(problem);
            let line = RequestEntry { did: did.to_string(), status: Some(said.status), fault: Some(fault), ..line };
            PlannedReply::whole(FakeReply::json(said.status, &said.body, said.headers), Some(line))
        };
        if self.rules.key.as_deref().is_some_and(|key| !wire.admits(sent, key)) {
            return refuse(line, "bad_key", ProviderFault::Authentication, &RequestProblem::BadKey);
        }
        let read = serde_json::from_slice::<Value>(sent.body).map_err(|e| format!("the body is no JSON: {e}"));
        let read = read.and_then(|body| Ok((wire.read(named.as_deref(), &sent.headers, &body)?, body)));
        let (prompt, asked) = match read {
            Ok(read) => read,
            Err(why) => return refuse(line, "bad_request", ProviderFault::Refused, &RequestProblem::BadRequest(&why)),
        };
        let line = RequestEntry { model: prompt.model.clone(), ..line };
        if !self.rules.models.is_empty() && !self.rules.models.contains(&prompt.model) {
            return refuse(line, "unknown_model", ProviderFault::Refused, &RequestProblem::NoModel(&prompt.model));
        }
        let streamed = |answer: &Value| wire.stream(sent, &asked, answer);
        let Some(limit) = self.limit else { return self.serve(wire, &prompt, line, &streamed) };
        match locked(&self.window).admit(limit, now_ms) {
            LimitStanding::Over(wait) => {
                let mut exchange = refuse(line, "over_limit", ProviderFault::RateLimit, &RequestProblem::RateLimited);
                // Whole seconds, and never too early.
                exchange.reply.headers.push(("retry-after", wait.div_ceil(1000).to_string()));
                exchange
            }
            LimitStanding::Within(left) => {
                let mut exchange = self.serve(wire, &prompt, line, &streamed);
                exchange.reply.headers.extend(wire.limit_headers(limit, left));
                exchange
            }
        }
    }

    /// Answers a request that is as it should be, or fails as the schedule says.
    fn serve(
        &self,
        wire: &dyn ServerFormat,
        prompt: &IncomingPrompt,
        line: RequestEntry,
        streamed: &dyn Fn(&Value) -> Option<String>,
    ) -> PlannedReply {
        let FakeProviderSettings { brain, schedule, latency_ms, .. } = &self.rules;
        let (model, body) = (&prompt.model, &line.body);
        let seen = self.count(model, body);
        let answer = brain.of(model).answer(prompt);
        // Without a tool call there are no arguments to break.
        let fits = |kind| {
            if kind == FailureKind::BrokenArguments && answer.call.is_none() { FailureKind::InvalidJson } else { kind }
        };
        let kind = schedule.fault(model, body, seen).map(fits);
        let finish = match (kind, answer.call.clone()) {
            (Some(FailureKind::BrokenArguments), Some(call)) => Finish::BrokenCall(call),
            (Some(FailureKind::EmptyContent), _) => Finish::Nothing,
            (Some(FailureKind::Filtered), _) => Finish::Filtered,
            _ => Finish::FormattedReply(answer),
        };
        let counted = Tokens::of(prompt, &finish);
        let output = self.output_tokens.unwrap_or(counted.output);
        let tokens = Tokens { output, reasoning: counted.reasoning.min(output), ..counted };
        let retry_after = schedule.retry_after(model, body, seen);
        let (reply, manner) = match kind.and_then(|kind| self.error(wire, kind, tokens, retry_after)) {
            Some(reply) => (reply, Manner::Whole),
            None => {
                let id = &body[..24];
                let said = wire.answer(prompt, &finish, tokens, id);
                let reply = match streamed(&said) {
                    Some(events) => FakeReply::events(&events, wire.headers(id)),
                    None => FakeReply::json(200, &said, wire.headers(id)),
                };
                kind.map_or((reply.clone(), Manner::Whole), |kind| self.spoilt(reply, kind))
            }
        };
        let wait_ms = if *latency_ms > 0 { schedule.latency(*latency_ms, model, body) } else { 0 };
        let sent = !matches!(manner, Manner::Silent | Manner::Closed);
        let line = RequestEntry {
            attempt: seen + 1,
            did: kind.map_or("answered", FailureKind::name).to_string(),
            status: sent.then_some(reply.status),
            fault: kind.and_then(FailureKind::fault),
            ..line
        };
        PlannedReply { reply, manner, wait_ms, line: Some(line) }
    }

    /// How often this request was seen before.
    fn count(&self, model: &str, body: &str) -> u32 {
        let mut seen = locked(&self.seen);
        let count = seen.entry(format!("{model}\n{body}")).or_default();
        *count += 1;
        *count - 1
    }

    /// Faults that the provider admits to.
    fn error(&self, wire: &dyn ServerFormat, kind: FailureKind, tokens: Tokens, retry_after: u32) -> Option<FakeReply> {
        let problem = match kind {
            FailureKind::RateLimitAfter | FailureKind::RateLimit => RequestProblem::RateLimited,
            FailureKind::ServerError => RequestProblem::Internal,
            FailureKind::Unavailable => RequestProblem::Unavailable,
            FailureKind::Overloaded => RequestProblem::Overloaded,
            FailureKind::ContextTooLong => RequestProblem::TooLong(tokens.input, tokens.input / 2 + 1),
            FailureKind::Unauthorized => RequestProblem::BadKey,
            _ => return None,
        };
        let mut said = wire.problem(&problem);
        if kind == FailureKind::RateLimitAfter {
            said.headers.push(("retry-after", retry_after.to_string()));
        }
        Some(FakeReply::json(said.status, &said.body, said.headers))
    }

    /// Faults in how a good answer is sent.
    fn spoilt(&self, reply: FakeReply, kind: FailureKind) -> (FakeReply, Manner) {
        match kind {
            FailureKind::Timeout => (reply, Manner::Silent),
            FailureKind::StalledBody => (reply, Manner::Stalling),
            FailureKind::SlowBody => (reply, Manner::Slowly(self.rules.schedule.profile().slow_ms)),
            FailureKind::CutBefore => (reply, Manner::Closed),
            FailureKind::CutBody => (reply, Manner::CutOff),
            FailureKind::ShortLength => (reply, Manner::Understated),
            FailureKind::TruncatedJson => {
                let half = reply.body[..reply.body.len() / 2].to_vec();
                (reply.with(&half), Manner::Whole)
            }
            FailureKind::InvalidJson => (reply.with(NO_JSON.as_bytes()), Manner::Whole),
            FailureKind::WrongContentType => {
                let headers = vec![("content-type", "text/html; charset=utf-8".to_string())];
                (FakeReply { headers, ..reply }.with(PAGE.as_bytes()), Manner::Whole)
            }
            _ => (reply, Manner::Whole),
        }
    }

    /// What there is, for those who look: the models, and that the server runs.
    fn look(&self, path: &str, headers: &RequestHeaders<'_>) -> PlannedReply {
        let own: Vec<&str> = self.rules.models.iter().map(String::as_str).collect();
        let models = if own.is_empty() { MODELS } else { &own };
        let all = |one: fn(&&str) -> Value| models.iter().map(one).collect::<Vec<Value>>();
        let body = match path {
            "/" => json!({ "service": "sre-zero rehearse", "models": models }),
            "/v1beta/models" => json!({ "models": all(|id| json!({ "name": format!("models/{id}") })) }),
            _ if path.ends_with("/models") && headers.get("anthropic-version").is_some() => {
                json!({ "data": all(|id| json!({ "type": "model", "id": id, "display_name": id })), "has_more": false })
            }
            _ if path.ends_with("/models") => {
                json!({ "object": "list", "data": all(|id| json!({ "id": id, "object": "model", "owned_by": "rehearsal" })) })
            }
            _ => return nothing_here(path, 404, "there is nothing to look at here; GET /v1/models lists the models"),
        };
        PlannedReply::whole(FakeReply::json(200, &body, Vec::new()), None)
    }
}

impl PlannedReply {
    fn whole(reply: FakeReply, line: Option<RequestEntry>) -> PlannedReply {
        PlannedReply { reply, manner: Manner::Whole, wait_ms: 0, line }
    }
}

/// A panic elsewhere does not make what is counted here wrong.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|broken| broken.into_inner())
}

fn nothing_here(path: &str, status: u16, why: &str) -> PlannedReply {
    let body = json!({ "error": { "message": why, "type": "invalid_request_error", "param": null, "code": null } });
    let (path, did) = (path.to_string(), "unknown_path".to_string());
    let line = RequestEntry {
        path,
        did,
        status: Some(status),
        fault: Some(ProviderFault::Refused),
        ..RequestEntry::default()
    };
    PlannedReply::whole(FakeReply::json(status, &body, Vec::new()), Some(line))
}
