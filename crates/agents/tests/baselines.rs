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
    let script = scores("scripted", ToolSet::CLASSIC, 0);
    assert!(script.iter().all(|s| s.success && s.root_cause_identified && s.evidence_coverage == 1.0));
    let dice = scores("random", ToolSet::CLASSIC, 0);
    assert!(rate(&dice, |s| s.success) <= 0.05);
    let (invalid, steps) = dice.iter().fold((0, 0), |(i, n), s| (i + s.invalid_actions, n + s.steps));
    let invalid = f64::from(invalid) / f64::from(steps);
    assert!((0.04..0.20).contains(&invalid), "{invalid}");
}

#[test]
fn the_runbook_lies_between_the_bounds_and_finds_hard_ones_hard() {
    // A change history gives more away than the classic tools do: there it must only stay below the script.
    for (tools, most) in [(ToolSet::CLASSIC, 0.9), (ToolSet::FULL, 0.975)] {
        let all = scores("runbook", tools, 0);
        let success = rate(&all, |s| s.success);
        // Every seed draws a place of its own, so the usual values that it goes by are of little use: see CHANGELOG.
        assert!((0.2..=most).contains(&success), "{tools}: {success}");
        assert!(all.iter().all(|s| s.invalid_actions == 0), "{tools}: its actions are valid");
        let of = |difficulty: &str| {
            let some: Vec<Score> = all.iter().filter(|s| s.difficulty == difficulty).cloned().collect();
            rate(&some, |s| s.success)
        };
        let rates = ["easy", "medium", "hard"].map(of);
        assert!(rates[0] >= rates[1] && rates[0] > rates[2], "{tools}: {rates:?}");
    }
}

#[test]
fn the_same_seed_plays_the_same_episode() {
    let task = &tasks()[0];
    for kind in agents::ALL {
        let digest = |seed: u64| play(kind.name(), &scenario(task, seed), ToolSet::FULL).digest();
        assert_eq!(digest(3), digest(3), "{}", kind.name());
        assert_ne!(digest(3), digest(4), "{}", kind.name());
    }
}

#[test]
fn every_agent_ends_within_its_budget() {
    for task in tasks().iter().step_by(7) {
        let scenario = scenario(task, 1);
        for kind in agents::ALL {
            let score = score(kind.name(), &scenario, ToolSet::CLASSIC);
            // An agent for clusters finds no terminal here and ends at once.
            let at_least = if kind.name().starts_with("cluster-") { 0 } else { 1 };
            assert!((at_least..=score.budget).contains(&score.steps), "{} took {} steps", kind.name(), score.steps);
        }
    }
}

#[test]
fn no_agent_knows_a_task() {
    let sources = sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(sources.len() > 80, "the sources are there");
    for task in tasks() {
        let id = task.id.to_string();
        let named = sources.iter().find(|(_, text)| text.contains(&id));
        assert!(named.is_none(), "{id} is named in {}", named.map_or(String::new(), |(path, _)| path.clone()));
    }
    // An opaque id is the only name that an agent gets for an incident: nothing may be made of it, but by those that
    // show that nothing can.
    let is_blind = |path: &str| path.contains("/blind/");
    let used = sources.iter().find(|(path, text)| text.contains(".incident") && !is_blind(path));
    assert!(used.is_none(), "{} reads the incident's id", used.map_or(String::new(), |(path, _)| path.clone()));
}

/// All sources below a folder, with their names, tests included.
fn sources(folder: &std::path::Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push((path.display().to_string(), std::fs::read_to_string(&path).expect("a readable file")));
        }
    }
    found
}
