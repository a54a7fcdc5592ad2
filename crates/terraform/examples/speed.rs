//! The time of whole life cycles: `cargo run --release -p sre-zero-terraform --example speed`.
//!
//! One verdict is: extraction, syntax, init, validate, plan, apply, checks, second plan, destroy; and for tasks with other
//! values of their variables all of it up to the checks once more.

use std::time::{Duration, Instant};

use terraform::generate::{GeneratedTask, TaskFamily, generate};

fn main() {
    let mut worst = Duration::ZERO;
    for family in TaskFamily::ALL {
        let made = generate(family, 3);
        let reply = GeneratedTask::reply(&made.reference());
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let start = Instant::now();
                let verdict = made.task.judge(&reply);
                assert!(verdict.passed, "{:?}", verdict.stages);
                start.elapsed()
            })
            .collect();
        times.sort();
        worst = worst.max(times[100]);
        println!(
            "{:<18} least {:>8.2?}  median {:>8.2?}  99 % {:>8.2?}",
            family.name(),
            times[0],
            times[100],
            times[198]
        );
    }
    println!("largest median {worst:?}");
}
