//! A reply to a question: one of the letters that are offered, by dice that the model's name and the question throw.

use crate::dice::Dice;
use crate::fake_provider::faults::address;
use crate::fake_provider::prompt::IncomingPrompt;
use crate::random::letters;

/// A letter, if the latest message offers choices; a mark, if it shows an answer to be judged; otherwise nothing.
pub fn answer(prompt: &IncomingPrompt) -> Option<String> {
    let asked = prompt.said_by_user().last()?;
    let letters = letters(asked);
    if asked.starts_with("Reference:\n") && asked.contains("\n\nAnswer:\n") {
        return Some(u8::from(asked.len() % 2 == 0).to_string());
    }
    if asked.starts_with("What is true:\n") && asked.contains("\nChecklist:\n") {
        return Some(checklist(asked));
    }
    let seed = address(&[prompt.model.as_bytes(), asked.as_bytes()]);
    (!letters.is_empty()).then(|| letters[Dice::new(seed).below(letters.len())].to_string())
}

/// Answers to a checklist: yes or no by dice that the question throws.
fn checklist(asked: &str) -> String {
    let questions = asked.rsplit("Checklist:\n").next().unwrap_or_default().lines();
    let one = |line: &str| {
        let (id, _) = line.split_once(':')?;
        let answer = if Dice::new(address(&[asked.as_bytes(), id.as_bytes()])).below(4) == 0 { "no" } else { "yes" };
        Some(format!("{{\"id\": \"{id}\", \"answer\": \"{answer}\", \"evidence\": \"\", \"confidence\": 0.5}}"))
    };
    format!("[{}]", questions.filter_map(one).collect::<Vec<_>>().join(", "))
}
