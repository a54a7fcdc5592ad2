//! Hard negatives: wrong options of like size and place, chosen so that word overlap does not point at the right one.

use world::Seed;

use crate::ask::shuffle;
use crate::words::{WordStatistics, WordVector, cosine, words};

/// A text that may become a wrong option.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    /// Two candidates of one group are never in one question: they may both be right.
    pub(super) group: usize,
    /// What would be shown.
    pub(super) shown: &'a str,
    /// How like the place is: 2 for the same folder, 1 for the same kind of file.
    pub(super) nearness: usize,
}

/// Word vectors of a pool, made once.
pub(super) struct Vectors {
    statistics: WordStatistics,
    of_each: Vec<WordVector>,
}

impl Vectors {
    pub(super) fn of(texts: &[&str]) -> Self {
        let found: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
        let statistics = WordStatistics::of_words(found.iter().map(Vec::as_slice));
        let of_each = found.iter().map(|words| statistics.vector_of(words)).collect();
        Vectors { statistics, of_each }
    }

    /// How like the text at a place is to a question.
    pub(super) fn likeness(&self, asked: &WordVector, at: usize) -> f64 {
        cosine(asked, &self.of_each[at])
    }

    pub(super) fn vector(&self, text: &str) -> WordVector {
        self.statistics.vector(text)
    }
}

/// What is asked for: the right option's likeness and size, and how many wrong ones.
pub(super) struct OptionsWanted<'a> {
    pub(super) key: &'a str,
    pub(super) key_likeness: f64,
    pub(super) count: usize,
    /// How many wrong options should be more like the question than the right one.
    pub(super) above: usize,
}

/// Picks wrong options: like in size, near in place, and `above` of them more like the question than the right one.
/// None if the pool has too few.
pub(super) fn pick(wish: &OptionsWanted, pool: &[(Candidate, f64)], seed: Seed) -> Option<Vec<String>> {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    shuffle(&mut order, seed, "negatives");
    let size = wish.key.len().max(1) as f64;
    let ratio = |at: usize| {
        let other = pool[at].0.shown.len().max(1) as f64;
        (other / size).max(size / other)
    };
    order.retain(|at| ratio(*at) <= 2.0);
    // Nearest places first, and among them those of like size; the shuffle breaks ties.
    order.sort_by_key(|at| (std::cmp::Reverse(pool[*at].0.nearness), (ratio(*at) * 4.0) as usize));
    let mut groups = Vec::new();
    let mut take = |wanted: usize, is_above: bool, picked: &mut Vec<String>| {
        let goal = picked.len() + wanted;
        for &at in &order {
            let (candidate, likeness) = &pool[at];
            let fits = (*likeness > wish.key_likeness) == is_above && !groups.contains(&candidate.group);
            if picked.len() < goal
                && fits
                && candidate.shown != wish.key
                && !picked.iter().any(|text| text == candidate.shown)
            {
                groups.push(candidate.group);
                picked.push(candidate.shown.to_string());
            }
        }
        picked.len() == goal
    };
    let mut picked = Vec::new();
    let full = take(wish.above, true, &mut picked) && take(wish.count - wish.above, false, &mut picked);
    full.then_some(picked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_wished_are_more_alike() {
        let texts: Vec<String> = (0..20).map(|at| format!("option number {at}")).collect();
        let candidate = |at: usize| Candidate { group: at, shown: &texts[at], nearness: at % 3 };
        let pool: Vec<(Candidate, f64)> = (0..20).map(|at| (candidate(at), at as f64 / 20.0)).collect();
        for above in 0..=3 {
            let wish = OptionsWanted { key: "option number xx", key_likeness: 0.5, count: 3, above };
            let picked = pick(&wish, &pool, Seed(above as u64)).expect("the pool has enough");
            let number = |text: &String| texts.iter().position(|other| other == text).expect("from the pool");
            assert_eq!(picked.iter().filter(|text| number(text) > 10).count(), above, "{picked:?}");
        }
        let wish = OptionsWanted { key: "option number xx", key_likeness: 2.0, count: 3, above: 1 };
        assert_eq!(pick(&wish, &pool, Seed(1)), None);
    }
}
