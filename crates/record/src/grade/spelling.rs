//! Slips of the pen: a word that no phrase knows, one letter away from a word that one does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::components;
use super::concepts;
use super::words::{Words, stem};

/// The shortest stem in which a slip is looked for: short words are near too many others.
const SHORTEST: usize = 6;

/// The stems of the catalogue by first letter and length.
static KNOWN: LazyLock<BTreeMap<(u8, usize), Vec<String>>> = LazyLock::new(|| {
    let phrases = concepts::ALL.iter().flat_map(concepts::Concept::phrases);
    let names = components::ALL.iter().flat_map(|component| components::names(component.name));
    let mut known: BTreeMap<(u8, usize), Vec<String>> = BTreeMap::new();
    for word in phrases.chain(names).flat_map(|phrase| phrase.split(|c: char| !c.is_ascii_alphabetic())) {
        let stem = stem(&word.to_ascii_lowercase());
        let same = known.entry((stem.bytes().next().unwrap_or(0), stem.len())).or_default();
        if stem.len() + 1 >= SHORTEST && !same.contains(&stem) {
            same.push(stem);
        }
    }
    known
});

/// Corrects the slips in a text.
pub(super) fn mend(words: &mut Words) {
    words.mend(corrected);
}

/// The word that was meant, if it is not the one that was written.
fn corrected(written: &str) -> Option<String> {
    let (first, len) = (written.bytes().next()?, written.len());
    if len < SHORTEST || !written.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let of = |len: usize| KNOWN.get(&(first, len)).map_or(&[][..], Vec::as_slice);
    if of(len).iter().any(|known| known == written) {
        return None;
    }
    let mut near = [len, len + 1, len - 1].into_iter().flat_map(of);
    near.find(|known| is_one_off(written.as_bytes(), known.as_bytes())).cloned()
}

/// Whether two words differ by one letter that is wrong, missing, too many, or swapped with the next.
fn is_one_off(one: &[u8], other: &[u8]) -> bool {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same..], &other[same..]);
    let skip = |word: &[u8], by: usize| word.get(by..).map(<[u8]>::to_vec);
    match one.len().abs_diff(other.len()) {
        0 => {
            let is_swap = one.len() > 1 && one[0] == other[1] && one[1] == other[0] && one[2..] == other[2..];
            is_swap || skip(one, 1) == skip(other, 1)
        }
        1 if one.len() > other.len() => one[1..] == *other,
        1 => other[1..] == *one,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_mended_and_no_more() {
        let check = |written: &str, expect: Option<&str>| {
            assert_eq!(corrected(&stem(written)).as_deref(), expect, "{written}");
        };
        check("databse", Some("databas"));
        check("consumre", Some("consumer"));
        check("blancer", Some("balancer"));
        check("consumer", None);
        check("weather", None);
        check("cause", None);
    }
}
