//! Reads an answer out of a reply: tolerant of layout, strict about meaning.
//!
//! A reply is cut into tokens; every letter that could name an option becomes a *claim* with a strength. The
//! strongest kind decides, and within it the last claim, so that a correction counts and the options that were
//! only discussed do not. What contradicts itself stays unparsed.

mod claims;
pub mod fences;
mod lexicon;
pub mod published;
pub(crate) mod refusal;
mod tokens;

use crate::reply::{AnswerReading, ModelReply};
use claims::{Claim, Strength};

/// What was read from a reply to a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceReading {
    /// The place of the option in the prompt.
    Place(usize),
    /// No answer, and why.
    None(AnswerReading),
}

/// Reads which of the shown options a reply chooses.
pub fn choice(reply: ModelReply, shown: &[&str]) -> ChoiceReading {
    let (text, still_thinking) = tokens::without_thinking(reply.text);
    let cut = reply.cut || still_thinking;
    let tokens = tokens::of(&text);
    let claims = claims::of(&tokens, shown.len());
    let found = decide(&claims, shown.len(), cut).or_else(|| quoted(&text, shown));
    match found {
        Some(place) => ChoiceReading::Place(place),
        None => ChoiceReading::None(unanswered(&text, cut)),
    }
}

/// Why there is no answer in a text.
pub(crate) fn unanswered(text: &str, cut: bool) -> AnswerReading {
    if cut {
        AnswerReading::Truncated
    } else if refusal::is_refusal(text) {
        AnswerReading::Refused
    } else {
        AnswerReading::Unparsed
    }
}

fn decide(claims: &[Claim], options: usize, cut: bool) -> Option<usize> {
    for strength in [Strength::Final, Strength::Stated] {
        if let Some(last) = claims.iter().rfind(|claim| claim.strength == strength) {
            return last.place;
        }
    }
    // Whatever follows may still change the mind of a reply that was cut, unless the reply is nothing but a letter.
    if cut && !claims.iter().all(|claim| claim.strength == Strength::Alone) {
        return None;
    }
    for strength in [Strength::Praised, Strength::Alone, Strength::Leading] {
        let of_kind: Vec<&Claim> = claims.iter().filter(|claim| claim.strength == strength).collect();
        if let Some(last) = of_kind.last() {
            let agreed = of_kind.iter().all(|claim| claim.place == last.place);
            return if agreed || last.is_conclusion { last.place } else { None };
        }
    }
    remaining(claims, options).or_else(|| only_mention(claims))
}

/// The one option that was not ruled out.
fn remaining(claims: &[Claim], options: usize) -> Option<usize> {
    let ruled_out =
        |place: usize| claims.iter().any(|claim| claim.place == Some(place) && claim.strength == Strength::RuledOut);
    let mut left = (0..options).filter(|place| !ruled_out(*place));
    let only = left.next()?;
    (options > 1 && left.next().is_none()).then_some(only)
}

/// The one option that is mentioned at all, and not ruled out.
fn only_mention(claims: &[Claim]) -> Option<usize> {
    let mut mentioned = claims.iter().filter(|claim| claim.strength == Strength::Mentioned);
    let first = mentioned.next()?.place?;
    let ruled_out = claims.iter().any(|claim| claim.place == Some(first) && claim.strength == Strength::RuledOut);
    (!ruled_out && mentioned.all(|claim| claim.place == Some(first))).then_some(first)
}

/// The option whose whole text is repeated, if it is one.
fn quoted(text: &str, shown: &[&str]) -> Option<usize> {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let reply = squeeze(text);
    let matches = |option: &&str| {
        let option = squeeze(option);
        option.len() >= 3 && (reply == option || option.len() >= 40 && reply.contains(&option))
    };
    let mut found = shown.iter().enumerate().filter(|(_, option)| matches(option)).map(|(place, _)| place);
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

#[cfg(test)]
mod layouts;
