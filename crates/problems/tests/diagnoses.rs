//! The labelled diagnoses, and what the reader of words makes of them.

use std::collections::BTreeMap;

use problems::{find, is_named};
use serde::Deserialize;

#[derive(Deserialize)]
struct LabelFile {
    diagnosis: Vec<LabelledText>,
}

#[derive(Deserialize)]
struct LabelledText {
    task: String,
    label: String,
    text: String,
}

/// At most so many of the 96 that are not right pass.
const CREDITED: usize = 11;

fn all() -> Vec<LabelledText> {
    let file: LabelFile = toml::from_str(include_str!("diagnoses.toml")).expect("the labels are valid");
    file.diagnosis
}

#[test]
fn there_are_120_of_five_labels() {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for one in all() {
        assert!(find(&one.task).is_some(), "{}", one.task);
        *count.entry(one.label).or_default() += 1;
    }
    let expect = ["partly", "right", "too_broad", "too_narrow", "wrong"].map(|label| (label.to_string(), 24));
    assert_eq!(count, BTreeMap::from(expect));
}

/// The reader of words knows no sense: it is held to what it reaches, in both directions.
#[test]
fn words_credit_all_that_is_right_and_little_else() {
    let (mut missed, mut credited) = (Vec::new(), Vec::new());
    for one in all() {
        let problem = find(&one.task).expect("the task is there");
        let own: Vec<String> = problem.file.cause.iter().map(|cause| cause.component.clone()).collect();
        let told = format!("{} {}: {}", one.task, one.label, one.text);
        match (is_named(problem, &one.text, &own), one.label == "right") {
            (false, true) => missed.push(told),
            (true, false) => credited.push(told),
            _ => {}
        }
    }
    assert_eq!(missed, Vec::<String>::new());
    assert!(credited.len() <= CREDITED, "{credited:#?}");
}
