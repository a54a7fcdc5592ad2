//! The suites that a task file may list, and the version of them all.

use faces::unknown_name;

/// The version of the tasks and their grading: a change that moves scores raises it.
pub const SUITE_VERSION: u32 = 3;

/// The suite that a run takes if none is named; difficulties are taken from it.
pub const DEFAULT: &str = "srezero-40";

/// The suites that a task file may list.
pub(crate) const LISTED: &[&str] =
    &["srezero-25", DEFAULT, "recovery", "observation", "metastable", "compound", "postmortems"];

/// Whether a task file may list a suite.
pub(crate) fn is_listed(suite: &str) -> Result<(), String> {
    if LISTED.contains(&suite) { Ok(()) } else { Err(unknown_name("suite", suite, LISTED, "known are")) }
}
