//! How fast incidents are made and played, on one core: `cargo bench -p sre-zero-agents --bench episodes`. Each row is the
//! best of several rounds, because a busy machine only ever makes things slower, and counts the time that the thread had
//! the core. Words behind `--` pick parts: `-- fresh`, `-- cold`, `-- others`, `-- steps`, `-- sealed`.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a bench is a referee: it sees tasks and truth, reads the clock and prints a table"
)]

mod rows;

use std::hint::black_box;
use std::sync::Arc;

use agents::random::Random;
use harness::{AgentKind, AnswerKey, Episode, EpisodeOptions, ExchangeLog, Move, Noise, Scenario, Start, Task, Turn};
use rows::{best, row};

const SEEDS: u64 = 3;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    println!("{:<66} {:>14}", "one core, best of several rounds", "");
    let sources = harness::tasks::embedded();
    let tasks = harness::suites::select(sources, "srezero-40").expect("the forty are carried");
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if wanted("fresh") {
        fresh(&tasks, PROVED_AHEAD);
    }
    if wanted("cold") {
        cold(&tasks, PROVED_AHEAD);
    }
    if wanted("others") {
        println!("under seeds that are not listed: drawn until one is proved");
        fresh(&tasks, OTHERS);
        cold(&tasks, OTHERS);
    }
    let warm: Vec<Arc<Scenario>> = tasks.iter().flat_map(|t| (0..SEEDS).map(|s| prepared(t, s))).collect();
    if wanted("resets") {
        resets(&warm);
    }
    if wanted("steps") {
        steps(&warm);
    }
    if wanted("sealed") {
        sealed(&warm);
    }
}

fn prepared(task: &Arc<Task>, seed: u64) -> Arc<Scenario> {
    Arc::new(Scenario::prepare(task, seed, Noise(0)).expect("the carried tasks page"))
}

/// Under which seeds incidents are met: those whose draws were proved ahead, and others.
const PROVED_AHEAD: u64 = 100;
const OTHERS: u64 = 1 << 20;

/// A new incident for every episode, as trainers use them: nothing is prepared, shared or seen before.
fn fresh(tasks: &[Arc<Task>], from: u64) {
    const EACH: u64 = 5;
    let each = |from: u64, finish: fn(Episode)| {
        best(|round| {
            let mut steps = 0;
            for (at, task) in tasks.iter().enumerate() {
                for n in 0..EACH {
                    let seed = from + round * EACH + n;
                    let (episode, taken) = play(&prepared(task, seed), (seed << 16) + at as u64);
                    finish(episode);
                    steps += taken;
                }
            }
            steps
        })
    };
    row("env steps, a fresh incident per episode, random agent, reward", each(from, drop), "/s");
    let sealed = each(from + 1000, |episode| drop(black_box(episode.finish())));
    row("the same with record, verdict and impact", sealed, "/s");
}

fn cold(tasks: &[Arc<Task>], from: u64) {
    let rate = best(|round| {
        tasks.iter().for_each(|t| drop(black_box(prepared(t, from + round))));
        tasks.len()
    });
    row("resets, cold (a healthy world, fault, page)", rate, "/s");
}

fn resets(warm: &[Arc<Scenario>]) {
    let rate = best(|_| {
        for scenario in warm {
            let episode = Episode::start(scenario, EpisodeOptions::default());
            black_box(episode.observation().len());
        }
        warm.len()
    });
    row("resets, warm (brief read)", rate, "/s");
}

/// Plays to the end and gives the number of steps. The agent's seed is new each time, so that no
/// course of events is met twice on purpose.
fn play(scenario: &Arc<Scenario>, seed: u64) -> (Episode, usize) {
    let mut episode = Episode::start(scenario, EpisodeOptions::default());
    let brief = episode.brief().clone();
    let mut agent = Random.start(
        &brief,
        Start { seed, key: &AnswerKey::default(), memory: Arc::default(), exchanges: ExchangeLog::in_memory() },
    );
    while !episode.is_over() {
        let step = episode.steps_taken() + 1;
        let steps_left = brief.steps + 1 - step;
        let invalid = episode.steps().last().is_some_and(|step| step.invalid.is_some());
        let turn = Turn { brief: &brief, observation: episode.observation(), invalid, step, steps_left };
        let Move::Act(saying) = agent.act(&turn) else { panic!("dice never give up") };
        let outcome = episode.step(&saying.text);
        black_box(outcome.observation.len());
    }
    let steps = episode.steps_taken() as usize;
    (episode, steps)
}

fn steps(warm: &[Arc<Scenario>]) {
    let rate = best(|round| {
        let mut steps = 0;
        for repeat in 0..8 {
            for (at, scenario) in warm.iter().enumerate() {
                steps += play(scenario, (round << 32) + (repeat << 16) + at as u64).1;
            }
        }
        steps
    });
    row("env steps, prepared incidents, random agent, resets included", rate, "/s");
}

fn sealed(warm: &[Arc<Scenario>]) {
    let rate = best(|round| {
        for (at, scenario) in warm.iter().enumerate() {
            black_box(play(scenario, (round << 40) + at as u64).0.finish());
        }
        warm.len()
    });
    row("episodes, random agent, verified and sealed", rate, "/s");
}
