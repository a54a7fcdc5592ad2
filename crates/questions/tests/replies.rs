//! Any reply is read or refused in words: no reply makes the program stop.

use proptest::prelude::*;
use questions::account::{ChangeAccount, StatedFact};
use questions::localise::PlaceSet;
use questions::masked::{MASK, MaskedRegion};
use questions::{AnswerReading, ChoiceSet, Expected, ModelReply, Provenance, Question, Skill};

/// Pieces that replies are made of, and pieces that break programs.
const PIECES: [&str; 40] = [
    "A",
    "B",
    "c",
    "D.",
    "(B)",
    "**C**",
    "answer",
    "Answer:",
    "is",
    "not",
    "choice",
    "option",
    "final",
    "\\boxed{",
    "}",
    "\n",
    "```",
    "```diff\n",
    "<think>",
    "</think>",
    "<answer>",
    "{\"answer\":",
    "\"B\"}",
    "+ timeout = 30\n",
    "- x\n",
    " y\n",
    MASK,
    "src/pool.rs",
    "#12",
    "http://",
    "1e999",
    "é",
    "答案",
    "🅱",
    "\u{0}",
    "\u{202e}",
    "Ⓑ",
    "'",
    "@@ -1,2 +1,2 @@\n",
    "or",
];

fn questions() -> Vec<Question> {
    let strings = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    let options = strings(&["+ timeout = 30", "+ timeout = 45", "+ retries = 3", "+ retries = 9"]);
    let fact = StatedFact { groups: vec![strings(&["timeout"]), strings(&["rais*"])], against: strings(&["lower*"]) };
    let expected = [
        (Skill::GmcqHard, Expected::Choice(ChoiceSet { options, key: 2, ..Default::default() })),
        (
            Skill::MaskedChange,
            Expected::Region(MaskedRegion {
                above: strings(&[" y"]),
                lines: strings(&["+ x"]),
                below: strings(&["- x"]),
            }),
        ),
        (Skill::ReverseGrounded, Expected::Account(ChangeAccount { facts: vec![fact], reference: String::new() })),
        (Skill::Localise, Expected::Places(PlaceSet { tree: strings(&["src/pool.rs", "b"]), files: strings(&["b"]) })),
    ];
    let question = |(skill, expected)| Question {
        id: "q".into(),
        skill,
        text: "text with 12 words".into(),
        expected,
        provenance: Provenance::default(),
        clusters: Default::default(),
    };
    expected.into_iter().map(question).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_reply_gets_an_outcome(
        pieces in prop::collection::vec((prop::sample::select(&PIECES[..]), prop::bool::ANY), 0..30),
        free in ".{0,60}",
        cut in prop::bool::ANY,
        seed in 0u64..50,
    ) {
        let mut text: String = pieces.iter().map(|(piece, space)| format!("{piece}{}", if *space { " " } else { "" })).collect();
        text.push_str(&free);
        for question in questions() {
            let outcome = question.grade(ModelReply { text: &text, cut }, seed);
            prop_assert!((0.0..=1.0).contains(&outcome.score));
            prop_assert!(outcome.reading == AnswerReading::Answered || outcome.score == 0.0 && !outcome.correct);
            prop_assert_eq!(outcome.clone(), question.grade(ModelReply { text: &text, cut }, seed));
        }
    }
}
