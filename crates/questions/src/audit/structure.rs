//! Rules that look at one option at a time, and never at the question.

use super::AuditItem;
use super::rules::SetFacts;
use crate::diff;

pub(super) fn length(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    item.options.iter().map(|option| option.len() as f64).collect()
}

pub(super) fn middle_length(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let longest = item.options.iter().map(|option| option.len()).max();
    let shortest = item.options.iter().map(|option| option.len()).min();
    let between = |option: &&str| f64::from(Some(option.len()) != longest && Some(option.len()) != shortest);
    item.options.iter().map(between).collect()
}

pub(super) fn lines(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    item.options.iter().map(|option| option.lines().count() as f64).collect()
}

pub(super) fn digits(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    item.options.iter().map(|option| option.chars().filter(char::is_ascii_digit).count() as f64).collect()
}

/// A diff whose headers count what its hunks hold. What is no diff counts as valid.
pub(super) fn valid_diff(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    let valid = |option: &&str| diff::parse(option).iter().flat_map(|file| &file.hunks).all(diff::DiffHunk::adds_up);
    item.options.iter().map(|option| f64::from(valid(option))).collect()
}

/// As many closing brackets as opening ones, and quotes in pairs: a parse check that fits every language.
pub(super) fn balanced(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    item.options.iter().map(|option| f64::from(is_balanced(option))).collect()
}

pub(crate) fn is_balanced(text: &str) -> bool {
    // Each side of a diff must balance by itself.
    [['+', ' '], ['-', ' ']].iter().all(|signs| {
        let is_diff = text.contains("@@ ");
        let kept = text.lines().filter(|line| !is_diff || line.starts_with(*signs) || line.is_empty());
        let (mut round, mut square, mut curly, mut quotes) = (0i64, 0i64, 0i64, 0i64);
        for c in kept.flat_map(str::chars) {
            match c {
                '(' => round += 1,
                ')' => round -= 1,
                '[' => square += 1,
                ']' => square -= 1,
                '{' => curly += 1,
                '}' => curly -= 1,
                '"' => quotes += 1,
                _ => {}
            }
        }
        round == 0 && square == 0 && curly == 0 && quotes % 2 == 0
    })
}

/// Words that careful code holds. A set whose right options are the careful ones needs no reading.
pub(super) fn caution(item: &AuditItem, _: &SetFacts) -> Vec<f64> {
    const CAREFUL: [&str; 16] = [
        "timeout", "limit", "retry", "private", "encrypt", "true", "deny", "check", "error", "safe", "block", "max",
        "strict", "verify", "lock", "require",
    ];
    let count = |option: &&str| {
        let lower = option.to_lowercase();
        CAREFUL.iter().map(|word| lower.matches(word).count()).sum::<usize>() as f64
    };
    item.options.iter().map(count).collect()
}
