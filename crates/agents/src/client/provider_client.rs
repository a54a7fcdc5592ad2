//! Asking until there is an answer, or no hope.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harness::exchanges::{Attempt, Exchange, ExchangeEntry, ExchangeReply};
use harness::{ExchangeLog, ProviderFault, Usage, sha256};
use serde_json::Value;

use super::clock;
use super::meter::{CallEvent, CallObserver, Meter};
use super::rate_limit::CallEnding;
use super::rate_limiter::RateLimiter;
use super::transport::{HttpReply, Transport};
use crate::model::{
    HttpRequest, LanguageModel, ModelAnswer, ModelRequest, RequestFailure, Stopped, Target, UnixSeconds,
};
use crate::providers::limits::RateLimitHeaders;

/// How long to wait for an answer, and how often to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For one try.
    pub timeout: Duration,
    /// So many tries after the first.
    pub retries: u32,
    /// Before the second try; it doubles from try to try. The rate limit may make it longer.
    pub backoff: Duration,
    /// A try is never put off for longer, whatever the provider says.
    pub longest: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        let (timeout, longest) = (Duration::from_secs(30), Duration::from_secs(300));
        Patience { timeout, retries: 5, backoff: Duration::from_secs(1), longest }
    }
}

/// The line from one episode to its model.
pub struct ProviderClient {
    /// Whom to ask.
    pub target: Arc<Target>,
    /// When.
    pub door: Arc<RateLimiter>,
    /// Through what.
    pub transport: Arc<dyn Transport>,
    /// How long.
    pub patience: Patience,
    /// For how much.
    pub meter: Arc<Meter>,
    /// What an answer costs, if that is known.
    pub price: Arc<dyn Fn(Usage) -> Option<f64> + Send + Sync>,
    /// Who is told.
    pub watch: Arc<dyn CallObserver>,
    /// Whether this target ever answered in this run.
    pub alive: Arc<AtomicBool>,
    /// Whether to go on when a target that never answered refuses us.
    pub keep_going: bool,
    /// Where it is written down.
    pub exchanges: ExchangeLog,
}

/// Headers that are kept: what the answer is, and what limits there are.
fn is_kept(name: &str) -> bool {
    name == "content-type" || name == "retry-after" || name.contains("ratelimit") || name.ends_with("request-id")
}

impl LanguageModel for ProviderClient {
    fn ask(&mut self, ask: &ModelRequest, step: u32) -> Result<ModelAnswer, Stopped> {
        let request = self.target.request(ask, clock::today());
        let digest = sha256(&request.body);
        match self.exchanges.next(&digest, step) {
            Ok(Some(exchange)) => self.remember(&exchange),
            Ok(None) => self.call(&request, digest, step, ask),
            Err(missing) => Err(Stopped::Broken(missing.to_string())),
        }
    }
}

impl ProviderClient {
    fn remember(&mut self, exchange: &Exchange) -> Result<ModelAnswer, Stopped> {
        match &exchange.reply {
            ExchangeReply::Failed { fault, .. } => Err(Stopped::ProviderFailed(*fault)),
            ExchangeReply::Answered { status, headers, body } => {
                let headers: Vec<(String, String)> = headers.clone().into_iter().collect();
                let at = UnixSeconds(exchange.at);
                let answer = self.target.reply(*status, &headers, body.as_bytes(), at);
                let answer = answer.map_err(|failure| {
                    Stopped::Broken(format!("a recorded answer of {} cannot be read: {failure}", self.target))
                })?;
                let cost = (self.price)(answer.usage);
                self.tell(&CallEvent::Remembered { usage: answer.usage, cost });
                Ok(answer)
            }
        }
    }

    fn call(
        &mut self,
        request: &HttpRequest,
        digest: String,
        step: u32,
        ask: &ModelRequest,
    ) -> Result<ModelAnswer, Stopped> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            if !self.door.enter() {
                return Err(Stopped::Hold);
            }
            if !self.meter.take() {
                self.door.leave(CallEnding::Answered { hold: None });
                return Err(Stopped::Hold);
            }
            self.tell(&CallEvent::Started);
            let began = clock::instant();
            // Signatures carry the time of the try.
            let request = if attempt == 1 { request.clone() } else { self.target.request(ask, clock::today()) };
            let tried = self.try_once(&request);
            let took = began.elapsed();
            let exchange = |reply| Exchange {
                step,
                ask: digest.clone(),
                request: serde_json::from_slice(&request.body).unwrap_or(Value::Null),
                attempts: attempt,
                at: clock::today().0,
                took_ms: took.as_millis() as u64,
                reply,
            };
            let failure = match tried {
                Ok((answer, reply)) => {
                    let kept = exchange(self.written(&reply));
                    self.keep(ExchangeEntry::Exchange(Box::new(kept)))?;
                    self.alive.store(true, Ordering::Relaxed);
                    let cost = (self.price)(answer.usage);
                    self.tell(&CallEvent::Answered { usage: answer.usage, cost, took });
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            self.keep(ExchangeEntry::Attempt(self.note(&digest, attempt, &failure, took)))?;
            let Some(wait) = self.wait(attempt, &failure) else {
                let said = failure.to_string();
                self.tell(&CallEvent::Failed { fault: failure.fault, message: &said, again: None });
                if self.is_shut(&failure) {
                    self.door.shut(format!(
                        "{} has answered no call yet: {}: {failure} (--keep-going goes on all the same)",
                        self.target, failure.fault
                    ));
                    return Err(Stopped::Hold);
                }
                let RequestFailure { fault, message, .. } = failure;
                self.keep(ExchangeEntry::Exchange(Box::new(exchange(ExchangeReply::Failed { fault, message }))))?;
                return Err(Stopped::ProviderFailed(fault));
            };
            self.tell(&CallEvent::Failed { fault: failure.fault, message: &failure.to_string(), again: Some(wait) });
            if !self.door.rest(wait) {
                return Err(Stopped::Hold);
            }
        }
    }

