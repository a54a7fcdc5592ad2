//! Laws that hold for every episode, and the published anchors.

use proptest::prelude::*;

use super::columns::{self, SummaryPlace};
use super::stage::{act, card, invalid, look, resolve};
use super::{FailureMode, Metrics, Recovery, Score, Scorer, Unscorable, marks};
use crate::{EndReason, Event, Fact, FactKind, Fix, Header, ProblemCard, Seal, Step, TaskCard, UserImpact};

const CAUSE: &str = "cache TTL_SECONDS was set to 5";

/// The record of one episode.
fn record(card: &TaskCard, steps: &[Step], reason: EndReason, mitigated: bool) -> Vec<Event> {
    let header = Header {
        record_version: 1,
        world_version: 1,
        suite_version: 1,
        suite: "all".into(),
        task: card.clone(),
        seed: 7,
        noise: 0,
        tools: "classic".into(),
        agent: "tester".into(),
        episode: 0,
        repeat: 0,
        incident: "INC-1".into(),
        model: None,
        ..Header::default()
    };
    let harm = |failed: f64| UserImpact { requests: 1000.0, failed, slow: 10.0, minutes_out: 0.0 };
    let seal = Seal {
        mitigated,
        paged: 60_000,
        impact: harm(50.0),
        impact_untouched: harm(200.0),
        impact_healthy: harm(0.0),
        ..Seal::default()
    };
    let mut events = vec![Event::Started(Box::new(header))];
    events.extend(steps.iter().cloned().map(|step| Event::Stepped(Box::new(step))));
    events.push(Event::Ended { time: 360_000, reason, cause: None, fault: None });
    events.push(Event::Sealed(Box::new(seal)));
    events
}

fn score(steps: &[Step], reason: EndReason, mitigated: bool) -> Score {
    Score::of(&record(&card(), steps, reason, mitigated)).expect("the record is whole")
}

fn good_steps() -> Vec<Step> {
    vec![
        look("inspect_metrics(cache)", &["metrics cache hit_rate"]),
        look("inspect_config(cache)", &["config cache TTL_SECONDS"]),
        act("cache.TTL_SECONDS 5 300", true),
        resolve(CAUSE, "raise TTL_SECONDS"),
    ]
}

#[test]
fn a_good_episode_has_nothing_against_it() {
    let score = score(&good_steps(), EndReason::Resolved, true);
    assert!((score.reward - 0.95).abs() < 1e-9, "{}", score.reward);
    assert!(score.success && score.root_cause_identified && score.fix_identified);
    assert!(score.correct_service && score.correct_remediation && !score.premature_resolution);
    assert_eq!(score.failure_mode, FailureMode::Success);
    assert_eq!(score.minutes_to_resolution, Some(5.0));
    assert_eq!((score.impact, score.impact_untouched), (50.0, 200.0));
    assert_eq!((score.harm_avoided, score.remediation_specificity), (Some(0.75), Some(1.0)));
    assert_eq!((score.step_efficiency, score.recovery), (0.5, None));
}

/// Every problem that was mitigated used to be counted among those that were called resolved too early.
#[test]
fn a_problem_in_a_cluster_went_as_its_verdict_says() {
    let problem = TaskCard { problem: Some(ProblemCard::default()), ..card() };
    let went = |reason, mitigated, steps: &[Step]| {
        Score::of(&record(&problem, steps, reason, mitigated)).expect("the record is whole").failure_mode
    };
    let (typed, mistyped) = ([look("kubectl get pods", &[])], [invalid("dance")]);
    assert_eq!(went(EndReason::Resolved, true, &typed), FailureMode::Success);
    assert_eq!(went(EndReason::Resolved, false, &typed), FailureMode::PrematureResolution);
    assert_eq!(went(EndReason::BudgetSpent, false, &typed), FailureMode::StepBudgetExhausted);
    assert_eq!(went(EndReason::BudgetSpent, false, &mistyped), FailureMode::InvalidAction);
    assert_eq!(went(EndReason::ProviderFailed, false, &typed), FailureMode::ProviderError);
}

#[test]
fn a_field_of_the_metrics_holds_what_its_column_computes() {
    let mut detour = vec![invalid("dance"), act("web_server.TIMEOUT_MS 3000 9000", false)];
    detour.extend([act("web_server.TIMEOUT_MS 9000 3000", false), act("restart web_server", false)]);
    detour.extend(good_steps());
    let scores = [
        score(&good_steps(), EndReason::Resolved, true),
        score(&detour, EndReason::Resolved, true),
        score(&[act("silence page", false)], EndReason::BudgetSpent, false),
        score(&[resolve("no idea", "none")], EndReason::Resolved, false),
    ];
    let (metrics, all) = (Metrics::of(&scores), scores.iter().collect::<Vec<_>>());
    for column in columns::ALL.iter().filter(|column| !matches!(column.kept, SummaryPlace::Nowhere)) {
        assert_eq!(column.of(&metrics), column.over(&all), "{}", column.name);
    }
}

