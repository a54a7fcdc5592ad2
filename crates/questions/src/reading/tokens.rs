//! A reply as words, marks and line ends, without the markup around them.

/// One piece of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A word as written. Apostrophes stay inside.
    Word(String),
    /// A mark that is neither markup nor part of a word.
    Mark(char),
    /// The end of a line.
    Break,
}

impl Piece {
    /// The word in lower case; empty for anything else.
    pub(super) fn lower(&self) -> String {
        match self {
            Piece::Word(word) => word.to_lowercase(),
            _ => String::new(),
        }
    }

    pub(super) fn is_mark(&self, any: &str) -> bool {
        matches!(self, Piece::Mark(mark) if any.contains(*mark))
    }

    pub(super) fn is_break(&self) -> bool {
        *self == Piece::Break
    }
}

/// Cuts a reply into pieces. Emphasis, quotes, code marks and TeX's signs are dropped: they never change what is meant.
pub(super) fn of(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().map(plain).peekable();
    while let Some(c) = chars.next() {
        let joins = matches!(c, '\'') && !word.is_empty() && chars.peek().is_some_and(|next| next.is_alphanumeric());
        // Alphabets without spaces between words: a Latin letter beside them is a word of its own.
        let changes = word.chars().last().is_some_and(|last| last.is_ascii() != c.is_ascii());
        if (c.is_alphanumeric() || joins) && !changes {
            word.push(c);
            continue;
        }
        flush(&mut word, &mut pieces);
        match c {
            _ if c.is_alphanumeric() => word.push(c),
            '\n' | '\r' => pieces.push(Piece::Break),
            '*' | '`' | '"' | '\'' | '$' | '\\' | '_' | '~' | '|' => {}
            _ if c.is_whitespace() || c.is_control() => {}
            _ => pieces.push(Piece::Mark(c)),
        }
    }
    flush(&mut word, &mut pieces);
    pieces
}

fn flush(word: &mut String, pieces: &mut Vec<Piece>) {
    if !word.is_empty() {
        pieces.push(Piece::Word(std::mem::take(word)));
    }
}

/// Full-width, circled and squared letters, typographic quotes and colons as their plain forms.
fn plain(c: char) -> char {
    let from = |base: u32, count: u32, first: u8| {
        let code = c as u32;
        (base..base + count).contains(&code).then(|| char::from(first + (code - base) as u8))
    };
    from(0xff21, 26, b'A')
        .or_else(|| from(0xff41, 26, b'a'))
        .or_else(|| from(0x24b6, 26, b'A'))
        .or_else(|| from(0x24d0, 26, b'a'))
        .or_else(|| from(0x1f130, 26, b'A'))
        .or_else(|| from(0x1f150, 26, b'A'))
        .or_else(|| from(0x1f170, 26, b'A'))
        .unwrap_or(match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{ff1a}' => ':',
            '\u{ff08}' => '(',
            '\u{ff09}' => ')',
            '\u{3002}' => '.',
            '\u{2192}' | '\u{21d2}' => '>',
            other => other,
        })
}

/// The reply without what a model thought aloud; true if the thinking never ends.
pub(super) fn without_thinking(text: &str) -> (String, bool) {
    const MARKS: [&str; 4] = ["think", "thinking", "reasoning", "scratchpad"];
    let mut text = text.to_string();
    for mark in MARKS {
        let (open, close) = (format!("<{mark}>"), format!("</{mark}>"));
        while let Some(end) = text.find(&close) {
            // Some providers keep the opening mark to themselves.
            let start = text[..end].rfind(&open).unwrap_or(0);
            text.replace_range(start..end + close.len(), "\n");
        }
        if let Some(start) = text.find(&open) {
            text.truncate(start);
            return (text, true);
        }
    }
    (text, false)
}
