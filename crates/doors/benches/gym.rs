//! What a learner's step costs without Python around it: `cargo bench -p sre-zero-doors --bench gym`.
//! One thread, valid actions at random, resets included, best of several rounds. Words that
//! follow pick rows by name: `-- "fresh incidents of 5"`.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use doors::gym::{ActionSpace, Autoreset, GymActions, GymBatch, GymSetup, Layout, RewardScheme, VectorGym};
use harness::generate::{Generator, GeneratorOptions};
use harness::{EpisodeOptions, Noise, Pool, Referee, ToolSet, suites, tasks};

/// As in the package.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |row: &str| words.iter().all(|word| word.contains('=') || row.contains(word.as_str()));
    let tell = |row: &str, rate: &dyn Fn() -> f64| {
        if is_wanted(row) {
            println!("{row:<60} {:>12.0} /s", rate());
        }
    };
    for (services, name) in [((5, 5), "5 services"), ((3, 50), "3 to 50 services")] {
        let row = format!("structured steps, fresh incidents of {name}");
        tell(&row, &|| structured(&generated(services), rounds.min(5)));
    }
    tell("structured steps, prepared incidents", &|| structured(&setup(true), rounds));
    tell("text steps, prepared incidents", &|| text(rounds));
}

/// Incidents by number, none of them met twice.
fn generated(services: (usize, usize)) -> Arc<GymSetup> {
    let generator = Generator::new(7, GeneratorOptions { services, ..GeneratorOptions::default() });
    let referee = Referee::new();
    Arc::new(GymSetup {
        pool: Pool::of_numbers(generator, 0..u64::MAX / 1024, 1, &referee).expect("there are numbers"),
        trainer: referee.trainer(),
        space: Some(ActionSpace::new(ToolSet::CLASSIC, services.1)),
        ..Arc::into_inner(setup(true)).expect("nothing else has it")
    })
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

fn structured(setup: &Arc<GymSetup>, rounds: usize) -> f64 {
    let (mut fleet, mut room) = (fleet(setup), Room::new(setup));
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
        let start = on_core();
        round();
        (ENVS * STEPS) as f64 / (on_core() - start).as_secs_f64()
    };
    (0..rounds).map(rate).fold(0.0, f64::max)
}

/// The time that this thread had a core, where the system tells it; else the time on the wall.
fn on_core() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
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