#[test]
fn recovery_is_told_from_the_first_wrong_fix() {
    let mut steps = vec![act("web_server.TIMEOUT_MS 3000 9000", false), act("web_server.TIMEOUT_MS 9000 3000", false)];
    steps.extend(good_steps());
    let found = score(&steps, EndReason::Resolved, true);
    assert_eq!(found.recovery, Some(Recovery { undone: Some(true), resolved: true, steps: Some(4) }));
    assert_eq!((found.wrong_remediations, found.undone_remediations, found.distractor_remediations), (1, 1, 1));

    let left = score(&[act("silence page", false)], EndReason::BudgetSpent, false);
    assert_eq!(left.recovery, Some(Recovery { undone: Some(false), resolved: false, steps: None }));
    let metrics = Metrics::of([&found, &left]);
    assert_eq!(
        (metrics.recovery_rate, metrics.undo_rate, metrics.mean_recovery_steps),
        (Some(0.5), Some(0.5), Some(4.0))
    );
    assert_eq!(
        (metrics.remediation_precision, metrics.distractor_robustness),
        (Some(1.0 / 3.0), Some(1.0 - 1.0 / 3.0))
    );
}

#[test]
fn recovery_metrics_are_undefined_together() {
    let check = |first: Vec<Step>, then: &[Step], resolved: bool, expect: (Option<f64>, Option<f64>, Option<f64>)| {
        let steps = [first, then.to_vec()].concat();
        let end = if resolved { EndReason::Resolved } else { EndReason::BudgetSpent };
        let metrics = Metrics::of([&score(&steps, end, resolved)]);
        assert_eq!((metrics.recovery_rate, metrics.undo_rate, metrics.mean_recovery_steps), expect, "{steps:?}");
    };
    let (restart, silence) = (|| vec![act("restart web_server", false)], || vec![act("silence page", false)]);
    let good = good_steps();
    check(vec![], &good, true, (None, None, None));
    // A restart leaves nothing to take back.
    check(restart(), &good, true, (Some(1.0), None, Some(3.0)));
    check(restart(), &[], false, (Some(0.0), None, None));
    // After the right fix there is nothing to wait for, and without success no recovery.
    let late = || [good[..3].to_vec(), vec![act("restart web_server", true)]].concat();
    check(late(), &good[3..], true, (Some(1.0), None, Some(0.0)));
    check(late(), &[], false, (Some(0.0), None, None));
    // The world was found mitigated although a wrong change was left.
    check(silence(), &good, true, (Some(1.0), Some(0.0), Some(4.0)));
    check(vec![act("cache.TTL_SECONDS 5 60", false)], &good, true, (Some(1.0), None, Some(3.0)));
}

#[test]
fn a_providers_failure_is_in_no_rate() {
    let good = score(&good_steps(), EndReason::Resolved, true);
    let failed = score(&good_steps()[..1], EndReason::ProviderFailed, false);
    let metrics = Metrics::of([&good, &failed]);
    assert_eq!((metrics.episodes, metrics.provider_failures, metrics.success_rate), (1, 1, 1.0));
    assert_eq!(metrics.failure_modes["agent_provider_error"], 1);
    let none = Metrics::of([&failed]);
    assert_eq!((none.episodes, none.marks), (0, 0.0));
}

#[test]
fn a_broken_record_is_not_scored() {
    let whole = record(&card(), &[], EndReason::GaveUp, false);
    assert_eq!(Score::of(&whole[1..]), Err(Unscorable::NoHeader));
    assert_eq!(Score::of(&whole[..1]), Err(Unscorable::NotEnded));
    assert_eq!(Score::of(&whole[..2]), Err(Unscorable::NotSealed));
}

/// Budget, length of the plan, and how many tasks have them: first those of the 25, then the others.
const PLANS: [(u32, u32, u32, bool); 6] =
    [(8, 4, 10, true), (8, 5, 12, true), (9, 5, 3, true), (8, 5, 4, false), (9, 5, 6, false), (10, 5, 5, false)];

fn perfect(budget: u32, plan: u32) -> Score {
    let card = TaskCard { steps: budget, ..card() };
    let mut steps = good_steps();
    while (steps.len() as u32) < plan {
        steps.insert(0, look(&format!("check_status(spare-{})", steps.len()), &[]));
    }
    Score::of(&record(&card, &steps, EndReason::Resolved, true)).expect("the record is whole")
}

