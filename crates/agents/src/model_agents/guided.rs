//! `guided`: as `react`, under a controller that sends answers back: those without an action, fixes
//! without evidence, and resolutions without a fix. It knows what the model was shown and nothing else,
//! and it never acts in the model's place: what is insisted upon is done.

use harness::{Agent, Brief, Move, Turn};

use crate::extract::Extracted;
use crate::model::{ModelAnswer, Stopped};

use super::AgentOptions;
use super::conversation::Conversation;
use super::history::Transcript;
use super::procedure::{Procedure, notice};

/// So often an answer is sent back within one step.
const ASKS_AGAIN: u32 = 2;
/// After so many steps in a row without any action there is no point in going on.
const SILENT_STEPS: u32 = 3;

/// Starts the loop.
pub(super) fn start(conversation: Conversation, brief: &Brief, options: AgentOptions) -> Box<dyn Agent> {
    let history = Transcript::new(&brief.text, options.history);
    Box::new(Guided { conversation, history, procedure: Procedure::new(brief), silent: 0 })
}

struct Guided {
    conversation: Conversation,
    history: Transcript,
    procedure: Procedure,
    /// Steps in a row without any action.
    silent: u32,
}

impl Agent for Guided {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        if self.silent >= SILENT_STEPS {
            return Move::GiveUp;
        }
        self.history.observe(turn.observation);
        self.procedure.observe(turn.invalid);
        match self.answer(turn) {
            Ok((answer, Some(action))) => {
                self.silent = 0;
                self.history.said(&answer);
                self.procedure.acts(&action);
                self.conversation.act(action)
            }
            Ok((answer, None)) => {
                self.silent += 1;
                self.history.said(&answer);
                self.conversation.fumble(answer.text)
            }
            Err(stopped) => stopped.into(),
        }
    }
}

impl Guided {
    /// An answer with its action, in order if the model can be brought to it.
    fn answer(&mut self, turn: &Turn<'_>) -> Result<(ModelAnswer, Option<String>), Stopped> {
        let mut note = String::new();
        let mut asked = 0;
        loop {
            let answer = self.conversation.ask(self.history.messages(), &note, turn.step)?;
            let action = match self.conversation.action(&answer.text) {
                Extracted::Found { text, .. } => Some(text),
                Extracted::NotFound => None,
            };
            let objection = match &action {
                None => Some(notice("malformed", "{answer}", &clipped(&answer.text))),
                Some(action) => self.procedure.objects(action).map(|rule| notice(rule, "{action}", action)),
            };
            match objection {
                Some(objection) if asked < ASKS_AGAIN => note = objection,
                _ => return Ok((answer, action)),
            }
            asked += 1;
        }
    }
}

/// Enough of an answer to recognise it.
fn clipped(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None if text.trim().is_empty() => "(nothing)".to_string(),
        None => text.to_string(),
    }
}
