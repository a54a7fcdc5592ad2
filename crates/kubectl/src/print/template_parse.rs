//! The grammar of Go templates, as far as `-o go-template` needs it.

/// A part of a template.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String),
    Print(Pipe),
    Set(String, Pipe),
    If(Pipe, Vec<Piece>, Vec<Piece>),
    Range { key: Option<String>, value: Option<String>, over: Pipe, body: Vec<Piece>, otherwise: Vec<Piece> },
    With(Pipe, Vec<Piece>, Vec<Piece>),
}

/// Calls, each fed with the one before.
pub(super) type Pipe = Vec<Vec<Term>>;

#[derive(Clone, Debug)]
pub(super) enum Term {
    /// `.a.b`, `$x.a`, `$`: the variable, if any, and the fields.
    Path(Option<String>, Vec<String>),
    Text(String),
    Number(f64),
    Bool(bool),
    Nil,
    Name(String),
    Group(Pipe, Vec<String>),
}

pub(super) fn parse(text: &str) -> Result<Vec<Piece>, String> {
    let mut tokens = tokens(text)?.into_iter().peekable();
    let (pieces, end) = pieces(&mut tokens, 0)?;
    match end {
        None => Ok(pieces),
        Some(word) => Err(format!("unexpected {{{{{word}}}}}")),
    }
}

enum Token {
    Text(String),
    Action(String),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut trims = false;
    loop {
        let Some(open) = rest.find("{{") else {
            let text = if trims { rest.trim_start() } else { rest };
            if !text.is_empty() {
                out.push(Token::Text(text.into()));
            }
            return Ok(out);
        };
        let mut before = if trims { rest[..open].trim_start() } else { &rest[..open] };
        let mut inner = &rest[open + 2..];
        if let Some(after) = inner.strip_prefix("- ") {
            before = before.trim_end();
            inner = after;
        }
        let close = action_end(inner).ok_or("unclosed action")?;
        let (mut action, after) = (&inner[..close], &inner[close + 2..]);
        trims = action.ends_with(" -");
        if trims {
            action = &action[..action.len() - 2];
        }
        if !before.is_empty() {
            out.push(Token::Text(before.into()));
        }
        if !action.trim().starts_with("/*") {
            out.push(Token::Action(action.trim().into()));
        }
        rest = after;
    }
}

fn action_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(sign) if c == sign => quote = None,
            Some(_) => {}
            None if c == '"' || c == '`' => quote = Some(c),
            None if text[at..].starts_with("}}") => return Some(at),
            None => {}
        }
    }
    None
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<Token>>;

/// Pieces until `end` or `else`, which is returned.
fn pieces(tokens: &mut Tokens, depth: usize) -> Result<(Vec<Piece>, Option<String>), String> {
    if depth > 30 {
        return Err("too deeply nested".into());
    }
    let mut out = Vec::new();
    while let Some(token) = tokens.next() {
        let action = match token {
            Token::Text(text) => {
                out.push(Piece::Text(text));
                continue;
            }
            Token::Action(action) => action,
        };
        let (word, rest) = action.split_once(char::is_whitespace).unwrap_or((&action, ""));
        match word {
            "end" => return Ok((out, Some("end".into()))),
            "else" => return Ok((out, Some(action.clone()))),
            "if" | "with" => {
                let condition = pipe(rest)?;
                let (body, otherwise) = branches(tokens, depth)?;
                out.push(if word == "if" {
                    Piece::If(condition, body, otherwise)
                } else {
                    Piece::With(condition, body, otherwise)
                });
            }
            "range" => {
                let (names, over) = match rest.split_once(":=") {
                    Some((names, over)) => {
                        (names.split(',').map(|name| name.trim().trim_start_matches('$').to_string()).collect(), over)
                    }
                    None => (Vec::new(), rest),
                };
                let (key, value) = match &*names {
                    [value] => (None, Some(value.clone())),
                    [key, value] => (Some(key.clone()), Some(value.clone())),
                    _ => (None, None),
                };
                let over = pipe(over)?;
                let (body, otherwise) = branches(tokens, depth)?;
                out.push(Piece::Range { key, value, over, body, otherwise });
            }
            "define" | "template" | "block" | "break" | "continue" => {
                return Err(format!("{word} is not supported here"));
            }
            _ => match action.split_once(":=").or_else(|| action.split_once(" = ")).filter(|(name, _)| {
                name.trim().starts_with('$') && !name.contains(' ')
                    || name.trim().starts_with('$') && !name.trim().contains(' ')
            }) {
                Some((name, value)) => out.push(Piece::Set(name.trim().trim_start_matches('$').into(), pipe(value)?)),
                None => out.push(Piece::Print(pipe(&action)?)),
            },
        }
    }
    Ok((out, None))
}

