//! Autopsies of real episodes: what they say agrees with the grader, whatever an agent does.

use std::collections::BTreeMap;
use std::sync::Arc;

use harness::{Episode, EpisodeOptions, Noise, Record, Scenario, tasks};
use record::EndReason;
use record::grade::Score;
use report::analysis::{Analysis, Autopsy, Category, Why};
use report::stats::draw::Draws;

/// What an agent may do beside the right thing.
const ASIDES: [&str; 8] = [
    "check_status(web_server)",
    "inspect_metrics(database)",
    "inspect_logs(message_queue)",
    "inspect_config(cache)",
    "restart_service(database)",
    "restart_service(web_server)",
    "what is going on?",
    "resolve_incident(root_cause=\"no idea\", fix=\"none\")",
];

/// Plays a task's own solution with other steps thrown in, in a way of its own for each seed.
fn play(scenario: &Arc<Scenario>, seed: u64) -> Record {
    let draws = Draws::new(seed, 1);
    let mut episode = Episode::start(scenario, EpisodeOptions::default());
    let mut solution = scenario.solution().into_iter();
    for place in 0.. {
        let aside = draws.unit(2 * place) < 0.4;
        let next =
            if aside { Some(ASIDES[draws.below(2 * place + 1, ASIDES.len())].to_owned()) } else { solution.next() };
        let Some(call) = next else {
            episode.end(EndReason::GaveUp);
            break;
        };
        if episode.step(&call).done {
            break;
        }
    }
    episode.finish()
}

/// A fifth of the embedded tasks, each under a few seeds.
fn records() -> Vec<Record> {
    let sources = tasks::embedded().iter().step_by(5);
    let scenarios = sources.map(|source| {
        let task = source.task().expect("an embedded task is valid");
        Arc::new(Scenario::prepare(&task, 0, Noise(0)).expect("an embedded task can be played"))
    });
    scenarios.flat_map(|scenario| (0..6).map(|seed| play(&scenario, seed)).collect::<Vec<_>>()).collect()
}

fn check(autopsy: &Autopsy, score: &Score, steps: u32) {
    let (seen, missed) = (autopsy.evidence_seen.len() as f64, autopsy.evidence_missed.len() as f64);
    assert!((seen / (seen + missed) - score.evidence_coverage).abs() < 1e-12, "evidence: {autopsy:?}");
    assert_eq!(autopsy.first_evidence.is_some(), seen > 0.0, "the first sign is one: {autopsy:?}");
    assert_eq!(autopsy.category == Category::Success, score.success, "{autopsy:?}");
    let tools = &autopsy.tools;
    assert_eq!(tools.invalid, score.invalid_actions, "{autopsy:?}");
    assert_eq!(tools.calls.values().sum::<u32>() + tools.invalid, steps, "every step is counted: {autopsy:?}");
    let wrong = matches!(&autopsy.first_wrong_turn, Some(turn) if matches!(turn.why, Why::WrongFix | Why::Distractor));
    assert!(!wrong || autopsy.wrong_fix, "a wrong fix is one: {autopsy:?}");
    let flawless = score.success && score.parts.penalty == 0;
    assert!(!flawless || autopsy.first_wrong_turn.is_none(), "nothing was wrong: {autopsy:?}");
    let charged = score.parts.penalty > 0;
    assert!(!charged || autopsy.first_wrong_turn.is_some(), "something was wrong: {autopsy:?}");
}

#[test]
fn autopsies_agree_with_the_grader() {
    let mut analysis = Analysis::default();
    let mut categories: BTreeMap<Category, u32> = BTreeMap::new();
    let records = records();
    for record in &records {
        let (autopsy, score) = (Autopsy::of(record).expect("a whole record"), record.score().expect("a whole record"));
        check(&autopsy, &score, record.steps().count() as u32);
        *categories.entry(autopsy.category).or_default() += 1;
        analysis.add(&autopsy);
    }
    assert!(categories.len() >= 3, "episodes went in several ways: {categories:?}");
    let agent = analysis.agents.values().next().expect("one agent");
    assert_eq!((agent.all.episodes as usize, &agent.all.categories), (records.len(), &categories));
    let parts: u32 = agent.by_service.values().map(|tally| tally.episodes).sum();
    assert_eq!(parts, agent.all.episodes, "each episode has one service");
}
