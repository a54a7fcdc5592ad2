//! Shaping pays for looking and changes no choice: shown by the sum over an episode and on a game that
//! is small enough to be played in every way. Tests are referees.
#![allow(clippy::disallowed_types)]

use std::sync::Arc;

use faces::ToolSet;
use harness::{EpisodeOptions, Noise, Pool, Referee};

use super::*;
use crate::test_support;

/// All that can be done in the small game: two looks that show evidence, one that does not, the fix,
/// and two ways to end.
const CALLS: [&str; 6] = [
    "check_status(cache)",
    "inspect_metrics(cache)",
    "check_status(database)",
    "restart_service(cache)",
    "resolve_incident(root_cause=\"the cache crashed and was not running\", fix=\"restarted the cache\")",
    "escalate(reason=\"it needs another pair of eyes\")",
];

fn gym(reward: RewardScheme, shaping: Option<Shaping>) -> Gym {
    let referee = Referee::new();
    let pool = Pool::of_tasks(vec![test_support::task()], 2, Noise(1), 2, &referee).expect("there is a task");
    let (tools, options) = (ToolSet::CLASSIC, EpisodeOptions::default());
    let setup = Arc::new(GymSetup {
        pool,
        trainer: referee.trainer(),
        tools,
        reward,
        shaping,
        space: None,
        factored: false,
        options,
    });
    Gym::new(&setup, 1).expect("it pages")
}

/// The best that can still be had within so many steps.
fn value(gym: &Gym, depth: u32, gamma: f64) -> f64 {
    if depth == 0 || gym.player().is_over() {
        // At the horizon a shaped learner's estimate lies lower by the potential there.
        let shaping = gym.setup().shaping;
        return shaping.map_or(0.0, |s| -s.potential(&gym.setup().trainer, gym.player(), gym.player().is_over()));
    }
    choices(gym, depth, gamma).into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// What each call is worth.
fn choices(gym: &Gym, depth: u32, gamma: f64) -> Vec<f64> {
    let worth = |call: &&str| {
        let mut fork = gym.clone();
        let reward = fork.step(call).reward;
        reward + gamma * value(&fork, depth - 1, gamma)
    };
    CALLS.iter().map(worth).collect()
}

fn best(values: &[f64]) -> Vec<usize> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..values.len()).filter(|at| values[*at] > most - 1e-9).collect()
}

/// Compares what is best in every state that can be reached.
fn same_choices(plain: &Gym, shaped: &Gym, depth: u32, gamma: f64) -> usize {
    if depth == 0 || plain.player().is_over() {
        return 0;
    }
    let (bare, paid) = (choices(plain, depth, gamma), choices(shaped, depth, gamma));
    assert_eq!(best(&bare), best(&paid), "after {:?}", plain.player().shown().next_back().map(|s| s.text()));
    let follow = |call: &&str| {
        let (mut plain, mut shaped) = (plain.clone(), shaped.clone());
        plain.step(call);
        shaped.step(call);
        same_choices(&plain, &shaped, depth - 1, gamma)
    };
    1 + CALLS.iter().map(follow).sum::<usize>()
}

#[test]
fn the_best_policy_stays_the_same_in_every_state() {
    for (reward, gamma) in [(RewardScheme::Published, 0.9), (RewardScheme::Sparse, 0.95), (RewardScheme::Sparse, 1.0)] {
        let shaping = Some(Shaping { gamma, weight: 0.7 });
        let states = same_choices(&gym(reward, None), &gym(reward, shaping), 4, gamma);
        assert!(states > 80, "only {states} states were compared");
    }
}

#[test]
fn pay_that_is_no_difference_of_potentials_would_change_it() {
    // The same comparison with a flat bonus for evidence: looking becomes better than ending.
    let gamma = 0.9;
    let plain = choices(&gym(RewardScheme::Sparse, None), 4, gamma);
    let mut bonus = Vec::new();
    for call in CALLS {
        let mut fork = gym(RewardScheme::Sparse, None);
        let coverage = |gym: &Gym| gym.setup().trainer.parts(gym.player()).coverage;
        let before = coverage(&fork);
        let reward = fork.step(call).reward + 0.7 * (coverage(&fork) - before);
        bonus.push(reward + gamma * value(&fork, 3, gamma));
    }
    assert_ne!(best(&plain), best(&bonus));
}

#[test]
fn shaped_returns_differ_by_the_potentials_at_both_ends_alone() {
    let check = |calls: &[&str], gamma: f64, terminated: bool| {
        let shaping = Shaping { gamma, weight: 0.7 };
        let (mut plain, mut shaped) = (gym(RewardScheme::Published, None), gym(RewardScheme::Published, Some(shaping)));
        let at_start = shaping.potential(&shaped.setup().trainer, shaped.player(), false);
        let (mut bare, mut paid, mut discount) = (0.0, 0.0, 1.0);
        for call in calls {
            bare += discount * plain.step(call).reward;
            paid += discount * shaped.step(call).reward;
            discount *= gamma;
        }
        let at_end = shaping.potential(&shaped.setup().trainer, shaped.player(), terminated);
        assert!((paid - bare - (discount * at_end - at_start)).abs() < 1e-12, "{calls:?}");
    };
    for gamma in [1.0, 0.99, 0.5] {
        check(&CALLS[..5], gamma, true);
        check(&CALLS[..3], gamma, false);
        check(&[CALLS[1], CALLS[0], CALLS[5]], gamma, true);
        check(&[CALLS[0]; 8], gamma, false);
    }
}

#[test]
fn rewards_are_what_they_say() {
    let check = |reward: RewardScheme, calls: &[&str], expect: f64| {
        let mut gym = gym(reward, None);
        let total: f64 = calls.iter().map(|call| gym.step(call).reward).sum();
        assert!((total - expect).abs() < 1e-9, "{reward:?} {calls:?}: {total}");
    };
    check(RewardScheme::Sparse, &[CALLS[0], CALLS[1], CALLS[3], CALLS[4]], 1.0);
    check(RewardScheme::Sparse, &[CALLS[4]], 0.0);
    check(RewardScheme::Sparse, &[CALLS[5]], 0.0);
    check(RewardScheme::Impact, &[CALLS[5]], 0.0);
    let mut helped = gym(RewardScheme::Impact, None);
    let avoided: f64 = [CALLS[0], CALLS[3], CALLS[4]].iter().map(|call| helped.step(call).reward).sum();
    assert!((0.1..=1.0).contains(&avoided), "{avoided}");
    assert_eq!("sprase".parse::<RewardScheme>(), Err("unknown reward `sprase`: did you mean `sparse`?".to_string()));
}