    /// One try, with the rate limit told how it ended.
    fn try_once(&self, request: &HttpRequest) -> Result<(ModelAnswer, HttpReply), RequestFailure> {
        let sent = self.transport.send(request, self.patience.timeout);
        let hold = sent.as_ref().ok().and_then(|reply| hold(&reply.headers, self.patience.longest));
        let hide =
            |failure: RequestFailure| RequestFailure { message: self.target.hide_secrets(&failure.message), ..failure };
        let read = sent.map_err(hide).and_then(|reply| {
            let reply = self.without_secrets(reply);
            let answer = self.target.reply(reply.status, &reply.headers, &reply.body, clock::today())?;
            Ok((answer, reply))
        });
        self.door.leave(match &read {
            Ok(_) => CallEnding::Answered { hold },
            Err(RequestFailure { fault: ProviderFault::RateLimit, retry_after, .. }) => {
                CallEnding::Refused { hold: retry_after.or(hold).map(|time| time.min(self.patience.longest)) }
            }
            Err(_) => CallEnding::Failed,
        });
        read
    }

    /// Answers go on into records and into the next request, so that hiding what is written here alone would not do;
    /// and what a replay reads must be what was acted upon.
    fn without_secrets(&self, reply: HttpReply) -> HttpReply {
        let text = String::from_utf8_lossy(&reply.body);
        let hidden = self.target.hide_secrets(&text);
        // A secret may be spelt with escapes, which are gone once the body is read as JSON.
        let spelt = hidden.contains('\\').then(|| self.without_escaped_secrets(&hidden)).flatten();
        let body = spelt.or_else(|| (hidden != text).then_some(hidden)).map(String::into_bytes);
        HttpReply { body: body.unwrap_or(reply.body), ..reply }
    }

    /// The body without the secrets in its strings; nothing if there are none.
    fn without_escaped_secrets(&self, body: &str) -> Option<String> {
        let value: Value = serde_json::from_str(body).ok()?;
        let hidden = hide_in_strings(&value, &|text| self.target.hide_secrets(text));
        (hidden != value).then(|| hidden.to_string())
    }

    /// A key, a model's name or an address that is wrong would end every episode in the same way: better to stop and
    /// say so, with the episode still to be played.
    fn is_shut(&self, failure: &RequestFailure) -> bool {
        use ProviderFault::{Authentication, MalformedReply, Network, Refused};
        let ours = matches!(failure.fault, Authentication | MalformedReply | Network | Refused);
        ours && !self.keep_going && !self.alive.load(Ordering::Relaxed)
    }

    /// How long until the next try, if there is one.
    fn wait(&self, attempt: u32, failure: &RequestFailure) -> Option<Duration> {
        let Patience { retries, backoff, longest, .. } = self.patience;
        let doubled = backoff.saturating_mul(1 << (attempt - 1).min(16));
        let again = failure.retryable && attempt <= retries;
        again.then(|| failure.retry_after.unwrap_or_default().max(doubled).min(longest))
    }

    fn note(&self, digest: &str, attempt: u32, failure: &RequestFailure, took: Duration) -> Attempt {
        Attempt {
            ask: digest.to_string(),
            attempt,
            fault: failure.fault,
            status: failure.status,
            message: failure.message.clone(),
            took_ms: took.as_millis() as u64,
        }
    }

    fn written(&self, reply: &HttpReply) -> ExchangeReply {
        let kept = reply.headers.iter().filter(|(name, _)| is_kept(name));
        let headers: BTreeMap<String, String> =
            kept.map(|(name, value)| (name.clone(), self.target.hide_secrets(value))).collect();
        let body = String::from_utf8_lossy(&reply.body).into_owned();
        ExchangeReply::Answered { status: reply.status, headers, body }
    }

    /// What is not on the disk may not be acted upon: it would be paid again.
    fn keep(&mut self, entry: ExchangeEntry) -> Result<(), Stopped> {
        self.exchanges.keep(&entry).map_err(|e| {
            self.meter.lose(&e.to_string());
            Stopped::Hold
        })
    }

    fn tell(&self, call: &CallEvent<'_>) {
        self.meter.on_call("", call);
        self.watch.on_call(&self.target.to_string(), call);
    }
}

/// How long a provider wants to be left alone, of whose limits nothing is left.
fn hold(headers: &[(String, String)], longest: Duration) -> Option<Duration> {
    let limits = RateLimitHeaders::read(headers, clock::today());
    let empty = limits.requests == Some(0) || limits.tokens == Some(0);
    limits.reset.filter(|_| empty).map(|time| time.min(longest))
}

/// A value with something done to each of its strings, names of fields included.
fn hide_in_strings(value: &Value, hide: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(hide(text)),
        Value::Array(items) => items.iter().map(|item| hide_in_strings(item, hide)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, item)| (hide(name), hide_in_strings(item, hide)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        plain => plain.clone(),
    }
}
