//! Files of questions: sets of ours, and those that others published.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::read_text;
use questions::Question;
use questions::import::{self, ImportedSet};

use crate::say;

/// So many questions with a flaw are told one by one.
const TOLD: usize = 5;

/// The questions of a file, with those that could not be read.
pub fn read(file: &Path) -> anyhow::Result<ImportedSet> {
    let text = read_text(file, "read the questions", "save the file as UTF-8")?;
    let set = import::read_any(&file.to_string_lossy(), &text).with_context(|| file.display().to_string())?;
    if let (true, Some((number, why))) = (set.questions.is_empty(), set.rejected.first()) {
        bail!("{}: no question could be read; question {number}: {why}", file.display());
    }
    if set.questions.is_empty() {
        bail!("{}: there is no question in it; give a file with one question per line", file.display());
    }
    Ok(set)
}

/// The questions of these files that can be asked and graded; the others are told and left out.
pub fn sound(files: &[PathBuf]) -> anyhow::Result<Vec<Question>> {
    let mut sound: Vec<Question> = Vec::new();
    for file in files {
        let set = read(file)?;
        tell(&flaws(&set));
        sound.extend(set.questions.into_iter().filter(|question| question.flaw().is_none()));
    }
    let mut ids: Vec<&str> = sound.iter().map(|question| question.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        bail!("two questions are called `{}`; give each an id of its own", twice[0]);
    }
    Ok(sound)
}

/// What is wrong with a set: which question, and why.
pub fn flaws(set: &ImportedSet) -> Vec<(String, String)> {
    let flawed = set.questions.iter().filter_map(|question| Some((question.id.clone(), question.flaw()?)));
    set.rejected.iter().map(|(number, why)| (format!("question {number}"), why.clone())).chain(flawed).collect()
}

/// Tells what is wrong, the first few one by one.
pub fn tell(wrong: &[(String, String)]) {
    for (which, why) in wrong.iter().take(TOLD) {
        say::note(&format!("{which}: {why}"));
    }
    if wrong.len() > TOLD {
        say::note(&format!("and {} more", wrong.len() - TOLD));
    }
}
