//! sed: addresses, and the commands s, y, d, p, q, a, i, c, =.

use regex_lite::Regex;

use super::{ToolInput, done};
use crate::state::Output;
use crate::{Dialect, pattern};

pub(super) fn sed(call: &mut ToolInput<'_>) -> Output {
    let long = [("quiet", 'n'), ("silent", 'n'), ("expression", 'e'), ("regexp-extended", 'E'), ("in-place", 'i')];
    let mut options = match call.options("ne:Eriszu", &long) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let mut script: Vec<String> =
        options.set.iter().filter(|(letter, _)| *letter == 'e').map(|(_, text)| text.clone()).collect();
    if script.is_empty() {
        if options.rest.is_empty() {
            return Output::failed(1, "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n");
        }
        script.push(options.rest.remove(0));
    }
    let dialect = if options.has('E') || options.has('r') { Dialect::Extended } else { Dialect::Basic };
    let commands = match (Reader { rest: &script.join("\n"), dialect }).commands() {
        Ok(commands) => commands,
        Err(why) => return Output::failed(1, format!("sed: -e expression #1, {why}\n")),
    };
    let quiet = options.has('n');
    if options.has('i') {
        let (texts, mut complaints) = call.texts(&options.rest);
        for (path, text) in texts {
            if let Err(why) = call.host.write_file(&path, &edited(&text, &commands, quiet), false) {
                complaints.push_str(&format!("sed: couldn't open file {path}: {why}\n"));
            }
        }
        return done(String::new(), complaints);
    }
    let (text, complaints) = call.joined(&options.rest);
    done(edited(&text, &commands, quiet), complaints.replace("sed: ", "sed: can't read "))
}

/// What a text becomes.
fn edited(text: &str, commands: &[SedCommand], quiet: bool) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let ends_open = !text.is_empty() && !text.ends_with('\n');
    let mut ranges = vec![false; commands.len()];
    let mut out = String::new();
    for (at, line) in lines.iter().enumerate() {
        let number = at + 1;
        let is_last = number == lines.len();
        let mut current = (*line).to_string();
        let (mut after, mut deleted, mut quits) = (String::new(), false, false);
        for (command, is_in) in commands.iter().zip(&mut ranges) {
            if !command.applies(number, is_last, &current, is_in) {
                continue;
            }
            match &command.action {
                Action::Delete => {
                    deleted = true;
                    break;
                }
                Action::Print => out.push_str(&format!("{current}\n")),
                Action::Quit => {
                    quits = true;
                    break;
                }
                Action::Number => out.push_str(&format!("{number}\n")),
                Action::Append(text) => after.push_str(&format!("{text}\n")),
                Action::Insert(text) => out.push_str(&format!("{text}\n")),
                Action::Change(text) => {
                    out.push_str(&format!("{text}\n"));
                    deleted = true;
                    break;
                }
                Action::Swap(from, to) => {
                    let swap =
                        |c: char| from.iter().position(|f| *f == c).and_then(|at| to.get(at)).copied().unwrap_or(c);
                    current = current.chars().map(swap).collect();
                }
                Action::Substitute(substitution) => {
                    if let Some(new) = substitution.apply(&current) {
                        current = new;
                        if substitution.prints {
                            out.push_str(&format!("{current}\n"));
                        }
                    }
                }
            }
        }
        if !quiet && !deleted {
            out.push_str(&current);
            if !(is_last && ends_open) {
                out.push('\n');
            }
        }
        out.push_str(&after);
        if quits || out.len() > 8 << 20 {
            break;
        }
    }
    out
}

struct SedCommand {
    first: Option<Address>,
    last: Option<Address>,
    negated: bool,
    action: Action,
}

enum Address {
    Line(usize),
    Last,
    Matches(Regex),
    Every(usize, usize),
    Plus(usize),
}

enum Action {
    Delete,
    Print,
    Quit,
    Number,
    Append(String),
    Insert(String),
    Change(String),
    Swap(Vec<char>, Vec<char>),
    Substitute(Substitution),
}

struct Substitution {
    regex: Regex,
    replacement: String,
    all: bool,
    nth: usize,
    prints: bool,
}

impl Address {
    fn is_at(&self, number: usize, is_last: bool, line: &str) -> bool {
        match self {
            Self::Line(at) => *at == number,
            Self::Last => is_last,
            Self::Matches(regex) => regex.is_match(line),
            Self::Every(first, step) => number >= *first && (number - first).is_multiple_of((*step).max(1)),
            Self::Plus(_) => false,
        }
    }
}

impl SedCommand {
    fn applies(&self, number: usize, is_last: bool, line: &str, is_in: &mut bool) -> bool {
        let selected = match (&self.first, &self.last) {
            (None, _) => true,
            (Some(first), None) => first.is_at(number, is_last, line),
            (Some(first), Some(last)) => {
                if *is_in {
                    *is_in = match last {
                        Address::Line(end) => number < *end,
                        other => !other.is_at(number, is_last, line),
                    };
                    true
                } else if first.is_at(number, is_last, line) {
                    *is_in = !matches!(last, Address::Line(end) if *end <= number);
                    true
                } else {
                    false
                }
            }
        };
        selected != self.negated
    }
}

