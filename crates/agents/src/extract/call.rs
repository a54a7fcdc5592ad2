//! Where a call begins and ends in a longer text.

/// The end of the call whose name begins at `start`, if a call stands there: behind its closing
/// parenthesis, or at the end of its line if that is missing.
pub(super) fn end(text: &str, start: usize) -> Option<usize> {
    let name = name_len(&text[start..]);
    let open = start + name;
    let gap = text[open..].len() - text[open..].trim_start_matches(' ').len();
    let open = open + gap;
    if name == 0 || gap > 1 || !text[open..].starts_with('(') {
        return None;
    }
    let inside = open + 1;
    let closed = quoted_end(&text[inside..]).or_else(|| paired_end(&text[inside..]));
    Some(closed.map_or_else(|| line_end(text, inside), |at| inside + at))
}

/// How many bytes of the text are a name.
pub(super) fn name_len(text: &str) -> usize {
    let first = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let len = text.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(text.len());
    if first { len } else { 0 }
}

/// Reads as the parser does: an argument that begins with a quote ends with it, and everything else
/// is bare text with parentheses in pairs.
fn quoted_end(text: &str) -> Option<usize> {
    let mut fresh = true;
    let mut depth = 0usize;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' | '\'' | '\u{201c}' | '\u{2018}' if fresh => {
                skip_quoted(&mut letters, closing(letter))?;
                fresh = false;
            }
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(at + 1),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' | '=' | ':' => fresh = true,
            c if c.is_whitespace() => {}
            _ => fresh = false,
        }
    }
    None
}

fn closing(quote: char) -> char {
    match quote {
        '\u{201c}' => '\u{201d}',
        '\u{2018}' => '\u{2019}',
        same => same,
    }
}

fn skip_quoted(letters: &mut std::str::CharIndices<'_>, quote: char) -> Option<()> {
    while let Some((_, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return Some(());
        }
    }
    None
}

/// The closing parenthesis on the same line, whatever the quotes say: some were not closed.
fn paired_end(text: &str) -> Option<usize> {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    line.rfind(')').map(|at| at + 1)
}

fn line_end(text: &str, from: usize) -> usize {
    text[from..].find('\n').map_or(text.len(), |at| from + at)
}
