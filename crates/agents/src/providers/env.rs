//! Variables that say where providers are and what opens them: the environment, and a `.env` file behind it.

use std::collections::BTreeMap;
use std::fmt;

/// Variables. They may hold keys, so that only their names are ever printed.
#[derive(Clone, Default)]
pub struct Env {
    variables: BTreeMap<String, String>,
}

impl Env {
    /// These variables.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Env {
        Env { variables: variables.into_iter().collect() }
    }

    /// The same, with those of a `.env` file where nothing is set yet.
    pub fn or(mut self, file: BTreeMap<String, String>) -> Env {
        for (name, value) in file {
            self.variables.entry(name).or_insert(value);
        }
        self
    }

    /// The same, with one more variable, which wins.
    pub fn with(mut self, name: &str, value: &str) -> Env {
        self.variables.insert(name.to_string(), value.to_string());
        self
    }

    /// A variable that is set to something.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The first of these variables that is set.
    pub fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

/// Reads a `.env` file: `NAME=value`, `export NAME="value"`, comments. The error names the line and
/// repeats nothing of it, for it may hold a key.
pub fn dotenv(text: &str) -> Result<BTreeMap<String, String>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut variables = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = assignment(line).map_err(|problem| format!("line {}: {problem}", at + 1))?;
        variables.insert(name.to_string(), value);
    }
    Ok(variables)
}

fn assignment(line: &str) -> Result<(&str, String), &'static str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').ok_or("write NAME=value")?;
    let name = name.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("a name has letters, digits and _ only");
    }
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => quoted(&value[1..], quote).map(|value| (name, value)),
        _ => Ok((name, value.split(" #").next().unwrap_or("").trim().to_string())),
    }
}

fn quoted(body: &str, quote: char) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut letters = body.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if quote == '"' => match letters.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => break,
            },
            c if c == quote => {
                let rest = letters.as_str().trim();
                let clean = rest.is_empty() || rest.starts_with('#');
                return if clean { Ok(out) } else { Err("there is text behind the closing quote") };
            }
            c => out.push(c),
        }
    }
    Err("the quote is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_shells_read_them() {
        let check = |text: &str, expect: &str| {
            let shown =
                dotenv(text).map(|all| all.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join("|"));
            assert_eq!(shown.unwrap_or_else(|problem| format!("! {problem}")), expect, "{text}");
        };
        check("", "");
        check("A=1\nB=two", "A=1|B=two");
        check("# keys\n\nexport A = 1 \n", "A=1");
        check("A=\"x y\" # why\nB='it''s'", "! line 2: there is text behind the closing quote");
        check("A=\"x \\\"y\\\" # z\"", "A=x \"y\" # z");
        check("A='$B\\n'", "A=$B\\n");
        check("A=a#b\nB=a #b", "A=a#b|B=a");
        check("A=\nB=x=y", "A=|B=x=y");
        check("\u{feff}A=1\r\nB=2\r\n", "A=1|B=2");
        check("A=1\nA=2", "A=2");
        check("sk-canary", "! line 1: write NAME=value");
        check("A-B=1", "! line 1: a name has letters, digits and _ only");
        check("A=\"1", "! line 1: the quote is not closed");
    }

    #[test]
    fn the_environment_wins_and_what_is_empty_is_not_set() {
        let pair = |n: &str, v: &str| (n.to_string(), v.to_string());
        let env = Env::new([pair("A", "real"), pair("E", "")]).or(dotenv("A=file\nB=file").expect("sound"));
        assert_eq!((env.get("A"), env.get("B"), env.get("E"), env.get("C")), (Some("real"), Some("file"), None, None));
        assert_eq!(env.first(&["E", "B", "A"]), Some("file"));
        assert_eq!(env.with("A", "flag").get("A"), Some("flag"));
    }
}
