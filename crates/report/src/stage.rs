//! A small stage for the tests: a few scores of two agents.

use record::grade::Score;
use record::{EndReason, Event, Header, RECORD_VERSION, Seal, Step, TaskCard, Touch, UserImpact};

use crate::summary::RunFacts;

/// What was run.
pub fn run() -> RunFacts {
    RunFacts { world_version: 1, suite_version: 1, digest: "abc".into(), ..RunFacts::default() }
}

/// Two good episodes, a poor one, and one that does not count.
pub fn scores() -> Vec<Score> {
    vec![
        score("steady", "two", EndReason::Resolved),
        score("steady", "one", EndReason::Resolved),
        score("idle", "one", EndReason::BudgetSpent),
        score("idle", "two", EndReason::ProviderFailed),
    ]
}

fn score(agent: &str, task: &str, end: EndReason) -> Score {
    let resolved = end == EndReason::Resolved;
    let header = Header {
        record_version: RECORD_VERSION,
        world_version: 1,
        suite_version: 1,
        suite: "all".into(),
        task: card(task),
        seed: 0,
        noise: 0,
        tools: "classic".into(),
        agent: agent.into(),
        episode: 0,
        repeat: 0,
        incident: "INC-1".into(),
        model: None,
        ..Header::default()
    };
    let seal = Seal { mitigated: resolved, impact: harm(if resolved { 20.0 } else { 90.0 }), ..seal() };
    let mut events = vec![Event::Started(Box::new(header)), Event::Stepped(Box::new(guess()))];
    events.extend(resolved.then(|| Event::Stepped(Box::new(resolve()))));
    events.push(Event::Ended { time: 150_000, reason: end, cause: None, fault: None });
    events.push(Event::Sealed(Box::new(seal)));
    Score::of(&events).expect("the record is whole")
}

fn card(task: &str) -> TaskCard {
    let difficulty = if task == "one" { "easy" } else { "hard" };
    TaskCard {
        id: task.into(),
        difficulty: difficulty.into(),
        steps: 8,
        component: "cache".into(),
        ..TaskCard::default()
    }
}

fn guess() -> Step {
    let touched = vec![Touch::Restart { service: "web".into() }];
    Step {
        index: 1,
        call: Some("restart_service(web)".into()),
        tool: "restart_service".into(),
        touched,
        ..Step::default()
    }
}

fn resolve() -> Step {
    Step { index: 2, call: Some("resolve_incident(..)".into()), tool: "resolve_incident".into(), ..Step::default() }
}

fn seal() -> Seal {
    Seal { impact_untouched: harm(90.0), impact_healthy: harm(0.0), ..Seal::default() }
}

fn harm(failed: f64) -> UserImpact {
    UserImpact { requests: 1000.0, failed, slow: 5.0, minutes_out: 0.0 }
}
