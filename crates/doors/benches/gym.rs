//! What a learner's step costs without Python around it: `cargo bench -p sre-zero-doors --bench gym`.
//! One thread, valid actions at random, resets included, best of several rounds.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::sync::Arc;
use std::time::Instant;

use doors::gym::{ActionSpace, Autoreset, GymActions, GymBatch, GymSetup, Layout, RewardScheme, VectorGym};
use harness::{EpisodeOptions, Noise, Pool, Referee, ToolSet, suites, tasks};

const ENVS: usize = 256;
const STEPS: usize = 40;
const ROUNDS: usize = 20;

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let rounds =
        std::env::args().find_map(|a| a.strip_prefix("rounds=").and_then(|n| n.parse().ok())).unwrap_or(ROUNDS);
    println!("{:<48} {:>12.0} /s", "structured steps", structured(rounds));
    println!("{:<48} {:>12.0} /s", "text steps", text(rounds));
}

fn setup(structured: bool) -> Arc<GymSetup> {
    let tasks = suites::select(tasks::embedded(), suites::DEFAULT).expect("the forty are carried");
    let referee = Referee::new();
    Arc::new(GymSetup {
        pool: Pool::of_tasks(tasks, 3, Noise(0), 512, &referee).expect("there are tasks"),
        trainer: referee.trainer(),
        tools: ToolSet::CLASSIC,
        reward: RewardScheme::Published,
        shaping: None,
        space: structured.then(|| ActionSpace::new(ToolSet::CLASSIC, 5)),
        factored: structured,
        options: EpisodeOptions::default(),
    })
}

fn fleet(setup: &Arc<GymSetup>) -> VectorGym {
    VectorGym::new(setup, ENVS, 0, Autoreset::SameStep, 1).expect("the forty page")
}

fn structured(rounds: usize) -> f64 {
    let setup = setup(true);
    let (mut fleet, mut room) = (fleet(&setup), Room::new(&setup));
    best(rounds, || {
        for _ in 0..STEPS {
            let moves = fleet.sample();
            fleet.step(GymActions::Moves(&moves), &mut room.batch()).expect("it goes on by itself");
        }
    })
}

/// The texts are those of numbered actions, drawn beforehand by a scout that plays along.
fn text(rounds: usize) -> f64 {
    let (numbers, words) = (setup(true), setup(false));
    let (mut scout, mut room) = (fleet(&numbers), Room::new(&numbers));
    let mut draw = |_| {
        let moves = scout.sample();
        let said = moves.iter().enumerate().filter_map(|(at, action)| scout.gym(at).map(|gym| gym.text_of(*action)));
        let said: Vec<String> = said.collect();
        scout.step(GymActions::Moves(&moves), &mut room.batch()).expect("it goes on by itself");
        said
    };
    let script: Vec<Vec<String>> = (0..STEPS * (rounds + 1)).map(&mut draw).collect();
    let mut script = script.iter();
    let (mut fleet, mut room) = (fleet(&words), Room::new(&words));
    best(rounds, || {
        for texts in script.by_ref().take(STEPS) {
            fleet.step(GymActions::Texts(texts), &mut room.batch()).expect("it goes on by itself");
        }
    })
}

/// Steps per second of the best round; the first one prepares the incidents.
fn best(rounds: usize, mut round: impl FnMut()) -> f64 {
    round();
    let rate = |_| {
        let start = Instant::now();
        round();
        (ENVS * STEPS) as f64 / start.elapsed().as_secs_f64()
    };
    (0..rounds).map(rate).fold(0.0, f64::max)
}

/// Room for the results.
struct Room {
    rows: Vec<f32>,
    whole: Vec<f32>,
    mask: Vec<u8>,
    rewards: Vec<f64>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
}

impl Room {
    fn new(setup: &GymSetup) -> Room {
        let (layout, services) = (Layout::get(), setup.space.as_ref().map_or(0, ActionSpace::services));
        let whole = if services == 0 { 0 } else { layout.incident().len() };
        Room {
            rows: vec![0.0; ENVS * services * layout.service().len()],
            whole: vec![0.0; ENVS * whole],
            mask: vec![0; ENVS * setup.mask_len()],
            rewards: vec![0.0; ENVS],
            terminated: vec![false; ENVS],
            truncated: vec![false; ENVS],
        }
    }

    fn batch(&mut self) -> GymBatch<'_> {
        GymBatch {
            rows: &mut self.rows,
            whole: &mut self.whole,
            mask: &mut self.mask,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
        }
    }
}
