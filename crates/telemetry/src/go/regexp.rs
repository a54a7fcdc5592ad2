//! Regular expressions in Go's syntax: checked and worded as Go does, run by the `regex` crate.
//!
//! Both are linear in time; the classes differ (`\d` is ASCII in Go), as does what a stray brace means, so a pattern is
//! translated while it is checked.

use regex::{Regex, RegexBuilder};

/// Longer patterns are refused unread: compiling one takes time before it is found to be too large.
const LONGEST_PATTERN: usize = 1 << 20;
/// Patterns that compile to more than this are refused, so that one query cannot eat the memory.
const SIZE_LIMIT: usize = 4 << 20;
/// Deeper groups are refused, as Go refuses them.
const DEPTH_LIMIT: usize = 1000;

/// Whether a pattern must match the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchoring {
    /// Matchers of labels: `^(?s:…)$`.
    Whole,
    /// Line filters: anywhere in the text.
    Anywhere,
}

/// A compiled pattern with the text it was made of.
#[derive(Clone, Debug)]
pub struct Regexp {
    source: String,
    compiled: Regex,
}

impl Regexp {
    /// Compiles a pattern; the error is Go's sentence.
    pub fn new(source: &str, anchoring: Anchoring) -> Result<Self, String> {
        if source.len() > LONGEST_PATTERN {
            return Err("error parsing regexp: expression too large".to_owned());
        }
        let translated = Translator::new(source).run()?;
        let text = match anchoring {
            Anchoring::Whole => format!("^(?s:{translated})$"),
            Anchoring::Anywhere => translated,
        };
        let compiled = RegexBuilder::new(&text)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .nest_limit(2 * DEPTH_LIMIT as u32)
            .build()
            .map_err(|_| "error parsing regexp: expression too large".to_owned())?;
        Ok(Self { source: source.to_owned(), compiled })
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether a text matches.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }

    /// The compiled pattern, for captures.
    pub(crate) fn compiled(&self) -> &Regex {
        &self.compiled
    }
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

fn error(what: &str, text: &str) -> String {
    format!("error parsing regexp: {what}: `{text}`")
}

struct Translator<'a> {
    source: &'a str,
    at: usize,
    out: String,
    depth: usize,
    names: Vec<&'a str>,
}

impl<'a> Translator<'a> {
    fn new(source: &'a str) -> Self {
        Self { source, at: 0, out: String::with_capacity(source.len() + 8), depth: 0, names: Vec::new() }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn run(mut self) -> Result<String, String> {
        // Where the last repetition operator began, if the previous item was one.
        let mut last_repeat: Option<usize> = None;
        let mut has_item = false;
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            let repeat = self.repetition(c)?;
            if let Some(length) = repeat {
                if let Some(before) = last_repeat {
                    return Err(error("invalid nested repetition operator", &self.source[before..start + length]));
                }
                if !has_item {
                    return Err(error("missing argument to repetition operator", &self.source[start..start + length]));
                }
                self.out.push_str(&self.source[start..start + length]);
                self.at += length;
                last_repeat = Some(start);
                continue;
            }
            last_repeat = None;
            has_item = self.item(c)?;
        }
        if self.depth > 0 {
            return Err(error("missing closing )", self.source));
        }
        Ok(self.out)
    }

