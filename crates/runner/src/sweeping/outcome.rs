//! How a run ended.

use std::collections::BTreeSet;

use record::EpisodeLine;

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

/// Agents that crashed before their first action in every episode: as a rule the command is wrong, and not the agent.
pub fn never_acted(lines: &[EpisodeLine]) -> Vec<&str> {
    let mut agents: BTreeSet<&str> = lines.iter().map(|line| line.score.agent.as_str()).collect();
    for line in lines {
        if line.score.steps > 0 || line.score.ending.word != "crashed" {
            agents.remove(line.score.agent.as_str());
        }
    }
    agents.into_iter().collect()
}

/// Whether a run to its end came to nothing: no episode counts, or no agent ever acted.
pub fn is_unmeasured(lines: &[EpisodeLine]) -> bool {
    let idle = never_acted(lines);
    let counts = |line: &EpisodeLine| line.score.counts() && !idle.contains(&line.score.agent.as_str());
    !lines.is_empty() && !lines.iter().any(counts)
}
