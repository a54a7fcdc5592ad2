//! Rows of a bench: the time that a thread had a core, and the best of several rounds.

use std::time::Duration;

/// A busy machine only ever makes things slower, so the best of so many rounds counts.
const ROUNDS: usize = 7;

/// The time that this thread had a core, where the system tells it; else the time on the wall.
pub struct Stopwatch(Duration);

impl Stopwatch {
    fn now() -> Duration {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        let nanos = told.and_then(|text| text.split(' ').next()?.parse().ok());
        static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        nanos.map_or_else(|| BEGIN.get_or_init(std::time::Instant::now).elapsed(), Duration::from_nanos)
    }

    pub fn start() -> Stopwatch {
        Stopwatch(Stopwatch::now())
    }

    pub fn elapsed(&self) -> Duration {
        Stopwatch::now() - self.0
    }
}

/// Prints a row.
pub fn row(name: &str, figure: f64, unit: &str) {
    println!("{name:<66} {figure:>14.0} {unit}");
}

/// Things per second: `round` says how many it did.
pub fn best(mut round: impl FnMut(u64) -> usize) -> f64 {
    let rate = |n: usize, took: Duration| n as f64 / took.as_secs_f64();
    (0..ROUNDS as u64)
        .map(|r| {
            let start = Stopwatch::start();
            let done = round(r);
            rate(done, start.elapsed())
        })
        .fold(0.0, f64::max)
}
