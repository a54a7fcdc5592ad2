//! A question: one ask with its own instructions, and the reply as it stands. Every profile asks it the same way,
//! because there is nothing to look at and nothing to call.

use harness::{Agent, Messages, Move, Turn};

use crate::model::{ChatMessage, ModelAnswer};

use super::conversation::Conversation;

/// Starts the one ask.
pub(super) fn start(conversation: Conversation, messages: &Messages) -> Box<dyn Agent> {
    Box::new(Asking { conversation, user: messages.user.clone() })
}

struct Asking {
    conversation: Conversation,
    user: String,
}

impl Agent for Asking {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        match self.conversation.ask(vec![ChatMessage::user(self.user.as_str())], "", turn.step) {
            Ok(answer) => {
                let cut = is_cut(&answer);
                self.conversation.reply(answer.text, cut)
            }
            Err(stopped) => stopped.into(),
        }
    }
}

/// Whether the provider says that the reply ended at the token limit, in any provider's word.
fn is_cut(answer: &ModelAnswer) -> bool {
    matches!(answer.finish.to_ascii_lowercase().as_str(), "length" | "max_tokens" | "max_output_tokens")
}