    /// The length of the repetition operator that stands here, if one does.
    fn repetition(&self, c: char) -> Result<Option<usize>, String> {
        let rest = self.rest();
        let length = match c {
            '*' | '+' | '?' => 1,
            '{' => match counts(rest) {
                Some((length, low, high)) => {
                    if low > 1000 || high.is_some_and(|h| h > 1000 || h < low) {
                        return Err(error("invalid repeat count", &rest[..length]));
                    }
                    length
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(length + usize::from(rest[length..].starts_with('?'))))
    }

    /// One item; tells whether a repetition operator may follow it.
    fn item(&mut self, c: char) -> Result<bool, String> {
        match c {
            '(' => {
                self.group()?;
                return Ok(false);
            }
            ')' => {
                if self.depth == 0 {
                    return Err(error("unexpected )", self.source));
                }
                self.depth -= 1;
                self.take(1);
            }
            '|' => {
                self.take(1);
                return Ok(false);
            }
            '[' => self.class()?,
            '\\' => self.escape(false)?,
            '{' | '}' | ']' => {
                self.out.push('\\');
                self.take(1);
            }
            '.' | '^' | '$' => self.take(1),
            c => {
                self.literal(c);
                self.at += c.len_utf8();
            }
        }
        Ok(true)
    }

    fn take(&mut self, length: usize) {
        self.out.push_str(&self.source[self.at..self.at + length]);
        self.at += length;
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn group(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(error("expression nests too deeply", self.source));
        }
        let rest = self.rest();
        if !rest.starts_with("(?") {
            self.take(1);
            return Ok(());
        }
        for opening in ["(?P<", "(?<"] {
            let Some(named) = rest.strip_prefix(opening) else { continue };
            if opening == "(?<" && named.starts_with(['=', '!']) {
                return Err(error("invalid or unsupported Perl syntax", "(?<"));
            }
            let Some(end) = named.find('>') else {
                return Err(error("invalid named capture", rest));
            };
            let name = &named[..end];
            let shown = &rest[..opening.len() + end + 1];
            let valid = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
            if !valid || self.names.contains(&name) {
                return Err(error(if valid { "duplicate capture group name" } else { "invalid named capture" }, shown));
            }
            self.names.push(name);
            // The regex crate wants names that do not begin with a digit; none is looked up by one.
            self.out.push_str(&format!("(?P<{}>", named_group(name)));
            self.at += shown.len();
            return Ok(());
        }
        self.flags(rest)
    }

    fn flags(&mut self, rest: &'a str) -> Result<(), String> {
        for (i, c) in rest.char_indices().skip(2) {
            match c {
                'i' | 'm' | 's' | 'U' | '-' => {}
                ':' => {
                    self.take(i + 1);
                    return Ok(());
                }
                ')' if i > 2 => {
                    self.depth -= 1;
                    self.take(i + 1);
                    return Ok(());
                }
                _ => return Err(error("invalid or unsupported Perl syntax", &rest[..i + c.len_utf8()])),
            }
        }
        Err(error("missing argument to repetition operator", "?"))
    }

    fn class(&mut self) -> Result<(), String> {
        let opening = self.rest();
        self.take(1);
        if self.rest().starts_with('^') {
            self.take(1);
        }
        let mut first = true;
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                return Err(error("missing closing ]", opening));
            };
            match c {
                ']' if !first => {
                    self.take(1);
                    return Ok(());
                }
                '[' if rest.starts_with("[:") && rest.contains(":]") => self.posix(rest)?,
                '\\' => self.escape(true)?,
                '-' if !first && !rest.starts_with("-]") && range_follows(rest) => self.take(1),
                c => {
                    self.check_range(rest)?;
                    if matches!(c, '[' | ']' | '-' | '&' | '~' | '^') {
                        self.out.push('\\');
                        self.out.push(c);
                    } else {
                        self.out.push(c);
                    }
                    self.at += c.len_utf8();
                }
            }
            first = false;
        }
    }

    /// `z-a` is no range.
    fn check_range(&self, rest: &str) -> Result<(), String> {
        let mut chars = rest.chars();
        if let (Some(low), Some('-'), Some(high)) = (chars.next(), chars.next(), chars.next())
            && !matches!(high, ']' | '\\' | '[')
            && high < low
        {
            return Err(error("invalid character class range", &format!("{low}-{high}")));
        }
        Ok(())
    }

    fn posix(&mut self, rest: &'a str) -> Result<(), String> {
        let end = rest.find(":]").map_or(rest.len(), |i| i + 2);
        let name = rest[2..end - 2].trim_start_matches('^');
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
            "word", "xdigit",
        ];
        if !NAMES.contains(&name) {
            return Err(error("invalid character class range", &rest[..end]));
        }
        self.take(end);
        Ok(())
    }

    fn escape(&mut self, in_class: bool) -> Result<(), String> {
        let rest = self.rest();
        let Some(c) = rest[1..].chars().next() else {
            return Err("error parsing regexp: trailing backslash at end of expression: ``".to_owned());
        };
        let mut length = 1 + c.len_utf8();
        match c {
            'd' => self.out.push_str(if in_class { "0-9" } else { "[0-9]" }),
            'w' => self.out.push_str(if in_class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
            's' => self.out.push_str(if in_class { "\\t\\n\\x0C\\r " } else { "[\\t\\n\\x0C\\r ]" }),
            'D' => self.out.push_str("[^0-9]"),
            'W' => self.out.push_str("[^0-9A-Za-z_]"),
            'S' => self.out.push_str("[^\\t\\n\\x0C\\r ]"),
            'b' if !in_class => self.out.push_str("(?-u:\\b)"),
            'B' if !in_class => self.out.push_str("(?-u:\\B)"),
            'A' | 'z' if !in_class => self.out.push_str(&rest[..2]),
            'a' => self.out.push_str("\\x07"),
            'f' | 'n' | 'r' | 't' | 'v' => self.out.push_str(&rest[..2]),
            'p' | 'P' => {
                length = if rest[2..].starts_with('{') {
                    rest.find('}').map(|i| i + 1).ok_or_else(|| error("invalid character class range", rest))?
                } else {
                    2 + rest[2..].chars().next().map_or(0, char::len_utf8)
                };
                self.out.push_str(&rest[..length]);
            }
            'x' => length = self.hex(rest)?,
            '0' => length = self.octal(rest),
            'Q' if !in_class => {
                let end = rest[2..].find("\\E").map_or(rest.len(), |i| i + 2);
                self.out.push_str("(?:");
                for c in rest[2..end].chars() {
                    self.literal(c);
                }
                self.out.push(')');
                length = (end + 2).min(rest.len());
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => {
                if in_class {
                    self.out.push('\\');
                    self.out.push(c);
                } else {
                    self.literal(c);
                }
            }
            _ => return Err(error("invalid escape sequence", &rest[..length])),
        }
        self.at += length;
        Ok(())
    }

    fn hex(&mut self, rest: &str) -> Result<usize, String> {
        let bad = |length: usize| error("invalid escape sequence", &rest[..length.min(rest.len())]);
        let (digits, length) = match rest[2..].strip_prefix('{') {
            Some(braced) => {
                let end = braced.find('}').ok_or_else(|| bad(rest.len()))?;
                (&braced[..end], end + 4)
            }
            None => (rest.get(2..4).ok_or_else(|| bad(rest.len()))?, 4),
        };
        let code = u32::from_str_radix(digits, 16).map_err(|_| bad(length))?;
        let c = char::from_u32(code).ok_or_else(|| bad(length))?;
        self.out.push_str(&format!("\\x{{{:X}}}", c as u32));
        Ok(length)
    }

    fn octal(&mut self, rest: &str) -> usize {
        let digits = rest[1..].bytes().take(3).take_while(|c| (b'0'..=b'7').contains(c)).count();
        let code = u32::from_str_radix(&rest[1..1 + digits], 8).unwrap_or(0);
        self.out.push_str(&format!("\\x{{{code:X}}}"));
        1 + digits
    }
}

/// A group's name as the compiled pattern knows it.
pub(crate) fn named_group(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name.to_owned() }
}

