//! Putting rows into groups by some of their labels, quickly and in a fixed order.

use crate::labels::{Labels, METRIC_NAME, is_about_the_metric};
use crate::store::SeriesStore;

use super::block::Row;

/// Which labels tell groups apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupKey<'a> {
    /// These.
    By(&'a [String]),
    /// All but these and the metric's name.
    Without(&'a [String]),
}

impl GroupKey<'_> {
    fn counts(&self, name: &str) -> bool {
        match self {
            Self::By(labels) => labels.iter().any(|l| l == name),
            Self::Without(labels) => name != METRIC_NAME && !labels.iter().any(|l| l == name),
        }
    }

    /// The labels of a row that count.
    pub fn labels(&self, row: &Row<'_>, delayed: bool) -> Labels {
        row.labels.filtered(|name| self.counts(name) && !hidden(row, name, delayed))
    }
}

fn hidden(row: &Row<'_>, name: &str, delayed: bool) -> bool {
    row.nameless && !delayed && is_about_the_metric(name)
}

/// The group of each row, and for each group the first of its rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub of_row: Vec<u32>,
    pub first_row: Vec<usize>,
}

/// A table of hashes that is filled once and never listed.
#[derive(Default)]
pub(super) struct GroupTable {
    slots: Vec<u32>,
    hashes: Vec<u64>,
}

const EMPTY: u32 = u32::MAX;

impl GroupTable {
    /// The group with this hash for which `same` holds, or a new one.
    pub fn find_or_add(&mut self, hash: u64, same: impl Fn(u32) -> bool) -> u32 {
        if (self.hashes.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                EMPTY => {
                    let group = self.hashes.len() as u32;
                    self.slots[at] = group;
                    self.hashes.push(hash);
                    return group;
                }
                group if self.hashes[group as usize] == hash && same(group) => return group,
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        self.slots = vec![EMPTY; size];
        for (group, hash) in self.hashes.iter().enumerate() {
            let mut at = *hash as usize & (size - 1);
            while self.slots[at] != EMPTY {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = group as u32;
        }
    }
}

/// A hash of eight bytes at a time; the same on every machine.
fn mix(mut hash: u64, bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("chunks have eight bytes"));
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER);
    }
    let mut rest = [0u8; 8];
    let tail = chunks.remainder();
    rest[..tail.len()].copy_from_slice(tail);
    hash = (hash.rotate_left(5) ^ u64::from_le_bytes(rest) ^ ((bytes.len() as u64) << 56)).wrapping_mul(MULTIPLIER);
    hash ^ (hash >> 32)
}

/// Groups several blocks' rows in one numbering, so that both sides of an operator can be compared.
pub(super) fn group_all(sides: &[&[Row<'_>]], key: GroupKey<'_>, delayed: bool) -> Vec<Groups> {
    let mut table = GroupTable::default();
    let mut firsts: Vec<&Row<'_>> = Vec::new();
    let mut out = Vec::new();
    for rows in sides {
        let mut groups = Groups { of_row: Vec::with_capacity(rows.len()), first_row: Vec::new() };
        for (i, row) in rows.iter().enumerate() {
            let hash = hash_of(row, key, delayed);
            let group = table.find_or_add(hash, |g| same_group(firsts[g as usize], row, key, delayed));
            if group as usize == firsts.len() {
                firsts.push(row);
                groups.first_row.push(i);
            }
            groups.of_row.push(group);
        }
        out.push(groups);
    }
    out
}

/// Groups the rows of one block.
pub(super) fn group(store: &SeriesStore, rows: &[Row<'_>], key: GroupKey<'_>, delayed: bool) -> Groups {
    if matches!(key, GroupKey::By([])) {
        let first_row = if rows.is_empty() { vec![] } else { vec![0] };
        return Groups { of_row: vec![0; rows.len()], first_row };
    }
    if let GroupKey::By(labels) = key
        && let Some(groups) = by_numbers(store, rows, labels)
    {
        return groups;
    }
    group_all(&[rows], key, delayed).pop().expect("one side gives one grouping")
}

/// Fewer rows are as quick the common way.
const WORTH_IT: usize = 256;

/// The same for rows of stored series, whose values the store has numbered: no text is read.
fn by_numbers(store: &SeriesStore, rows: &[Row<'_>], labels: &[String]) -> Option<Groups> {
    if rows.len() < WORTH_IT || labels.iter().any(|name| is_about_the_metric(name)) {
        return None;
    }
    let places: Vec<u32> = rows.iter().map(Row::place).collect::<Option<_>>()?;
    let numbers: Vec<Vec<u32>> =
        labels.iter().map(|label| store.value_numbers(label, rows.len() * 4)).collect::<Option<_>>()?;
    let mut table = NumberTable::new(&numbers);
    let of_row: Vec<u32> = places.iter().map(|place| table.group_of(*place)).collect();
    let mut groups = Groups { of_row, first_row: Vec::new() };
    for (i, group) in groups.of_row.iter().enumerate() {
        if *group as usize == groups.first_row.len() {
            groups.first_row.push(i);
        }
    }
    Some(groups)
}

/// Groups of places by the numbers that stand for their values.
pub(super) struct NumberTable<'n> {
    numbers: &'n [Vec<u32>],
    table: GroupTable,
    /// The first place of each group.
    pub firsts: Vec<u32>,
}

impl<'n> NumberTable<'n> {
    pub fn new(numbers: &'n [Vec<u32>]) -> Self {
        Self { numbers, table: GroupTable::default(), firsts: Vec::new() }
    }

    pub fn group_of(&mut self, place: u32) -> u32 {
        let (numbers, firsts) = (self.numbers, &mut self.firsts);
        let key = |p: u32| numbers.iter().map(move |n| n[p as usize]);
        let hash = key(place).fold(0u64, |h, n| (h.rotate_left(17) ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let group = self.table.find_or_add(hash ^ (hash >> 32), |g| key(firsts[g as usize]).eq(key(place)));
        if group as usize == firsts.len() {
            firsts.push(place);
        }
        group
    }
}

fn hash_of(row: &Row<'_>, key: GroupKey<'_>, delayed: bool) -> u64 {
    let mut hash = 0;
    match key {
        GroupKey::By(labels) => {
            for name in labels {
                hash = mix(hash, row.get(name, delayed).as_bytes());
            }
        }
        GroupKey::Without(_) => {
            for (name, value) in counted(row, key, delayed) {
                hash = mix(mix(hash, name.as_bytes()), value.as_bytes());
            }
        }
    }
    hash
}

fn counted<'r>(row: &'r Row<'_>, key: GroupKey<'r>, delayed: bool) -> impl Iterator<Item = (&'r str, &'r str)> {
    row.labels.iter().filter(move |(name, _)| key.counts(name) && !hidden(row, name, delayed))
}

fn same_group(a: &Row<'_>, b: &Row<'_>, key: GroupKey<'_>, delayed: bool) -> bool {
    match key {
        GroupKey::By(labels) => labels.iter().all(|name| a.get(name, delayed) == b.get(name, delayed)),
        GroupKey::Without(_) => counted(a, key, delayed).eq(counted(b, key, delayed)),
    }
}
