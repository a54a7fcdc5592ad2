//! Reads many broken replies: `cargo run --release -p sre-zero-questions --example fuzz_replies -- 200000`.
//!
//! Replies are spliced from pieces that models write and pieces that break programs. No reply may make it stop.

use questions::{AnswerReading, ModelReply, Question, Skill, written};
use world::Seed;

const PIECES: [&str; 44] = [
    "A",
    "B",
    "c",
    "D.",
    "(B)",
    "**C**",
    "answer",
    "Answer:",
    " is ",
    " not ",
    "choice ",
    "option ",
    "final ",
    "\\boxed{",
    "}",
    "\n",
    "```",
    "```diff\n",
    "<think>",
    "</think>",
    "<answer>",
    "{\"answer\":",
    "\"B\"}",
    "+ timeout = 30\n",
    "- x\n",
    " y\n",
    "<<< MASKED LINES >>>",
    "src/pool.rs",
    "#12",
    "http://",
    "1e999",
    "é",
    "答案",
    "🅱",
    "\u{0}",
    "\u{202e}",
    "Ⓑ",
    "'",
    " ",
    "@@ -1,2 +1,2 @@\n",
    " or ",
    "I cannot answer",
    "99999999999999999999",
    "@@ -9,99999 +1 @@\n",
];

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(200_000);
    let skills = [Skill::GmcqHard, Skill::NoneOfThese, Skill::MaskedChange, Skill::ReverseGrounded, Skill::Localise];
    let questions: Vec<Question> = skills.iter().flat_map(|skill| written::make(*skill, 20, 1, 3)).collect();
    let mut read = [0usize; 4];
    for number in 0..count {
        let text = reply(number, &questions);
        let question = &questions[(number % questions.len() as u64) as usize];
        let outcome = question.grade(ModelReply { text: &text, cut: number % 7 == 0 }, number);
        assert!((0.0..=1.0).contains(&outcome.score), "{number}");
        read[match outcome.reading {
            AnswerReading::Answered => 0,
            AnswerReading::Unparsed => 1,
            AnswerReading::Refused => 2,
            AnswerReading::Truncated => 3,
        }] += 1;
    }
    println!("{count} replies: {} answered, {} unparsed, {} refused, {} truncated", read[0], read[1], read[2], read[3]);
}

/// Pieces, slices of a prompt and single characters in a row.
fn reply(number: u64, questions: &[Question]) -> String {
    let stream = Seed(number).stream("reply");
    let mut text = String::new();
    for at in 0..stream.at(0).below(40) {
        let draw = stream.at(1 + at);
        match draw.below(8) {
            0 => text.push(char::from_u32(stream.within(at).at(0).below(0x11_0000) as u32).unwrap_or('?')),
            1 => {
                let whole: Vec<char> = questions[(number % questions.len() as u64) as usize].text.chars().collect();
                let from = stream.within(at).at(1).below(whole.len() as u64) as usize;
                text.extend(&whole[from..(from + 40).min(whole.len())]);
            }
            _ => text.push_str(PIECES[stream.within(at).at(2).below(44) as usize]),
        }
    }
    text
}
