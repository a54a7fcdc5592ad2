//! What a set is made of, so that it can be checked and made again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Question, store};

/// The manifest of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetManifest {
    /// The set's name.
    pub name: String,
    /// The version of asking and grading that it was made for.
    pub version: u32,
    /// The command that makes it again.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// Where the text comes from.
    pub sources: Vec<SourceEntry>,
    /// Questions by family.
    pub families: BTreeMap<String, usize>,
    /// All questions.
    pub questions: usize,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// One source of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceEntry {
    /// The repository's or the model's name.
    pub source: String,
    /// The newest commit; empty for a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head: String,
    /// The licence of its text.
    pub licence: String,
}

impl SetManifest {
    /// The manifest of a set. Commits and patch ids stand in the questions themselves.
    pub fn of(name: &str, command: &str, seed: u64, sources: Vec<SourceEntry>, questions: &[Question]) -> Self {
        let mut families = BTreeMap::new();
        questions.iter().for_each(|question| *families.entry(question.skill.name().to_string()).or_default() += 1);
        SetManifest {
            name: name.into(),
            version: crate::QUESTIONS_VERSION,
            command: command.into(),
            seed,
            sources,
            families,
            questions: questions.len(),
            sha256: digest(&store::write(questions)),
        }
    }
}

/// SHA-256 in hexadecimal.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
