//! One episode's talk with its model: asks, counts, and says what was found.

use harness::{Brief, ModelTurn, Move, Saying};

use crate::extract::{Extracted, extract};
use crate::model::{ChatMessage, LanguageModel, ModelAnswer, ModelRequest, Sampling, Stopped, ToolSpec};
use crate::prices::Price;

/// What a loop needs of the world.
pub(super) struct Conversation {
    model: Box<dyn LanguageModel>,
    system: String,
    sampling: Sampling,
    price: Option<Price>,
    names: Vec<&'static str>,
    /// Tools that the model may call natively.
    pub tools: Vec<ToolSpec>,
    /// What the step under way has used so far.
    turn: ModelTurn,
}

impl Conversation {
    pub fn new(
        model: Box<dyn LanguageModel>,
        system: String,
        sampling: Sampling,
        price: Option<Price>,
        brief: &Brief,
    ) -> Conversation {
        let names = brief.tools.iter().map(|tool| tool.name).collect();
        Conversation { model, system, sampling, price, names, tools: Vec::new(), turn: ModelTurn::default() }
    }

    /// Asks. A note goes to the end of the instructions, so that the conversation holds nothing but
    /// what was said and seen.
    pub fn ask(&mut self, messages: Vec<ChatMessage>, note: &str, step: u32) -> Result<ModelAnswer, Stopped> {
        let system = if note.is_empty() { self.system.clone() } else { format!("{}\n\n{note}", self.system) };
        let ask = ModelRequest { system, messages, tools: self.tools.clone(), sampling: self.sampling.clone() };
        let answer = self.model.ask(&ask, step)?;
        self.turn.calls += 1;
        self.turn.usage += answer.usage;
        self.turn.output = written(&answer);
        self.turn.reasoning.clone_from(&answer.reasoning);
        Ok(answer)
    }

    /// The action in a text.
    pub fn action(&self, text: &str) -> Extracted {
        extract(text, &self.names)
    }

    /// Ends the step with an action.
    pub fn act(&mut self, text: String) -> Move {
        self.end(text, false)
    }

    /// Ends the step with the reply to a question, as it stands.
    pub fn reply(&mut self, text: String, cut: bool) -> Move {
        self.turn.cut = cut;
        self.end(text, false)
    }

    /// Ends the step with what the model wrote, in which no action was found.
    pub fn fumble(&mut self, text: String) -> Move {
        self.end(text, true)
    }

    fn end(&mut self, text: String, unparsable: bool) -> Move {
        let mut turn = std::mem::take(&mut self.turn);
        turn.unparsable = unparsable;
        turn.cost_usd = self.price.map(|price| price.cost(turn.usage));
        Move::Act(Saying { text, model: Some(turn) })
    }
}

/// What the model wrote, native calls included.
fn written(answer: &ModelAnswer) -> String {
    let mut out = answer.text.clone();
    for call in &answer.tool_calls {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("{} {}", call.name, call.arguments));
    }
    out
}
