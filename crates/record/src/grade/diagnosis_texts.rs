//! The reader of words on texts of many styles, right and wrong: `tests/data/diagnoses.txt`.

use super::diagnosis::{Asked, judge_asked};
use crate::cause::Direction;

const TEXTS: &str = include_str!("../../tests/data/diagnoses.txt");
/// Texts that were written when the reader was finished; it was improved after them.
const LATER: &str = include_str!("../../tests/data/diagnoses_later.txt");

/// The same again, when it had been improved after those.
const LATEST: &str = include_str!("../../tests/data/diagnoses_latest.txt");

/// And again, when it had been improved after these.
const NEWEST: &str = include_str!("../../tests/data/diagnoses_newest.txt");

/// And once more: never used to change it, so what it makes of them is said as it is.
const FRESH: &str = include_str!("../../tests/data/diagnoses_fresh.txt");

/// So many of a hundred right texts may be refused, and so many wrong ones credited.
const MOST_REFUSED: f64 = 5.0;
const MOST_CREDITED: f64 = 3.0;

#[test]
fn texts_of_many_styles_are_read_as_they_are_meant() {
    let (refused, credited, all) = misread(TEXTS);
    assert!(all.iter().sum::<usize>() >= 400, "{all:?}");
    let share = |wrong: &[String], of: usize| 100.0 * wrong.len() as f64 / of as f64;
    let found = format!("refused:\n{}\ncredited:\n{}", refused.join("\n"), credited.join("\n"));
    assert!(share(&refused, all[0]) <= MOST_REFUSED && share(&credited, all[1]) <= MOST_CREDITED, "{all:?}\n{found}");
}

/// Refused and credited among the later texts, as docs/metrics.md has it. A better reader lowers these figures.
#[test]
fn later_texts_are_read_as_published() {
    let check = |texts: &str, most: (usize, usize)| {
        let (refused, credited, all) = misread(texts);
        let found = format!("refused:\n{}\ncredited:\n{}", refused.join("\n"), credited.join("\n"));
        assert_eq!((all, (refused.len(), credited.len())), ([50, 50], most), "{found}");
    };
    check(LATER, (1, 1));
    check(LATEST, (1, 0));
    check(NEWEST, (2, 0));
    check(FRESH, (8, 6));
}

/// Right texts that are refused, wrong ones that are credited, and how many there are of each.
fn misread(texts: &str) -> (Vec<String>, Vec<String>, [usize; 2]) {
    let (mut refused, mut credited, mut all) = (Vec::new(), Vec::new(), [0, 0]);
    for line in texts.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.splitn(6, '|').map(str::trim).collect();
        let [label, style, component, concept, direction, text] = fields[..] else { panic!("six fields: {line}") };
        let direction = Direction::ALL.into_iter().find(|one| one.text() == direction);
        let asked = Asked { component, aliases: &[], concepts: vec![concept], direction };
        let verdict = judge_asked(text, &asked, 1);
        let told = || format!("{style} | {component} | {concept} | {verdict:?} | {text}");
        match (label, verdict.credit()) {
            ("right", credit) => {
                all[0] += 1;
                refused.extend((!credit).then(told));
            }
            ("wrong", credit) => {
                all[1] += 1;
                credited.extend(credit.then(told));
            }
            (other, _) => panic!("a text is right or wrong, not {other}"),
        }
    }
    (refused, credited, all)
}
