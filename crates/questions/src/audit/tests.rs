//! The audit finds what it must, and nothing where nothing is.

use world::Seed;

use super::*;
use crate::{ChoiceSet, Provenance};

/// A text of some tokens, drawn.
fn text(seed: u64, label: &str, count: u64) -> Vec<String> {
    let stream = Seed(seed).stream(label);
    (0..count).map(|at| format!("word{}", stream.at(at).below(400))).collect()
}

fn question(id: u64, text: String, options: Vec<String>, key: usize) -> Question {
    Question {
        id: format!("q{id}"),
        skill: Skill::GmcqHard,
        text,
        expected: Expected::Choice(ChoiceSet { options, key, ..Default::default() }),
        provenance: Provenance { source: format!("repository{}", id % 3), ..Default::default() },
        clusters: Default::default(),
    }
}

/// Wrong options are the right one with one token overwritten by another of it: the published way.
fn stars(count: u64) -> Vec<Question> {
    let one = |id: u64| {
        let right = text(id, "right", 60);
        let stream = Seed(id).stream("star");
        let key = stream.at(0).below(4) as usize;
        let mutant = |at: u64| {
            let mut tokens = right.clone();
            let place = (at * 15 + stream.at(at).below(10)) as usize;
            tokens[place] = format!("{}x", tokens[(place + 7) % 60]);
            tokens.join(" ")
        };
        let options = (0..4).map(|at| if at == key { right.join(" ") } else { mutant(at as u64) }).collect();
        question(id, text(id, "asked", 12).join(" "), options, key)
    };
    (0..count).map(one).collect()
}

/// Two independent edits, and the key at any corner.
fn squares(count: u64) -> Vec<Question> {
    let one = |id: u64| {
        let base = text(id, "right", 60);
        let corner = |at: usize| {
            let mut tokens = base.clone();
            if at & 1 == 1 {
                tokens[5] = "first".into();
            }
            if at & 2 == 2 {
                tokens[40] = "second".into();
            }
            tokens.join(" ")
        };
        let mut order = [0, 1, 2, 3];
        crate::ask::shuffle(&mut order, Seed(id), "order");
        let key = Seed(id).stream("key").at(0).below(4) as usize;
        question(id, text(id, "asked", 12).join(" "), order.map(corner).to_vec(), key)
    };
    (0..count).map(one).collect()
}

fn accuracy(audit: &ShortcutAudit, rule: &str) -> f64 {
    let found = audit.parts[0].shortcuts.iter().find(|found| found.rule == rule);
    found.unwrap_or_else(|| panic!("no rule {rule}")).accuracy
}

#[test]
fn the_centre_of_a_star_is_found_and_the_set_fails() {
    let audit = audit(&stars(300));
    for rule in ["token medoid", "edit-distance medoid"] {
        assert!(accuracy(&audit, rule) >= 0.99, "{rule}: {}", accuracy(&audit, rule));
    }
    assert!(accuracy(&audit, "trained, one repository left out") >= 0.99);
    assert!(!audit.passes());
    assert!(audit.table(3).contains("FAILS: a shortcut works"));
    assert!(audit.parts[0].skill(1.0) <= 0.01 || audit.parts[0].best() < 1.0);
}

#[test]
fn a_square_has_no_centre_and_the_set_passes() {
    let audit = audit(&squares(400));
    assert!(audit.passes(), "{}", audit.table(5));
    assert!(accuracy(&audit, "token medoid") < 0.32);
}

#[test]
fn words_of_the_question_are_found() {
    let one = |id: u64| {
        let asked = text(id, "asked", 12);
        let key = (id % 4) as usize;
        let option = |at: usize| {
            let mut tokens = text(id * 10 + at as u64, "option", 30);
            if at == key {
                tokens.extend(asked[..6].to_vec());
            }
            tokens.join(" ")
        };
        question(id, asked.join(" "), (0..4).map(option).collect(), key)
    };
    let audit = audit(&(0..200).map(one).collect::<Vec<_>>());
    for rule in ["TF-IDF", "BM25", "shared words", "trained, one repository left out"] {
        assert!(accuracy(&audit, rule) > 0.8, "{rule}: {}", accuracy(&audit, rule));
    }
    assert!(!audit.passes());
}

#[test]
fn a_habit_of_the_right_options_is_learned_without_the_question() {
    let one = |id: u64| {
        let key = (id % 4) as usize;
        let habit = |at: usize| if at == key { "verily" } else { "hardly" };
        let option = |at: usize| format!("{} {}", text(id * 10 + at as u64, "option", 30).join(" "), habit(at));
        question(id, "which".into(), (0..4).map(option).collect(), key)
    };
    let audit = audit(&(0..200).map(one).collect::<Vec<_>>());
    assert!(accuracy(&audit, "trained on options without the question") > 0.9);
}

#[test]
fn intervals_are_wilsons() {
    let (low, high) = wilson(50.0, 100.0);
    assert!((low - 0.4038).abs() < 1e-4 && (high - 0.5962).abs() < 1e-4, "{low} {high}");
    assert_eq!(wilson(0.0, 0.0), (0.0, 1.0));
}

#[test]
fn skill_is_what_lies_above_the_best_shortcut() {
    let part = AuditPart { name: "all".into(), questions: 10, chance: 0.25, shortcuts: Vec::new() };
    assert!((part.skill(0.625) - 0.5).abs() < 1e-12);
    assert_eq!(part.skill(0.25), 0.0);
}
