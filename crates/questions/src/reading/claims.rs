//! Every place where a reply names an option, and how much is claimed there.

use super::lexicon::{BRIDGE, CONCLUDE, JUDGE, LABELS, ORDINALS, PRAISE, REJECT, STATE};
use super::tokens::Piece;

/// How much a mention claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// "Final answer: B", a box, an answer tag or field.
    Final,
    /// "The answer is B", "I choose B".
    Stated,
    /// "B is right".
    Praised,
    /// A line that is nothing but the letter.
    Alone,
    /// The first thing on the first line: "B. It keeps ...".
    Leading,
    /// Named without a judgement.
    Mentioned,
    /// "B is wrong", "not B".
    RuledOut,
}

/// A mention of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The option's place; none if the claim is for two at once ("A or B").
    pub(super) place: Option<usize>,
    pub(super) strength: Strength,
    /// Whether it stands where conclusions stand: "so", "best", or alone on the last line.
    pub(super) is_conclusion: bool,
}

/// All claims of a reply, in order.
pub(super) fn of(pieces: &[Piece], options: usize) -> Vec<Claim> {
    (0..pieces.len()).filter_map(|at| claim(&Around { pieces, at, options })).collect()
}

/// One piece with what stands around it.
struct Around<'a> {
    pieces: &'a [Piece],
    at: usize,
    options: usize,
}

fn claim(around: &Around) -> Option<Claim> {
    let place = around.place()?;
    let before = around.before();
    let after = around.after();
    let cue = cue(&before);
    let alone = around.is_alone_on_line();
    if around.is_small() && !(cue.is_some() && ends(&after) || alone || around.is_bracketed()) {
        return None;
    }
    if around.is_article() && !alone {
        return None;
    }
    let ruled_out = around.is_denied(&before) || is_rejected(&after);
    let strength = match cue {
        _ if ruled_out => Strength::RuledOut,
        Some(strength) => strength,
        None if is_praised(&after) => Strength::Praised,
        None if alone => Strength::Alone,
        None if around.opens_reply() => Strength::Leading,
        None => Strength::Mentioned,
    };
    let concludes = around.is_last_line() || before.iter().any(|word| CONCLUDE.contains(&word.as_str()));
    let double = matches!(strength, Strength::Final | Strength::Stated) && around.names_another();
    Some(Claim { place: (!double).then_some(place), strength, is_conclusion: concludes })
}

/// What a letter's left side makes of it.
fn cue(before: &[String]) -> Option<Strength> {
    let mut judged = false;
    for (back, word) in before.iter().rev().enumerate() {
        let word = word.as_str();
        let earlier = before.len() - 1 - back;
        let is_final = |at: usize| at > 0 && matches!(before[at - 1].as_str(), "final" | "boxed");
        match word {
            "boxed" | "####" | "final" => return Some(Strength::Final),
            "answer" | "choice" | "option" | "selection" if is_final(earlier) => return Some(Strength::Final),
            "<answer" | "answer:" | "answer_field" => return Some(Strength::Final),
            "choice" | "option" if judged || back == 0 && earlier == 0 => {}
            _ if STATE.contains(&word) => return Some(Strength::Stated),
            "is" | "be" | "it's" | "was" | ":" | "=" | ">" | "so" | "therefore" | "thus" | "hence" => judged = true,
            "think" | "believe" | "guess" => return Some(Strength::Stated),
            _ if judged && JUDGE.contains(&word) => return Some(Strength::Stated),
            _ if BRIDGE.contains(&word) || JUDGE.contains(&word) || LABELS.contains(&word) => {}
            "(" | "[" | "{" | "-" | "," | "text" | "mathrm" | "mathbf" | "#" => {}
            _ => break,
        }
    }
    let bare = before.iter().rev().find(|word| !LABELS.contains(&word.as_str()));
    matches!(bare.map(String::as_str), Some("so" | "therefore" | "thus" | "hence" | "it's")).then_some(Strength::Stated)
}

fn ends(after: &[String]) -> bool {
    after.first().is_none_or(|word| [".", ",", ")", "]", "}", "<", "!", ";", "\n"].contains(&word.as_str()))
}

/// "is right", "fixes it", "does all": judged within a few words.
fn is_praised(after: &[String]) -> bool {
    let clause = clause(after);
    let verb = clause.iter().take(5).position(|word| PRAISE.contains(&word.as_str()));
    verb.is_some_and(|at| !clause[..at].iter().any(|word| REJECT.contains(&word.as_str())))
}

fn is_rejected(after: &[String]) -> bool {
    let clause = clause(after);
    let bad = clause.iter().take(4).position(|word| REJECT.contains(&word.as_str()));
    let good = clause.iter().take(4).position(|word| PRAISE.contains(&word.as_str()));
    // The words must follow at once or after a verb: "C, which leaves" says nothing of a verdict.
    match (bad, good) {
        // "does not" is a praise that its next word takes back.
        (Some(bad), Some(good)) => bad <= good + 1,
        (bad, None) => bad.is_some(),
        (None, Some(_)) => false,
    }
}

fn clause(after: &[String]) -> &[String] {
    let end = after.iter().position(|word| [".", ",", ";", "\n", ":", "because", "but"].contains(&word.as_str()));
    &after[..end.unwrap_or(after.len())]
}

