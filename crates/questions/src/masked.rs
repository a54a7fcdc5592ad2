//! Masked change: the lines under the mask, graded by what they are.
//!
//! The published scoring has a judge compare the whole diff, of which the input is 96 % already. Here only what stands
//! in the masked region counts, and only lines that the prompt does not show.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::grade::{PublishedScore, QuestionOutcome};
use crate::reading::{fences, unanswered};
use crate::reply::ModelReply;

/// The line that stands for what is masked.
pub const MASK: &str = "<<< MASKED LINES >>>";

/// Masked lines, and how to find them again in a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedRegion {
    /// Lines just above the mask, as shown.
    pub above: Vec<String>,
    /// What is masked, with its signs.
    pub lines: Vec<String>,
    /// Lines just below the mask, as shown.
    pub below: Vec<String>,
}

impl MaskedRegion {
    /// Grades a reply: whole diffs and bare regions are both read.
    pub(crate) fn grade(&self, reply: ModelReply) -> QuestionOutcome {
        let published = PublishedScore::NeedsJudge;
        let Some(found) = self.find(reply.text) else {
            return QuestionOutcome::unanswered(unanswered(reply.text, reply.cut), published);
        };
        let matcher = Matcher::new(&self.lines, &found);
        let score = matcher.f1(&self.shown());
        let mut outcome = QuestionOutcome::answered(published);
        outcome.answer = found.join("\n");
        outcome.correct = matcher.is_equal();
        outcome.score = if outcome.correct { 1.0 } else { score };
        outcome
    }

    fn shown(&self) -> BTreeSet<String> {
        self.above.iter().chain(&self.below).map(|line| squeeze(&line[line.len().min(1)..])).collect()
    }

    /// The lines that a reply puts where the mask was.
    fn find(&self, reply: &str) -> Option<Vec<String>> {
        let blocks = fences::blocks(reply);
        let within = |text: &str| self.between(&text.lines().map(String::from).collect::<Vec<_>>());
        if let Some(found) = blocks.iter().find_map(|block| within(block.text)).or_else(|| within(reply)) {
            return Some(found);
        }
        // No context in the reply: the block is the region itself.
        let only = match blocks.as_slice() {
            [] if reply.lines().any(|line| line.starts_with(['+', '-'])) => reply,
            [] => return None,
            blocks => blocks.last().expect("not empty").text,
        };
        let lines: Vec<String> = only.lines().filter(|line| !line.trim().is_empty()).map(String::from).collect();
        let plausible = !lines.is_empty() && lines.len() <= self.lines.len() * 2 + 2 && !is_masked(&lines);
        plausible.then_some(lines)
    }

    /// What stands between the lines above and the lines below; at most three lines of each are compared.
    fn between(&self, lines: &[String]) -> Option<Vec<String>> {
        let squeezed: Vec<String> = lines.iter().map(|line| squeeze(line)).collect();
        let above: Vec<String> = self.above.iter().rev().take(3).rev().map(|line| squeeze(line)).collect();
        let below: Vec<String> = self.below.iter().take(3).map(|line| squeeze(line)).collect();
        let start = match above.as_slice() {
            [] => 0,
            above => find_run(&squeezed, above, 0)? + above.len(),
        };
        let end = match below.as_slice() {
            [] => lines.len(),
            below => find_run(&squeezed, below, start)?,
        };
        (!above.is_empty() || !below.is_empty()).then(|| lines[start..end].to_vec())
    }
}

fn find_run(lines: &[String], run: &[String], from: usize) -> Option<usize> {
    (from..=lines.len().checked_sub(run.len())?).find(|at| lines[*at..].starts_with(run))
}

fn is_masked(lines: &[String]) -> bool {
    lines.iter().any(|line| line.contains("MASKED LINES"))
}

/// A line without the spaces that change nothing: the sign, then the words.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Expected and found lines, brought to the same form.
struct Matcher {
    expected: Vec<String>,
    found: Vec<String>,
}

impl Matcher {
    fn new(expected: &[String], found: &[String]) -> Self {
        // A region written without signs is compared without them.
        let signed = found.iter().any(|line| line.starts_with(['+', '-']));
        let form = |line: &String| {
            let keep = if signed { line.as_str() } else { line.strip_prefix(['+', '-', ' ']).unwrap_or(line) };
            let (sign, rest) = keep.split_at(usize::from(signed && keep.starts_with(['+', '-'])));
            format!("{sign}{}", squeeze(rest))
        };
        let lines = |lines: &[String]| lines.iter().map(form).filter(|line| !line.is_empty()).collect();
        Matcher { expected: lines(expected), found: lines(found) }
    }

    fn is_equal(&self) -> bool {
        self.expected == self.found
    }

    /// Harmonic mean of precision and recall over lines that the prompt does not give away, in order.
    fn f1(&self, shown: &BTreeSet<String>) -> f64 {
        let telling = |line: &&String| {
            let bare = line.trim_start_matches(['+', '-']).trim();
            bare.chars().filter(|c| c.is_alphanumeric()).count() >= 2 && !shown.contains(bare)
        };
        let expected: Vec<&String> = self.expected.iter().filter(telling).collect();
        let found: Vec<&String> = self.found.iter().filter(telling).collect();
        if expected.is_empty() || found.is_empty() {
            return 0.0;
        }
        let common = common_in_order(&expected, &found) as f64;
        2.0 * common / (expected.len() + found.len()) as f64
    }
}

/// The length of the longest common subsequence.
fn common_in_order(one: &[&String], other: &[&String]) -> usize {
    let mut row = vec![0usize; other.len() + 1];
    for line in one {
        let mut diagonal = 0;
        for (at, candidate) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if line == candidate { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerReading;

    fn region() -> MaskedRegion {
        let lines = |text: &str| text.lines().map(String::from).collect();
        MaskedRegion {
            above: lines(" fn limit() -> u32 {\n-    8"),
            lines: lines("+    let cores = cores();\n+    cores * 4"),
            below: lines(" }\n "),
        }
    }

    fn check(reply: &str, reading: AnswerReading, score: f64) {
        let outcome = region().grade(reply.into());
        assert_eq!((outcome.reading, outcome.score), (reading, score), "{reply}: {outcome:?}");
    }

    #[test]
    fn only_the_region_counts() {
        use AnswerReading::{Answered, Unparsed};
        let whole = |inside: &str| format!("Here:\n```diff\n fn limit() -> u32 {{\n-    8\n{inside} }}\n \n```\n");
        check(&whole("+    let cores = cores();\n+    cores * 4\n"), Answered, 1.0);
        check(&whole("+  let cores  = cores();\n+\tcores * 4\n"), Answered, 1.0);
        check(&whole("+    let cores = cores();\n+    cores * 2\n"), Answered, 0.5);
        check(&whole(&format!("{MASK}\n")), Answered, 0.0);
        check(&whole(""), Answered, 0.0);
        check(&whole("-    8\n fn limit() -> u32 {\n"), Answered, 0.0);
        check("```\nlet cores = cores();\ncores * 4\n```", Answered, 1.0);
        check("+    let cores = cores();\n+    cores * 4", Answered, 1.0);
        check("It should use the number of cores.", Unparsed, 0.0);
    }

    #[test]
    fn copying_the_input_earns_nothing() {
        let region = region();
        let input = [region.above.join("\n"), MASK.into(), region.below.join("\n")].join("\n");
        let outcome = region.grade(input.as_str().into());
        assert!(!outcome.correct && outcome.score == 0.0, "{outcome:?}");
    }
}
