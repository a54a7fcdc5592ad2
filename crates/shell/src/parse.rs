//! The grammar of a command line.

use std::sync::Arc;

use crate::syntax::{Command, CommandKind, List, ListItem, Part, Pipeline, Redirect, RedirectTo, Word};

/// Why a text is no command line, worded as a shell words it.
#[derive(Debug)]
pub struct SyntaxError(pub String);

/// How deep groups, loops and substitutions may be nested.
const DEEPEST: usize = 40;

/// Reads a whole command line.
pub fn parse(text: &str) -> Result<List, SyntaxError> {
    Parser { rest: text, depth: 0, heredocs: Vec::new(), texts: Vec::new() }.whole()
}

pub(crate) struct Parser<'a> {
    rest: &'a str,
    depth: usize,
    /// Heredocs whose text begins on the next line: delimiter, whether tabs are dropped, whether it is quoted.
    heredocs: Vec<(String, bool, bool)>,
    /// Their texts, in order, until the commands pick them up.
    texts: Vec<Word>,
}

/// A heredoc's text is not known before the line ends: until then its place is marked.
const PENDING: &str = "\u{0}heredoc";

impl<'a> Parser<'a> {
    pub(crate) fn nested<'b>(&self, text: &'b str) -> Result<Parser<'b>, SyntaxError> {
        if self.depth >= DEEPEST {
            return Err(SyntaxError("too deeply nested".into()));
        }
        Ok(Parser { rest: text, depth: self.depth + 1, heredocs: Vec::new(), texts: Vec::new() })
    }

    pub(crate) fn whole(mut self) -> Result<List, SyntaxError> {
        let list = self.list()?;
        match self.peek() {
            None => Ok(list),
            Some(c) => Err(self.unexpected(&c.to_string())),
        }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(crate) fn peek_at(&self, at: usize) -> Option<char> {
        self.rest.chars().nth(at)
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    pub(crate) fn enter(&mut self) -> Result<(), SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(SyntaxError("too deeply nested".into())) } else { Ok(()) }
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn expect(&mut self, c: char) -> Result<(), SyntaxError> {
        match self.next() {
            Some(found) if found == c => Ok(()),
            Some(found) => Err(self.unexpected(&found.to_string())),
            None => Err(SyntaxError(format!("syntax error: unexpected end of file (looking for `{c}')"))),
        }
    }

    pub(crate) fn unfinished(&self, sign: char) -> SyntaxError {
        SyntaxError(format!("unexpected EOF while looking for matching `{sign}'"))
    }

    pub(crate) fn wrong(&self, why: String) -> SyntaxError {
        SyntaxError(why)
    }

    fn unexpected(&self, token: &str) -> SyntaxError {
        let token = if token == "\n" { "newline" } else { token };
        SyntaxError(format!("syntax error near unexpected token `{token}'"))
    }

    /// Skips blanks, continued lines and comments.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => {
                    self.next();
                }
                Some('\\') if self.rest.starts_with("\\\n") => self.rest = &self.rest[2..],
                Some('#') => self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]),
                _ => return,
            }
        }
    }

    /// Takes a newline and the heredocs that begin after it.
    fn newline(&mut self) -> Result<(), SyntaxError> {
        self.next();
        for (delimiter, drop_tabs, quoted) in std::mem::take(&mut self.heredocs) {
            let mut text = String::new();
            loop {
                if self.rest.is_empty() {
                    break;
                }
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                let line = if drop_tabs { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches('\r') == delimiter {
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            let word = if quoted { Word::of(&text) } else { self.nested(&text)?.heredoc_text()? };
            self.texts.push(word);
        }
        Ok(())
    }

    fn gaps(&mut self) -> Result<(), SyntaxError> {
        loop {
            self.blanks();
            match self.peek() {
                Some('\n') => self.newline()?,
                _ => return Ok(()),
            }
        }
    }

    /// Commands until something that ends them: a closing bracket, a reserved word, the end.
    pub(crate) fn list(&mut self) -> Result<List, SyntaxError> {
        let mut items = Vec::new();
        loop {
            self.gaps()?;
            if self.peek().is_none_or(|c| c == ')') || self.at_end_word() || self.rest.starts_with(";;") {
                break;
            }
            let mut item = self.item()?;
            self.blanks();
            match self.peek() {
                Some('&') => {
                    self.next();
                    item.in_background = true;
                }
                Some(';') if !self.rest.starts_with(";;") => {
                    self.next();
                }
                Some('\n') => self.newline()?,
                _ => {}
            }
            items.push(item);
        }
        // A heredoc at the very end of the text has nothing after it.
        let texts = std::mem::take(&mut self.texts);
        if !texts.is_empty() {
            let mut texts = texts.into_iter();
            items.iter_mut().for_each(|item| fill_item(item, &mut texts));
            self.texts = texts.collect();
        }
        Ok(Arc::new(items))
    }

    fn at_end_word(&self) -> bool {
        let end = self.rest.find(|c: char| !c.is_ascii_alphabetic() && c != '}').unwrap_or(self.rest.len());
        matches!(&self.rest[..end], "}" | "done" | "fi" | "then" | "else" | "elif" | "do" | "esac")
    }

    fn item(&mut self) -> Result<ListItem, SyntaxError> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let on_success = match () {
                () if self.rest.starts_with("&&") => true,
                () if self.rest.starts_with("||") => false,
                () => break,
            };
            self.rest = &self.rest[2..];
            self.gaps()?;
            rest.push((on_success, self.pipeline()?));
        }
        Ok(ListItem { first, rest, in_background: false })
    }

    fn pipeline(&mut self) -> Result<Pipeline, SyntaxError> {
        self.blanks();
        let mut is_negated = false;
        while self.rest.starts_with("! ") {
            is_negated = !is_negated;
            self.next();
            self.blanks();
        }
        let mut commands = vec![self.command()?];
        loop {
            self.blanks();
            if self.peek() != Some('|') || self.rest.starts_with("||") {
                return Ok(Pipeline { is_negated, commands });
            }
            self.next();
            if self.peek() == Some('&') {
                self.next();
                let redirect = Redirect { from: 2, to: RedirectTo::Stream(1) };
                commands.last_mut().expect("a pipeline has a command").redirects.push(redirect);
            }
            self.gaps()?;
            commands.push(self.command()?);
        }
    }

    fn command(&mut self) -> Result<Command, SyntaxError> {
        self.enter()?;
        let kind = self.command_kind()?;
        self.leave();
        let (kind, mut redirects) = kind;
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Ok(Command { kind, redirects })
    }

    fn command_kind(&mut self) -> Result<(CommandKind, Vec<Redirect>), SyntaxError> {
        self.blanks();
        let compound = |kind| Ok((kind, Vec::new()));
        if self.peek() == Some('(') {
            self.next();
            let list = self.list()?;
            self.expect(')')?;
            return compound(CommandKind::Subshell(list));
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || ";&|<>()".contains(c)).unwrap_or(self.rest.len());
        match &self.rest[..end] {
            "{" => {
                self.rest = &self.rest[1..];
                let list = self.list()?;
                self.keyword("}")?;
                compound(CommandKind::Group(list))
            }
            "for" => compound(self.for_loop()?),
            "while" | "until" => compound(self.while_loop()?),
            "if" => compound(self.condition()?),
            "case" => compound(self.case()?),
            "function" | "select" | "[[" if &self.rest[..end] != "[[" => {
                Err(SyntaxError(format!("`{}` is not supported", &self.rest[..end])))
            }
            _ => self.simple(),
        }
    }

    fn keyword(&mut self, word: &str) -> Result<(), SyntaxError> {
        self.gaps()?;
        let after = self.rest.strip_prefix(word).filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
        match (after, self.peek()) {
            (Some(rest), _) => {
                self.rest = rest;
                Ok(())
            }
            (None, Some(_)) => {
                let token = self.rest.split_whitespace().next().unwrap_or_default();
                Err(self.unexpected(token))
            }
            (None, None) => Err(SyntaxError("syntax error: unexpected end of file".into())),
        }
    }

    fn for_loop(&mut self) -> Result<CommandKind, SyntaxError> {
        self.keyword("for")?;
        self.blanks();
        let name = self.word()?.and_then(|word| word.plain().map(str::to_string));
        let Some(name) = name.filter(|name| is_name(name)) else { return Err(self.unexpected("for")) };
        self.gaps()?;
        let words = if self.rest.starts_with("in") {
            self.keyword("in")?;
            let mut words = Vec::new();
            self.blanks();
            while let Some(word) = self.word()? {
                words.push(word);
                self.blanks();
            }
            Some(words)
        } else {
            None
        };
        Ok(CommandKind::For { name, words, body: self.body()? })
    }

    fn body(&mut self) -> Result<List, SyntaxError> {
        self.blanks();
        if self.peek() == Some(';') {
            self.next();
        }
        self.keyword("do")?;
        let body = self.list()?;
        self.keyword("done")?;
        Ok(body)
    }

    fn while_loop(&mut self) -> Result<CommandKind, SyntaxError> {
        let until = self.rest.starts_with("until");
        self.keyword(if until { "until" } else { "while" })?;
        let condition = self.list()?;
        Ok(CommandKind::While { condition, body: self.body()?, until })
    }

    fn condition(&mut self) -> Result<CommandKind, SyntaxError> {
        self.keyword("if")?;
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.list()?;
            self.keyword("then")?;
            arms.push((condition, self.list()?));
            if self.rest.starts_with("elif") {
                self.keyword("elif")?;
                continue;
            }
            if self.rest.starts_with("else") {
                self.keyword("else")?;
                otherwise = Some(self.list()?);
            }
            self.keyword("fi")?;
            return Ok(CommandKind::If { arms, otherwise });
        }
    }

    fn case(&mut self) -> Result<CommandKind, SyntaxError> {
        self.keyword("case")?;
        self.blanks();
        let Some(word) = self.word()? else { return Err(self.unexpected("newline")) };
        self.keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.gaps()?;
            if self.rest.starts_with("esac") {
                self.keyword("esac")?;
                return Ok(CommandKind::Case { word, arms });
            }
            if self.peek() == Some('(') {
                self.next();
            }
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                let Some(pattern) = self.word()? else { return Err(self.unexpected("case")) };
                patterns.push(pattern);
                self.blanks();
                match self.next() {
                    Some('|') => {}
                    Some(')') => break,
                    _ => return Err(self.unexpected("newline")),
                }
            }
            arms.push((patterns, self.list()?));
            if self.rest.starts_with(";;") {
                self.rest = &self.rest[2..];
            }
        }
    }

    fn simple(&mut self) -> Result<(CommandKind, Vec<Redirect>), SyntaxError> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.len() == 1 && self.rest.starts_with("()") {
                let name = words.first().and_then(Word::plain).unwrap_or_default().to_string();
                self.rest = &self.rest[2..];
                self.gaps()?;
                self.keyword("{")?;
                let body = self.list()?;
                self.keyword("}")?;
                return Ok((CommandKind::Function { name, body }, redirects));
            }
            let Some(word) = self.word()? else { break };
            match assignment(&word).filter(|_| words.is_empty()) {
                Some(assignment) => assignments.push(assignment),
                None => words.push(word),
            }
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return match self.peek() {
                Some(_) => {
                    let token: String =
                        self.rest.chars().take_while(|c| !c.is_whitespace()).take(2).collect::<String>();
                    let token = if token.is_empty() { "\n".into() } else { token };
                    Err(self.unexpected(&token))
                }
                None => Err(SyntaxError("syntax error: unexpected end of file".into())),
            };
        }
        Ok((CommandKind::Simple { assignments, words }, redirects))
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxError> {
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (number, after) = self.rest.split_at(digits);
        let (both, after) = match after.strip_prefix('&') {
            Some(rest) if number.is_empty() && rest.starts_with('>') => (true, rest),
            _ => (false, after),
        };
        if !after.starts_with(['<', '>']) || number.len() > 1 {
            return Ok(None);
        }
        let number = number.parse::<u8>().ok();
        if after.starts_with("<(") || after.starts_with(">(") {
            return Err(SyntaxError("process substitution is not supported".into()));
        }
        self.rest = after;
        let heredoc = self.rest.strip_prefix("<<").filter(|rest| !rest.starts_with('<'));
        if let Some(rest) = heredoc {
            self.rest = rest;
            return self.heredoc().map(Some);
        }
        if let Some(rest) = self.rest.strip_prefix("<<<") {
            self.rest = rest;
            self.blanks();
            let Some(mut word) = self.word()? else { return Err(self.unexpected("newline")) };
            word.0.push(Part::Text { text: "\n".into(), quoted: true });
            return Ok(Some(Redirect { from: 0, to: RedirectTo::Text(word) }));
        }
        let is_input = self.next() == Some('<');
        let append = !is_input && self.peek() == Some('>');
        if append || (!is_input && self.peek() == Some('|')) {
            self.next();
        }
        let from = if both { 3 } else { number.unwrap_or(if is_input { 0 } else { 1 }) };
        if from > 3 {
            return Err(SyntaxError(format!("{from}: Bad file descriptor")));
        }
        if self.peek() == Some('&') {
            self.next();
            let target = self.word()?.and_then(|word| word.plain().map(str::to_string)).unwrap_or_default();
            return match target.parse::<u8>() {
                Ok(to) if to < 3 => Ok(Some(Redirect { from, to: RedirectTo::Stream(to) })),
                _ => Err(SyntaxError(format!("{target}: Bad file descriptor"))),
            };
        }
        self.blanks();
        let Some(path) = self.word()? else { return Err(self.unexpected("newline")) };
        let to = if is_input { RedirectTo::ReadFile(path) } else { RedirectTo::WriteFile { path, append } };
        Ok(Some(Redirect { from, to }))
    }

    fn heredoc(&mut self) -> Result<Redirect, SyntaxError> {
        let drop_tabs = self.peek() == Some('-');
        if drop_tabs {
            self.next();
        }
        self.blanks();
        let Some(word) = self.word()? else { return Err(self.unexpected("newline")) };
        let mut delimiter = String::new();
        let mut is_quoted = false;
        for part in &word.0 {
            if let Part::Text { text, quoted } = part {
                delimiter.push_str(text);
                is_quoted |= quoted;
            }
        }
        self.heredocs.push((delimiter, drop_tabs, is_quoted));
        Ok(Redirect { from: 0, to: RedirectTo::Text(Word::of(PENDING)) })
    }
}

/// `NAME=value` as an assignment.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text { text, quoted: false }) = word.0.first() else { return None };
    let (name, value) = text.split_once('=')?;
    if !is_name(name) {
        return None;
    }
    let first = Part::Text { text: value.into(), quoted: false };
    let rest = word.0[1..].iter().cloned();
    Some((name.into(), Word(std::iter::once(first).chain(rest).collect())))
}

pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Puts the texts of heredocs where they were announced.
fn fill_item(item: &mut ListItem, texts: &mut std::vec::IntoIter<Word>) {
    let pipelines = std::iter::once(&mut item.first).chain(item.rest.iter_mut().map(|(_, pipeline)| pipeline));
    for command in pipelines.flat_map(|pipeline| &mut pipeline.commands) {
        if let CommandKind::Group(list) | CommandKind::Subshell(list) = &mut command.kind
            && let Some(items) = Arc::get_mut(list)
        {
            items.iter_mut().for_each(|item| fill_item(item, texts));
        }
        for redirect in &mut command.redirects {
            if let RedirectTo::Text(word) = &mut redirect.to
                && matches!(&*word.0, [Part::Text { text, .. }] if text == PENDING)
            {
                *word = texts.next().unwrap_or_default();
            }
        }
    }
}
