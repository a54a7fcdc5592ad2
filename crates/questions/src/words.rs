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
        // Nearly all of code is ASCII, and the general way is slow.
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
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
    found.retain(|word| is_informative(word));
    found
}

/// Whether a word says something.
pub(crate) fn is_informative(word: &str) -> bool {
    word.len() > 2 && !GLUE.contains(&word) && !word.bytes().all(|byte| byte.is_ascii_digit())
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
    let has_hump =
        |piece: &str| piece.chars().zip(piece.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let is_identifier = |piece: &&str| piece.len() > 3 && (piece.trim_matches('_').contains('_') || has_hump(piece));
    pieces.filter(is_identifier).map(String::from).collect()
}

/// How rare each word is among texts, and how long the texts are.
#[derive(Clone, Debug, Default)]
pub struct WordStatistics {
    documents: usize,
    /// For each word its place in the alphabet of all of them, and how many texts hold it.
    holding: BTreeMap<String, (u32, usize)>,
    mean_length: f64,
}

/// The weights of a text's words, scaled to length 1: the places of known words in ascending order. Comparing numbers in
/// place of words is what makes sets of thousands quick.
pub type WordVector = Vec<(u32, f64)>;

impl WordStatistics {
    /// Counts over texts.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let found: Vec<Vec<String>> = texts.into_iter().map(words).collect();
        Self::of_words(found.iter().map(Vec::as_slice))
    }

    /// Counts over texts that are cut into words already.
    pub fn of_words<'a>(texts: impl IntoIterator<Item = &'a [String]>) -> Self {
        let mut all = WordStatistics::default();
        let mut length = 0;
        for found in texts {
            length += found.len();
            all.documents += 1;
            for word in found.iter().collect::<BTreeSet<_>>() {
                match all.holding.get_mut(word) {
                    Some((_, holding)) => *holding += 1,
                    None => drop(all.holding.insert(word.clone(), (0, 1))),
                }
            }
        }
        all.holding.values_mut().zip(0..).for_each(|((place, _), at)| *place = at);
        all.mean_length = length as f64 / all.documents.max(1) as f64;
        all
    }

    /// Inverse document frequency: rare words weigh more.
    pub fn idf(&self, word: &str) -> f64 {
        self.rareness(self.holding.get(word).map_or(0, |(_, holding)| *holding))
    }

    fn rareness(&self, holding: usize) -> f64 {
        libm::log((1.0 + self.documents as f64) / (1.0 + holding as f64)) + 1.0
    }

    /// The weights of a text's words.
    pub fn vector(&self, text: &str) -> WordVector {
        self.vector_of(&words(text))
    }

    /// The weights of words.
    pub fn vector_of(&self, words: &[String]) -> WordVector {
        let mut sorted: Vec<&String> = words.iter().collect();
        sorted.sort_unstable();
        let weigh = |same: &[&String]| {
            let known = self.holding.get(same[0]);
            let count = same.len() as f64;
            (known.map(|(place, _)| *place), (1.0 + libm::log(count)) * self.rareness(known.map_or(0, |known| known.1)))
        };
        let weights: Vec<(Option<u32>, f64)> = sorted.chunk_by(|one, other| one == other).map(weigh).collect();
        let norm = libm::sqrt(weights.iter().map(|(_, weight)| weight * weight).sum());
        weights.into_iter().filter_map(|(place, weight)| Some((place?, weight / norm.max(1e-12)))).collect()
    }

    /// BM25 of a text's words for the words of a query, with the usual constants (Robertson and Zaragoza 2009).
    pub fn bm25(&self, query: &BTreeSet<String>, text: &[String]) -> f64 {
        let length = text.len() as f64 / self.mean_length.max(1.0);
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        text.iter().filter(|word| query.contains(*word)).for_each(|word| *counts.entry(word).or_default() += 1.0);
        let gain =
            |(word, count): (&&str, &f64)| self.idf(word) * count * 2.2 / (count + 1.2 * (1.0 - 0.75 + 0.75 * length));
        counts.iter().map(gain).sum()
    }
}

/// The cosine of two vectors of length 1.
pub fn cosine(one: &WordVector, other: &WordVector) -> f64 {
    let mut rest = other.as_slice();
    let shared = one.iter().filter_map(|(word, weight)| {
        let skipped = rest.iter().take_while(|(other, _)| other < word).count();
        rest = &rest[skipped..];
        rest.first().filter(|(other, _)| other == word).map(|(_, other)| weight * other)
    });
    shared.sum()
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
        assert!(statistics.bm25(&query, &words(texts[1])) > statistics.bm25(&query, &words(texts[2])));
        assert!((to(texts[0], texts[0]) - 1.0).abs() < 1e-12);
        assert_eq!(to("nothing known", texts[0]), 0.0);
    }
}
