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

/// A shorter time is not told well: the system counts at its ticks, a few milliseconds apart.
const SHORTEST: Duration = Duration::from_millis(400);

/// Things per second: `round` says how many it did. It is asked until the time can be told, each time with a new number.
pub fn best(mut round: impl FnMut(u64) -> usize) -> f64 {
    let mut numbers = 0..;
    let mut rate = || {
        let start = Stopwatch::start();
        let mut done = 0;
        // Looking at the time costs some, too: it is looked at after one round, two more, four more.
        for more in (0..).map(|n| 1 << n) {
            done += numbers.by_ref().take(more).map(&mut round).sum::<usize>();
            if start.elapsed() >= SHORTEST {
                break;
            }
        }
        done as f64 / start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(|_| rate()).fold(0.0, f64::max)
}