impl Substitution {
    fn apply(&self, line: &str) -> Option<String> {
        let mut out = String::new();
        let mut end = 0;
        let mut done = false;
        for (at, captures) in self.regex.captures_iter(line).enumerate() {
            if at + 1 < self.nth {
                continue;
            }
            let whole = captures.get(0).expect("a match has its whole");
            out.push_str(&line[end..whole.start()]);
            let mut chars = self.replacement.chars();
            while let Some(c) = chars.next() {
                match c {
                    '&' => out.push_str(whole.as_str()),
                    '\\' => match chars.next() {
                        Some(digit) if digit.is_ascii_digit() => {
                            let number = digit as usize - '0' as usize;
                            out.push_str(captures.get(number).map_or("", |group| group.as_str()));
                        }
                        Some('n') => out.push('\n'),
                        Some('t') => out.push('\t'),
                        Some(c) => out.push(c),
                        None => {}
                    },
                    c => out.push(c),
                }
            }
            end = whole.end();
            done = true;
            if !self.all || out.len() > 1 << 20 {
                break;
            }
        }
        out.push_str(&line[end..]);
        done.then_some(out)
    }
}

struct Reader<'a> {
    rest: &'a str,
    dialect: Dialect,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn commands(mut self) -> Result<Vec<SedCommand>, String> {
        let mut commands = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
            if self.rest.is_empty() {
                return Ok(commands);
            }
            let first = self.address()?;
            let last = match self.rest.strip_prefix(',') {
                Some(rest) => {
                    self.rest = rest;
                    match (self.address()?, &first) {
                        (Some(Address::Plus(more)), Some(Address::Line(at))) => Some(Address::Line(at + more)),
                        (Some(Address::Plus(_)), _) => {
                            return Err("char 1: `+N` is supported after a line number alone".into());
                        }
                        (found, _) => found,
                    }
                }
                None => None,
            };
            self.rest = self.rest.trim_start();
            let negated = self.rest.starts_with('!');
            self.rest = self.rest.trim_start_matches('!').trim_start();
            let action = self.action()?;
            commands.push(SedCommand { first, last, negated, action });
        }
    }

    fn address(&mut self) -> Result<Option<Address>, String> {
        self.rest = self.rest.trim_start();
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        if digits > 0 {
            let number = self.rest[..digits].parse().map_err(|_| "char 1: number out of range")?;
            self.rest = &self.rest[digits..];
            if let Some(rest) = self.rest.strip_prefix('~') {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                self.rest = &rest[digits..];
                return Ok(Some(Address::Every(number, rest[..digits].parse().unwrap_or(1))));
            }
            return Ok(Some(Address::Line(number)));
        }
        if let Some(rest) = self.rest.strip_prefix('+') {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            self.rest = &rest[digits..];
            return Ok(Some(Address::Plus(rest[..digits].parse().unwrap_or(0))));
        }
        if let Some(rest) = self.rest.strip_prefix('$') {
            self.rest = rest;
            return Ok(Some(Address::Last));
        }
        let sign = match () {
            () if self.rest.starts_with('/') => self.next(),
            () if self.rest.starts_with('\\') => {
                self.next();
                self.next()
            }
            () => return Ok(None),
        };
        let text = self.until(sign.unwrap_or('/'))?;
        let ignore_case = self.rest.starts_with('I');
        self.rest = self.rest.trim_start_matches('I');
        pattern(&text, self.dialect, ignore_case).map(|regex| Some(Address::Matches(regex)))
    }

    /// The text up to an unescaped sign, which is taken.
    fn until(&mut self, sign: char) -> Result<String, String> {
        let mut text = String::new();
        loop {
            match self.next() {
                Some(c) if c == sign => return Ok(text),
                Some('\\') => match self.next() {
                    Some(c) if c == sign => text.push(c),
                    Some('\n') => text.push('\n'),
                    Some(c) => text.extend(['\\', c]),
                    None => return Err("char 1: unterminated address regex".into()),
                },
                Some(c) => text.push(c),
                None => return Err("char 1: unterminated `s' command".into()),
            }
        }
    }

    fn action(&mut self) -> Result<Action, String> {
        Ok(match self.next() {
            Some('d') => Action::Delete,
            Some('p') => Action::Print,
            Some('q') => Action::Quit,
            Some('=') => Action::Number,
            Some(sign @ ('a' | 'i' | 'c')) => {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                let text = line.trim_start().trim_start_matches('\\').trim_start().to_string();
                self.rest = rest;
                match sign {
                    'a' => Action::Append(text),
                    'i' => Action::Insert(text),
                    _ => Action::Change(text),
                }
            }
            Some('y') => {
                let sign = self.next().ok_or("char 1: unterminated `y' command")?;
                let (from, to) = (self.until(sign)?, self.until(sign)?);
                Action::Swap(from.chars().collect(), to.chars().collect())
            }
            Some('s') => {
                let sign = self.next().ok_or("char 1: unterminated `s' command")?;
                let (from, replacement) = (self.until(sign)?, self.until(sign)?);
                let end =
                    self.rest.find(|c: char| !(c.is_ascii_digit() || "gpIi".contains(c))).unwrap_or(self.rest.len());
                let (flags, rest) = self.rest.split_at(end);
                self.rest = rest;
                let digits: String = flags.chars().filter(char::is_ascii_digit).collect();
                Action::Substitute(Substitution {
                    regex: pattern(&from, self.dialect, flags.contains(['i', 'I']))?,
                    replacement,
                    all: flags.contains('g'),
                    nth: digits.parse().unwrap_or(1),
                    prints: flags.contains('p'),
                })
            }
            Some(c) => return Err(format!("char 1: unknown command: `{c}' (supported are s, y, d, p, q, a, i, c, =)")),
            None => return Err("char 1: missing command".into()),
        })
    }
}
