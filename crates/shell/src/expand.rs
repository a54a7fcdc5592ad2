//! From words as written to words as passed.

use crate::syntax::{Part, Word};
use crate::{Host, Shell, arithmetic};

/// How long a word may become.
const LONGEST: usize = 4 << 20;

impl Shell {
    /// All words that a written word becomes: unquoted values are split at blanks.
    pub(crate) fn expand(&mut self, host: &mut dyn Host, word: &Word, words: &mut Vec<String>) {
        let mut current = String::new();
        let mut is_word = false;
        for (at, part) in word.0.iter().enumerate() {
            if let Part::Variable { name, change: None, quoted: true } = part
                && name == "@"
            {
                for (at, argument) in self.arguments.clone().into_iter().enumerate() {
                    if at > 0 {
                        words.push(std::mem::take(&mut current));
                    }
                    current.push_str(&argument);
                    is_word = true;
                }
                continue;
            }
            let (value, splits) = self.value(host, part);
            match part {
                Part::Text { text, quoted: false } if at == 0 && (text == "~" || text.starts_with("~/")) => {
                    current.push_str(self.variables.get("HOME").map_or("/root", |home| home));
                    current.push_str(&text[1..]);
                    is_word = true;
                    continue;
                }
                _ => {}
            }
            if !splits {
                is_word = is_word
                    || !value.is_empty()
                    || matches!(
                        part,
                        Part::Text { quoted: true, .. }
                            | Part::Variable { quoted: true, .. }
                            | Part::Commands { quoted: true, .. }
                    );
                current.push_str(&value);
                continue;
            }
            let mut fields = value.split([' ', '\t', '\n']);
            if let Some(first) = fields.next() {
                is_word |= !first.is_empty();
                current.push_str(first);
            }
            for field in fields {
                if is_word {
                    words.push(std::mem::take(&mut current));
                }
                is_word = !field.is_empty();
                current.push_str(field);
            }
        }
        if is_word {
            expand_braces(word, current, words);
        }
    }

    /// A written word as one word, without splitting.
    pub(crate) fn expand_one(&mut self, host: &mut dyn Host, word: &Word) -> String {
        let mut text = String::new();
        for part in &word.0 {
            text.push_str(&self.value(host, part).0);
            if text.len() > LONGEST {
                text.clear();
                self.is_over = true;
            }
        }
        text
    }

    /// The value of a part, and whether it is split.
    fn value(&mut self, host: &mut dyn Host, part: &Part) -> (String, bool) {
        match part {
            Part::Text { text, .. } => (text.clone(), false),
            Part::Variable { name, change, quoted } => {
                let value = self.variable(name);
                let value = match change {
                    None => value.unwrap_or_default(),
                    Some((sign, word)) => self.changed(host, name, value, sign, word),
                };
                (value, !quoted)
            }
            Part::Commands { list, quoted } => {
                if !self.enters() {
                    self.leaves();
                    self.is_over = true;
                    return (String::new(), false);
                }
                let mut child = self.clone();
                child.jobs.clear();
                let output = child.list(host, list, "");
                self.leaves();
                self.substituted = output.code;
                self.complaints.push_str(&output.stderr);
                (output.stdout.trim_end_matches('\n').to_string(), !quoted)
            }
            Part::Arithmetic(word) => {
                let text = self.expand_one(host, word);
                match arithmetic::evaluate(&text, &mut |name| self.variables.get(name).cloned().unwrap_or_default()) {
                    Ok(number) => (number.to_string(), false),
                    Err(why) => {
                        self.complaints.push_str(&format!("sh: {text}: {why}\n"));
                        (String::new(), false)
                    }
                }
            }
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "?" => Some(self.last.to_string()),
            "#" => Some(self.arguments.len().to_string()),
            "@" | "*" => Some(self.arguments.join(" ")),
            "$" | "!" => Some("4242".into()),
            "-" => Some(String::new()),
            "0" => Some("sh".into()),
            _ => match name.parse::<usize>() {
                Ok(number) => self.arguments.get(number.wrapping_sub(1)).cloned(),
                Err(_) => self.variables.get(name).cloned(),
            },
        }
    }

