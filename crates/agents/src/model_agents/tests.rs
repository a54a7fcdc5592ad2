//! Each loop against a model that answers from a list, in a real episode.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests are referees: they see tasks and truth")]

use std::sync::{Arc, Mutex};

use harness::record::{EndReason, Event};
use harness::{
    AgentKind, EpisodeOptions, ExchangeLog, Noise, ProviderFault, Record, Scenario, Stop, Unfinished, Usage,
    play_episode, tasks,
};

use super::{AgentOptions, Connect, ModelAgent, model_agent};
use crate::model::{ChatMessage, LanguageModel, ModelAnswer, ModelRequest, Sampling, Stopped, Target, ToolCall};
use crate::prices::Prices;
use crate::providers::Env;

const KEY: &str = "sk-canary-0123456789";

/// What the scripted model does next.
#[derive(Clone)]
enum Says {
    Text(&'static str),
    Call(&'static str, &'static str),
    Stops(Stopped),
}

use Says::{Call, Stops, Text};

type Asked = Arc<Mutex<Vec<ModelRequest>>>;

/// A model that answers from a list, the last answer for ever, and notes what it was asked.
struct Scripted {
    says: Vec<Says>,
    asked: Asked,
}

impl LanguageModel for Scripted {
    fn ask(&mut self, ask: &ModelRequest, _: u32) -> Result<ModelAnswer, Stopped> {
        let mut asked = self.asked.lock().expect("no thread panics with it");
        let say = self.says.get(asked.len()).or(self.says.last()).expect("a script says something").clone();
        asked.push(ask.clone());
        let usage = Usage { input: 100, output: 10, reasoning: 4, cached: 0 };
        let answer =
            ModelAnswer { usage, finish: "stop".into(), reasoning: Some("hm".into()), ..ModelAnswer::default() };
        match say {
            Text(text) => Ok(ModelAnswer { text: text.into(), ..answer }),
            Stops(stopped) => Err(stopped),
            Call(name, arguments) => {
                let (id, name) = (format!("call_{}", asked.len()), name.to_string());
                Ok(ModelAnswer { tool_calls: vec![ToolCall { id, name, arguments: arguments.into() }], ..answer })
            }
        }
    }
}

fn target() -> Target {
    let env = Env::default().with("OPENAI_API_KEY", KEY);
    Target::parse("openai/gpt-5", &env).expect("a key is there")
}

fn agent(profile: &str, says: &[Says], options: AgentOptions) -> (ModelAgent, Asked) {
    let asked = Asked::default();
    let (says, noted) = (says.to_vec(), asked.clone());
    let connect: Connect = Arc::new(move |_| Box::new(Scripted { says: says.clone(), asked: noted.clone() }));
    let agent = model_agent(profile, &target(), Sampling::default(), options, &Prices::shipped(), connect);
    (agent.expect("a profile of ours"), asked)
}

fn scenario() -> Arc<Scenario> {
    let task = tasks::embedded()[0].task().expect("ours are sound");
    Arc::new(Scenario::prepare(&task, 1, Noise(0)).expect("a sound task"))
}

fn play(profile: &str, says: &[Says], options: AgentOptions) -> (Result<Record, Unfinished>, Vec<ModelRequest>) {
    let (agent, asked) = agent(profile, says, options);
    let episode = EpisodeOptions { agent: agent.name().to_string(), ..EpisodeOptions::default() };
    let played = play_episode(&agent, &scenario(), episode, ExchangeLog::in_memory(), &Stop::default());
    let asked = asked.lock().expect("no thread panics with it").clone();
    (played, asked)
}

fn whole(profile: &str, says: &[Says]) -> (Record, Vec<ModelRequest>) {
    let (played, asked) = play(profile, says, AgentOptions::default());
    (played.expect("nothing stopped it"), asked)
}

/// Each step as its text, with how often the model was asked for it and whether it was no action; and
/// how it ended.
fn shown(record: &Record) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::Stepped(step) => {
            let turn = step.model.as_ref().expect("every step asked the model");
            let mark = if turn.unparsable { " ?" } else { "" };
            Some(format!("{} x{}{mark}", step.text, turn.calls))
        }
        Event::Ended { reason, cause, .. } => Some(match cause {
            Some(cause) => format!("{reason:?} {cause}"),
            None => format!("{reason:?}"),
        }),
        _ => None,
    };
    record.events.iter().filter_map(line).collect()
}

fn steps(record: &Record) -> Vec<&harness::record::Step> {
    record.events.iter().filter_map(|e| if let Event::Stepped(step) = e { Some(&**step) } else { None }).collect()
}

const DONE: Says = Text("Action: escalate(reason=\"enough\")");

