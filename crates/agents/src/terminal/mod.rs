//! Agents at a terminal with kubectl: what the usual kinds do where a problem is one of a cluster, and tricks that must
//! not pass.

pub mod random;
pub mod runbook;
pub mod tricks;

use harness::{Agent, Brief, Move, Turn};

/// Whether a brief is that of a problem in a cluster.
pub(crate) fn is_terminal(brief: &Brief) -> bool {
    brief.toolset.name() == "terminal"
}

/// A diagnosis as an action; the answer is a structured one, or empty.
pub(crate) fn diagnosis(text: &str, answer: &str) -> String {
    let quoted = |text: &str| text.replace('\\', " ").replace('"', "'");
    match answer {
        "" => format!("submit_diagnosis(diagnosis=\"{}\")", quoted(text)),
        answer => format!("submit_diagnosis(diagnosis=\"{}\", cause=\"{}\")", quoted(text), quoted(answer)),
    }
}

/// Does one thing after the other, whatever comes back.
pub(crate) struct LinePlan(pub(crate) std::vec::IntoIter<String>);

impl Agent for LinePlan {
    fn act(&mut self, _: &Turn<'_>) -> Move {
        self.0.next().into()
    }
}
