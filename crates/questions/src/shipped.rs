//! The set that ships under `tasks/skills`: what it is made of.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::git::{self, GitError, HarvestOptions};
use crate::make::{Dropped, FilterRules, MakePlan, SetManifest, SourceEntry, from_history, place_keys};
use crate::{Question, Skill, resources, written};

/// The newest commit that questions are taken from: later ones do not move the set.
const HEAD: &str = "dfac366";
const SEED: u64 = 20_261_115;
const COMMAND: &str = "cargo run --release -p sre-zero-questions --example skills_set -- tasks/skills";

/// The shipped set with its manifest.
#[derive(Clone, Debug)]
pub struct ShippedSet {
    /// The questions.
    pub questions: Vec<Question>,
    /// What they are made of.
    pub manifest: SetManifest,
    /// Commits that were left out, by reason.
    pub dropped: BTreeMap<Dropped, usize>,
}

/// How many questions the typed model gives of each family.
const WRITTEN: [(Skill, usize); 10] = [
    (Skill::GmcqEasy, 110),
    (Skill::GmcqHard, 150),
    (Skill::ReverseMatch, 110),
    (Skill::NoneOfThese, 100),
    (Skill::MaskedHunk, 100),
    (Skill::MaskedChange, 60),
    (Skill::Reverse, 50),
    (Skill::ReverseGrounded, 50),
    (Skill::Localise, 60),
    (Skill::Culprit, 110),
];

/// How many the history gives.
const HISTORY: [(Skill, usize); 5] = [
    (Skill::GmcqEasy, 50),
    (Skill::ReverseMatch, 50),
    (Skill::NoneOfThese, 30),
    (Skill::MaskedHunk, 30),
    (Skill::GmcqHard, 30),
];

/// How many the typed model of resources gives of each of the nine families.
const TERRAFORM: usize = 30;

/// The set as it stands in its file, read when it is first asked for.
static CARRIED: LazyLock<Vec<Question>> = LazyLock::new(|| {
    crate::store::read(include_str!("../../../tasks/skills/questions.jsonl")).expect("a test reads the same file")
});

/// The questions that the program carries.
pub fn carried() -> &'static [Question] {
    &CARRIED
}

/// What the best shortcut reaches in each family of the set, as its audit says.
static SHORTCUTS: LazyLock<BTreeMap<String, f64>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../tasks/skills/shortcuts.json")).expect("a test reads the same file")
});

/// What the best shortcut reaches in each family of the questions that the program carries.
pub fn shortcuts() -> &'static BTreeMap<String, f64> {
    &SHORTCUTS
}

/// Makes the set from this project's repository and the typed models.
pub fn make(repository: &Path) -> Result<ShippedSet, GitError> {
    // Questions are drawn from the whole history: a part of it would give another set.
    if git::is_shallow(repository)? {
        return Err(GitError::Shallow);
    }
    let name = Some("sre-zero".to_string());
    let options = HarvestOptions { revision: HEAD.into(), first_parent: false, name, ..Default::default() };
    let history = git::history(repository, &options)?;
    let plan = MakePlan { seed: SEED, wanted: HISTORY.to_vec(), rules: rules(), per_commit: 3, surplus: 5 };
    let made = from_history(&history, &plan);
    let mut questions = made.questions;
    for (skill, count) in WRITTEN {
        questions.extend(written::make(skill, count, 6, SEED));
    }
    for skill in Skill::TERRAFORM {
        questions.extend(resources::make(skill, TERRAFORM, SEED));
    }
    questions.sort_by(|one, other| (one.skill, &one.id).cmp(&(other.skill, &other.id)));
    place_keys(&mut questions, SEED);
    let source = |source: &str, head: &str, licence: &str| SourceEntry {
        source: source.into(),
        head: head.into(),
        licence: licence.into(),
    };
    let sources = vec![
        source("sre-zero", &history.head, &history.licence),
        source("written changes", "", "MIT OR Apache-2.0"),
        source("resources", "", "MIT OR Apache-2.0"),
    ];
    let manifest = SetManifest::of("skills", COMMAND, SEED, sources, &questions);
    Ok(ShippedSet { questions, manifest, dropped: made.dropped })
}

/// What of this project's history may be shown: no incident's truth, nothing of the people and machines behind it.
fn rules() -> FilterRules {
    let strings = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
    FilterRules {
        words: 4,
        files: 40,
        hidden_paths: strings(&["tasks/", "crates/cli/tests/", "crates/world/src/faults/", ".ci/"]),
        forbidden: strings(&[
            "/wo\u{72}k",
            "/ho\u{6d}e/",
            "/ro\u{6f}t/",
            "branch '",
            "origin/",
            "nobody",
            "one's own",
            "whoever",
            "somebody",
            "api_key",
            "claude",
            "codex",
        ]),
    }
}