fn branches(tokens: &mut Tokens, depth: usize) -> Result<(Vec<Piece>, Vec<Piece>), String> {
    let (body, end) = pieces(tokens, depth + 1)?;
    match end.as_deref() {
        Some("end") => Ok((body, Vec::new())),
        Some("else") => {
            let (otherwise, end) = pieces(tokens, depth + 1)?;
            if end.as_deref() != Some("end") {
                return Err("unexpected EOF".into());
            }
            Ok((body, otherwise))
        }
        Some(word) => match word.strip_prefix("else if ") {
            Some(condition) => {
                let condition = pipe(condition)?;
                let (inner, otherwise) = branches(tokens, depth + 1)?;
                Ok((body, vec![Piece::If(condition, inner, otherwise)]))
            }
            None => Err(format!("unexpected {word}")),
        },
        None => Err("unexpected EOF".into()),
    }
}

/// Calls joined by `|`.
pub(super) fn pipe(text: &str) -> Result<Pipe, String> {
    let mut rest = text.trim();
    let mut calls = vec![Vec::new()];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('|') {
            calls.push(Vec::new());
            rest = after.trim_start();
            continue;
        }
        let (term, after) = term(rest)?;
        calls.last_mut().expect("there is one").push(term);
        rest = after.trim_start();
    }
    if calls.iter().any(Vec::is_empty) {
        return Err("missing value for command".into());
    }
    Ok(calls)
}

fn fields(text: &str) -> (Vec<String>, &str) {
    let mut rest = text;
    let mut names = Vec::new();
    while let Some(after) = rest.strip_prefix('.') {
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
        if end == 0 {
            rest = after;
            break;
        }
        names.push(after[..end].to_string());
        rest = &after[end..];
    }
    (names, rest)
}

fn term(text: &str) -> Result<(Term, &str), String> {
    let first = text.chars().next().ok_or("unexpected EOF")?;
    match first {
        '.' => {
            let (names, rest) = fields(text);
            Ok((Term::Path(None, names), rest))
        }
        '$' => {
            let end = text[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(text.len(), |end| end + 1);
            let (names, rest) = fields(&text[end..]);
            Ok((Term::Path(Some(text[1..end].into()), names), rest))
        }
        '"' => {
            let mut escaped = false;
            for (at, c) in text.char_indices().skip(1) {
                match c {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '"' => {
                        let raw = &text[1..at];
                        let plain =
                            raw.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\");
                        return Ok((Term::Text(plain), &text[at + 1..]));
                    }
                    _ => {}
                }
            }
            Err("unterminated quoted string".into())
        }
        '`' => {
            let end = text[1..].find('`').ok_or("unterminated raw quoted string")?;
            Ok((Term::Text(text[1..=end].into()), &text[end + 2..]))
        }
        '(' => {
            let (mut depth, mut close) = (0, None);
            for (at, c) in text.char_indices() {
                depth += i32::from(c == '(') - i32::from(c == ')');
                if depth == 0 {
                    close = Some(at);
                    break;
                }
            }
            let close = close.ok_or("unclosed left paren")?;
            if text.len() > 10_000 {
                return Err("too long".into());
            }
            let inner = pipe(&text[1..close])?;
            let (names, rest) = fields(&text[close + 1..]);
            Ok((Term::Group(inner, names), rest))
        }
        _ => {
            let end = text.find(|c: char| c.is_whitespace() || c == '|' || c == '(' || c == ')').unwrap_or(text.len());
            let (word, rest) = text.split_at(end);
            let term = match word {
                "" => return Err(format!("unexpected {first:?} in command")),
                "true" => Term::Bool(true),
                "false" => Term::Bool(false),
                "nil" => Term::Nil,
                word => match word.parse() {
                    Ok(number) => Term::Number(number),
                    Err(_) => Term::Name(word.into()),
                },
            };
            Ok((term, rest))
        }
    }
}
