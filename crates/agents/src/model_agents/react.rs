//! `react`: thought and action, with the history of both.

use harness::{Agent, Brief, Move, Turn};

use crate::extract::Extracted;

use super::AgentOptions;
use super::conversation::Conversation;
use super::history::Transcript;
use super::procedure::notice;

/// Starts the loop.
pub(super) fn start(conversation: Conversation, brief: &Brief, options: AgentOptions) -> Box<dyn Agent> {
    Box::new(React { conversation, history: Transcript::new(&brief.text, options.history), note: String::new() })
}

struct React {
    conversation: Conversation,
    history: Transcript,
    note: String,
}

impl Agent for React {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.history.observe(turn.observation);
        let note = std::mem::take(&mut self.note);
        let answer = match self.conversation.ask(self.history.messages(), &note, turn.step) {
            Ok(answer) => answer,
            Err(stopped) => return stopped.into(),
        };
        self.history.said(&answer);
        match self.conversation.action(&answer.text) {
            Extracted::Found { text, more } => {
                if more > 0 {
                    self.note = notice("several", "{action}", &text);
                }
                self.conversation.act(text)
            }
            Extracted::NotFound => self.conversation.fumble(answer.text),
        }
    }
}
