//! Text as words: what lexical shortcuts, hard negatives and scrubbing count.

use std::collections::{BTreeMap, BTreeSet};

/// Words in lower case. Identifiers are cut where their parts meet, so `maxIdle` holds `max` and `idle`.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut last_lower = false;
    for c in text.chars() {
        let boundary = !c.is_alphanumeric() || (last_lower && c.is_uppercase());
        if boundary && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        last_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        found.push(word);
    }
    found.retain(|word| word.len() > 1);
    found
}

/// The distinct words.
pub fn vocabulary(text: &str) -> BTreeSet<String> {
    words(text).into_iter().collect()
}

/// Words that say something: neither glue nor the vocabulary of descriptions.
pub fn informative(text: &str) -> Vec<String> {
    let mut found = words(text);
    found.retain(|word| word.len() > 2 && !GLUE.contains(&word.as_str()) && !word.chars().all(|c| c.is_ascii_digit()));
    found
}

const GLUE: [&str; 58] = [
    "the", "and", "for", "that", "this", "with", "are", "was", "has", "have", "not", "but", "its", "into", "from",
    "they", "them", "then", "than", "when", "what", "which", "who", "all", "can", "one", "add", "fix", "fixes",
    "update", "updates", "closes", "see", "also", "now", "use", "make", "should", "will", "would", "does", "did",
    "been", "were", "their", "there", "each", "more", "some", "such", "only", "our", "out", "over", "other", "where",
    "your", "you",
];

/// Identifiers as written: words with an underscore, a hump, or at least two parts.
pub fn identifiers(text: &str) -> BTreeSet<String> {
    let pieces = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_identifier = |piece: &&str| {
        let chars: Vec<char> = piece.chars().collect();
        let hump = chars.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
        piece.len() > 3 && (piece.trim_matches('_').contains('_') || hump)
    };
    pieces.filter(is_identifier).map(String::from).collect()
}

/// How rare each word is among texts, and how long the texts are.
#[derive(Clone, Debug, Default)]
pub struct WordStatistics {
    documents: usize,
    holding: BTreeMap<String, usize>,
    mean_length: f64,
}

impl WordStatistics {
    /// Counts over texts.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = WordStatistics::default();
        let mut length = 0;
        for text in texts {
            let found = words(text);
            length += found.len();
            all.documents += 1;
            for word in found.into_iter().collect::<BTreeSet<_>>() {
                *all.holding.entry(word).or_default() += 1;
            }
        }
        all.mean_length = length as f64 / all.documents.max(1) as f64;
        all
    }

    /// Inverse document frequency: rare words weigh more.
    pub fn idf(&self, word: &str) -> f64 {
        let holding = self.holding.get(word).copied().unwrap_or(0) as f64;
        libm::log((1.0 + self.documents as f64) / (1.0 + holding)) + 1.0
    }

    /// The weights of a text's words, scaled to length 1.
    pub fn vector(&self, text: &str) -> BTreeMap<String, f64> {
        let mut vector: BTreeMap<String, f64> = BTreeMap::new();
        words(text).into_iter().for_each(|word| *vector.entry(word).or_default() += 1.0);
        vector.iter_mut().for_each(|(word, count)| *count = (1.0 + libm::log(*count)) * self.idf(word));
        let norm = libm::sqrt(vector.values().map(|weight| weight * weight).sum());
        vector.values_mut().for_each(|weight| *weight /= norm.max(1e-12));
        vector
    }

    /// BM25 of a text for the words of a query, with the usual constants (Robertson and Zaragoza 2009).
    pub fn bm25(&self, query: &BTreeSet<String>, text: &str) -> f64 {
        let found = words(text);
        let length = found.len() as f64 / self.mean_length.max(1.0);
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        found.iter().filter(|word| query.contains(*word)).for_each(|word| *counts.entry(word).or_default() += 1.0);
        let gain =
            |(word, count): (&&str, &f64)| self.idf(word) * count * 2.2 / (count + 1.2 * (1.0 - 0.75 + 0.75 * length));
        counts.iter().map(gain).sum()
    }
}

/// The cosine of two vectors of length 1.
pub fn cosine(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> f64 {
    let (small, large) = if one.len() < other.len() { (one, other) } else { (other, one) };
    small.iter().filter_map(|(word, weight)| large.get(word).map(|other| weight * other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_cut_into_words() {
        assert_eq!(words("maxIdle: get_pool(2) HTTPServer x"), ["max", "idle", "get", "pool", "httpserver"]);
        let found: Vec<String> = identifiers("the maxIdle of get_pool in Pool").into_iter().collect();
        assert_eq!(found, ["get_pool", "maxIdle"]);
    }

    #[test]
    fn likeness_follows_rare_words() {
        let texts = ["retry the call", "close the pool", "close the call"];
        let statistics = WordStatistics::of(texts);
        let to = |query: &str, text: &str| cosine(&statistics.vector(query), &statistics.vector(text));
        assert!(to("why retry", texts[0]) > to("why retry", texts[1]));
        let query = vocabulary("the pool");
        assert!(statistics.bm25(&query, texts[1]) > statistics.bm25(&query, texts[2]));
    }
}
