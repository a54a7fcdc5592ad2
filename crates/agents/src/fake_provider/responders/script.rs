//! Answers from a file: matched by what was said, or one after the other.
//!
//! ```toml
//! # The first answer of a conversation, the second, and so on; the last is repeated.
//! answers = ["inspect_logs(web_server)", "escalate(reason=\"I am lost\")"]
//!
//! # These come first: the first whose text is in the latest message.
//! [[when]]
//! says = "connection pool exhausted"
//! answer = "update_config(database, DB_POOL_SIZE, 80)"
//! ```
//!
//! An answer that is a call is sent as the request wants it, natively or as a thought and an action.
//! Anything else is sent as it stands.

use serde::Deserialize;

use crate::fake_provider::prompt::IncomingPrompt;

/// Answers from a file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptFile {
    answers: Vec<String>,
    when: Vec<When>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    says: String,
    answer: String,
}

impl ScriptFile {
    /// A script from the text of its file; what is wrong with it otherwise.
    pub fn parse(text: &str) -> Result<ScriptFile, String> {
        let script: ScriptFile = toml::from_str(text).map_err(|e| e.to_string())?;
        let empty = |text: &String| text.trim().is_empty();
        if script.answers.is_empty() {
            return Err("`answers` is missing or empty; give at least one, for when nothing else fits".to_string());
        }
        if script.answers.iter().chain(script.when.iter().map(|when| &when.answer)).any(empty) {
            return Err("an answer is empty; a client takes that for a failure, and `--faults` makes those".to_string());
        }
        Ok(script)
    }

    /// Its answer.
    pub fn answer(&self, prompt: &IncomingPrompt) -> &str {
        let latest = prompt.said_by_user().last().unwrap_or_default();
        let matched = self.when.iter().find(|when| latest.contains(&when.says)).map(|when| &when.answer);
        let in_turn = || self.answers.get(prompt.answers()).or(self.answers.last());
        matched.or_else(in_turn).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_provider::prompt::{By, IncomingMessage};

    const FILE: &str = "
        answers = ['first()', 'second()']
        [[when]]
        says = 'pool exhausted'
        answer = 'matched()'
        [[when]]
        says = 'pool'
        answer = 'too late'
    ";

    #[test]
    fn answers_are_matched_or_come_in_turn() {
        let script = ScriptFile::parse(FILE).expect("it is a script");
        let check = |said: &[&str], expect: &str| {
            let by = |at: usize| if at.is_multiple_of(2) { By::User } else { By::Model };
            let messages =
                said.iter().enumerate().map(|(at, text)| IncomingMessage { by: by(at), text: text.to_string() });
            assert_eq!(
                script.answer(&IncomingPrompt { messages: messages.collect(), ..IncomingPrompt::default() }),
                expect
            );
        };
        check(&["a"], "first()");
        check(&["a", "b", "c"], "second()");
        check(&["a", "b", "c", "d", "e"], "second()");
        check(&["a", "b", "the pool exhausted itself"], "matched()");
        check(&["a", "b", "the pool"], "too late");
        check(&["pool exhausted", "b", "c"], "second()");
    }

    #[test]
    fn a_wrong_script_says_what_to_do() {
        for (text, expect) in [
            ("", "give at least one"),
            ("answers = ['']", "an answer is empty"),
            ("answers = ['a']\nanswer = 'b'", "unknown field `answer`"),
        ] {
            let problem = ScriptFile::parse(text).expect_err("it is wrong");
            assert!(problem.contains(expect), "{problem}");
        }
    }
}
