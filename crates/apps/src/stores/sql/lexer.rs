//! Statements and words.

/// A word of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) enum SqlToken {
    /// A name or keyword as it was written; whether it was quoted.
    Word(String, bool),
    Text(String),
    Number(String),
    Sign(&'static str),
}

impl SqlToken {
    /// Whether it is a keyword.
    pub(in crate::stores) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word, false) if word.eq_ignore_ascii_case(keyword))
    }
}

const SIGNS: &[&str] = &[
    "::", "<>", "!=", "<=", ">=", "||", "(", ")", ",", ";", ".", "*", "=", "<", ">", "+", "-", "/", "%", "[", "]", ":",
];

/// Cuts a script into statements at semicolons outside of quotes; comments are dropped.
pub(in crate::stores) fn split(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            // Between double dollars everything stands for itself.
            (None | Some('$'), '$') if chars.peek() == Some(&'$') => {
                quote = if quote.is_none() { Some('$') } else { None };
                out.last_mut().expect("there is always a statement").push(c);
                chars.next();
            }
            (Some('$'), _) => {}
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '-') if chars.peek() == Some(&'-') => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            (None, ';') => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        out.last_mut().expect("there is always a statement").push(c);
    }
    out.into_iter().map(|statement| statement.trim().to_string()).filter(|statement| !statement.is_empty()).collect()
}

/// The words of a statement; what no word begins with is left out.
pub(in crate::stores) fn tokens(text: &str) -> Vec<SqlToken> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' => {
                let (text, length) = quoted(rest, '\'');
                out.push(SqlToken::Text(text));
                length
            }
            '$' if rest.starts_with("$$") => {
                let end = rest[2..].find("$$").map_or(rest.len(), |at| at + 2);
                out.push(SqlToken::Text(rest[2..end].into()));
                (end + 2).min(rest.len())
            }
            '"' | '`' => {
                let (name, length) = quoted(rest, first);
                out.push(SqlToken::Word(name, true));
                length
            }
            c if c.is_ascii_digit() => {
                let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
                out.push(SqlToken::Number(rest[..length].into()));
                length
            }
            c if c.is_alphabetic() || c == '_' || c == '@' || c == '\\' => {
                let is_in = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '\\');
                let length = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
                out.push(SqlToken::Word(rest[..length].into(), false));
                length
            }
            c => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => {
                    out.push(SqlToken::Sign(sign));
                    sign.len()
                }
                None => c.len_utf8(),
            },
        };
        rest = rest[length..].trim_start();
    }
    out
}

/// A quoted text and how long it is; a doubled quote stands for one.
fn quoted(text: &str, quote: char) -> (String, usize) {
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            out.push(c);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            out.push(quote);
        } else {
            return (out, at + 1);
        }
    }
    (out, text.len())
}
