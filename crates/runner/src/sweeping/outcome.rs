//! How a run ended.

/// How a run ended that could do its work; of two parts, the later one in this list counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunOutcome {
    /// All is well.
    Fine,
    /// It was played to its end, and an episode failed.
    Failed,
    /// It was stopped before its end, by a pause file or a cap; the same command goes on.
    Paused,
    /// It was stopped with Ctrl-C; the same command goes on.
    Interrupted,
}
