//! What a text names that its source does not hold: the exact part of a hallucination check.

use std::collections::BTreeSet;

/// Names of things in `text` that stand nowhere in `source`: issues, addresses, paths, identifiers, commit ids, numbers.
/// Plain words are free: only what can be looked up is held against a text.
pub fn unfounded(text: &str, source: &str) -> Vec<String> {
    let held = Held::of(source);
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace().flat_map(|word| word.split(['(', ')', ',', '[', ']', '"'])) {
        let word =
            word.trim_matches(|c: char| !c.is_alphanumeric() && !"#_/-%".contains(c)).trim_end_matches(['-', '/']);
        if is_unfounded(word, &held) && !found.iter().any(|known| known == word) {
            found.push(word.into());
        }
    }
    found
}

struct Held {
    text: String,
    numbers: BTreeSet<String>,
    values: Vec<f64>,
}

impl Held {
    fn of(source: &str) -> Self {
        let numbers = numbers(source);
        let values = numbers.iter().filter_map(|number| number.parse().ok()).take(64).collect();
        Held { text: source.to_lowercase(), numbers, values }
    }

    /// The number itself, or what follows from numbers that stand there: another unit, a difference, a ratio, a share.
    fn explains(&self, number: &str) -> bool {
        let Ok(value) = number.parse::<f64>() else { return false };
        // Small counts ("two places") are prose.
        if value <= 4.0 || self.numbers.contains(number) {
            return true;
        }
        const UNITS: [f64; 7] = [60.0, 1000.0, 1024.0, 3600.0, 24.0, 100.0, 8.0];
        let near = |other: f64| (other - value).abs() < 1e-6 * value.abs().max(1.0);
        self.values.iter().any(|held| {
            UNITS.iter().any(|unit| near(held * unit) || near(held / unit))
                || self.values.iter().any(|other| near(held - other) || (*other != 0.0 && near(held / other)))
        })
    }
}

fn is_unfounded(word: &str, held: &Held) -> bool {
    if word.is_empty() {
        return false;
    }
    let lower = word.to_lowercase();
    let is_issue =
        word.strip_prefix('#').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()) && !rest.is_empty());
    let is_address = lower.starts_with("http://") || lower.starts_with("https://");
    let is_path = word.contains('/') && word.contains('.') && word.len() > 4;
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_hash =
        bare.len() >= 7 && bare.chars().all(|c| c.is_ascii_hexdigit()) && bare.chars().any(|c| c.is_ascii_digit());
    if is_issue || is_address || is_path || is_hash && bare.parse::<f64>().is_err() {
        return !held.text.contains(&lower);
    }
    if is_identifier(bare) {
        return !held.text.contains(&bare.to_lowercase());
    }
    numbers(bare).iter().any(|number| !held.explains(number))
}

/// `snake_case`, `camelCase` and `dotted::paths`: what prose does not hold by itself.
fn is_identifier(word: &str) -> bool {
    let chars: Vec<char> = word.chars().collect();
    let plain = !chars.is_empty() && chars.iter().all(|c| c.is_alphanumeric() || *c == '_');
    let camel = chars.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
    plain && chars.iter().any(|c| c.is_alphabetic()) && (word.contains('_') || camel) || word.contains("::")
}

fn numbers(text: &str) -> BTreeSet<String> {
    let pieces = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    pieces.map(|piece| piece.trim_matches('.')).filter(|piece| !piece.is_empty()).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_things_that_can_be_looked_up_are_held_against_a_text() {
        let source = "src/pool.rs\n-    max_open: 20,\n+    max_open: 50,\n     idle: 90s";
        let check = |text, expected: &[&str]| assert_eq!(unfounded(text, source), expected, "{text}");
        check("Raise max_open from 20 to 50 in src/pool.rs", &[]);
        check("Thirty more connections (30), 2.5 times as many; idle for 1.5 minutes", &[]);
        check("Fixes #44", &["#44"]);
        check("See https://example.com/x", &["https://example.com/x"]);
        check("as in src/cache.rs", &["src/cache.rs"]);
        check("raise `maxIdle` too", &["maxIdle"]);
        check("cuts latency by 73%", &["73%"]);
        check("Restore 4f2a91c0", &["4f2a91c0"]);
    }
}
