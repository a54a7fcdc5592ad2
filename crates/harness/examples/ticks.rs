//! What the length of ticks does to harm: what users feel in half an hour after the page without any action, as time passes where no agent looks
//! and in ticks of a scrape, both by those of play, and in those of play by ticks of a second. `metastable` is left out: its time passes in ticks of play in any case.
//! `cargo run --release -p sre-zero-harness --example ticks`.

// Like the tests it is a referee: it may see tasks, and prints.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros)]

use harness::{Noise, Scenario, suites, tasks};
use world::{SCRAPE, Span, TICK, Time, World};

const SUITES: [&str; 5] = ["srezero-40", "recovery", "observation", "compound", "postmortems"];
const SEEDS: std::ops::Range<u64> = 300..305;
const WATCHED: Span = Span::mins(30);
/// Harm that is further off is counted.
const FAR: f64 = 0.1;

fn main() {
    println!(
        "| suite | incidents | unwatched by play, mean | beyond a tenth | a scrape by play, mean | beyond a tenth | play by a \
         second, mean | beyond a tenth |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut all = [const { Vec::new() }; 3];
    for suite in SUITES {
        let tasks = suites::select(tasks::embedded(), suite).expect("the suite is carried");
        let mut off = [const { Vec::new() }; 3];
        for (task, seed) in tasks.iter().flat_map(|task| SEEDS.map(move |seed| (task, seed))) {
            let scenario = Scenario::prepare(task, seed, Noise(0)).expect("the carried tasks page");
            let [finest, play, scrape] =
                [Span::secs(1), TICK, SCRAPE].map(|tick| felt(&scenario, |world, end| world.run_in_ticks(end, tick)));
            let unwatched = felt(&scenario, World::run_unwatched);
            off[0].push((unwatched / play - 1.0).abs());
            off[1].push((scrape / play - 1.0).abs());
            off[2].push((play / finest - 1.0).abs());
        }
        print(suite, &off);
        all.iter_mut().zip(off).for_each(|(all, off)| all.extend(off));
    }
    print("all", &all);
}

/// Requests that fail or are slow.
fn felt(scenario: &Scenario, run: impl Fn(&mut World, Time)) -> f64 {
    let mut world = scenario.at_page().clone();
    let wrong = |world: &World| world.impact().routes.iter().map(|route| route.failed + route.slow).sum::<f64>();
    let before = wrong(&world);
    let end = world.now() + WATCHED;
    run(&mut world, end);
    (wrong(&world) - before).max(1e-9)
}

fn print(name: &str, off: &[Vec<f64>; 3]) {
    let mean = |off: &[f64]| 100.0 * off.iter().sum::<f64>() / off.len() as f64;
    let far = |off: &[f64]| off.iter().filter(|off| **off > FAR).count();
    let cells = off.iter().map(|off| format!(" {:.1} % | {} |", mean(off), far(off)));
    println!("| {name} | {} |{}", off[0].len(), cells.collect::<String>());
}
