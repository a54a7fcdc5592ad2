//! One maker per family: from a unit to a question's text and what is expected.

use world::Seed;

use super::from_history::Ground;
use super::negatives::{Candidate, OptionsWanted, pick};
use super::square::{edits_of, square};
use super::units::{EVIDENCE, links, tells_by_itself};
use crate::account::{ChangeAccount, StatedFact};
use crate::localise::PlaceSet;
use crate::masked::{MASK, MaskedRegion};
use crate::{ChoiceSet, Expected, Skill, words};

/// The last option where the right change may be missing.
pub(crate) const NONE: &str = "None of these changes.";

type Made = Option<(String, Expected)>;

pub(super) fn make(ground: &Ground, skill: Skill, at: usize, round: usize, seed: Seed) -> Made {
    match skill {
        Skill::GmcqEasy => easy(ground, at, seed),
        Skill::GmcqHard => hard(ground, at, seed),
        Skill::ReverseMatch => reverse_match(ground, at, seed),
        Skill::NoneOfThese => none_of_these(ground, at, seed),
        Skill::MaskedHunk => masked_hunk(ground, at, seed),
        Skill::MaskedChange if round == 0 => masked_change(ground, at),
        Skill::Reverse | Skill::ReverseGrounded if round == 0 => reverse(ground, at),
        Skill::Localise => localise(ground, at, seed),
        Skill::Culprit if round == 0 => culprit(ground, at, seed),
        _ => None,
    }
}

fn choice(key: String, wrong: Vec<String>) -> Expected {
    let options = [vec![key], wrong].concat();
    Expected::Choice(ChoiceSet { options, key: 0, ..Default::default() })
}

fn easy(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    let wrong = wrong_changes(ground, at, seed, 3)?;
    Some((unit.text.clone(), choice(unit.shown.clone(), wrong)))
}

/// Changes of other commits; how many are more like the message than the right one is drawn evenly.
fn wrong_changes(ground: &Ground, at: usize, seed: Seed, count: usize) -> Option<Vec<String>> {
    let unit = &ground.units[at];
    let asked = ground.changes.vector(&unit.text);
    let pool = ground.pool(at, seed, |unit| &unit.shown, |other| ground.changes.likeness(&asked, other));
    let above = seed.stream("above").at(0).below(count as u64 + 1) as usize;
    let wish = OptionsWanted { key: &unit.shown, key_likeness: ground.changes.likeness(&asked, at), count, above };
    pick(&wish, &pool, seed)
}

fn hard(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    let mut edits = edits_of(&unit.file);
    crate::ask::shuffle(&mut edits, seed, "edits");
    let [first, second, ..] = edits.as_slice() else { return None };
    let (options, breaks) = square(&unit.file, first, second);
    Some((unit.text.clone(), Expected::Choice(ChoiceSet { options, key: 0, last_stays: false, breaks })))
}

fn reverse_match(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    let asked = ground.messages.vector(&unit.shown);
    let pool = ground.pool(at, seed, |unit| &unit.text, |other| ground.messages.likeness(&asked, other));
    let above = seed.stream("above").at(0).below(4) as usize;
    let wish = OptionsWanted { key: &unit.text, key_likeness: ground.messages.likeness(&asked, at), count: 3, above };
    let wrong = pick(&wish, &pool, seed)?;
    Some((unit.shown.clone(), choice(unit.text.clone(), wrong)))
}

/// In one of five the right change is withheld, so that elimination fails and "none" is no habit.
fn none_of_these(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    let withheld = seed.stream("withheld").at(0).below(5) == 0;
    let wrong = wrong_changes(ground, at, seed, if withheld { 4 } else { 3 })?;
    let mut options = if withheld { wrong } else { [vec![unit.shown.clone()], wrong].concat() };
    options.push(NONE.into());
    let key = if withheld { 4 } else { 0 };
    Some((unit.text.clone(), Expected::Choice(ChoiceSet { options, key, last_stays: true, breaks: Vec::new() })))
}

fn masked_hunk(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    if unit.file.hunks.len() < 2 {
        return None;
    }
    let masked = seed.stream("hunk").at(0).below(unit.file.hunks.len() as u64) as usize;
    let hidden = body(&unit.file.hunks[masked].lines);
    let shown: Vec<String> = unit
        .file
        .hunks
        .iter()
        .enumerate()
        .map(|(at, hunk)| if at == masked { format!("@@ {MASK} @@\n") } else { hunk.show() })
        .collect();
    let text = format!("{}\n\n{}\n{}", unit.text, unit.file.path, shown.concat());
    if links(&text, &hidden) < EVIDENCE || !tells_by_itself(&unit.file.hunks[masked].lines) {
        return None;
    }
    let asked = ground.changes.vector(&text);
    // Hunks of like size, from a bounded number of places: vectors of all of them would take most of the time.
    let alike = |hunk: &String| hunk.len() <= 2 * hidden.len() && hidden.len() <= 2 * hunk.len();
    let of_unit = |other: usize| {
        let hunks = ground.units[other].file.hunks.iter().filter(|hunk| tells_by_itself(&hunk.lines));
        hunks.map(move |hunk| (other, body(&hunk.lines)))
    };
    let mut hunks: Vec<(usize, String)> =
        ground.neighbours(at, seed).into_iter().flat_map(of_unit).filter(|(_, hunk)| alike(hunk)).collect();
    crate::ask::shuffle(&mut hunks, seed, "hunks");
    hunks.truncate(60);
    hunks.retain(|(other, hunk)| links(&ground.units[*other].shown, hunk) >= EVIDENCE);
    let likeness = |text: &str| words::cosine(&asked, &ground.changes.vector(text));
    let pool: Vec<(Candidate, f64)> = hunks
        .iter()
        .map(|(other, text)| {
            let nearness = ground.nearness(at, *other);
            (Candidate { group: ground.units[*other].commit, shown: text, nearness }, likeness(text))
        })
        .collect();
    let above = seed.stream("above").at(0).below(4) as usize;
    let wish = OptionsWanted { key: &hidden, key_likeness: likeness(&hidden), count: 3, above };
    let wrong = pick(&wish, &pool, seed)?;
    Some((text, choice(hidden, wrong)))
}

