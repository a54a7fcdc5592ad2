//! Prometheus' own scripts, where they stand beside the checkout, and scripts of our own.

#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a test reads files and says what it skips")]

use std::path::Path;

use telemetry::conformance::{Verdicts, run_script};
use telemetry::promql::Features;

/// Runs all scripts of a folder.
fn run_folder(folder: &Path, features: Features) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "test"))
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a script");
        verdicts.add(run_script(&path.display().to_string(), &text, features));
    }
    verdicts
}

#[test]
fn scripts_of_the_real_engine_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/telemetry/promql");
    if !folder.exists() {
        println!("skipped: Prometheus' scripts do not stand beside this checkout");
        return;
    }
    let stable = run_folder(&folder, Features::default());
    assert_eq!(stable.failures, Vec::<String>::new());
    assert!(stable.passed >= 500, "{} cases ran", stable.passed);
    let experimental = run_folder(&folder.join("experimental"), Features::all());
    assert_eq!(experimental.failures, Vec::<String>::new());
    assert!(experimental.passed >= 200, "{} cases ran", experimental.passed);
}

#[test]
fn our_own_scripts_pass() {
    let verdicts = run_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promql"), Features::default());
    assert_eq!(verdicts.failures, Vec::<String>::new());
    assert!(verdicts.passed >= 30, "{} cases ran", verdicts.passed);
}

#[test]
fn a_wrong_expectation_fails() {
    let script = "load 1m\n  a 1 2\n\neval instant at 1m a\n  a 3\n\neval instant at 1m a\n  a 2\n";
    let verdicts = run_script("wrong", script, Features::default());
    assert_eq!((verdicts.passed, verdicts.failures.len()), (1, 1));
}