impl Around<'_> {
    /// The option that the piece names: by letter, or by number or rank beside a label.
    fn place(&self) -> Option<usize> {
        let Piece::Word(word) = &self.pieces[self.at] else { return None };
        let within = |place: usize| (place < self.options).then_some(place);
        let mut chars = word.chars();
        let first = chars.next()?;
        if chars.next().is_none() && first.is_ascii_alphabetic() {
            return within((first.to_ascii_uppercase() as u8 - b'A') as usize);
        }
        let labelled = |at: Option<&Piece>| at.is_some_and(|piece| LABELS[..6].contains(&piece.lower().as_str()));
        let lower = word.to_lowercase();
        if let Some(rank) = ORDINALS.iter().position(|name| *name == lower) {
            let next = self.pieces.get(self.at + 1);
            return labelled(next).then_some(rank).and_then(within);
        }
        let number: usize = word.parse().ok().filter(|n| (1..=10).contains(n))?;
        let before = self.at.checked_sub(1).and_then(|at| self.pieces.get(at));
        let skipped = before.is_some_and(|piece| piece.is_mark("#"));
        let label = if skipped { self.at.checked_sub(2).and_then(|at| self.pieces.get(at)) } else { before };
        labelled(label).then_some(number - 1).and_then(within)
    }

    fn is_small(&self) -> bool {
        matches!(&self.pieces[self.at], Piece::Word(word) if word.len() == 1 && word.chars().all(|c| c.is_lowercase()))
    }

    /// "A change", "I think": a letter that is a word of the sentence.
    fn is_article(&self) -> bool {
        let Piece::Word(word) = &self.pieces[self.at] else { return false };
        if word != "A" && word != "I" {
            return false;
        }
        if self.before().last().is_some_and(|word| LABELS.contains(&word.as_str())) {
            return false;
        }
        match self.pieces.get(self.at + 1) {
            Some(Piece::Word(next)) => {
                !["is", "and", "or", "because", "as", "since", "fits", "fixes", "does", "breaks", "fails"]
                    .contains(&next.to_lowercase().as_str())
            }
            _ => false,
        }
    }

    /// Up to eight words and marks before, on the same line or, if the line begins here, on the one above.
    fn before(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for piece in self.pieces[..self.at].iter().rev() {
            match piece {
                Piece::Mark('.' | '?' | '!' | ';') => break,
                Piece::Break if !words.is_empty() && !words.iter().all(|word| word == "(" || word == "[") => break,
                Piece::Break => {}
                Piece::Mark(mark) => words.push(mark.to_string()),
                Piece::Word(_) => words.push(piece.lower()),
            }
            if words.len() == 8 {
                break;
            }
        }
        words.reverse();
        words
    }

    /// Up to eight words and marks after, to the end of the line.
    fn after(&self) -> Vec<String> {
        let rest = self.pieces[self.at + 1..].iter();
        let words = rest.take(9).scan(false, |ended, piece| {
            (!std::mem::replace(ended, piece.is_break())).then(|| match piece {
                Piece::Mark(mark) => mark.to_string(),
                Piece::Break => "\n".into(),
                Piece::Word(_) => piece.lower(),
            })
        });
        words.skip_while(|word| [")", "]", "}", "\""].contains(&word.as_str())).collect()
    }

    fn line(&self) -> &[Piece] {
        let start = self.pieces[..self.at].iter().rposition(Piece::is_break).map_or(0, |at| at + 1);
        let end = self.pieces[self.at..].iter().position(Piece::is_break).map_or(self.pieces.len(), |at| self.at + at);
        &self.pieces[start..end]
    }

    /// The line holds the letter, marks and at most a label or a greeting of an answer.
    fn is_alone_on_line(&self) -> bool {
        let fillers = ["option", "choice", "letter", "patch"];
        let words: Vec<String> = self.line().iter().map(Piece::lower).filter(|word| !word.is_empty()).collect();
        let others = words.iter().filter(|word| !fillers.contains(&word.as_str())).count();
        others == 1
    }

    fn is_bracketed(&self) -> bool {
        let open = self.at > 0 && self.pieces[self.at - 1].is_mark("([{");
        open && self.pieces.get(self.at + 1).is_some_and(|piece| piece.is_mark(")]}"))
    }

    fn opens_reply(&self) -> bool {
        let first = self.pieces[..self.at].iter().all(|piece| {
            !matches!(piece, Piece::Word(word)
            if !LABELS.contains(&word.to_lowercase().as_str()))
        });
        first && self.pieces.get(self.at + 1).is_some_and(|piece| piece.is_mark(".):,-–—>]") || piece.is_break())
    }

    fn is_last_line(&self) -> bool {
        self.is_alone_on_line() && !self.pieces[self.at + 1..].iter().any(|piece| matches!(piece, Piece::Word(_)))
    }

    /// "not B", "rather than B", "B is out".
    fn is_denied(&self, before: &[String]) -> bool {
        let near = &before[before.len().saturating_sub(4)..];
        let words: Vec<&str> = near.iter().map(String::as_str).collect();
        let direct = words.iter().any(|word| {
            ["not", "isn't", "never", "neither", "nor", "unlike", "except", "eliminate", "exclude", "reject"]
                .contains(word)
        });
        let pair = |a: &str, b: &str| words.windows(2).any(|two| two[0] == a && two[1] == b);
        direct || pair("rather", "than") || pair("instead", "of") || pair("ruled", "out") || pair("rule", "out")
    }

    /// "A or B", "A and C", "A/B" right after or before: a claim for two is a claim for none.
    fn names_another(&self) -> bool {
        let other = |at: usize| {
            matches!(self.pieces.get(at), Some(Piece::Word(word)) if word.len() == 1
                && word.chars().all(|c| c.is_ascii_uppercase() && ((c as u8 - b'A') as usize) < self.options))
        };
        let joins = |at: usize| {
            self.pieces
                .get(at)
                .is_some_and(|piece| piece.is_mark("/,&") || ["or", "and"].contains(&piece.lower().as_str()))
        };
        let after = joins(self.at + 1) && other(self.at + 2);
        let before = self.at >= 2 && joins(self.at - 1) && other(self.at - 2);
        after || before
    }
}
