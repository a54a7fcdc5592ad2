//! Dice, thrown anew for every question: the model's name and the conversation are the seed.

use std::sync::Arc;

use harness::{AgentKind, AnswerKey, ExchangeLog, Move, Start, Turn};

use super::case::Case;
use crate::fake_provider::faults::address;
use crate::fake_provider::prompt::IncomingPrompt;
use crate::random::Random;

/// What the dice say.
pub fn answer(case: &Case, prompt: &IncomingPrompt) -> String {
    let said = prompt.messages.iter().map(|message| message.text.as_bytes());
    // The instructions count too: without history they alone tell one step from the next.
    let parts: Vec<&[u8]> = [prompt.model.as_bytes(), prompt.system.as_bytes()].into_iter().chain(said).collect();
    let start = Start {
        seed: address(&parts),
        key: &AnswerKey::default(),
        memory: Arc::default(),
        exchanges: ExchangeLog::in_memory(),
    };
    let turn = Turn { brief: &case.brief, observation: "", invalid: false, step: 1, steps_left: case.brief.steps };
    match Random.start(&case.brief, start).act(&turn) {
        Move::Act(saying) => saying.text,
        _ => String::new(),
    }
}
