//! `team`: native tool calls in four roles. One finds out, one mends, one checks before it counts, and what did not help is
//! undone and tried in another way.
//!
//! One model plays all roles and sees the whole history; the role is a part of its instructions. Nothing is done in its place
//! but to let time pass between mending and checking.

use harness::{Agent, Brief, Move, ToolDoc, Turn};

use crate::extract::Extracted;
use crate::model::{ModelAnswer, Stopped};
use crate::prompts;

use super::AgentOptions;
use super::conversation::Conversation;
use super::history::Transcript;
use super::tools::{action, spec};

/// So often a change is undone and another one is tried.
const RETRIES: u32 = 2;
/// What closes an incident, in a cluster and elsewhere.
const CLOSING: [&str; 2] = ["submit", "resolve_incident"];
/// What ends the first role where there is a tool for it.
const DIAGNOSIS: &str = "submit_diagnosis";
/// What passes before a change is checked, where time can be let pass.
const SETTLE: &str = "wait(60)";

/// Starts the loop.
pub(super) fn start(mut conversation: Conversation, brief: &Brief, options: AgentOptions) -> Box<dyn Agent> {
    conversation.tools = brief.tools.iter().map(spec).collect();
    let history = Transcript::new(&brief.text, options.history);
    Box::new(Team { conversation, history, tools: brief.tools.clone(), role: TeamRole::Diagnose, retries: RETRIES })
}

struct Team {
    conversation: Conversation,
    history: Transcript,
    tools: Vec<ToolDoc>,
    role: TeamRole,
    /// Attempts that are left.
    retries: u32,
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TeamRole {
    Diagnose,
    Mitigate,
    Check,
    Undo,
}

impl TeamRole {
    fn name(self) -> &'static str {
        match self {
            TeamRole::Diagnose => "diagnose",
            TeamRole::Mitigate => "mitigate",
            TeamRole::Check => "check",
            TeamRole::Undo => "undo",
        }
    }

    /// Who is asked after this answer.
    fn after(self, said: &str, tool: &str, retries: u32) -> TeamRole {
        let closes = CLOSING.contains(&tool);
        match self {
            TeamRole::Diagnose if tool == DIAGNOSIS || said.contains("DIAGNOSIS IS DONE") => TeamRole::Mitigate,
            TeamRole::Diagnose | TeamRole::Mitigate if closes => TeamRole::Check,
            TeamRole::Check if said.contains("UNDO") && !closes && retries > 0 => TeamRole::Undo,
            TeamRole::Undo if said.contains("UNDONE") || closes => TeamRole::Mitigate,
            other => other,
        }
    }
}

impl Agent for Team {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.history.observe(turn.observation);
        match self.answer(turn) {
            Ok(next) => next,
            Err(stopped) => stopped.into(),
        }
    }
}

impl Team {
    /// What is done in this turn. A role that hands over without an action lets the next one act in the same turn.
    fn answer(&mut self, turn: &Turn<'_>) -> Result<Move, Stopped> {
        loop {
            let notes = prompts::find("team").expect("it is in the table");
            let answer = self.conversation.ask(self.history.messages(), notes.section(self.role.name()), turn.step)?;
            self.history.said(&answer);
            let called = self.called(&answer);
            let tool = called.as_deref().map_or("", |text| text.split('(').next().unwrap_or_default().trim());
            let before = self.role;
            self.role = before.after(&answer.text, tool, self.retries);
            if self.role == TeamRole::Undo && before == TeamRole::Check {
                self.retries -= 1;
            }
            // Before it is closed it is checked, once the change has had time to work.
            let handed = before != TeamRole::Check && CLOSING.contains(&tool);
            match called {
                Some(_) if handed && self.can_wait() => return Ok(self.conversation.act(SETTLE.to_string())),
                Some(_) if handed => self.history.observe("It is not closed yet: a colleague checks it first."),
                Some(text) => return Ok(self.conversation.act(text)),
                None if before != self.role => self.history.observe("Noted."),
                None => return Ok(self.conversation.fumble(answer.text)),
            }
        }
    }

    fn can_wait(&self) -> bool {
        self.tools.iter().any(|tool| tool.name == "wait")
    }

    fn called(&self, answer: &ModelAnswer) -> Option<String> {
        if let Some(call) = answer.tool_calls.first() {
            return Some(action(call));
        }
        match self.conversation.action(&answer.text) {
            Extracted::Found { text, .. } => Some(text),
            Extracted::NotFound => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_each_other() {
        use TeamRole::{Check, Diagnose, Mitigate, Undo};
        let check = |role: TeamRole, said: &str, tool: &str, retries: u32, expect: TeamRole| {
            assert_eq!(role.after(said, tool, retries), expect, "{role:?} {said} {tool}");
        };
        check(Diagnose, "", "kubectl", 2, Diagnose);
        check(Diagnose, "", "submit_diagnosis", 2, Mitigate);
        check(Diagnose, "DIAGNOSIS IS DONE", "", 2, Mitigate);
        check(Mitigate, "", "kubectl", 2, Mitigate);
        check(Mitigate, "", "submit", 2, Check);
        check(Check, "", "kubectl", 2, Check);
        check(Check, "UNDO: it still pages", "", 2, Undo);
        check(Check, "UNDO: it still pages", "", 0, Check);
        check(Check, "", "submit", 2, Check);
        check(Undo, "", "kubectl", 1, Undo);
        check(Undo, "UNDONE", "", 1, Mitigate);
    }
}
