//! The line against a transport that does as it is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use harness::exchanges::{ExchangeEntry as Entry, ExchangeReply as Reply, read_exchanges};
use harness::{ExchangeLog, ProviderFault, Stop, StopReason};

use super::meter::{CallEvent, CallObserver, Caps, Meter, Spent};
use super::policy::Policy;
use super::transport::{HttpReply, Transport};
use super::{Patience, ProviderClient, RateLimiter};
use crate::model::{
    ChatMessage, Credentials, HttpRequest, LanguageModel, ModelRequest, RequestFailure, Secret, Stopped, Target,
};

const CANARY: &str = "sk-canary-4242424242";

/// Replies in order, and how often it was asked.
struct Told(Mutex<(Vec<Answered>, usize)>);

/// A status and a body, or trouble on the way.
type Answered = Result<(u16, String), ProviderFault>;

impl Transport for Told {
    fn send(&self, _: &HttpRequest, _: Duration) -> Result<HttpReply, RequestFailure> {
        let mut told = self.0.lock().expect("no test panics here");
        told.1 += 1;
        let next = if told.0.is_empty() { panic!("asked once too often") } else { told.0.remove(0) };
        let (status, body) = next.map_err(|fault| RequestFailure::new(fault, &format!("went wrong with {CANARY}")))?;
        let headers = vec![("content-type".to_string(), "application/json".to_string())];
        Ok(HttpReply { status, headers, body: body.into_bytes() })
    }
}

struct Unobserved;

impl CallObserver for Unobserved {
    fn on_call(&self, _: &str, _: &CallEvent<'_>) {}
}

fn answer(text: &str) -> Answered {
    let body = serde_json::json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    });
    Ok((200, body.to_string()))
}

fn error(status: u16, message: &str) -> Answered {
    Ok((status, serde_json::json!({"error": {"message": message}}).to_string()))
}

struct Set {
    line: ProviderClient,
    told: Arc<Told>,
    stop: Stop,
}

fn set(replies: Vec<Answered>, exchanges: ExchangeLog, caps: Caps) -> Set {
    let (told, stop) = (Arc::new(Told(Mutex::new((replies, 0)))), Stop::default());
    let target = Target {
        provider: "openai".into(),
        model: "m".into(),
        base_url: "http://127.0.0.1:9/v1".into(),
        wire: crate::providers::ALL[0].wire,
        credentials: Credentials::Key(Secret::new(CANARY)),
    };
    let line = ProviderClient {
        target: Arc::new(target),
        door: RateLimiter::new(Policy::Unlimited, &stop),
        transport: told.clone(),
        patience: Patience { backoff: Duration::ZERO, ..Patience::default() },
        meter: Arc::new(Meter::new(caps, Spent::default(), &stop)),
        price: Arc::new(|usage| Some(usage.total() as f64)),
        watch: Arc::new(Unobserved),
        alive: Arc::default(),
        keep_going: true,
        exchanges,
    };
    Set { line, told, stop }
}

impl Set {
    fn ask(&mut self, text: &str) -> Result<String, Stopped> {
        let ask = ModelRequest { messages: vec![ChatMessage::user(text)], ..ModelRequest::default() };
        self.line.ask(&ask, 1).map(|answer| answer.text)
    }

    fn asked(&self) -> usize {
        self.told.0.lock().expect("no test panics here").1
    }
}

