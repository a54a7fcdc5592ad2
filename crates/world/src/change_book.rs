//! The change history of a world. Most of it did no harm and is never read, so that part is found when it is read.

use std::sync::{Arc, OnceLock};

use crate::change::{Change, Filed};
use crate::mutation::Mutation;

/// Numbers of changes grow with time, by one in so many seconds.
const SECS_PER_NUMBER: u64 = 11;

/// Most histories have about so many changes.
const USUAL_CHANGES: usize = 40;

/// The entries, oldest first.
#[derive(Clone, Default)]
pub(crate) struct ChangeBook {
    /// The number from which those of the first day go on.
    first: u64,
    /// What is written already.
    written: Vec<Arc<Change>>,
    /// What else there is.
    unread: Option<Unread>,
    /// What operators filed since, whose numbers follow from all before.
    later: Vec<(Filed, Entry)>,
    /// All of it, once it was read.
    all: OnceLock<Vec<Arc<Change>>>,
}

/// Entries that were not read yet.
#[derive(Clone)]
enum Unread {
    /// Those that are remembered.
    Remembered(Arc<Memory>),
    /// Those of another book that did no harm.
    Shared(Arc<ChangeBook>),
}

/// Changes that did no harm, in the order in which they get their numbers: how each was filed, and what takes it back. Found once
/// for all books that have them.
struct Memory {
    find: Box<dyn Fn() -> Vec<(Filed, Mutation)> + Send + Sync>,
    found: OnceLock<Vec<(Filed, Mutation)>>,
}

impl ChangeBook {
    /// An empty one whose numbers go on from this one.
    pub fn new(first: u64) -> ChangeBook {
        ChangeBook { first, ..ChangeBook::default() }
    }

    /// The same changes that did no harm as another book has.
    pub fn innocents_of(other: &Arc<ChangeBook>) -> ChangeBook {
        ChangeBook { unread: Some(Unread::Shared(other.clone())), ..ChangeBook::new(other.first) }
    }

    /// What did no harm before, found once it is read.
    pub fn remember(&mut self, find: impl Fn() -> Vec<(Filed, Mutation)> + Send + Sync + 'static) {
        assert!(self.unread.is_none(), "the past is told once");
        let memory = Memory { find: Box::new(find), found: OnceLock::new() };
        self.unread = Some(Unread::Remembered(Arc::new(memory)));
    }

    /// All entries, oldest first.
    pub fn all(&self) -> &[Arc<Change>] {
        let Some(unread) = &self.unread else { return &self.written };
        self.all.get_or_init(|| {
            let mut all = Vec::with_capacity(USUAL_CHANGES);
            all.extend_from_slice(&self.written);
            match unread {
                Unread::Remembered(memory) => {
                    for (filed, undo) in memory.found.get_or_init(|| (memory.find)()) {
                        let entry = Entry { undo: Some(undo.clone()), by_operator: false, innocent: true };
                        write(&mut all, self.first, filed, entry);
                    }
                }
                Unread::Shared(other) => all.extend(other.all().iter().filter(|change| change.innocent).cloned()),
            }
            for (filed, entry) in &self.later {
                write(&mut all, self.first, filed, entry.clone());
            }
            all
        })
    }

    /// What others did that is not known to have done no harm: that is written at once.
    pub fn suspects(&self) -> impl Iterator<Item = &Arc<Change>> {
        let known = self.all.get().unwrap_or(&self.written);
        known.iter().filter(|change| !change.innocent && !change.by_operator)
    }

    /// All entries, for those who change them.
    pub fn all_mut(&mut self) -> &mut Vec<Arc<Change>> {
        if self.unread.is_some() {
            self.all();
            (self.written, self.unread) = (self.all.take().unwrap_or_default(), None);
            self.later.clear();
        }
        &mut self.written
    }

    /// Puts an entry in its place.
    pub fn file(&mut self, filed: &Filed, entry: Entry) {
        let first = self.first;
        if entry.by_operator && self.unread.is_some() && self.all.get().is_none() {
            self.later.push((filed.clone(), entry));
        } else {
            write(self.all_mut(), first, filed, entry);
        }
    }
}

/// What an entry says besides how it was filed.
#[derive(Clone)]
pub(crate) struct Entry {
    pub undo: Option<Mutation>,
    pub by_operator: bool,
    pub innocent: bool,
}

/// Puts an entry in its place. Its number says when it was filed and nothing else, whatever was written before.
fn write(changes: &mut Vec<Arc<Change>>, first: u64, filed: &Filed, entry: Entry) {
    let place = changes.partition_point(|c| c.time <= filed.at);
    // All of one time look for a number from the same one on, so what the latest of them passed over is taken.
    let latest = changes[..place].last().filter(|c| c.time == filed.at);
    let mut id = latest.map_or((first + filed.at.secs() / SECS_PER_NUMBER) as u32, |c| c.id + 1);
    while changes.iter().any(|c| c.id == id) {
        id += 1;
    }
    let Filed { author, service, summary, at } = filed;
    let (author, summary) = (author.clone(), summary.clone());
    let Entry { undo, by_operator, innocent } = entry;
    let change =
        Change { id, time: *at, service: *service, author, summary, undo, reverted: false, by_operator, innocent };
    changes.insert(place, Arc::new(change));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;

    fn filed(at: u64) -> Filed {
        Filed { author: "search".into(), service: 0, summary: "deploy".into(), at: Time(at * 1000) }
    }

    fn entry(by_operator: bool) -> Entry {
        Entry { undo: None, by_operator, innocent: false }
    }

    #[test]
    fn what_is_found_late_stands_where_it_would_have_been_written() {
        let past = || vec![(filed(10), Mutation::NOTHING), (filed(50), Mutation::NOTHING)];
        let (mut late, mut early) = (ChangeBook::new(4100), ChangeBook::new(4100));
        for book in [&mut late, &mut early] {
            book.file(&filed(30), entry(false));
        }
        late.remember(past);
        for (filed, undo) in past() {
            early.file(&filed, Entry { undo: Some(undo), by_operator: false, innocent: true });
        }
        let shared = ChangeBook::innocents_of(&Arc::new(late.clone()));
        for book in [&mut late, &mut early] {
            book.file(&filed(50), entry(true));
        }
        assert_eq!(late.suspects().count(), 1);
        assert_eq!(late.all(), early.all());
        assert_eq!(shared.all().iter().map(|c| c.time.secs()).collect::<Vec<_>>(), [10, 50]);
        for book in [&mut late, &mut early] {
            book.file(&filed(50), entry(true));
            book.file(&filed(50), entry(false));
        }
        assert_eq!(late.all(), early.all());
        assert_eq!((late.suspects().count(), late.all().len()), (2, 6));
        late.all_mut().remove(0);
        assert_eq!(late.all(), &early.all()[1..]);
    }
}