    fn changed(&mut self, host: &mut dyn Host, name: &str, value: Option<String>, sign: &str, word: &Word) -> String {
        let is_set =
            if sign.starts_with(':') { value.as_ref().is_some_and(|v| !v.is_empty()) } else { value.is_some() };
        let value = value.unwrap_or_default();
        match sign.trim_start_matches(':') {
            "len" => value.chars().count().to_string(),
            "-" if is_set => value,
            "-" => self.expand_one(host, word),
            "=" if is_set => value,
            "=" => {
                let new = self.expand_one(host, word);
                self.variables.insert(name.into(), new.clone());
                new
            }
            "+" if is_set => self.expand_one(host, word),
            "+" => String::new(),
            "?" if is_set => value,
            "?" => {
                let why = self.expand_one(host, word);
                self.complaints.push_str(&format!("sh: {name}: {why}\n"));
                self.is_over = true;
                String::new()
            }
            sign => {
                let pattern = self.expand_one(host, word);
                trimmed(&value, sign, &pattern)
            }
        }
    }
}

/// `#`, `##`, `%`, `%%`, `/`, `//`.
fn trimmed(value: &str, sign: &str, pattern: &str) -> String {
    let cuts: Vec<usize> = value.char_indices().map(|(at, _)| at).chain([value.len()]).collect();
    if cuts.len() > 4096 || pattern.len() > 4096 {
        return value.into();
    }
    let front = |at: &usize| glob_matches(pattern, &value[..*at]);
    let back = |at: &usize| glob_matches(pattern, &value[*at..]);
    match sign {
        "#" => cuts.iter().copied().find(|at| front(at)).map_or(value, |at| &value[at..]).into(),
        "##" => cuts.iter().rev().copied().find(|at| front(at)).map_or(value, |at| &value[at..]).into(),
        "%" => cuts.iter().rev().copied().find(|at| back(at)).map_or(value, |at| &value[..at]).into(),
        "%%" => cuts.iter().copied().find(|at| back(at)).map_or(value, |at| &value[..at]).into(),
        _ => {
            let (from, to) = pattern.split_once('/').unwrap_or((pattern, ""));
            if from.is_empty() {
                return value.into();
            }
            if sign == "//" { value.replace(from, to) } else { value.replacen(from, to, 1) }
        }
    }
}

/// `{a,b}` and `{1..3}` in a word without quotes.
fn expand_braces(word: &Word, text: String, words: &mut Vec<String>) {
    let is_plain = matches!(&*word.0, [Part::Text { quoted: false, .. }]);
    let inner = text.find('{').and_then(|open| text[open..].find('}').map(|close| (open, open + close)));
    let Some((open, close)) = inner.filter(|_| is_plain && !text.starts_with("{}")) else {
        words.push(text);
        return;
    };
    let inside = &text[open + 1..close];
    let range = inside.split_once("..").and_then(|(a, b)| Some((a.parse::<i32>().ok()?, b.parse::<i32>().ok()?)));
    let choices: Vec<String> = match range {
        Some((first, last)) if first <= last && i64::from(last) - i64::from(first) < 1000 => {
            (first..=last).map(|number| number.to_string()).collect()
        }
        _ if inside.contains(',') && !inside.contains(['{', '"', ':']) => inside.split(',').map(Into::into).collect(),
        _ => {
            words.push(text);
            return;
        }
    };
    words.extend(choices.iter().map(|choice| format!("{}{choice}{}", &text[..open], &text[close + 1..])));
}

/// Whether a text matches a pattern of `*`, `?` and `[...]`.
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                back = Some((p, t));
                p += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(&pattern[p..], text[t]),
            Some('\\') if pattern.get(p + 1) == Some(&text[t]) => Some(2),
            Some(c) if *c == text[t] => Some(1),
            _ => None,
        };
        match (step, back) {
            (Some(step), _) => {
                p += step;
                t += 1;
            }
            (None, Some((star, from))) => {
                back = Some((star, from + 1));
                p = star + 1;
                t = from + 1;
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The length of a `[...]` that the letter is in.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|c| *c == ']')?;
    let inside = &pattern[start..end];
    let mut found = false;
    let mut at = 0;
    while at < inside.len() {
        match (inside.get(at + 1), inside.get(at + 2)) {
            (Some('-'), Some(last)) => {
                found |= (inside[at]..=*last).contains(&letter);
                at += 3;
            }
            _ => {
                found |= inside[at] == letter;
                at += 1;
            }
        }
    }
    (found != negated).then_some(end + 1)
}