fn anchor(only_25: bool) -> Metrics {
    let plans = PLANS.iter().filter(|plan| plan.3 || !only_25);
    let scores: Vec<Score> = plans.flat_map(|plan| vec![perfect(plan.0, plan.1); plan.2 as usize]).collect();
    Metrics::of(&scores)
}

#[test]
fn perfect_episodes_meet_the_published_anchors() {
    let all = anchor(false);
    assert_eq!((all.episodes, all.success_rate, all.evidence_coverage), (40, 1.0, 1.0));
    assert_eq!((all.mean_steps, all.invalid_action_rate), (4.75, 0.0));
    assert!((all.marks - 93.2).abs() <= 0.3, "{}", all.marks);
    let some = anchor(true);
    assert_eq!((some.episodes, some.mean_steps), (25, 4.6));
    assert!((some.marks - 93.4).abs() <= 0.3 && (some.mean_reward - 0.943).abs() < 0.001, "{}", some.marks);
}

fn any_step() -> impl Strategy<Value = Step> {
    let setting = |service: &'static str, key: &'static str| {
        (0..4u32, 0..4u32, any::<bool>())
            .prop_map(move |(from, to, fixed)| act(&format!("{service}.{key} {}0 {}00", from, to), fixed))
    };
    prop_oneof![
        "[a-c]".prop_map(|text| invalid(&text)),
        (0..3u32).prop_map(|at| look(&format!("inspect_metrics({at})"), &["metrics cache hit_rate"])),
        Just(look("inspect_config(cache)", &["config cache TTL_SECONDS"])),
        setting("cache", "TTL_SECONDS"),
        setting("web_server", "TIMEOUT_MS"),
        any::<bool>().prop_map(|fixed| act("restart web_server", fixed)),
        Just(act("silence page", false)),
    ]
}

fn any_end() -> impl Strategy<Value = (EndReason, bool)> {
    let reasons = [EndReason::Resolved, EndReason::Escalated, EndReason::GaveUp, EndReason::BudgetSpent];
    (prop::sample::select(reasons.to_vec()), any::<bool>())
}

proptest! {
    #[test]
    fn rewards_stay_within_bounds_and_add_up(mut steps in prop::collection::vec(any_step(), 0..10), end in any_end()) {
        if end.0 == EndReason::Resolved {
            steps.push(resolve(CAUSE, "raise the TTL"));
        }
        let mut scorer = Scorer::new(&card());
        let mut sum: f64 = steps.iter().map(|step| scorer.feed(step)).sum();
        sum += scorer.end(end.0, end.1);
        prop_assert!((sum - scorer.raw()).abs() < 1e-9);
        let score = score(&steps, end.0, end.1);
        prop_assert!((0.0..=1.0).contains(&score.reward));
        prop_assert_eq!(score.reward, scorer.reward());
        let metrics = Metrics::of([&score]);
        prop_assert!((0.0..=100.0).contains(&metrics.marks), "{}", metrics.marks);
    }

    #[test]
    fn an_invalid_step_never_raises_the_score(steps in prop::collection::vec(any_step(), 0..8), at in 0usize..8, end in any_end()) {
        let mut more = steps.clone();
        more.insert(at.min(steps.len()), invalid("a"));
        let (without, with) = (score(&steps, end.0, end.1), score(&more, end.0, end.1));
        prop_assert!(with.parts.raw() < without.parts.raw());
        prop_assert!(with.reward <= without.reward);
    }

    #[test]
    fn marks_stay_within_bounds(rates in prop::array::uniform4(0.0..=1.0f64), steps in 0.0..50.0f64) {
        let [success, reward, evidence, invalid] = rates;
        let marks = marks(success, reward, evidence, steps, invalid);
        prop_assert!((0.0..=100.0 + 1e-9).contains(&marks), "{}", marks);
    }

    #[test]
    fn any_text_can_be_judged(text in "\\PC{0,200}", more in "[a-z_ ,.'A-Z]{0,200}") {
        let fix = [Fix::Restart { restart: "cache".into() }];
        for text in [text, more] {
            super::judge(&text, "cache", &["crash"]);
            super::diagnosis::names_fix(&text, &fix);
        }
    }

    #[test]
    fn more_facts_never_lower_coverage(kinds in prop::collection::vec("(metrics|logs|config)", 0..6)) {
        let mut scorer = Scorer::new(&card());
        let mut before = 0.0;
        for (at, kind) in kinds.iter().enumerate() {
            let fact = Fact { kind: FactKind::find(kind).expect("a kind"), service: "cache".into(), item: "TTL_SECONDS".into(), telling: true };
            scorer.feed(&Step { facts: vec![fact], ..look(&format!("look({at})"), &[]) });
            prop_assert!(scorer.parts().coverage >= before);
            before = scorer.parts().coverage;
        }
    }
}
