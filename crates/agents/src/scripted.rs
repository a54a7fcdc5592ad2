//! `scripted`: plays the task's own solution. No agent can do better, so it marks the upper bound.

use harness::{Agent, AgentKind, Brief, Move, Start, Turn};

/// The kind.
pub struct Scripted;

impl AgentKind for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn about(&self) -> &'static str {
        "plays the task's own solution: the upper bound"
    }

    fn start(&self, _: &Brief, Start { key, .. }: Start<'_>) -> Box<dyn Agent> {
        Box::new(ScriptedAgent { calls: key.solution.clone().into_iter() })
    }

    fn uses_answer_key(&self) -> bool {
        true
    }
}

struct ScriptedAgent {
    calls: std::vec::IntoIter<String>,
}

impl Agent for ScriptedAgent {
    fn act(&mut self, _: &Turn<'_>) -> Move {
        self.calls.next().into()
    }
}
