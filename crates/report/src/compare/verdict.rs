//! The verdict, in a sentence.

use serde::{Deserialize, Serialize};

use super::Side;
use crate::stats::{Coverage, Interval, LEVEL, McNemar, PairedDifference, THRESHOLD};

/// What a comparison comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonVerdict {
    /// The side that is better; `None` if no difference is shown, or if there is no verdict.
    pub better: Option<String>,
    /// The same in a sentence.
    pub sentence: String,
    /// What to keep in mind about it.
    pub caveats: Vec<String>,
}

pub(super) fn verdict(
    sides: [&Side<'_>; 2],
    coverage: &[Coverage; 2],
    success: [Interval; 2],
    difference: &PairedDifference,
    mcnemar: &McNemar,
) -> ComparisonVerdict {
    for (side, coverage) in sides.iter().zip(coverage) {
        if let Some(why) = coverage.too_low(THRESHOLD) {
            let sentence = format!("No verdict: of {} {why}.", side.name);
            return ComparisonVerdict { better: None, sentence, caveats: Vec::new() };
        }
    }
    let (better, worse, gap) = match difference.interval.point {
        point if point < 0.0 => (1, 0, difference.turned()),
        _ => (0, 1, *difference),
    };
    let rates = format!("success {:.2} against {:.2}", success[better].point, success[worse].point);
    let by = format!("{} pairs in {}", gap.interval.episodes, families(gap.interval.families));
    let (low, high) = (signed(gap.interval.low), signed(gap.interval.high));
    let (better, worse) = (&sides[better].name, &sides[worse].name);
    let figures =
        format!("{rates}, a difference of {} [{low}, {high}] over {by} (p {})", signed(gap.interval.point), p(gap.p));
    let caveats = caveats(difference, mcnemar);
    if gap.is_significant() {
        let sentence = format!("{better} is better than {worse}: {figures}.");
        return ComparisonVerdict { better: Some(better.clone()), sentence, caveats };
    }
    let sentence = format!("No difference between {better} and {worse} is shown: {figures}.");
    ComparisonVerdict { better: None, sentence, caveats }
}

fn caveats(difference: &PairedDifference, mcnemar: &McNemar) -> Vec<String> {
    let alone = mcnemar.p_exact < 1.0 - LEVEL;
    let mut found = Vec::new();
    if alone && !difference.is_significant() {
        found.push(format!(
            "McNemar's test alone would call it a difference (p {}), but it takes episodes of one family as independent.",
            p(mcnemar.p_exact)
        ));
    }
    if !alone && difference.is_significant() {
        found.push(format!("McNemar's exact test does not bear it out (p {}): few pairs differ.", p(mcnemar.p_exact)));
    }
    if difference.interval.families < FEW {
        found.push(format!(
            "The tasks fall into {} only: families not seen may turn out otherwise.",
            families(difference.interval.families)
        ));
    }
    found
}

/// With fewer families than this, errors by family are themselves a guess.
const FEW: u32 = 6;

fn families(n: u32) -> String {
    if n == 1 { "1 family".to_owned() } else { format!("{n} families") }
}

/// With its sign, and none on zero.
pub(super) fn signed(value: f64) -> String {
    let text = plain(value.abs());
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    let sign = if value < 0.0 { "-" } else { "+" };
    if is_zero { text } else { format!("{sign}{text}") }
}

/// As many decimals as say something: shares have two, thousands none.
pub(super) fn plain(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// `= 0.031`, `< 0.001`.
pub(super) fn p(value: f64) -> String {
    if value < 0.001 { "< 0.001".to_owned() } else { format!("= {value:.3}") }
}
