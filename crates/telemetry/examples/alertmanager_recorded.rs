//! Compares with a real Alertmanager: `cargo run -p sre-zero-telemetry --example alertmanager_recorded -- RECORDED.jsonl`.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example reads files and prints")]

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("alertmanager_recorded RECORDED.jsonl");
        std::process::exit(2);
    };
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"));
    match text.and_then(|text| telemetry::conformance::run_alertmanager_recorded(&text)) {
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
