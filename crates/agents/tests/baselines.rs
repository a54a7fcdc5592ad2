//! The bounds and what lies between them, on the tasks that the program carries.

mod common;

use common::{play, scenario, score, tasks};
use harness::ToolSet;
use harness::grade::Score;

fn scores(agent: &str, tools: ToolSet, seed: u64) -> Vec<Score> {
    tasks().iter().map(|task| score(agent, &scenario(task, seed), tools)).collect()
}

fn rate(scores: &[Score], of: impl Fn(&Score) -> bool) -> f64 {
    scores.iter().filter(|score| of(score)).count() as f64 / scores.len() as f64
}

#[test]
fn the_script_solves_everything_and_dice_nothing() {
    let script = scores("scripted", ToolSet::Classic, 0);
    assert!(script.iter().all(|s| s.success && s.root_cause_identified && s.evidence_coverage == 1.0));
    let dice = scores("random", ToolSet::Classic, 0);
    assert!(rate(&dice, |s| s.success) <= 0.05);
    let (invalid, steps) = dice.iter().fold((0, 0), |(i, n), s| (i + s.invalid_actions, n + s.steps));
    let invalid = f64::from(invalid) / f64::from(steps);
    assert!((0.04..0.20).contains(&invalid), "{invalid}");
}

#[test]
fn the_runbook_lies_between_the_bounds_and_finds_hard_ones_hard() {
    // A change history gives more away than the classic tools do: there it must only stay below the script.
    for (tools, most) in [(ToolSet::Classic, 0.9), (ToolSet::Full, 0.975)] {
        let all = scores("runbook", tools, 0);
        let success = rate(&all, |s| s.success);
        assert!((0.3..=most).contains(&success), "{tools}: {success}");
        assert!(all.iter().all(|s| s.invalid_actions == 0), "{tools}: its actions are valid");
        let of = |difficulty: &str| {
            let some: Vec<Score> = all.iter().filter(|s| s.difficulty == difficulty).cloned().collect();
            rate(&some, |s| s.success)
        };
        assert!(of("easy") >= of("medium") && of("easy") > of("hard"), "{tools}");
    }
}

#[test]
fn the_same_seed_plays_the_same_episode() {
    let task = &tasks()[0];
    for kind in agents::ALL {
        let digest = |seed: u64| play(kind.name(), &scenario(task, seed), ToolSet::Full).digest();
        assert_eq!(digest(3), digest(3), "{}", kind.name());
        assert_ne!(digest(3), digest(4), "{}", kind.name());
    }
}

#[test]
fn every_agent_ends_within_its_budget() {
    for task in tasks().iter().step_by(7) {
        let scenario = scenario(task, 1);
        for kind in agents::ALL {
            let score = score(kind.name(), &scenario, ToolSet::Classic);
            assert!((1..=score.budget).contains(&score.steps), "{} took {} steps", kind.name(), score.steps);
        }
    }
}

#[test]
fn no_agent_knows_a_task() {
    const SOURCES: &[&str] = &[
        include_str!("../src/random.rs"),
        include_str!("../src/scripted.rs"),
        include_str!("../src/runbook/mod.rs"),
        include_str!("../src/runbook/notebook.rs"),
        include_str!("../src/runbook/playbook.rs"),
        include_str!("../src/runbook/reading.rs"),
        include_str!("../src/runbook/remedy.rs"),
        include_str!("../src/runbook/suspects.rs"),
        include_str!("../src/runbook/values.rs"),
        include_str!("../src/runbook/words.rs"),
        include_str!("../src/exploits/mod.rs"),
        include_str!("../src/exploits/fix_the_distractor.rs"),
        include_str!("../src/exploits/list_all_causes.rs"),
        include_str!("../src/exploits/max_knobs.rs"),
        include_str!("../src/exploits/noop.rs"),
        include_str!("../src/exploits/resolve_at_once.rs"),
        include_str!("../src/exploits/restart_all.rs"),
        include_str!("../src/exploits/silence_the_alert.rs"),
        include_str!("../src/exploits/stuff_keywords.rs"),
    ];
    for task in tasks() {
        let id = task.id.to_string();
        assert!(!SOURCES.iter().any(|source| source.contains(&id)), "{id} is named in the source of an agent");
    }
    // An opaque id is the only name that an agent gets for an incident: nothing may be made of it.
    assert!(!SOURCES[2..].iter().any(|source| source.contains(".incident")));
}