/// A hunk without its header, whose line numbers would give it away.
fn body(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Masks the longest run of two to five added lines that has something above and below.
fn masked_change(ground: &Ground, at: usize) -> Made {
    let unit = &ground.units[at];
    for (number, hunk) in unit.file.hunks.iter().enumerate() {
        let start = hunk.lines.iter().position(|line| line.starts_with('+')).unwrap_or(0);
        let run = hunk.lines[start..].iter().take_while(|line| line.starts_with('+')).count().min(5);
        if start == 0 || run < 2 || start + run >= hunk.lines.len() {
            continue;
        }
        let (above, rest) = hunk.lines.split_at(start);
        let (lines, below) = rest.split_at(run);
        let region = MaskedRegion { above: above.to_vec(), lines: lines.to_vec(), below: below.to_vec() };
        let mut file = unit.file.clone();
        file.hunks[number].lines.splice(start..start + run, [MASK.to_string()]);
        return Some((format!("{}\n\n{}", unit.text, file.show()), Expected::Region(region)));
    }
    None
}

/// The facts are the rarest words that the message and the change share: a text that has none of them is about
/// something else.
fn reverse(ground: &Ground, at: usize) -> Made {
    let unit = &ground.units[at];
    let held = words::vocabulary(&unit.shown);
    let mut shared: Vec<String> =
        words::informative(&unit.text).into_iter().filter(|word| held.contains(word)).collect();
    shared.sort();
    shared.dedup();
    if shared.len() < 2 {
        return None;
    }
    let stem = |word: &String| format!("{}*", word.chars().take(5).collect::<String>());
    let facts = shared.iter().take(3).map(|word| StatedFact { groups: vec![vec![stem(word)]], against: Vec::new() });
    let account = ChangeAccount { facts: facts.collect(), reference: unit.text.clone() };
    Some((unit.shown.clone(), Expected::Account(account)))
}

fn localise(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    let commit = &ground.history.commits[unit.commit];
    let touched: Vec<&str> = commit.files.iter().map(|file| file.path.as_str()).collect();
    // Units stand in the order of their commits.
    let is_first = at == 0 || ground.units[at - 1].commit != unit.commit;
    let code: Vec<&str> = touched.iter().copied().filter(|path| super::filter::is_code(path)).collect();
    if !is_first || code.is_empty() || code.len() > 2 {
        return None;
    }
    // One tree has one kind of file, or the ending would tell.
    let asked = words::vocabulary(&unit.text);
    let likeness = |path: &str| words::vocabulary(path).intersection(&asked).count();
    let mut others: Vec<&str> = ground
        .neighbours(at, seed)
        .into_iter()
        .map(|other| ground.units[other].file.path.as_str())
        .filter(|path| !touched.contains(path) && path.ends_with(unit.ending()))
        .collect();
    others.sort_unstable();
    others.dedup();
    crate::ask::shuffle(&mut others, seed, "tree");
    // Paths that share words with the text come first: naming what sounds right must not be enough.
    others.sort_by_cached_key(|path| std::cmp::Reverse(likeness(path)));
    let mut tree: Vec<String> =
        code.iter().copied().chain(others.into_iter().take(10 - code.len())).map(String::from).collect();
    tree.sort();
    let files = code.into_iter().map(String::from).collect();
    (tree.len() >= 8).then(|| (unit.text.clone(), Expected::Places(PlaceSet { tree, files })))
}

/// The commit that wrote what a later one mends, among commits of the same place.
fn culprit(ground: &Ground, at: usize, seed: Seed) -> Made {
    let unit = &ground.units[at];
    let own = &ground.history.commits[unit.commit].id;
    let cause = ground.history.causes.iter().find(|cause| &cause.culprit == own)?;
    let fix = &ground.history.commits[ground.place(&cause.fix)?];
    let people: Vec<&str> = ground.history.commits.iter().map(|commit| commit.author.as_str()).collect();
    let text = super::scrub(&fix.message(), &people);
    let asked = ground.changes.vector(&text);
    let mut pool = ground.pool(at, seed, |unit| &unit.shown, |other| ground.changes.likeness(&asked, other));
    // What comes after the fix cannot have caused it, and what mends cannot be meant.
    let fixed = ground.place(&cause.fix)?;
    pool.retain(|(candidate, _)| candidate.group > fixed);
    let above = seed.stream("above").at(0).below(4) as usize;
    let wish = OptionsWanted { key: &unit.shown, key_likeness: ground.changes.likeness(&asked, at), count: 3, above };
    let wrong = pick(&wish, &pool, seed)?;
    let text = format!("This was mended later, with the message:\n\n{text}");
    (words::informative(&text).len() >= 6).then(|| (text, choice(unit.shown.clone(), wrong)))
}
