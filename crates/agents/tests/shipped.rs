//! What ships: every task is certified, and the same seeds give the same bytes in every build.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "what ships is certified, not played blind")]

use std::sync::Arc;

use expect_test::expect;
use harness::{EpisodeOptions, Noise, Scenario, Task, check, run_episode, sha256, suites, tasks};

fn all() -> Vec<Arc<Task>> {
    tasks::embedded().iter().map(|source| source.task().expect("shipped tasks are valid")).collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "minutes without optimisation: run it with --release")]
fn every_shipped_task_is_certified_on_three_seeds() {
    certified(&all());
}

/// At the noise that the suite is played with, not in clean telemetry.
#[test]
#[cfg_attr(debug_assertions, ignore = "minutes without optimisation: run it with --release")]
fn the_noisy_forty_are_certified_at_their_noise() {
    let noisy = suites::select(tasks::embedded(), "srezero-40-noisy").expect("shipped tasks are valid");
    assert!(noisy.iter().all(|task| task.noise > Noise(0)));
    certified(&noisy);
}

fn certified(tasks: &[Arc<Task>]) {
    let certified = check::certify_all(tasks, &[0, 1, 2], Noise(0), agents::exploits::ALL, 2, |_| {});
    assert!(certified.len() >= 120, "forty tasks under three seeds");
    for one in &certified {
        let failed: Vec<_> = one.certificates.iter().filter(|c| !c.ok).collect();
        assert!(
            failed.is_empty(),
            "{} under seed {}: {failed:?}; see `sre-zero check {}`",
            one.task,
            one.seed,
            one.task
        );
    }
}

/// The digest of one scripted and one random episode of each task. It is the same in debug and in
/// release, because both run this test. If it moved on purpose, raise `WORLD_VERSION` (or
/// `SUITE_VERSION` where only tasks or grading changed) and say so in the CHANGELOG.
#[test]
fn the_same_seeds_give_the_same_bytes_in_every_build() {
    let mut digests = String::new();
    for task in all() {
        let scenario = Arc::new(Scenario::prepare(&task, 7, Noise(1)).expect("shipped tasks page"));
        for agent in ["scripted", "random"] {
            let kind = agents::find(agent).expect("an agent");
            let options = EpisodeOptions { agent: agent.into(), ..EpisodeOptions::default() };
            digests += &run_episode(kind, &scenario, options).digest();
        }
    }
    expect!["3a97c6a5843dfbe19ea7ba868d893e273a75b74fe1c34a58f0ac9b3587b6647e"].assert_eq(&sha256(digests.as_bytes()));
}