fn path(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("sre-zero-line-{name}-{}.jsonl", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn it_tries_again_as_often_as_it_may_and_where_it_helps() {
    let check = |replies: Vec<_>, expect: Result<&str, ProviderFault>, tries: usize| {
        let mut set = set(replies, ExchangeLog::in_memory(), Caps::default());
        let found = set.ask("well?");
        assert_eq!(found, expect.map(str::to_string).map_err(Stopped::ProviderFailed));
        assert_eq!(set.asked(), tries);
    };
    check(vec![answer("fine")], Ok("fine"), 1);
    check(vec![error(500, "oops"), Err(ProviderFault::Timeout), answer("fine")], Ok("fine"), 3);
    check(vec![error(429, "slow down"); 6], Err(ProviderFault::RateLimit), 6);
    check(vec![Err(ProviderFault::Network); 6], Err(ProviderFault::Network), 6);
    check(vec![error(401, "no")], Err(ProviderFault::Authentication), 1);
    check(vec![error(503, "busy"), error(401, "no")], Err(ProviderFault::Authentication), 2);
}

#[test]
fn what_is_in_the_book_is_not_asked_again() {
    let path = path("exchanges");
    let mut first =
        set(vec![error(500, "oops"), answer("one"), answer("two")], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert_eq!((first.ask("a?"), first.ask("b?")), (Ok("one".into()), Ok("two".into())));
    let lines = read_exchanges(&path).expect("it was written");
    assert!(matches!(&lines[0], Entry::Attempt(a) if a.fault == ProviderFault::ServerError && a.attempt == 1));
    assert!(matches!(&lines[1], Entry::Exchange(e) if e.attempts == 2 && matches!(e.reply, Reply::Answered { .. })));
    // The second run finds both answers, then asks on.
    let mut second = set(vec![answer("three")], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert_eq!(
        (second.ask("a?"), second.ask("b?"), second.ask("c?")),
        (Ok("one".into()), Ok("two".into()), Ok("three".into()))
    );
    assert_eq!(second.asked(), 1);
    assert_eq!(second.line.meter.spent().usage.total(), 45, "what was paid before counts");
    // A replay finds all three and may not ask for a fourth, nor for something else.
    let mut replay = set(vec![], ExchangeLog::replay(&path).unwrap(), Caps::default());
    for (question, expect) in [("a?", "one"), ("b?", "two"), ("c?", "three")] {
        assert_eq!(replay.ask(question), Ok(expect.into()));
    }
    assert!(matches!(replay.ask("d?"), Err(Stopped::Broken(why)) if why.contains("no answer for call 4 (step 1)")));
    let mut other = set(vec![], ExchangeLog::replay(&path).unwrap(), Caps::default());
    assert!(matches!(other.ask("x?"), Err(Stopped::Broken(why)) if why.contains("another question at call 1")));
    // Cut off in the middle of a line, as a killed program leaves it.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    let mut cut = set(vec![answer("three")], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert_eq!((cut.ask("a?"), cut.ask("b?"), cut.ask("c?")), (Ok("one".into()), Ok("two".into()), Ok("three".into())));
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 4);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_damaged_line_is_asked_again_and_kept_aside() {
    let path = path("damage");
    let mut first = set(vec![answer("one"), answer("two")], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert!(first.ask("a?").is_ok() && first.ask("b?").is_ok());
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&path, format!("{}\n{}\n", lines[0], &lines[1][1..])).unwrap();
    assert!(ExchangeLog::replay(&path).is_err_and(|e| e.to_string().contains("line 2")));
    let exchanges = ExchangeLog::open(&path).unwrap();
    assert!(exchanges.damage().is_some_and(|d| d.contains("line 2")));
    let mut again = set(vec![answer("zwei")], exchanges, Caps::default());
    assert_eq!((again.ask("a?"), again.ask("b?")), (Ok("one".into()), Ok("zwei".into())));
    let aside = format!("{}.damaged", path.display());
    assert!(std::fs::read_to_string(&aside).is_ok_and(|kept| kept.lines().count() == 2));
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(aside).unwrap();
}

#[test]
fn a_failure_is_remembered_until_it_is_to_be_forgotten() {
    let path = path("failure");
    let mut first = set(vec![error(401, "no")], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert_eq!(first.ask("a?"), Err(Stopped::ProviderFailed(ProviderFault::Authentication)));
    let mut again = set(vec![], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert_eq!(again.ask("a?"), Err(Stopped::ProviderFailed(ProviderFault::Authentication)));
    ExchangeLog::forget_failure(&path).unwrap();
    let mut third = set(vec![answer("one")], ExchangeLog::open(&path).unwrap(), Caps::default());
    assert_eq!(third.ask("a?"), Ok("one".into()));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn caps_stop_the_run_before_the_next_call() {
    let check = |caps: Caps, answered: usize, why: &str| {
        let mut set = set(vec![answer("x"); 5], ExchangeLog::in_memory(), caps);
        let found: Vec<bool> = (0..5).map(|n| set.ask(&n.to_string()).is_ok()).collect();
        assert_eq!(found.iter().filter(|ok| **ok).count(), answered);
        assert_eq!(set.asked(), answered);
        assert!(set.stop.why().is_some_and(|found| found.to_string().contains(why)), "{:?}", set.stop.why());
    };
    check(Caps { calls: Some(3), ..Caps::default() }, 3, "3 calls were made");
    check(Caps { tokens: Some(31), ..Caps::default() }, 3, "45 tokens are used, the cap is 31");
    check(Caps { cost: Some(30.0), ..Caps::default() }, 2, "$30.00 are spent");
}

#[test]
fn a_target_that_never_answered_and_refuses_us_stops_the_run() {
    let check = |replies: Vec<_>, expect: &[Result<&str, Stopped>], why: Option<&str>| {
        let mut set = set(replies, ExchangeLog::in_memory(), Caps::default());
        set.line.keep_going = false;
        for expect in expect {
            assert_eq!(set.ask("well?"), expect.clone().map(str::to_string));
        }
        assert_eq!(set.stop.why().map(ToString::to_string).as_deref(), why);
    };
    let wrong = "openai/m has answered no call yet: authentication: 401: bad key (--keep-going goes on all the same)";
    check(vec![error(401, "bad key")], &[Err(Stopped::Hold)], Some(wrong));
    // A login page, or another service at a mistyped address.
    let strange = || Ok((200, "<html>please log in</html>".to_string()));
    let mut page = set((0..6).map(|_| strange()).collect(), ExchangeLog::in_memory(), Caps::default());
    page.line.keep_going = false;
    assert_eq!(page.ask("well?"), Err(Stopped::Hold));
    let why = page.stop.why().map(ToString::to_string).unwrap_or_default();
    assert!(why.starts_with("openai/m has answered no call yet: malformed_reply"), "{why}");
    let failed = Err(Stopped::ProviderFailed(ProviderFault::Authentication));
    check(vec![answer("fine"), error(401, "bad key")], &[Ok("fine"), failed], None);
}

#[test]
fn a_wish_to_stop_is_heeded_before_a_call_and_while_waiting() {
    let mut held = set(vec![], ExchangeLog::in_memory(), Caps::default());
    held.stop.ask(StopReason::Paused);
    assert_eq!(held.ask("a?"), Err(Stopped::Hold));
    // It waits an hour before it tries again; the wish comes meanwhile.
    let mut slow = set(vec![error(500, "oops")], ExchangeLog::in_memory(), Caps::default());
    let hour = Duration::from_secs(3600);
    slow.line.patience = Patience { backoff: hour, longest: hour, ..Patience::default() };
    let stop = slow.stop.clone();
    struct Asker(Stop);
    impl CallObserver for Asker {
        fn on_call(&self, _: &str, call: &CallEvent<'_>) {
            if matches!(call, CallEvent::Failed { .. }) {
                let stop = self.0.clone();
                std::thread::spawn(move || stop.ask(StopReason::Paused));
            }
        }
    }
    slow.line.watch = Arc::new(Asker(stop));
    assert_eq!(slow.ask("a?"), Err(Stopped::Hold));
}

#[test]
fn the_key_is_nowhere() {
    let path = path("canary");
    let replies = vec![error(400, &format!("bad key {CANARY}")), Err(ProviderFault::Network)];
    for reply in replies.into_iter().chain([answer(&format!("your key is {CANARY}"))]) {
        let last = reply.is_ok();
        let mut set = set(vec![reply], ExchangeLog::open(&path).unwrap(), Caps::default());
        set.line.patience.retries = 0;
        let found = set.ask("well?");
        assert!(last || found.is_err());
        // What is acted upon goes into the record and the next request.
        assert!(found.is_err() || found == Ok("your key is [hidden]".into()), "{found:?}");
        let _ = std::fs::rename(&path, format!("{}.{}", path.display(), last));
        let text = std::fs::read_to_string(format!("{}.{}", path.display(), last)).unwrap();
        assert!(text.contains("[hidden]") && !text.contains(CANARY), "{text}");
    }
    for last in [true, false] {
        let _ = std::fs::remove_file(format!("{}.{last}", path.display()));
    }
}

#[test]
fn a_key_spelt_with_escapes_is_hidden_too() {
    let spellings = [CANARY.replace('s', "\\u0073"), CANARY.replace('-', "\\u002d"), format!("\\/{CANARY}")];
    for (number, spelling) in spellings.iter().enumerate() {
        let path = path(&format!("escapes-{number}"));
        let Ok((status, body)) = answer("SECRET") else { unreachable!("it is an answer") };
        let reply = Ok((status, body.replace("SECRET", spelling)));
        let mut set = set(vec![reply], ExchangeLog::open(&path).unwrap(), Caps::default());
        let found = set.ask("well?").expect("it is an answer");
        assert!(found.contains("[hidden]") && !found.contains(CANARY), "{spelling}: {found}");
        let kept = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let body = kept.lines().find_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            Some(line["reply"]["answered"]["body"].as_str().or(line["reply"]["body"].as_str())?.to_string())
        });
        let body: serde_json::Value = serde_json::from_str(&body.expect("the answer is kept")).unwrap();
        assert!(!body.to_string().contains(CANARY), "{body}");
    }
}

#[test]
fn an_answer_that_cannot_be_kept_stops_the_run() {
    // A file stands where the folder of the log should be.
    let file = path("full-disk");
    std::fs::write(&file, "").unwrap();
    let log = ExchangeLog::open(&file.join("0.jsonl")).unwrap();
    let mut set = set(vec![answer("one"), answer("two")], log, Caps::default());
    assert_eq!((set.ask("a?"), set.ask("b?")), (Err(Stopped::Hold), Err(Stopped::Hold)));
    assert!(matches!(set.stop.why(), Some(StopReason::Unwritable(_))), "{:?}", set.stop.why());
    assert_eq!(set.asked(), 1, "one call was paid, and no more");
    std::fs::remove_file(&file).unwrap();
}
