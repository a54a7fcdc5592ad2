//! `react`: thought and action, with the history of both.

use harness::{Agent, Brief, Move, Turn};

use crate::extract::Extracted;

use super::Options;
use super::history::History;
use super::order::notice;
use super::talk::Talk;

/// Starts the loop.
pub(super) fn start(talk: Talk, brief: &Brief, options: Options) -> Box<dyn Agent> {
    Box::new(React { talk, history: History::new(&brief.text, options.history), note: String::new() })
}

struct React {
    talk: Talk,
    history: History,
    note: String,
}

impl Agent for React {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        self.history.observe(turn.observation);
        let note = std::mem::take(&mut self.note);
        let answer = match self.talk.ask(self.history.messages(), &note, turn.step) {
            Ok(answer) => answer,
            Err(stopped) => return stopped.into(),
        };
        self.history.said(&answer);
        match self.talk.action(&answer.text) {
            Extracted::Found { text, more } => {
                if more > 0 {
                    self.note = notice("several", "{action}", &text);
                }
                self.talk.act(text)
            }
            Extracted::NotFound => self.talk.fumble(answer.text),
        }
    }
}
