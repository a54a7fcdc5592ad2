//! Manifests: the part of YAML that people write them in.
//!
//! Block and flow maps and lists, plain, quoted and block texts, comments, several documents. Anchors, tags and
//! complex keys are refused with the line where they stand.

mod flow;

use serde_json::{Map, Value};

/// What is wrong with a text, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

impl std::fmt::Display for YamlError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "yaml: line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for YamlError {}

/// How deep maps and lists may be nested.
const DEEPEST: usize = 100;

/// All documents of a text, without those that are empty.
pub fn documents(text: &str) -> Result<Vec<Value>, YamlError> {
    let mut all = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let mut first = 0;
    for (at, line) in text.lines().enumerate() {
        let is_mark = line == "---" || line.starts_with("--- ") || line == "...";
        if is_mark {
            all.push(document(std::mem::take(&mut lines), first)?);
            first = at + 1;
        } else {
            lines.push(line.trim_end_matches('\r').to_string());
        }
    }
    all.push(document(lines, first)?);
    Ok(all.into_iter().filter(|value| !value.is_null()).collect())
}

fn document(lines: Vec<String>, first: usize) -> Result<Value, YamlError> {
    let mut reader = Reader { lines, at: 0, first, depth: 0 };
    if reader.peek().is_none() {
        return Ok(Value::Null);
    }
    let value = reader.block(0)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.wrong("could not find expected ':'")),
    }
}

struct Reader {
    lines: Vec<String>,
    at: usize,
    first: usize,
    depth: usize,
}

impl Reader {
    fn wrong(&self, why: &str) -> YamlError {
        YamlError { line: self.first + self.at + 1, why: why.into() }
    }

    /// The indent of the next line that says something, after skipping those that do not.
    fn peek(&mut self) -> Option<usize> {
        while let Some(line) = self.lines.get(self.at) {
            let text = line.trim_start();
            if !text.is_empty() && !text.starts_with('#') {
                return Some(line.len() - text.len());
            }
            self.at += 1;
        }
        None
    }

    fn text(&self) -> &str {
        self.lines.get(self.at).map_or("", |line| line.trim_start())
    }

    /// What stands at this indent or deeper.
    fn block(&mut self, least: usize) -> Result<Value, YamlError> {
        let Some(indent) = self.peek().filter(|indent| *indent >= least) else { return Ok(Value::Null) };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("exceeded max depth of 100"));
        }
        if self.lines[self.at][..indent].contains('\t') {
            return Err(self.wrong("found character that cannot start any token"));
        }
        let value = if is_item(self.text()) {
            self.list(indent)
        } else if key_end(self.text()).is_some() {
            self.map(indent)
        } else {
            let text = self.text().to_string();
            self.at += 1;
            self.scalar(&text, indent.saturating_sub(1))
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self, indent: usize) -> Result<Value, YamlError> {
        let mut list = Vec::new();
        while self.peek() == Some(indent) && is_item(self.text()) {
            let line = &mut self.lines[self.at];
            // The dash is indentation too: what follows it is read as a block of its own.
            line.replace_range(indent..=indent, " ");
            let is_empty = matches!(line.trim_start(), text if text.is_empty() || text.starts_with('#'));
            if is_empty {
                self.at += 1;
            }
            list.push(self.block(indent + 1)?);
        }
        Ok(Value::Array(list))
    }

    fn map(&mut self, indent: usize) -> Result<Value, YamlError> {
        let mut map = Map::new();
        while self.peek() == Some(indent) && !is_item(self.text()) {
            let text = self.text().to_string();
            let Some(end) = key_end(&text) else { return Err(self.wrong("could not find expected ':'")) };
            let key = flow::key(&text[..end]).map_err(|why| self.wrong(&why))?;
            let rest = text[end + 1..].trim().to_string();
            let line = self.at;
            self.at += 1;
            let value = if rest.is_empty() || rest.starts_with('#') {
                self.below(indent)?
            } else {
                self.scalar(&rest, indent)?
            };
            if map.insert(key.clone(), value).is_some() {
                let why = format!("mapping key {key:?} already defined");
                return Err(YamlError { line: self.first + line + 1, why });
            }
        }
        if self.peek().is_some_and(|next| next > indent) {
            return Err(self.wrong("did not find expected key"));
        }
        Ok(Value::Object(map))
    }

    /// The value of a key that has nothing on its own line; lists may stand as far left as the key.
    fn below(&mut self, indent: usize) -> Result<Value, YamlError> {
        match self.peek() {
            Some(next) if next > indent => self.block(indent + 1),
            Some(next) if next == indent && is_item(self.text()) => self.block(indent),
            _ => Ok(Value::Null),
        }
    }

    /// A value that begins on a line that has been taken; further lines belong to it if they are indented deeper.
    fn scalar(&mut self, text: &str, indent: usize) -> Result<Value, YamlError> {
        match text.chars().next() {
            Some('|' | '>') => self.block_text(text, indent),
            Some('[' | '{' | '"' | '\'') => {
                let mut whole = text.to_string();
                loop {
                    match flow::value(&whole) {
                        Ok(value) => return Ok(value),
                        Err(flow::FlowError::Unfinished) if self.at < self.lines.len() => {
                            whole.push('\n');
                            whole.push_str(self.lines[self.at].trim());
                            self.at += 1;
                        }
                        Err(flow::FlowError::Unfinished) => return Err(self.wrong("found unexpected end of stream")),
                        Err(flow::FlowError::Wrong(why)) => return Err(self.wrong(&why)),
                    }
                }
            }
            Some('&' | '*' | '!' | '%' | '@' | '`') => {
                Err(self.wrong(&format!("anchors, aliases and tags are not supported: {text}")))
            }
            _ => {
                let whole = flow::without_comment(text).to_string();
                // A comment ends the text.
                if whole.len() < text.trim_end().len() {
                    Ok(flow::plain(&whole))
                } else {
                    self.continued(whole, indent)
                }
            }
        }
    }

    /// A plain text over several lines.
    fn continued(&mut self, mut whole: String, indent: usize) -> Result<Value, YamlError> {
        while self.peek().is_some_and(|next| next > indent) {
            if key_end(self.text()).is_some() {
                return Err(self.wrong("mapping values are not allowed in this context"));
            }
            whole.push(' ');
            whole.push_str(flow::without_comment(self.text()));
            self.at += 1;
        }
        Ok(flow::plain(&whole))
    }

    /// `|` keeps line ends, `>` folds them; `-` drops the last one, `+` keeps all of them.
    fn block_text(&mut self, head: &str, indent: usize) -> Result<Value, YamlError> {
        let head = flow::without_comment(head);
        let folds = head.starts_with('>');
        let said = head.chars().find_map(|c| c.to_digit(10)).map(|digit| indent + digit as usize);
        let mut lines: Vec<String> = Vec::new();
        let mut own = said;
        while let Some(line) = self.lines.get(self.at) {
            let text = line.trim_start();
            let depth = line.len() - text.len();
            if !text.is_empty() {
                if depth <= indent {
                    break;
                }
                let own = *own.get_or_insert(depth);
                if depth < own {
                    break;
                }
                lines.push(line[own..].to_string());
            } else {
                lines.push(String::new());
            }
            self.at += 1;
        }
        let trailing = lines.iter().rev().take_while(|line| line.is_empty()).count();
        lines.truncate(lines.len() - trailing);
        let mut text = if folds { fold(&lines) } else { lines.join("\n") };
        match head.chars().find(|c| matches!(c, '-' | '+')) {
            Some('-') => {}
            Some(_) => text.push_str(&"\n".repeat(trailing + 1)),
            None if lines.is_empty() => {}
            None => text.push('\n'),
        }
        Ok(Value::String(text))
    }
}

