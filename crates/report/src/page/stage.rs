//! A small fixed run for the tests: three agents, four tasks, two seeds.

use record::EndReason;
use record::EpisodeLine;
use record::grade::{EndingClass, FailureMode, Score};
use record::model::Usage;

use crate::facts::EpisodeSource;
use crate::stage::scores;

/// Tasks with their family and difficulty.
const TASKS: [(&str, &str, &str); 4] = [
    ("cache-cold", "config", "easy"),
    ("cache-full", "capacity", "easy"),
    ("db-locked", "config", "medium"),
    ("queue-stuck", "crash", "hard"),
];

/// A run: `steady` always succeeds, `hasty@lab/model-1` does in some and costs money,
/// `lost` never does.
pub fn source() -> EpisodeSource {
    let mut source = EpisodeSource { name: "runs/sample".into(), ..EpisodeSource::default() };
    for (at, task) in TASKS.iter().enumerate() {
        for seed in 0..2 {
            source.lines.push(line("steady", *task, seed, true));
            source.lines.push(priced(line(
                "hasty@lab/model-1",
                *task,
                seed,
                !(at as u64 * 2 + seed).is_multiple_of(3),
            )));
            source.lines.push(line("lost", *task, seed, false));
        }
    }
    source.planned = ["steady", "hasty@lab/model-1", "lost"].map(|agent| (agent.to_owned(), 8)).into();
    source
}

/// A run in which one model's provider failed in six of ten episodes, and nothing else failed.
pub fn troubled() -> EpisodeSource {
    let mut source = EpisodeSource { name: "runs/troubled".into(), ..EpisodeSource::default() };
    for (at, task) in TASKS.iter().cycle().take(10).enumerate() {
        let seed = at as u64 / 4;
        source.lines.push(line("steady", *task, seed, true));
        let own = line("react@lab/flaky", *task, seed, true);
        source.lines.push(if at < 6 { provider_failed(own) } else { own });
    }
    source.planned = ["steady", "react@lab/flaky"].map(|agent| (agent.to_owned(), 10)).into();
    source
}

/// A run in which agents of these names do equally well.
pub fn of_agents(names: &[String]) -> EpisodeSource {
    let mut source = EpisodeSource { name: "runs/many".into(), ..EpisodeSource::default() };
    for name in names {
        source.lines.extend(TASKS.iter().enumerate().map(|(at, task)| line(name, *task, 0, at % 2 == 0)));
    }
    source.planned = names.iter().map(|name| (name.clone(), TASKS.len() as u32)).collect();
    source
}

/// One episode.
pub fn line(agent: &str, (task, family, difficulty): (&str, &str, &str), seed: u64, good: bool) -> EpisodeLine {
    let base = scores().remove(if good { 0 } else { 2 });
    let slow = seed as f64 + task.len() as f64 / 4.0;
    let score = Score {
        agent: agent.into(),
        task: task.into(),
        family: family.into(),
        difficulty: difficulty.into(),
        seed,
        evidence_coverage: if good { 1.0 } else { 0.25 },
        minutes_to_resolution: good.then_some(slow),
        impact: if good { 20.0 + slow } else { 100.0 },
        invalid_actions: u32::from(!good),
        steps: if good { 4 } else { 8 },
        ..base
    };
    EpisodeLine {
        key: format!("{agent}/{task}/{seed}"),
        digest: format!("record of {agent} {task} {seed}"),
        task_digest: format!("file of {task}").into(),
        world_version: 1,
        suite_version: 1,
        noise: 0,
        tools: "classic".into(),
        score,
    }
}

fn priced(mut line: EpisodeLine) -> EpisodeLine {
    line.score.model = Some("lab/model-1".into());
    line.score.model_calls = line.score.steps;
    line.score.usage = Some(Usage { input: 1000, output: 100 + line.score.seed, ..Usage::default() });
    line.score.cost_usd = Some(0.01 + 0.002 * line.score.seed as f64);
    line
}

/// The same episode, had the provider failed.
pub fn provider_failed(mut line: EpisodeLine) -> EpisodeLine {
    let score = &mut line.score;
    (score.success, score.end, score.failure_mode) = (false, EndReason::ProviderFailed, FailureMode::ProviderError);
    score.ending.class = EndingClass::Provider;
    score.ending.word = "rate_limit".into();
    score.minutes_to_resolution = None;
    line
}
