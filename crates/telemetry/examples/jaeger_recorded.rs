//! Compares with a real Jaeger: `cargo run -p sre-zero-telemetry --example jaeger_recorded -- SPANS.jsonl RECORDED.jsonl`.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example reads files and prints")]

fn main() {
    let mut paths = std::env::args().skip(1);
    let (Some(data), Some(recorded)) = (paths.next(), paths.next()) else {
        eprintln!("jaeger_recorded SPANS.jsonl RECORDED.jsonl");
        std::process::exit(2);
    };
    let read = |path: &str| std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"));
    let outcome = read(&data).and_then(|data| telemetry::conformance::run_jaeger_recorded(&data, &read(&recorded)?));
    match outcome {
        Ok(verdicts) => {
            print!("{}", verdicts.report());
            std::process::exit(i32::from(!verdicts.failures.is_empty()));
        }
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(2);
        }
    }
}
