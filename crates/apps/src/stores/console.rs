//! Command lines of clients: options with and without values, and what else was given.

use crate::scatter::stir;

/// The options of a command line, read as most clients read them.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    given: Vec<(String, String)>,
    /// What is no option, in order.
    pub(super) rest: Vec<String>,
}

impl Options {
    /// Reads words; `with_value` names the options that take one, as the next word, after `=`, or, for a single letter,
    /// attached.
    pub(super) fn read(words: &[String], with_value: &[&str]) -> Self {
        let mut options = Self::default();
        let mut words = words.iter();
        let takes = |name: &str| with_value.contains(&name);
        while let Some(word) = words.next() {
            if word == "--" {
                options.rest.extend(words.cloned());
                break;
            }
            let letter = word.get(..2).filter(|letter| word.len() > 2 && !word.starts_with("--") && takes(letter));
            if !word.starts_with('-') || word.len() == 1 {
                options.rest.push(word.clone());
            } else if let Some((name, value)) = word.split_once('=').filter(|(name, _)| name.starts_with("--")) {
                options.given.push((name.into(), value.into()));
            } else if takes(word) {
                options.given.push((word.clone(), words.next().cloned().unwrap_or_default()));
            } else if let Some(letter) = letter {
                options.given.push((letter.into(), word[2..].into()));
            } else {
                options.given.push((word.clone(), String::new()));
            }
        }
        options
    }

    /// The last value of an option under any of its names.
    pub(super) fn get(&self, names: &[&str]) -> Option<&str> {
        self.given.iter().rev().find(|(name, _)| names.contains(&&**name)).map(|(_, value)| &**value)
    }

    /// All values of an option, in order.
    pub(super) fn all<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(|(name, _)| names.contains(&&**name)).map(|(_, value)| &**value)
    }

    /// Whether an option is there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.get(names).is_some()
    }
}

/// A uuid that follows from a text.
pub(super) fn uuid(text: &str) -> String {
    let (a, b) = (stir(text), stir(&format!("{text}/2")));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xfff,
        b >> 48 & 0x3fff | 0x8000,
        b & 0xffff_ffff_ffff
    )
}

/// The digest of a state.
pub(super) fn digest_of(state: &impl std::fmt::Debug) -> u64 {
    stir(&format!("{state:?}"))
}
