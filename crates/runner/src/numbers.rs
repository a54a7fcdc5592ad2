//! Numbers on the command line that several flags take.

use std::num::NonZeroUsize;
use std::thread;

/// As many threads as asked for, or as the machine has.
pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get), usize::from)
}

/// A number of seconds or dollars.
pub fn non_negative(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it must be a number, such as 15 or 0.5".to_string())?;
    let sound = number.is_finite() && (0.0..=1e9).contains(&number);
    sound.then_some(number).ok_or_else(|| "it must be from 0 to 1000000000".to_string())
}
