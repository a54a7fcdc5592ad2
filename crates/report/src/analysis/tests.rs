//! Autopsies of small records, written in short.

use record::Record;
use record::{EndReason, Event, Fact, FactKind, Fix, Header, RECORD_VERSION, Seal, Step, TaskCard, Touch};

use super::*;

fn card() -> TaskCard {
    TaskCard {
        id: "short-lived".into(),
        difficulty: "medium".into(),
        family: "configuration".into(),
        steps: 8,
        evidence: vec!["metrics:cache".into(), "config:cache:TTL_SECONDS".into()],
        fix: vec![Fix::Config { config: "cache.TTL_SECONDS".into(), is: ">= 120".into() }],
        distractors: vec!["web_server".into()],
        component: "cache".into(),
        concepts: vec!["cache_ttl".into()],
        ..TaskCard::default()
    }
}

/// A step in short: `metrics`, `config`, `else`, `fix`, `undo`, `restart SERVICE`, `nonsense`, `resolve`.
fn step(at: usize, text: &str) -> Step {
    let (tool, word) = text.split_once(' ').unwrap_or((text, ""));
    let fact = |kind, service: &str, item: &str| {
        vec![Fact { kind, service: service.into(), item: item.to_owned().into(), telling: true }]
    };
    let ttl = |from: &str, to: &str| Touch::Config {
        service: "cache".into(),
        key: "TTL_SECONDS".into(),
        from: from.into(),
        to: to.into(),
    };
    let index = at as u32 + 1;
    let valid = Step {
        index,
        time: 600_000 + at as u64 * 30_000,
        took: 30_000,
        text: text.into(),
        call: Some(text.into()),
        tool: tool.into(),
        ..Step::default()
    };
    match tool {
        "metrics" => Step { facts: fact(FactKind::Metrics, "cache", "hit_rate"), ..valid },
        "config" => Step { facts: fact(FactKind::Config, "cache", "TTL_SECONDS"), ..valid },
        "else" => Step { facts: fact(FactKind::Logs, "database", "slow"), ..valid },
        "fix" => Step { touched: vec![ttl("5", "300")], fixed: true, ..valid },
        "restart" => Step { touched: vec![Touch::Restart { service: word.into() }], ..valid },
        "nonsense" => Step { call: None, tool: String::new(), invalid: Some("no such action".into()), ..valid },
        "resolve" => Step {
            tool: "resolve_incident".into(),
            args: [("root_cause".into(), "cache TTL_SECONDS was set to 5".into())].into(),
            ..valid
        },
        "guess" => Step { tool: "resolve_incident".into(), ..valid },
        _ => panic!("no such step: {text}"),
    }
}

fn record(steps: &str, end: EndReason, mitigated: bool) -> Record {
    let header = Header {
        record_version: RECORD_VERSION,
        world_version: 1,
        suite_version: 1,
        suite: "all".into(),
        task: card(),
        seed: 0,
        repeat: 0,
        model: None,
        rewards: false,
        noise: 1,
        tools: "classic".into(),
        agent: "steady".into(),
        episode: 0,
        incident: "INC-1".into(),
        ..Header::default()
    };
    let mut events = vec![Event::Started(Box::new(header))];
    let parts = steps.split(", ").filter(|text| !text.is_empty()).enumerate();
    events.extend(parts.map(|(at, text)| Event::Stepped(Box::new(step(at, text)))));
    events.push(Event::Ended { time: 900_000, reason: end, cause: None, fault: None });
    events.push(Event::Sealed(Box::new(Seal { mitigated, paged: 600_000, ..Seal::default() })));
    Record { events }
}

fn autopsy(steps: &str, end: EndReason, mitigated: bool) -> Autopsy {
    Autopsy::of(&record(steps, end, mitigated)).expect("the record is whole")
}