fn fold(lines: &[String]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        text.push_str(line);
        let Some(next) = lines.get(at + 1) else { break };
        let is_kept = line.is_empty() || line.starts_with(' ') || next.starts_with(' ');
        if is_kept {
            text.push('\n');
        } else if !next.is_empty() {
            text.push(' ');
        }
    }
    text
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Where the colon after a key stands, if the line begins with a key.
fn key_end(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if matches!(first, '"' | '\'') {
        let end = flow::quoted_end(text)?;
        let rest = text[end..].trim_start();
        let colon = text.len() - rest.len();
        return rest.strip_prefix(':').filter(|after| after.is_empty() || after.starts_with(' ')).map(|_| colon);
    }
    if matches!(first, '[' | '{' | '#' | '|' | '>') {
        return None;
    }
    let mut at = 0;
    while let Some(found) = text[at..].find(':') {
        let colon = at + found;
        let after = &text[colon + 1..];
        if text[..colon].contains(" #") {
            return None;
        }
        if after.is_empty() || after.starts_with([' ', '\t']) {
            return Some(colon);
        }
        at = colon + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn manifests_are_read() {
        let check = |text: &str, expect: Value| assert_eq!(documents(text), Ok(vec![expect]), "{text}");
        check("a: 1\nb: {c: [x, 'y z', \"q\\n\"], d: }\n", json!({"a": 1, "b": {"c": ["x", "y z", "q\n"], "d": null}}));
        check("a:\n- b: 1\n  c: 2\n-\n  d: 3\n- e\n", json!({"a": [{"b": 1, "c": 2}, {"d": 3}, "e"]}));
        check("- - 1\n  - 2\n- []\n", json!([[1, 2], []]));
        check("a: |\n  x\n   y\n\nb: >-\n  one\n  two\n", json!({"a": "x\n y\n", "b": "one two"}));
        check(
            "a: http://x:80 # note\nb: yes\nc: 'no'\nd: 1.5\ne: ~\n",
            json!({"a": "http://x:80", "b": true, "c": "no", "d": 1.5, "e": null}),
        );
        check("mode: 0644\nx: \"a\\u0041\"\n", json!({"mode": 420, "x": "aA"}));
        check("cmd: [sh, -c, \"a: b\"]\n\"k:1\": v\n", json!({"cmd": ["sh", "-c", "a: b"], "k:1": "v"}));
        check("a: one\n  two\nb: 3\n", json!({"a": "one two", "b": 3}));
        check("a: {b: 1,\n  c: 2}\n", json!({"a": {"b": 1, "c": 2}}));
        assert_eq!(documents("a: 1\n---\n# nothing\n---\nb: 2\n").map(|all| all.len()), Ok(2));
        assert_eq!(documents(""), Ok(Vec::new()));
        for bad in ["a: 1\n b: 2", "a: [1", "a: &x 1", "a: 1\na: 2", "\ta: 1", "a:\n  - b\n c: d"] {
            assert!(documents(bad).is_err(), "{bad}");
        }
    }
}
