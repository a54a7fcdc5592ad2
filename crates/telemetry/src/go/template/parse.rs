//! From the text of a template to its nodes.

use crate::go::{parse_float, unquote};

use super::TemplateFunctions;
use super::builtins;

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    If(Pipe, Vec<Node>, Vec<Node>),
    With(Pipe, Vec<Node>, Vec<Node>),
    Range(Pipe, Vec<Node>, Vec<Node>),
}

/// `$x := a | b c`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pipe {
    pub variables: Vec<String>,
    pub commands: Vec<Vec<Operand>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// `.` or `.a.b`
    Field(Vec<String>),
    /// `$x` or `$x.a`
    Variable(String, Vec<String>),
    Function(String),
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    Nil,
    Group(Pipe, Vec<String>),
}

/// Blocks deeper than this are refused.
const DEPTH_LIMIT: usize = 50;

impl Template {
    /// Reads a template; errors begin with its name and line, as Go's do.
    pub fn parse(name: &str, text: &str, functions: &dyn TemplateFunctions) -> Result<Self, String> {
        let pieces = split(text).map_err(|(line, why)| format!("template: {name}:{line}: {why}"))?;
        let mut reader = Reader { pieces, at: 0, functions, depth: 0 };
        let (nodes, ending) = reader.list().map_err(|(line, why)| format!("template: {name}:{line}: {why}"))?;
        match ending {
            Ending::End(line) => Err(format!("template: {name}:{line}: unexpected {{{{end}}}}")),
            Ending::Else(line, _) => Err(format!("template: {name}:{line}: unexpected {{{{else}}}}")),
            Ending::Text => Ok(Self { nodes }),
        }
    }
}

type Fallible<T> = Result<T, (usize, String)>;

enum Piece {
    Text(String),
    Action(String, usize),
}

/// Cuts a text at its actions and trims where `{{-` or `-}}` says so.
fn split(text: &str) -> Fallible<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut trim_next = false;
    loop {
        let open = rest.find("{{").unwrap_or(rest.len());
        let mut plain = &rest[..open];
        if trim_next {
            plain = plain.trim_start();
        }
        if open == rest.len() {
            pieces.push(Piece::Text(plain.to_owned()));
            return Ok(pieces);
        }
        let line = 1 + text[..text.len() - rest.len() + open].matches('\n').count();
        let mut action = &rest[open + 2..];
        if action.starts_with("- ") || action.starts_with("-\n") {
            plain = plain.trim_end();
            action = &action[1..];
        }
        pieces.push(Piece::Text(plain.to_owned()));
        let end = closing(action).ok_or_else(|| (line, unclosed(action)))?;
        let mut inner = &action[..end];
        rest = &action[end + 2..];
        trim_next = inner.ends_with(" -");
        if trim_next {
            inner = &inner[..inner.len() - 1];
        }
        let inner = inner.trim();
        if !(inner.starts_with("/*") && inner.ends_with("*/")) {
            pieces.push(Piece::Action(inner.to_owned(), line));
        }
    }
}

fn unclosed(action: &str) -> String {
    if action.trim_start().starts_with("/*") { "unclosed comment".to_owned() } else { "unclosed action".to_owned() }
}

/// Where `}}` stands outside of quotes.
fn closing(action: &str) -> Option<usize> {
    let mut quoted: Option<char> = None;
    let mut escaped = false;
    for (i, c) in action.char_indices() {
        match (quoted, c) {
            _ if escaped => escaped = false,
            (Some('"' | '\''), '\\') => escaped = true,
            (Some(mark), c) if c == mark => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '`' | '\'') => quoted = Some(c),
            (None, '}') if action[i..].starts_with("}}") => return Some(i),
            _ => {}
        }
    }
    None
}

enum Ending {
    Text,
    End(usize),
    /// What stands behind `else`.
    Else(usize, String),
}

struct Reader<'r> {
    pieces: Vec<Piece>,
    at: usize,
    functions: &'r dyn TemplateFunctions,
    depth: usize,
}