#[test]
fn the_category_and_the_first_wrong_turn_are_told() {
    use EndReason::{BudgetSpent, Escalated, GaveUp, ProviderFailed, Resolved};
    let check = |steps: &str, end, mitigated, category, turn: Option<(u32, Why)>| {
        let found = autopsy(steps, end, mitigated);
        assert_eq!(found.category, category, "{steps}");
        assert_eq!(found.first_wrong_turn.map(|turn| (turn.step, turn.why)), turn, "{steps}");
    };
    check("metrics, config, fix, resolve", Resolved, true, Category::Success, None);
    check(
        "metrics, restart database, config, fix, resolve",
        Resolved,
        true,
        Category::Success,
        Some((2, Why::WrongFix)),
    );
    check("metrics, restart web_server", GaveUp, false, Category::Distractor, Some((2, Why::Distractor)));
    check("metrics, restart database", GaveUp, false, Category::WrongFix, Some((2, Why::WrongFix)));
    check("metrics, guess", Resolved, false, Category::Premature, Some((2, Why::Premature)));
    check("nonsense, metrics, nonsense", BudgetSpent, false, Category::Invalid, Some((1, Why::Invalid)));
    check("metrics, metrics, else", BudgetSpent, false, Category::Budget, Some((2, Why::NothingNew)));
    check("metrics, config, else, else 2", BudgetSpent, false, Category::Budget, Some((3, Why::Dithered)));
    check("else", BudgetSpent, false, Category::Budget, None);
    check("metrics", Escalated, false, Category::Escalated, Some((1, Why::Escalated)));
    check("metrics", GaveUp, false, Category::Other, None);
    check("metrics", ProviderFailed, false, Category::Provider, None);
    check("", ProviderFailed, false, Category::Provider, None);
}

#[test]
fn evidence_is_followed() {
    let found = autopsy("else, metrics, restart database, guess", EndReason::Resolved, false);
    assert_eq!(found.first_evidence, Some(Moment { step: 2, minutes: 1.0 }));
    assert_eq!(found.evidence_seen, ["metrics:cache"]);
    assert_eq!(found.evidence_missed, ["config:cache:TTL_SECONDS"]);
    assert!(found.evidence_unused && found.wrong_fix && found.recovered == Some(false));
    assert!(!autopsy("metrics, resolve", EndReason::Resolved, false).evidence_unused, "the diagnosis used it");
    assert!(!autopsy("metrics, fix", EndReason::GaveUp, false).evidence_unused, "the change used it");
    assert!(!autopsy("else, restart database", EndReason::GaveUp, false).evidence_unused, "there was none");
    assert!(!autopsy("metrics", EndReason::ProviderFailed, false).evidence_unused, "it might still have been used");
}

#[test]
fn tools_are_counted() {
    let found = autopsy("metrics, config, nonsense, fix, else, resolve", EndReason::Resolved, true).tools;
    assert_eq!((found.reads, found.writes, found.invalid, found.reads_before_write), (3, 1, 1, 2));
    assert_eq!((found.read_write_ratio(), found.mean_reads_before_write()), (Some(3.0), Some(2.0)));
    let only_looks = autopsy("metrics, else", EndReason::GaveUp, false).tools;
    assert_eq!((only_looks.read_write_ratio(), only_looks.mean_reads_before_write()), (None, None));
}

#[test]
fn an_analysis_sums_up_by_everything() {
    let mut analysis = Analysis::default();
    analysis.add(&autopsy("metrics, config, fix, resolve", EndReason::Resolved, true));
    analysis.add(&autopsy("else, restart database, fix, resolve", EndReason::Resolved, true));
    analysis.add(&autopsy("metrics", EndReason::ProviderFailed, false));
    let agent = &analysis.agents["steady"];
    assert_eq!((agent.all.episodes, agent.all.counted(), agent.all.recovered), (3, 2, 1));
    for group in [&agent.by_difficulty["medium"], &agent.by_family["configuration"], &agent.by_service["cache"]] {
        assert_eq!(group, &agent.all);
    }
    assert_eq!((&agent.by_noise[&1], &agent.by_suite["all"]), (&agent.all, &agent.all));
    expect_test::expect![[r#"
        agent   success  provider  first sign    after  wrong turn  unused  recovered  reads/write
        ───────────────────────────────────────────────────────────────────────────────────────────
        steady        2         1    step 1.0  0.5 min    step 2.0       0        1/1          1.3
    "#]]
    .assert_eq(&text::table(&analysis));
    let json = serde_json::to_string(&analysis).expect("plain data");
    assert_eq!(serde_json::from_str::<Analysis>(&json).expect("it can be read back"), analysis);
}
