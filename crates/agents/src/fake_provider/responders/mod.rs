//! Who answers: brains that see the text of a conversation and nothing else. The same conversation gets
//! the same answer, whatever was asked before.

mod case;
mod configuration;
#[cfg(test)]
mod laws;
mod question;
mod random;
mod runbook;
mod script;

pub use script::ScriptFile;

use super::answer::FakeAnswer;
use super::prompt::IncomingPrompt;
use case::Case;

/// Who answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponderKind {
    /// The rule-based responder.
    Runbook,
    /// Dice.
    Random,
    /// Answers from a file.
    ScriptFile(ScriptFile),
}

impl ResponderKind {
    /// The brain that a model's name asks for: `runbook` or `random` as a word of the name, otherwise
    /// this one. So two models of one server can differ.
    pub fn of<'a>(&'a self, model: &str) -> &'a ResponderKind {
        let word = |name: &str| model.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name);
        if word("runbook") {
            return &ResponderKind::Runbook;
        }
        if word("random") { &ResponderKind::Random } else { self }
    }

    /// Its answer.
    pub fn answer(&self, prompt: &IncomingPrompt) -> FakeAnswer {
        let words = match self {
            ResponderKind::ScriptFile(script) => script.answer(prompt).to_string(),
            ResponderKind::Runbook => {
                Case::read(prompt).map_or_else(|| no_brief(prompt), |case| runbook::answer(&case))
            }
            ResponderKind::Random => {
                Case::read(prompt).map_or_else(|| no_brief(prompt), |case| random::answer(&case, prompt))
            }
        };
        let thought = thought(&words);
        FakeAnswer::new(prompt, &words, &thought)
    }
}

/// A question is answered; anything else is not.
fn no_brief(prompt: &IncomingPrompt) -> String {
    let lost =
        "There is no incident in this conversation. I answer to the brief of an incident, as `sre-zero run` sends it.";
    question::answer(prompt).or_else(|| configuration::answer(prompt)).unwrap_or_else(|| lost.to_string())
}

/// What one might think before such an action.
fn thought(words: &str) -> String {
    let (tool, rest) = words.split_once('(').unwrap_or((words, ""));
    let about = rest.split([',', ')', '=']).next().unwrap_or_default().trim_matches('"');
    match tool {
        "inspect_logs" | "search_logs" => format!("The log of {about} may name the cause."),
        "inspect_metrics" | "query_metrics" => format!("The numbers of {about} tell how bad it is."),
        "inspect_config" => format!("A setting of {about} may be off."),
        "check_status" => format!("I want to know whether {about} runs."),
        "list_changes" => "Somebody may have changed something.".to_string(),
        "update_config" | "rollback_change" => "This value does not fit what I saw; I put it right.".to_string(),
        "restart_service" => format!("What I saw of {about} calls for a restart."),
        "resolve_incident" => "The signs and the fix agree, so I can close this.".to_string(),
        "escalate" => "I do not get any further.".to_string(),
        _ => "I have to think about this.".to_string(),
    }
}