#[test]
fn prompting_shows_the_brief_and_the_latest_observation_alone() {
    let (record, asked) = whole("prompting", &[Text("inspect_logs(cache)"), Text("check_status(cache)"), DONE]);
    let expect = ["inspect_logs(cache) x1", "check_status(cache) x1", "escalate(reason=\"enough\") x1", "Escalated"];
    assert_eq!(shown(&record), expect);
    let Event::Paged { brief, .. } = &record.events[1] else { panic!("the page comes second") };
    let steps = steps(&record);
    let question = |ask: &ModelRequest| match &ask.messages[..] {
        [ChatMessage::User { text }] => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(question(&asked[0]), *brief);
    assert_eq!(question(&asked[1]), format!("{brief}\nObservation:\n{}", steps[0].observation));
    assert_eq!(question(&asked[2]), format!("{brief}\nObservation:\n{}", steps[1].observation));
    assert!(asked[2].system.contains("\n\nThis is action 3 of "), "{}", asked[2].system);
}

#[test]
fn react_shows_all_that_was_said_and_seen() {
    let first = "Thought: look\nAction: inspect_logs(cache)";
    let (record, asked) = whole("react", &[Text(first), Text("no idea"), DONE]);
    assert_eq!(
        shown(&record),
        ["inspect_logs(cache) x1", "no idea x1 ?", "escalate(reason=\"enough\") x1", "Escalated"]
    );
    let Event::Paged { brief, .. } = &record.events[1] else { panic!("the page comes second") };
    let steps = steps(&record);
    let seen = |at: usize| ChatMessage::user(steps[at].observation.as_str());
    let expect = [
        ChatMessage::user(brief.as_str()),
        ChatMessage::assistant(first),
        seen(0),
        ChatMessage::assistant("no idea"),
        seen(1),
    ];
    assert_eq!(asked[2].messages, expect);
    assert!(steps[1].observation.starts_with("Invalid action:"), "{}", steps[1].observation);
}

#[test]
fn react_says_that_only_the_first_of_several_actions_was_done() {
    let (record, asked) = whole("react", &[Text("inspect_logs(cache)\ncheck_status(cache)"), DONE]);
    assert_eq!(shown(&record)[0], "inspect_logs(cache) x1");
    assert!(
        asked[1].system.ends_with("Only the first one was carried out: inspect_logs(cache)"),
        "{}",
        asked[1].system
    );
}

#[test]
fn what_a_model_makes_up_is_not_shown_to_it_again() {
    let made_up = "Action: inspect_logs(cache)\nObservation: all is well\nAction: escalate(\"done\")";
    let (record, asked) = whole("react", &[Text(made_up), DONE]);
    assert_eq!(asked[1].messages[1], ChatMessage::assistant("Action: inspect_logs(cache)"));
    assert_eq!(steps(&record)[0].model.as_ref().expect("asked").output, made_up, "the record has all of it");
}

#[test]
fn a_history_can_be_shortened() {
    let says = [Text("inspect_logs(cache)"), Text("check_status(cache)"), Text("inspect_metrics(cache)"), DONE];
    let (_, asked) = play("react", &says, AgentOptions { history: Some(1) });
    let sizes: Vec<usize> = asked.iter().map(|ask| ask.messages.len()).collect();
    assert_eq!(sizes, [1, 3, 3, 3]);
    assert_eq!(asked[3].messages[1], ChatMessage::assistant("inspect_metrics(cache)"));
}

#[test]
fn tools_are_called_natively_and_answered_by_name() {
    let says = [Call("inspect_logs", r#"{"service": "cache"}"#), Call("no_such_tool", "{}"), DONE];
    let (record, asked) = whole("tools", &says);
    let expect =
        ["inspect_logs(service=\"cache\") x1", "no_such_tool() x1", "escalate(reason=\"enough\") x1", "Escalated"];
    assert_eq!(shown(&record), expect);
    let text = steps(&record)[0].observation.clone();
    let answered = ChatMessage::Tool { call_id: "call_1".into(), name: "inspect_logs".into(), text };
    assert_eq!(asked[1].messages[2], answered);
    assert_eq!(steps(&record)[0].model.as_ref().expect("asked").output, r#"inspect_logs {"service": "cache"}"#);
    let spec = asked[0].tools.iter().find(|tool| tool.name == "update_config").expect("it is offered");
    assert_eq!(spec.parameters["required"], serde_json::json!(["service", "key", "value"]));
    assert!(spec.parameters["properties"]["service"]["enum"].as_array().is_some_and(|names| names.len() > 2));
}

#[test]
fn guided_asks_again_for_an_action() {
    let (record, asked) = whole("guided", &[Text("hm"), Text("hm, hm"), Text("inspect_logs(cache)"), DONE]);
    assert_eq!(shown(&record), ["inspect_logs(cache) x3", "escalate(reason=\"enough\") x1", "Escalated"]);
    assert!(asked[1].system.contains("held no action. It was:\nhm\n"), "{}", asked[1].system);
    assert_eq!(asked[2].messages, asked[0].messages, "what was sent back leaves no trace in the conversation");
    let turn = steps(&record)[0].model.clone().expect("asked");
    assert_eq!(turn.usage, Usage { input: 300, output: 30, reasoning: 12, cached: 0 });
    let cost = turn.cost_usd.expect("its price is known");
    assert!((cost - (300.0 * 1.25 + 30.0 * 10.0) / 1e6).abs() < 1e-12, "{cost}");
}

#[test]
fn guided_wants_evidence_before_a_fix_and_a_fix_before_resolution() {
    let resolve = Text("resolve_incident(root_cause=\"a\", fix=\"b\")");
    let says = [
        Text("restart_service(cache)"),
        Text("inspect_logs(cache)"),
        resolve.clone(),
        Text("restart_service(Cache)"),
        resolve,
    ];
    let (record, asked) = whole("guided", &says);
    let expect = [
        "inspect_logs(cache) x2",
        "restart_service(Cache) x2",
        "resolve_incident(root_cause=\"a\", fix=\"b\") x1",
        "Resolved",
    ];
    assert_eq!(shown(&record), expect);
    assert!(asked[1].system.contains("nothing has been seen of that service yet"), "{}", asked[1].system);
    assert!(asked[3].system.contains("nothing has been changed yet"), "{}", asked[3].system);
}

#[test]
fn guided_does_what_the_model_insists_upon() {
    let (record, _) = whole("guided", &[Text("restart_service(cache)")]);
    assert_eq!(shown(&record)[0], "restart_service(cache) x3");
    assert_eq!(shown(&record)[1], "restart_service(cache) x3", "a fix is no evidence");
}

#[test]
fn guided_gives_up_on_a_model_that_says_nothing_usable() {
    let (record, asked) = whole("guided", &[Text("I cannot help with that.")]);
    let expect = ["I cannot help with that. x3 ?"; 3].map(str::to_string).into_iter().chain(["GaveUp".into()]);
    assert_eq!(shown(&record), expect.collect::<Vec<String>>());
    assert_eq!(asked.len(), 9);
}

#[test]
fn every_loop_passes_on_why_there_is_no_answer() {
    for profile in super::ALL {
        let (record, _) = whole(profile.name, &[Text("inspect_logs(cache)"), Stops(failed())]);
        assert_eq!(shown(&record), ["inspect_logs(cache) x1", "ProviderFailed context_too_long"], "{}", profile.name);
        assert!(record.events.iter().any(|e| matches!(e, Event::Ended { reason: EndReason::ProviderFailed, .. })));
        let (held, _) =
            play(profile.name, &[Text("inspect_logs(cache)"), Stops(Stopped::Hold)], AgentOptions::default());
        assert!(matches!(held, Err(Unfinished::Held(1))), "{}: {held:?}", profile.name);
        let broken = Stops(Stopped::Broken("no answer there".into()));
        let (broken, _) = play(profile.name, &[broken], AgentOptions::default());
        assert!(
            matches!(&broken, Err(Unfinished::Broken(problem)) if problem == "no answer there"),
            "{}",
            profile.name
        );
    }
}

fn failed() -> Stopped {
    Stopped::ProviderFailed(ProviderFault::ContextTooLong)
}

#[test]
fn a_record_names_model_prompt_and_settings() {
    let (record, _) = whole("open_source_react", &[DONE]);
    let Event::Started(header) = &record.events[0] else { panic!("the header comes first") };
    assert_eq!(header.agent, "open_source_react@openai/gpt-5");
    let card = header.model.as_ref().expect("a model agent");
    assert_eq!((card.provider.as_str(), card.model.as_str()), ("openai", "gpt-5"));
    assert_eq!(card.prompt, "open_source_react v1");
    let settings = serde_json::json!({"temperature": 0.0, "max_tokens": 768});
    assert_eq!(serde_json::to_value(&card.sampling).expect("plain data"), settings);
}

#[test]
fn settings_of_the_user_win_and_wrong_ones_are_refused() {
    let connect: Connect = Arc::new(|_| panic!("no model is asked"));
    let make = |profile: &str, sampling: Sampling| {
        let made =
            model_agent(profile, &target(), sampling, AgentOptions::default(), &Prices::shipped(), connect.clone());
        made.map(|agent| agent.model().expect("a model agent").sampling)
    };
    let warm = make("open_source", Sampling { temperature: Some(0.7), ..Sampling::default() }).expect("sound");
    assert_eq!((warm["temperature"].as_f64(), warm["max_tokens"].as_u64()), (Some(0.7), Some(512)));
    let refused = make("react", Sampling { thinking_tokens: Some(9), ..Sampling::default() });
    assert_eq!(refused, Err("openai takes no `thinking_tokens`; leave that setting out".to_string()));
    let unknown = make("reakt", Sampling::default());
    assert_eq!(unknown, Err("unknown model agent `reakt`: did you mean `react`?".to_string()));
}

#[test]
fn the_key_is_in_no_record_and_in_no_ask() {
    let (record, asked) = whole("tools", &[Call("inspect_logs", r#"{"service": "cache"}"#), DONE]);
    assert!(!record.events.iter().any(|event| serde_json::to_string(event).expect("plain data").contains(KEY)));
    assert!(!asked.iter().any(|ask| String::from_utf8_lossy(&ask.canonical()).contains(KEY)));
    assert_eq!(asked[0].canonical(), asked[0].clone().canonical());
}
