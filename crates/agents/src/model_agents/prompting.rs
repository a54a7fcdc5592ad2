//! `prompting`: the brief and the latest observation, and nothing older.

use harness::{Agent, Brief, Move, Turn};

use crate::extract::Extracted;
use crate::model::ChatMessage;

use super::AgentOptions;
use super::conversation::Conversation;

/// Starts the loop.
pub(super) fn start(conversation: Conversation, _: &Brief, _: AgentOptions) -> Box<dyn Agent> {
    Box::new(Prompting { conversation })
}

struct Prompting {
    conversation: Conversation,
}

impl Agent for Prompting {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        let note = format!("This is action {} of {}.", turn.step, turn.brief.steps);
        let answer = match self.conversation.ask(vec![ChatMessage::user(question(turn))], &note, turn.step) {
            Ok(answer) => answer,
            Err(stopped) => return stopped.into(),
        };
        match self.conversation.action(&answer.text) {
            Extracted::Found { text, .. } => self.conversation.act(text),
            Extracted::NotFound => self.conversation.fumble(answer.text),
        }
    }
}

fn question(turn: &Turn<'_>) -> String {
    let brief = &turn.brief.text;
    if turn.step == 1 { brief.clone() } else { format!("{brief}\nObservation:\n{}", turn.observation) }
}
