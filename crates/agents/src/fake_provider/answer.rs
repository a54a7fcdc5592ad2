//! What a brain says, before it is put into a format; and what that is said to have used.

use super::call::ActionCall;
use super::prompt::IncomingPrompt;

/// An answer of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeAnswer {
    /// What it thought, where the format has a place for that.
    pub reasoning: Option<String>,
    /// What it says beside its tool call, or all that it says.
    pub text: String,
    /// The tool that it calls natively.
    pub call: Option<ActionCall>,
}

/// How an answer ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// As it should.
    FormattedReply(FakeAnswer),
    /// With nothing.
    Nothing,
    /// Held back by the provider.
    Filtered,
    /// With a tool call whose arguments cannot be read.
    BrokenCall(ActionCall),
}

/// Tokens, reckoned from bytes: four make one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// All that was read.
    pub input: u64,
    /// Of the input: read from a cache. Providers cache what did not change since the last question.
    pub cached: u64,
    /// All that was written.
    pub output: u64,
    /// Of the output: thought and not said.
    pub reasoning: u64,
}

/// Shorter beginnings are not worth a cache.
const LEAST_CACHED: u64 = 256;

impl FakeAnswer {
    /// A brain's words put as the request wants them: as a native call if it offers tools and the words
    /// are a call; otherwise as a thought and an action; words that are no action stand as they are.
    pub fn new(prompt: &IncomingPrompt, words: &str, thought: &str) -> FakeAnswer {
        let reasoning = prompt.reasons.then(|| thought.to_string());
        let call = ActionCall::parse(words);
        match call {
            Some(call) if !prompt.tools.is_empty() => {
                FakeAnswer { reasoning, text: thought.to_string(), call: Some(call) }
            }
            Some(_) => FakeAnswer { reasoning, text: format!("Thought: {thought}\nAction: {words}"), call: None },
            // Nothing at all would pass for a failure of the provider.
            None if words.trim().is_empty() => FakeAnswer { reasoning, text: thought.to_string(), call: None },
            None => FakeAnswer { reasoning, text: words.to_string(), call: None },
        }
    }
}

impl Tokens {
    /// What a prompt and its answer used.
    pub fn of(prompt: &IncomingPrompt, finish: &Finish) -> Tokens {
        let (last, before) = match prompt.messages.split_last() {
            Some((last, before)) => (last.text.len(), before.iter().map(|message| message.text.len()).sum()),
            None => (0, 0),
        };
        let cached = tokens(prompt.system.len() + before);
        let input = tokens(prompt.system.len() + before + last) + 8 * prompt.tools.len() as u64;
        let (said, thought) = match finish {
            Finish::FormattedReply(answer) => {
                let call = answer.call.as_ref().map_or(0, |call| call.to_string().len());
                (answer.text.len() + call, answer.reasoning.as_ref().map_or(0, String::len))
            }
            Finish::BrokenCall(call) => (call.to_string().len(), 0),
            Finish::Nothing | Finish::Filtered => (0, 0),
        };
        let reasoning = tokens(thought);
        let cached = if cached < LEAST_CACHED { 0 } else { cached };
        Tokens { input, cached, output: tokens(said) + reasoning, reasoning }
    }
}

fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_provider::prompt::{By, IncomingMessage, OfferedTool};

    fn prompt(tools: bool, reasons: bool) -> IncomingPrompt {
        let tool = OfferedTool { name: "check_status".into(), params: vec![("service".into(), "string".into())] };
        IncomingPrompt { tools: if tools { vec![tool] } else { vec![] }, reasons, ..IncomingPrompt::default() }
    }

    #[test]
    fn words_are_put_as_the_request_wants_them() {
        let check = |tools: bool, words: &str, text: &str, call: Option<&str>| {
            let answer = FakeAnswer::new(&prompt(tools, false), words, "Hm.");
            assert_eq!(
                answer,
                FakeAnswer { reasoning: None, text: text.into(), call: call.and_then(ActionCall::parse) }
            );
        };
        check(false, "check_status(cache)", "Thought: Hm.\nAction: check_status(cache)", None);
        check(true, "check_status(cache)", "Hm.", Some("check_status(cache)"));
        check(false, "I give up", "I give up", None);
        check(true, "I give up", "I give up", None);
        check(true, "", "Hm.", None);
    }

    #[test]
    fn tokens_are_a_fourth_of_the_bytes() {
        let say = |by, bytes: usize| IncomingMessage { by, text: "x".repeat(bytes) };
        let messages = vec![say(By::User, 4000), say(By::Model, 40), say(By::User, 400)];
        let prompt = IncomingPrompt { system: "y".repeat(60), messages, ..prompt(true, true) };
        let said =
            Finish::FormattedReply(FakeAnswer { reasoning: Some("z".repeat(20)), text: "t".repeat(30), call: None });
        assert_eq!(Tokens::of(&prompt, &said), Tokens { input: 1133, cached: 1025, output: 13, reasoning: 5 });
        assert_eq!(Tokens::of(&prompt, &Finish::Filtered).output, 0);
        assert_eq!(Tokens::of(&IncomingPrompt::default(), &Finish::Nothing), Tokens::default());
    }
}
