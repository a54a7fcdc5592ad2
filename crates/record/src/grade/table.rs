//! Words to look up: a table with a fixed order, whose slots follow from first letter, last letter and length. A text asks
//! it thousands of times, so that the walk through a tree would be most of the reading.

/// How many slots a table has.
const SLOTS: usize = 256;

/// Something for each of some words.
#[derive(Clone, Debug)]
pub(super) struct Table<V> {
    slots: Vec<Vec<(String, V)>>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Table { slots: (0..SLOTS).map(|_| Vec::new()).collect() }
    }
}

impl<V> Table<V> {
    pub fn get(&self, word: &str) -> Option<&V> {
        self.slots[slot(word)].iter().find(|(own, _)| own == word).map(|(_, value)| value)
    }

    pub fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    /// What stands for a word, made where there is nothing yet.
    pub fn entry(&mut self, word: &str, make: impl FnOnce() -> V) -> &mut V {
        let slot = &mut self.slots[slot(word)];
        let at = slot.iter().position(|(own, _)| own == word).unwrap_or(slot.len());
        if at == slot.len() {
            slot.push((word.to_owned(), make()));
        }
        &mut slot[at].1
    }
}

impl<'a> FromIterator<&'a str> for Table<()> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Self {
        let mut table = Table::default();
        words.into_iter().for_each(|word| *table.entry(word, || ()) = ());
        table
    }
}

/// Which slots some words would lie in: what is not there cannot be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traces([u64; SLOTS / 64]);

impl Traces {
    pub fn add(&mut self, word: &str) {
        let slot = slot(word);
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    /// Whether all traces of others are among these.
    pub fn hold(&self, others: &Traces) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & other == *other)
    }
}

fn slot(word: &str) -> usize {
    let bytes = word.as_bytes();
    let letter = |at: usize| bytes.get(at).map_or(0, |b| usize::from(*b));
    let (first, second, last) = (letter(0), letter(1), letter(bytes.len().wrapping_sub(1)));
    (first * 31 + second * 7 + last * 17 + bytes.len() * 5) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_others_are_not() {
        let table: Table<()> = ["cache", "cahce", "", "cache"].into_iter().collect();
        assert!(table.contains("cache") && table.contains("cahce") && table.contains(""));
        assert!(!table.contains("caches"));
        let mut counts = Table::default();
        for word in ["a", "b", "a"] {
            *counts.entry(word, || 0) += 1;
        }
        assert_eq!((counts.get("a"), counts.get("b"), counts.get("c")), (Some(&2), Some(&1), None));
    }
}
