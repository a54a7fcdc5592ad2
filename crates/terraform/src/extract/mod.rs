//! Files out of a model's reply, whatever its layout; or an explicit answer that there are none.
//!
//! Extraction is judged apart from skill: nothing is invented for a file that is missing, and no file is refused for its length.

mod blocks;
mod names;
mod wrapped;

use crate::config::SourceFiles;

/// The longest reply that is read.
const LONGEST: usize = 2 * 1024 * 1024;

/// What was found in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extraction {
    /// Files, by name.
    Found {
        /// Their text.
        files: SourceFiles,
        /// How they were labelled.
        layout: ReplyLayout,
        /// Names that came more than once with different text; the last one counts.
        ambiguous: Vec<String>,
        /// The last block was never closed: the reply was probably cut off.
        truncated: bool,
    },
    /// No file could be told.
    Unparsed(Unparsed),
}

/// Why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unparsed {
    /// The reply is empty.
    Empty,
    /// The reply declines.
    Refused,
    /// There is text, but no configuration in it.
    NoConfiguration,
    /// It is too long to be read.
    TooLong,
}

impl std::fmt::Display for Unparsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "the reply is empty",
            Self::Refused => "the reply declines the request",
            Self::NoConfiguration => "the reply holds no configuration",
            Self::TooLong => "the reply is too long",
        })
    }
}

/// How the files of a reply were told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyLayout {
    /// JSON with names and texts.
    Json,
    /// `<file name="main.tf">` and the like.
    Tags,
    /// Fenced blocks.
    Fences,
    /// Lines such as `=== main.tf ===` between the files.
    Markers,
    /// `cat > main.tf <<EOF`.
    Shell,
    /// A diff that adds files.
    Diff,
    /// Bare configuration without any label.
    Bare,
}

/// Finds the files of a reply.
pub fn extract(reply: &str) -> Extraction {
    if reply.len() > LONGEST {
        return Extraction::Unparsed(Unparsed::TooLong);
    }
    let reply = reply.replace("\r\n", "\n");
    let text = without_thoughts(&reply);
    if text.trim().is_empty() {
        return Extraction::Unparsed(Unparsed::Empty);
    }
    let tries: [fn(&str) -> Option<Pieces>; 6] =
        [wrapped::json, wrapped::tags, wrapped::shell, blocks::fences, wrapped::diff, blocks::markers];
    for attempt in tries {
        if let Some(pieces) = attempt(text)
            && let Some(found) = pieces.finish()
        {
            return found;
        }
    }
    if looks_like_configuration(text) {
        let mut pieces = Pieces::new(ReplyLayout::Bare);
        pieces.add("main.tf".to_owned(), text.to_owned());
        if let Some(found) = pieces.finish() {
            return found;
        }
    }
    Extraction::Unparsed(if declines(text) { Unparsed::Refused } else { Unparsed::NoConfiguration })
}

/// Named texts on their way to become files.
struct Pieces {
    layout: ReplyLayout,
    named: Vec<(String, String)>,
    truncated: bool,
}

impl Pieces {
    fn new(layout: ReplyLayout) -> Self {
        Self { layout, named: Vec::new(), truncated: false }
    }

    fn add(&mut self, name: String, text: String) {
        self.named.push((name, text));
    }

    fn finish(self) -> Option<Extraction> {
        let mut files = SourceFiles::new();
        let mut ambiguous = Vec::new();
        let shared = names::shared_folder(self.named.iter().map(|(n, _)| n.as_str()));
        for (name, text) in self.named {
            let name = name[shared..].to_owned();
            let text = if text.ends_with('\n') { text } else { text + "\n" };
            if files.get(&name).is_some_and(|old| *old != text) && !ambiguous.contains(&name) {
                ambiguous.push(name.clone());
            }
            files.insert(name, text);
        }
        let any = files.keys().any(|n| n.ends_with(".tf"));
        any.then_some(Extraction::Found { files, layout: self.layout, ambiguous, truncated: self.truncated })
    }
}

/// Drops reasoning that some models write before their answer.
fn without_thoughts(text: &str) -> &str {
    for end in ["</think>", "</thinking>", "</reasoning>"] {
        if let Some(at) = text.rfind(end) {
            return &text[at + end.len()..];
        }
    }
    text
}

/// Whether text has blocks as configurations have them.
fn looks_like_configuration(text: &str) -> bool {
    const KINDS: &[&str] =
        &["resource \"", "variable \"", "output \"", "provider \"", "terraform {", "locals {", "data \"", "module \""];
    let block = |line: &str| KINDS.iter().any(|k| line.starts_with(k)) && line.contains('{');
    text.lines().any(|line| block(line.trim_start()))
}

fn declines(text: &str) -> bool {
    let lower = text.chars().take(400).collect::<String>().to_lowercase();
    [
        "i can't",
        "i cannot",
        "i can\u{2019}t",
        "i'm sorry",
        "i\u{2019}m sorry",
        "i am sorry",
        "unable to help",
        "i won't",
        "i must decline",
    ]
    .iter()
    .any(|p| lower.contains(p))
}
