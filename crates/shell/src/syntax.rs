//! A command line as a tree.

use std::sync::Arc;

/// Commands one after the other.
pub type List = Arc<Vec<ListItem>>;

/// One element of a list: pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct ListItem {
    pub first: Pipeline,
    /// Each with whether it runs on success (`&&`) or on failure (`||`).
    pub rest: Vec<(bool, Pipeline)>,
    /// Whether it ends with `&`.
    pub in_background: bool,
}

/// Commands whose output is the next one's input.
#[derive(Debug)]
pub struct Pipeline {
    /// `!` before it.
    pub is_negated: bool,
    pub commands: Vec<Command>,
}

/// A command with its redirects.
#[derive(Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub redirects: Vec<Redirect>,
}

#[derive(Debug)]
pub enum CommandKind {
    Simple { assignments: Vec<(String, Word)>, words: Vec<Word> },
    Group(List),
    Subshell(List),
    For { name: String, words: Option<Vec<Word>>, body: List },
    While { condition: List, body: List, until: bool },
    If { arms: Vec<(List, List)>, otherwise: Option<List> },
    Case { word: Word, arms: Vec<(Vec<Word>, List)> },
    Function { name: String, body: List },
}

#[derive(Debug)]
pub struct Redirect {
    /// 0, 1 or 2; 3 stands for both outputs (`&>`).
    pub from: u8,
    pub to: RedirectTo,
}

#[derive(Debug)]
pub enum RedirectTo {
    ReadFile(Word),
    WriteFile {
        path: Word,
        append: bool,
    },
    Stream(u8),
    /// A heredoc or a here-string.
    Text(Word),
}

/// A word as it is written.
#[derive(Clone, Debug, Default)]
pub struct Word(pub Vec<Part>);

#[derive(Clone, Debug)]
pub enum Part {
    /// Text; quoted text is neither split nor dropped when empty.
    Text { text: String, quoted: bool },
    /// `$name`, `${name}`, `${name:-word}`.
    Variable { name: String, change: Option<(String, Word)>, quoted: bool },
    /// `$(...)`.
    Commands { list: List, quoted: bool },
    /// `$((...))`.
    Arithmetic(Word),
}

impl Word {
    pub fn of(text: &str) -> Self {
        Self(vec![Part::Text { text: text.into(), quoted: true }])
    }

    /// The word if it is plain, unquoted text: reserved words are only recognised so.
    pub fn plain(&self) -> Option<&str> {
        match &*self.0 {
            [Part::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }
}
