//! The time of whole life cycles: `cargo run --release -p sre-zero-terraform --example life_cycle_speed`.
//!
//! One verdict is: extraction, syntax, init, validate, plan, apply, checks, second plan, destroy; and for tasks with other
//! values of their variables all of it up to the checks once more.

use std::time::{Duration, Instant};

use terraform::generate::{GeneratedTask, TaskFamily, generate};

/// Nanoseconds that this process has computed so far, where the system says so: a busy machine does not change them.
#[allow(clippy::disallowed_methods)]
fn computed() -> Option<u64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

fn main() {
    let mut worst = Duration::ZERO;
    for family in TaskFamily::ALL {
        let made = generate(family, 3);
        let reply = GeneratedTask::reply(&made.reference());
        let before = computed();
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let start = Instant::now();
                let verdict = made.task.judge(&reply);
                assert!(verdict.passed, "{:?}", verdict.stages);
                start.elapsed()
            })
            .collect();
        let own = computed().zip(before).map(|(after, before)| Duration::from_nanos((after - before) / 200));
        times.sort();
        worst = worst.max(own.unwrap_or(times[100]));
        let own = own.map_or_else(|| "unknown".to_owned(), |t| format!("{t:.2?}"));
        let (least, median, most) = (times[0], times[100], times[198]);
        println!(
            "{:<18} computed {own:>9}  least {least:>8.2?}  median {median:>8.2?}  99 % {most:>8.2?}",
            family.name()
        );
    }
    println!("largest {worst:?}");
}
