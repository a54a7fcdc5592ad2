//! What generated tasks and worlds of all sizes cost, on one core; `cargo bench -p sre-zero-agents --bench episodes` has the
//! rows of incidents and steps. Each row is the best of several rounds, because a busy machine only ever makes things slower, and
//! counts the time that the thread had the core. `fresh`, `certified` or `worlds` runs these rows alone.

#[path = "../../agents/benches/rows/mod.rs"]
mod rows;

use std::hint::black_box;
use std::sync::Arc;

use harness::generate::{Generator, GeneratorOptions, TriedBy};
use harness::{Episode, EpisodeOptions, Noise, Span, Stop};
use rows::{Stopwatch, best, row};
use world::{Blueprint, Seed, World};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    // `cargo test` also builds benches and asks them to list their tests; there are none.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    println!("{:<66} {:>14}", "one core, best of several rounds", "");
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let parts: [(&str, fn()); 3] = [("fresh", generated), ("certified", certified), ("worlds", worlds)];
    for (_, part) in parts.iter().filter(|(name, _)| words.is_empty() || words.iter().any(|word| word == name)) {
        part();
    }
}

/// New tasks by number, each with the start of an episode: drawn, broken, paged, looked at.
fn generated() {
    const EACH: u64 = 100;
    for (services, name) in [((5, 5), "5 services"), ((3, 50), "3 to 50 services")] {
        let generator = Generator::new(7, GeneratorOptions { services, ..GeneratorOptions::default() });
        let rate = best(|round| {
            for number in round * EACH..(round + 1) * EACH {
                let scenario = generator.start(number).expect("there are fair incidents");
                black_box(Episode::start(&scenario, EpisodeOptions::default()).observation().len());
            }
            EACH as usize
        });
        row(&format!("fresh tasks of {name}, certified lightly and started"), rate, "/s");
    }
}

/// Tasks with all their certificates, as `sre-zero generate` makes them; they are made on threads of their own, so
/// this row alone is by the clock on the wall.
fn certified() {
    const EACH: usize = 20;
    let responder = agents::find("runbook").expect("it is carried");
    let start = std::time::Instant::now();
    let generator = Generator::new(7, GeneratorOptions::default());
    let batch = generator
        .batch(EACH, 1, TriedBy { responder, blind: agents::blind::WITH_MEMORY }, &Stop::default(), |_| {})
        .expect("there are fair incidents");
    let took = start.elapsed().as_secs_f64();
    row("tasks of 3 to 50 services with all certificates, on the wall", batch.made.len() as f64 / took, "/s");
}

fn worlds() {
    let shop = world::shop();
    let mut per_service = Vec::new();
    for copies in [1, 10, 200, 1000] {
        let plan = Arc::new(Blueprint::compile(&shop.copies(copies)).expect("copies of a valid world"));
        let healthy = World::healthy(&plan, Seed(1), Noise(0));
        let mut world = healthy.clone();
        let span = Span::secs(20_000 / copies as u64 / 5 * 5);
        let rate = best(|_| {
            // No incident has a history of days: asking the system for ever more memory would be measured instead.
            if world.now().since(healthy.now()).0 >= 100 * span.0 {
                world = healthy.clone();
            }
            let end = world.now() + span;
            world.run_until(end);
            span.as_secs() as usize
        });
        let services = plan.services.len();
        row(&format!("simulated seconds per second, {services} services"), rate, "");
        per_service.push(rate * services as f64);
        if copies == 1 {
            let start = Stopwatch::start();
            (0..10_000).for_each(|_| drop(black_box(world.clone())));
            row("clones of a live world of 5 services", 10_000.0 / start.elapsed().as_secs_f64(), "/s");
            row("bytes of a live world of 5 services, shared history apart", world.bytes() as f64, "B");
            row("bytes of its history, shared between clones", world.history().bytes() as f64, "B");
        }
    }
    println!(
        "cost per service against 5 services: 50 services {:.2}x, 1000 services {:.2}x, 5000 services {:.2}x",
        per_service[0] / per_service[1],
        per_service[0] / per_service[2],
        per_service[0] / per_service[3]
    );
}
