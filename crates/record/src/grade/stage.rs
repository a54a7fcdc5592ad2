//! A small stage for the tests: one task, and steps written in short.

use crate::{Fact, FactKind, Fix, Step, TaskCard, Touch};

/// A cache whose entries live too short a time.
pub fn card() -> TaskCard {
    TaskCard {
        id: "short-lived".into(),
        difficulty: "medium".into(),
        split: "train".into(),
        steps: 8,
        evidence: vec!["metrics:cache".into(), "config:cache:TTL_SECONDS".into()],
        fix: vec![Fix::Config { config: "cache.TTL_SECONDS".into(), is: ">= 120".into() }],
        distractors: vec!["web_server".into()],
        component: "cache".into(),
        concepts: vec!["cache_ttl".into()],
        ..TaskCard::default()
    }
}

/// Reads `service.KEY from to`, `restart service` and `silence alert`, separated by `;`.
pub fn touches(text: &str) -> Vec<Touch> {
    text.split(';').filter(|part| !part.trim().is_empty()).map(touch).collect()
}

fn touch(text: &str) -> Touch {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    match words.as_slice() {
        [verb, service] if verb == "restart" => Touch::Restart { service: service.clone() },
        [verb, alert] if verb == "silence" => Touch::Silence { alert: alert.clone() },
        [setting, from, to] => {
            let (service, key) = setting.split_once('.').expect("a setting is service.KEY");
            Touch::Config { service: service.into(), key: key.into(), from: from.clone(), to: to.clone() }
        }
        _ => panic!("no such touch: {text}"),
    }
}

/// A reading step that shows the facts given as `kind service item`, all telling.
pub fn look(call: &str, facts: &[&str]) -> Step {
    Step { facts: facts.iter().map(|fact| fact_of(fact)).collect(), ..valid(call) }
}

/// An acting step; `fixed` says whether the fix holds after it.
pub fn act(touched: &str, fixed: bool) -> Step {
    Step { touched: touches(touched), fixed, ..valid(&format!("act({touched})")) }
}

/// An action that was not understood.
pub fn invalid(text: &str) -> Step {
    Step { text: text.into(), invalid: Some("no such action".into()), ..Step::default() }
}

/// The last step.
pub fn resolve(root_cause: &str, fix: &str) -> Step {
    let args = [("root_cause", root_cause), ("fix", fix)].map(|(name, text)| (name.into(), text.into()));
    Step { tool: "resolve_incident".into(), args: args.into(), ..valid("resolve_incident(..)") }
}

fn valid(call: &str) -> Step {
    let tool = call.split('(').next().unwrap_or_default().to_owned();
    Step { text: call.into(), call: Some(call.into()), tool, ..Step::default() }
}

fn fact_of(text: &str) -> Fact {
    let mut words = text.split_whitespace().map(str::to_owned);
    let mut next = || words.next().unwrap_or_default();
    let kind = FactKind::find(&next()).expect("a kind of fact");
    Fact { kind, service: next().into(), item: next().into(), telling: true }
}
