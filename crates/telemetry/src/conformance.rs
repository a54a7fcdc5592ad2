//! Runners that try data of a known form on the engines: Prometheus' test scripts and recorded answers of real servers.
//!
//! Texts in, verdicts out; the examples of this crate read the files and print.

mod alertmanager_recorded;
mod fuzz;
mod jaeger_recorded;
mod loki_recorded;
mod prometheus_recorded;
mod recorded;
mod script;
mod script_case;

pub use alertmanager_recorded::run_alertmanager_recorded;
pub use fuzz::{QueryMaker, compare_with_real};
pub use jaeger_recorded::run_jaeger_recorded;
pub use loki_recorded::run_loki_recorded;
pub use prometheus_recorded::run_promql_recorded;
pub use script::run_script;

/// What a runner found.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// How many cases came out as they should.
    pub passed: usize,
    /// What went wrong, one text per case.
    pub failures: Vec<String>,
}

impl Verdicts {
    pub(crate) fn note(&mut self, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(text) => self.failures.push(text),
        }
    }

    /// Adds what another run found.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
    }

    /// `12 passed, 1 failed` and the failures, one paragraph each.
    pub fn report(&self) -> String {
        let mut out = String::new();
        for failure in &self.failures {
            out.push_str(failure);
            out.push('\n');
        }
        out.push_str(&format!("{} passed, {} failed\n", self.passed, self.failures.len()));
        out
    }
}