impl Reader<'_> {
    fn list(&mut self) -> Fallible<(Vec<Node>, Ending)> {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.get(self.at) {
            self.at += 1;
            let (action, line) = match piece {
                Piece::Text(text) => {
                    if !text.is_empty() {
                        nodes.push(Node::Text(text.clone()));
                    }
                    continue;
                }
                Piece::Action(action, line) => (action.clone(), *line),
            };
            let (word, rest) = action.split_once(char::is_whitespace).unwrap_or((action.as_str(), ""));
            match word {
                "end" => return Ok((nodes, Ending::End(line))),
                "else" => return Ok((nodes, Ending::Else(line, rest.trim().to_owned()))),
                "if" | "with" | "range" => nodes.push(self.block(word, rest, line)?),
                _ => nodes.push(Node::Action(self.pipe(&action, line)?)),
            }
        }
        Ok((nodes, Ending::Text))
    }

    fn block(&mut self, word: &str, rest: &str, line: usize) -> Fallible<Node> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err((line, "template nests too deeply".to_owned()));
        }
        let pipe = self.pipe(rest, line)?;
        let (body, ending) = self.list()?;
        let other = match ending {
            Ending::Text => return Err((line, "unexpected EOF".to_owned())),
            Ending::End(_) => Vec::new(),
            Ending::Else(line, rest) if rest.is_empty() => match self.list()? {
                (nodes, Ending::End(_)) => nodes,
                _ => return Err((line, "unexpected EOF".to_owned())),
            },
            Ending::Else(line, rest) => {
                let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest.as_str(), ""));
                // `else if` is a block of its own that shares the end.
                vec![self.block(word, rest, line)?]
            }
        };
        self.depth -= 1;
        Ok(match word {
            "if" => Node::If(pipe, body, other),
            "with" => Node::With(pipe, body, other),
            _ => Node::Range(pipe, body, other),
        })
    }

    fn pipe(&self, text: &str, line: usize) -> Fallible<Pipe> {
        let words = words(text).map_err(|why| (line, why))?;
        let mut at = 0;
        let pipe = self.pipeline(&words, &mut at, line, 0)?;
        if at < words.len() {
            return Err((line, format!("unexpected {} in operand", crate::go::quote(&words[at]))));
        }
        Ok(pipe)
    }

    fn pipeline(&self, words: &[String], at: &mut usize, line: usize, depth: usize) -> Fallible<Pipe> {
        if depth > DEPTH_LIMIT {
            return Err((line, "template nests too deeply".to_owned()));
        }
        let mut variables = Vec::new();
        if let Some(assign) = words.iter().position(|w| w == ":=" || w == "=").filter(|a| *a > *at && *a < *at + 4) {
            variables = words[*at..assign].iter().filter(|w| *w != ",").cloned().collect();
            *at = assign + 1;
        }
        let mut commands = vec![Vec::new()];
        while let Some(word) = words.get(*at) {
            match word.as_str() {
                ")" => break,
                "|" => {
                    *at += 1;
                    commands.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            let operand = self.operand(words, at, line, depth)?;
            commands.last_mut().expect("one stands from the beginning").push(operand);
        }
        if commands.iter().any(Vec::is_empty) {
            return Err((line, "missing value for command".to_owned()));
        }
        Ok(Pipe { variables, commands })
    }

    fn operand(&self, words: &[String], at: &mut usize, line: usize, depth: usize) -> Fallible<Operand> {
        let word = words[*at].as_str();
        *at += 1;
        let fields = |text: &str| text.split('.').filter(|f| !f.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        Ok(match word.as_bytes()[0] {
            b'(' => {
                let inner = self.pipeline(words, at, line, depth + 1)?;
                if words.get(*at).map(String::as_str) != Some(")") {
                    return Err((line, "unclosed left paren".to_owned()));
                }
                *at += 1;
                let mut path = Vec::new();
                if let Some(next) = words.get(*at).filter(|w| w.starts_with('.') && w.len() > 1) {
                    path = fields(next);
                    *at += 1;
                }
                Operand::Group(inner, path)
            }
            b'"' | b'`' => Operand::Text(unquote(word).map_err(|_| (line, "unterminated quoted string".to_owned()))?),
            b'\'' => match unquote(word).ok().and_then(|t| t.chars().next()) {
                Some(c) => Operand::Int(c as i64),
                None => return Err((line, "malformed character constant".to_owned())),
            },
            b'.' if word.len() == 1 || !word.as_bytes()[1].is_ascii_digit() => Operand::Field(fields(word)),
            b'$' => {
                let (name, path) = word.split_once('.').unwrap_or((word, ""));
                Operand::Variable(name.to_owned(), fields(path))
            }
            b'0'..=b'9' | b'-' | b'+' | b'.' => match word.parse::<i64>() {
                Ok(number) => Operand::Int(number),
                Err(_) => match parse_float(word) {
                    Some(number) => Operand::Float(number),
                    None => return Err((line, format!("bad number syntax: {}", crate::go::quote(word)))),
                },
            },
            _ => match word {
                "true" => Operand::Bool(true),
                "false" => Operand::Bool(false),
                "nil" => Operand::Nil,
                name if builtins::has(name) || self.functions.has(name) => Operand::Function(name.to_owned()),
                name => return Err((line, format!("function {} not defined", crate::go::quote(name)))),
            },
        })
    }
}

/// Words of an action: names, strings, numbers and signs.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        match chars[at] {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            '(' | ')' | '|' | ',' | '=' => at += 1,
            ':' if chars.get(at + 1) == Some(&'=') => at += 2,
            mark @ ('"' | '`' | '\'') => {
                at += 1;
                while chars.get(at).is_some_and(|c| *c != mark) {
                    at += if chars[at] == '\\' && mark != '`' { 2 } else { 1 };
                }
                if at >= chars.len() {
                    return Err("unterminated quoted string".to_owned());
                }
                at += 1;
            }
            c if c.is_alphanumeric() || matches!(c, '.' | '$' | '_' | '-' | '+') => {
                at += 1;
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$')) {
                    at += 1;
                }
            }
            c => return Err(format!("unexpected {} in command", crate::go::quote::quote_char(c))),
        }
        out.push(chars[start..at].iter().collect());
    }
    Ok(out)
}
