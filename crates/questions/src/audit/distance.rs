//! Distances between two texts.

use miniz_oxide::deflate::compress_to_vec;

/// Places at which tokens differ, plus what one has more.
pub(super) fn token_distance(one: &[&str], other: &[&str]) -> usize {
    let differing = one.iter().zip(other).filter(|(a, b)| a != b).count();
    differing + one.len().abs_diff(other.len())
}

/// The size of a text under deflate. One encoder by name: which one a general crate uses depends on what other crates
/// of the build ask of it, and figures must not.
pub(super) fn compressed_size(text: &str) -> usize {
    compress_to_vec(text.as_bytes(), 6).len()
}

/// Insertions, deletions and replacements of bytes, by bit vectors (Myers 1999, in Hyyrö's form with blocks).
/// Long diffs make the plain table too slow for an audit.
pub(super) fn edit_distance(one: &str, other: &str) -> usize {
    let (one, other) = trimmed(one.as_bytes(), other.as_bytes());
    if one.is_empty() || other.is_empty() {
        return one.len().max(other.len());
    }
    let blocks = one.len().div_ceil(64);
    let mut masks: Vec<Vec<u64>> = vec![Vec::new(); 256];
    for (at, byte) in one.iter().enumerate() {
        let mask = &mut masks[usize::from(*byte)];
        mask.resize(blocks, 0);
        mask[at / 64] |= 1 << (at % 64);
    }
    let none = vec![0u64; blocks];
    let mut rows = Rows { plus: vec![u64::MAX; blocks], minus: vec![0; blocks], score: one.len() };
    let last = 1u64 << ((one.len() - 1) % 64);
    for byte in other {
        let mask = &masks[usize::from(*byte)];
        rows.step(if mask.is_empty() { &none } else { mask }, last);
    }
    rows.score
}

/// Vertical differences of the current column, as two bit vectors.
struct Rows {
    plus: Vec<u64>,
    minus: Vec<u64>,
    score: usize,
}

impl Rows {
    fn step(&mut self, equal: &[u64], last: u64) {
        let (mut carry_plus, mut carry_minus) = (1u64, 0u64);
        let end = self.plus.len() - 1;
        for (at, equal) in equal.iter().enumerate() {
            let (plus, minus) = (self.plus[at], self.minus[at]);
            let with_carry = equal | carry_minus;
            let same = equal | minus;
            let zero = ((with_carry & plus).wrapping_add(plus) ^ plus) | with_carry;
            let mut right_plus = minus | !(zero | plus);
            let mut right_minus = plus & zero;
            if at == end {
                self.score += usize::from(right_plus & last != 0);
                self.score -= usize::from(right_minus & last != 0);
            }
            let (next_plus, next_minus) = (right_plus >> 63, right_minus >> 63);
            right_plus = right_plus << 1 | carry_plus;
            right_minus = right_minus << 1 | carry_minus;
            self.plus[at] = right_minus | !(same | right_plus);
            self.minus[at] = right_plus & same;
            (carry_plus, carry_minus) = (next_plus, next_minus);
        }
    }
}

fn trimmed<'a>(one: &'a [u8], other: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let head = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[head..], &other[head..]);
    let tail = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    (&one[..one.len() - tail], &other[..other.len() - tail])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(one: &[u8], other: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (i, a) in one.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, b) in other.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = (diagonal + usize::from(a != b)).min(above + 1).min(row[j] + 1);
                diagonal = above;
            }
        }
        row[other.len()]
    }

    proptest! {
        #[test]
        fn bit_vectors_agree_with_the_table(one in "[ab]{0,200}", other in "[abc]{0,200}") {
            prop_assert_eq!(edit_distance(&one, &other), table(one.as_bytes(), other.as_bytes()));
        }
    }
}