fn range_follows(rest: &str) -> bool {
    rest.chars().nth(1).is_some()
}

/// `{n}`, `{n,}` or `{n,m}` at the start of a text: its length and numbers.
fn counts(rest: &str) -> Option<(usize, u32, Option<u32>)> {
    let end = rest.find('}')?;
    let inner = &rest[1..end];
    let number = |text: &str| -> Option<u32> {
        (!text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())).then(|| text.parse().unwrap_or(u32::MAX))
    };
    match inner.split_once(',') {
        None => number(inner).map(|n| (end + 1, n, Some(n))),
        Some((low, "")) => number(low).map(|n| (end + 1, n, None)),
        Some((low, high)) => Some((end + 1, number(low)?, Some(number(high)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, matching: &[&str], other: &[&str]) {
        let regexp = Regexp::new(source, Anchoring::Whole).expect(source);
        for text in matching {
            assert!(regexp.is_match(text), "{source} matches {text}");
        }
        for text in other {
            assert!(!regexp.is_match(text), "{source} does not match {text}");
        }
    }

    #[test]
    fn patterns_match_as_in_go() {
        check("a.c", &["abc", "a\nc"], &["ab", "xabc"]);
        check(r"\d+", &["12"], &["१"]);
        check("[[:alpha:]_-]+", &["a_b-c"], &["1"]);
        check("a{,2}", &["a{,2}"], &["aa"]);
        check("(?i:PRO).*", &["production"], &["xproduction"]);
        check(r"[\w.]+@[a-z&&b]+", &["a.b@c", "x@&"], &["@"]);
        check(r"\Qa.b\E", &["a.b"], &["axb"]);
        check("a|b|", &["a", "b", ""], &["c"]);
        check("[]a]+", &["]a"], &["b"]);
    }

    #[test]
    fn errors_are_worded_as_in_go() {
        for (source, text) in [
            ("[", "error parsing regexp: missing closing ]: `[`"),
            ("a(", "error parsing regexp: missing closing ): `a(`"),
            ("a)", "error parsing regexp: unexpected ): `a)`"),
            ("*", "error parsing regexp: missing argument to repetition operator: `*`"),
            ("a**", "error parsing regexp: invalid nested repetition operator: `**`"),
            ("a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"),
            (r"\q", r"error parsing regexp: invalid escape sequence: `\q`"),
            ("(?!a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?!`"),
            ("[z-a]", "error parsing regexp: invalid character class range: `z-a`"),
        ] {
            assert_eq!(Regexp::new(source, Anchoring::Whole).err().as_deref(), Some(text));
        }
    }

    #[test]
    fn exploding_patterns_are_refused() {
        for source in ["((((a{100}){100}){100}){100})", &"a|".repeat(LONGEST_PATTERN)] {
            let error = Regexp::new(source, Anchoring::Whole).err();
            assert_eq!(error.as_deref(), Some("error parsing regexp: expression too large"));
        }
    }
}
