//! Finds the frames of mechanisms in a text: each slot filled by a word, near each other and in one thought.

use std::sync::LazyLock;

use super::concepts;
use super::mentions::{Mention, Subject};
use super::table::Table;
use super::words::{WordList, Words, stem, word_list};

/// The most words that may stand between the first word of a frame and each other one, small words aside.
const REACH: usize = 7;

/// How far a denial may stand from what it denies.
const DENIAL_REACH: usize = 6;

/// Words that take up what was named before.
static PRONOUNS: WordList = word_list!("it they them its their itself themselves");

/// Words that a frame does not reach over: another thought begins there.
static CUTS: WordList =
    word_list!("but because so while although though however whereas therefore hence thus if since unless");

/// A slot of a frame that a word can fill.
#[derive(Clone, Debug)]
struct Fill {
    frame: usize,
    slot: usize,
    /// The stem that has to follow, where two words stand together.
    next: Option<String>,
}

/// A frame: its mechanism, how many slots it has, and the one for a denial.
struct Frame {
    concept: usize,
    slots: usize,
    denial: Option<usize>,
}

#[derive(Default)]
struct Frames {
    all: Vec<Frame>,
    by_stem: Table<Vec<Fill>>,
}

static FRAMES: LazyLock<Frames> = LazyLock::new(|| {
    let mut frames = Frames::default();
    for (concept, name) in concepts::ALL.iter().map(|concept| concept.name).enumerate() {
        concepts::frames_of(name).for_each(|frame| frames.add(concept, frame));
    }
    frames
});

impl Frames {
    fn add(&mut self, concept: usize, written: &str) {
        let (frame, mut slots, mut denial) = (self.all.len(), 0, None);
        for (slot, words) in written.split('+').enumerate() {
            slots += 1;
            denial = if words.trim() == "@no" { Some(slot) } else { denial };
            for word in words.split_whitespace() {
                let class = word.strip_prefix('@').map(concepts::class);
                class.unwrap_or(word).split_whitespace().for_each(|word| self.fill(frame, slot, word));
            }
        }
        self.all.push(Frame { concept, slots, denial });
    }

    fn fill(&mut self, frame: usize, slot: usize, word: &str) {
        let (first, next) = word.split_once('_').map_or((word, None), |(first, next)| (first, Some(stem(next))));
        self.by_stem.entry(&stem(first), Vec::new).push(Fill { frame, slot, next });
    }
}

/// Every frame that a text fills.
pub(super) fn find(words: &Words) -> Vec<Mention> {
    let frames = &*FRAMES;
    let fills: Vec<&[Fill]> =
        (0..words.len()).map(|at| frames.by_stem.get(words.stem(at)).map_or(&[][..], Vec::as_slice)).collect();
    let mut there = vec![0_u32; frames.all.len()];
    fills.iter().copied().flatten().for_each(|fill| there[fill.frame] |= 1 << fill.slot);
    let mut found = Vec::new();
    for (at, own) in fills.iter().enumerate() {
        for fill in own.iter().filter(|fill| fill.slot == 0 && fits(words, fill, at)) {
            let frame = &frames.all[fill.frame];
            // Most frames lack a word in the whole text.
            if there[fill.frame].count_ones() as usize != frame.slots {
                continue;
            }
            let others = (1..frame.slots).filter(|slot| Some(*slot) != frame.denial);
            let Some(mut rest) = filled(words, &fills, at, fill.frame, others) else { continue };
            if let Some(slot) = frame.denial {
                let Some(denial) = denial(words, &fills, (at, &rest), (fill.frame, slot)) else { continue };
                rest.push(denial);
            }
            found.push(mention(frame.concept, at, rest));
        }
    }
    found
}

fn fits(words: &Words, fill: &Fill, at: usize) -> bool {
    fill.next.as_deref().is_none_or(|next| words.stem(at + 1) == next)
}

/// The words that fill the other slots, each near one that is found already.
fn filled(
    words: &Words,
    fills: &[&[Fill]],
    at: usize,
    frame: usize,
    slots: impl Iterator<Item = usize>,
) -> Option<Vec<usize>> {
    let mut rest = Vec::new();
    for slot in slots {
        let found = std::iter::once(&at).chain(&rest).find_map(|from| nearest(words, fills, *from, frame, slot))?;
        rest.push(found);
    }
    Some(rest)
}

/// The word nearest to another that fills a slot.
fn nearest(words: &Words, fills: &[&[Fill]], at: usize, frame: usize, slot: usize) -> Option<usize> {
    let is_it = |other: &usize| {
        fills[*other].iter().any(|fill| fill.frame == frame && fill.slot == slot && fits(words, fill, *other))
    };
    let after = thought(words, at, at + 1..words.len()).find(is_it);
    let before = thought(words, at, (0..at).rev()).find(is_it);
    match (before, after) {
        (Some(before), Some(after)) => Some(if at - before < after - at { before } else { after }),
        (before, after) => before.or(after),
    }
}

/// The denial that a frame asks for: close to one of its words, and in the same sentence.
fn denial(
    words: &Words,
    fills: &[&[Fill]],
    (at, rest): (usize, &[usize]),
    (frame, slot): (usize, usize),
) -> Option<usize> {
    let is_it = |other: usize| {
        fills[other].iter().any(|fill| fill.frame == frame && fill.slot == slot && fits(words, fill, other))
    };
    // What is denied is the last thing that is said: `messages are fetched, none is acknowledged`.
    rest.iter().rev().chain([&at]).find_map(|own| {
        let near = own.saturating_sub(DENIAL_REACH)..(own + DENIAL_REACH).min(words.len());
        near.into_iter().find(|other| words.same_sentence(*own, *other) && is_it(*other))
    })
}

/// The words on one side that belong to the same thought.
fn thought(words: &Words, at: usize, side: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    let mut counted = 0;
    side.take_while(move |other| {
        counted += usize::from(!words.is_small(*other) && !PRONOUNS.contains(words.raw(*other)));
        counted <= REACH && words.same_period(at, *other) && !is_cut(words, *other)
    })
}

/// `there are enough consumers, but they are stuck` is one thought all the same.
fn is_cut(words: &Words, at: usize) -> bool {
    CUTS.contains(words.raw(at)) && !words.clause(at).any(|word| PRONOUNS.contains(words.raw(word)))
}

fn mention(concept: usize, at: usize, rest: Vec<usize>) -> Mention {
    let start = rest.iter().copied().min().map_or(at, |first| first.min(at));
    let end = rest.iter().copied().max().map_or(at, |last| last.max(at)) + 1;
    let gap = (start..end).filter(|word| *word != at && !rest.contains(word)).collect();
    Mention { of: Subject::Concept { at: concept, key: false }, start, end, gap, thing: Some(at), negated: false }
}
