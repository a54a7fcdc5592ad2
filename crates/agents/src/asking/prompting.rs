//! `prompting`: the brief and the latest observation, and nothing older.

use harness::{Agent, Brief, Move, Turn};

use crate::extract::Extracted;
use crate::model::ChatMessage;

use super::Options;
use super::talk::Talk;

/// Starts the loop.
pub(super) fn start(talk: Talk, _: &Brief, _: Options) -> Box<dyn Agent> {
    Box::new(Prompting { talk })
}

struct Prompting {
    talk: Talk,
}

impl Agent for Prompting {
    fn act(&mut self, turn: &Turn<'_>) -> Move {
        let note = format!("This is action {} of {}.", turn.step, turn.brief.steps);
        let answer = match self.talk.ask(vec![ChatMessage::user(question(turn))], &note, turn.step) {
            Ok(answer) => answer,
            Err(stopped) => return stopped.into(),
        };
        match self.talk.action(&answer.text) {
            Extracted::Found { text, .. } => self.talk.act(text),
            Extracted::NotFound => self.talk.fumble(answer.text),
        }
    }
}

fn question(turn: &Turn<'_>) -> String {
    let brief = &turn.brief.text;
    if turn.step == 1 { brief.clone() } else { format!("{brief}\nObservation:\n{}", turn.observation) }
}
