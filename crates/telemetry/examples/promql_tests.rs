//! Runs test scripts in Prometheus' format: `cargo run -p sre-zero-telemetry --example promql_tests -- FILES`.
//!
//! Files in a folder called `experimental` run with everything switched on.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example reads files and prints")]

use telemetry::conformance::{Verdicts, run_script};
use telemetry::promql::Features;

fn main() {
    let mut verdicts = Verdicts::default();
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                std::process::exit(2);
            }
        };
        let features = if path.contains("experimental") { Features::all() } else { Features::default() };
        verdicts.add(run_script(&path, &text, features));
    }
    print!("{}", verdicts.report());
    std::process::exit(i32::from(!verdicts.failures.is_empty()));
}
