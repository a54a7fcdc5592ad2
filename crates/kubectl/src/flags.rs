//! Flags as kubectl reads them.

use std::time::Duration;

use crate::failure::Failure;

/// The flags and the other words of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    set: Vec<(String, String)>,
    /// The words that are no flags.
    pub(crate) words: Vec<String>,
    /// How many of them stand before `--`.
    pub(crate) dash: Option<usize>,
}

/// Flags that every command has.
const GLOBAL: &str = "n|namespace= as= as-group=* as-uid= cache-dir= certificate-authority= client-certificate= client-key= \
    cluster= context= disable-compression insecure-skip-tls-verify kubeconfig= log-flush-frequency= match-server-version \
    password= profile= profile-output= request-timeout= s|server= tls-server-name= token= user= username= v|v=i vmodule= \
    warnings-as-errors h|help";

/// A flag as a table names it: `o|output=`, `l|selector=`, `w|watch`, `dry-run?unchanged`, `replicas=i`, `timeout=d`.
struct Known<'a> {
    short: Option<char>,
    name: &'a str,
    takes: Takes<'a>,
}

#[derive(Clone, Copy, PartialEq)]
enum Takes<'a> {
    /// A truth value that may be left out.
    Truth,
    Text,
    Number,
    Span,
    /// Text that may be left out, and what it is then.
    Maybe(&'a str),
}

fn known(table: &str) -> impl Iterator<Item = Known<'_>> {
    table.split_whitespace().map(|entry| {
        let (entry, takes) = match entry.split_once(['=', '?']) {
            Some((name, kind)) if entry.contains('?') => (name, Takes::Maybe(kind)),
            Some((name, "i")) => (name, Takes::Number),
            Some((name, "d")) => (name, Takes::Span),
            Some((name, _)) => (name, Takes::Text),
            None => (entry, Takes::Truth),
        };
        match entry.split_once('|') {
            Some((short, name)) => Known { short: short.chars().next(), name, takes },
            None => Known { short: None, name: entry, takes },
        }
    })
}

impl Flags {
    /// Reads the words after a command. The table names the command's own flags.
    pub(crate) fn read(words: &[String], table: &str, command: &str) -> Result<Self, Failure> {
        let usage = |why: String| Failure::Text(format!("{why}\nSee 'kubectl {command} --help' for usage."), 1);
        let find_name = |name: &str| known(table).chain(known(GLOBAL)).find(|known| known.name == name);
        let find_short = |short: char| known(table).chain(known(GLOBAL)).find(|known| known.short == Some(short));
        let mut flags = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                flags.dash = Some(flags.words.len());
                flags.words.extend(words.by_ref().cloned());
            } else if let Some(full) = word.strip_prefix("--") {
                let (name, value) = full.split_once('=').map_or((full, None), |(name, value)| (name, Some(value)));
                let Some(found) = find_name(name) else { return Err(usage(format!("unknown flag: --{name}"))) };
                let value = match (value, found.takes) {
                    (Some(value), _) => value.to_string(),
                    (None, Takes::Truth) => "true".into(),
                    (None, Takes::Maybe(default)) => default.into(),
                    (None, _) => {
                        let why = || usage(format!("flag needs an argument: --{name}"));
                        words.next().cloned().ok_or_else(why)?
                    }
                };
                flags.push(&found, value, &usage)?;
            } else if word.len() > 1 && word.starts_with('-') {
                let mut rest = word[1..].chars();
                while let Some(short) = rest.next() {
                    let Some(found) = find_short(short) else {
                        return Err(usage(format!("unknown shorthand flag: {short:?} in {word}")));
                    };
                    let glued = rest.as_str();
                    let value = match found.takes {
                        Takes::Truth if glued.starts_with('=') => glued[1..].to_string(),
                        Takes::Truth => {
                            flags.push(&found, "true".into(), &usage)?;
                            continue;
                        }
                        Takes::Maybe(default) if glued.is_empty() => default.into(),
                        _ if !glued.is_empty() => glued.strip_prefix('=').unwrap_or(glued).into(),
                        _ => {
                            let why = || usage(format!("flag needs an argument: {short:?} in {word}"));
                            words.next().cloned().ok_or_else(why)?
                        }
                    };
                    flags.push(&found, value, &usage)?;
                    break;
                }
            } else {
                flags.words.push(word.clone());
            }
        }
        Ok(flags)
    }

    fn push(&mut self, known: &Known<'_>, value: String, usage: &dyn Fn(String) -> Failure) -> Result<(), Failure> {
        let shown = match known.short {
            Some(short) => format!("-{short}, --{}", known.name),
            None => format!("--{}", known.name),
        };
        let wrong = |why: String| usage(format!("invalid argument {value:?} for {shown:?} flag: {why}"));
        match known.takes {
            Takes::Truth if !is_truth(&value) => {
                return Err(wrong(format!("strconv.ParseBool: parsing {value:?}: invalid syntax")));
            }
            Takes::Number if value.parse::<i64>().is_err() => {
                return Err(wrong(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")));
            }
            Takes::Span if span(&value).is_none() => {
                return Err(wrong(format!("time: invalid duration {value:?}")));
            }
            _ => {}
        }
        self.set.push((known.name.into(), value));
        Ok(())
    }

    /// The last value of a flag.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.set.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The last value of a flag; empty if it is not set.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.value(name).unwrap_or_default()
    }

    /// All values of a flag.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        self.set.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }

    /// All values of a flag, split at commas.
    pub(crate) fn split(&self, name: &str) -> Vec<&str> {
        self.values(name).into_iter().flat_map(|value| value.split(',')).filter(|value| !value.is_empty()).collect()
    }

    /// Whether a flag is set and true.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| matches!(value, "1" | "t" | "T" | "true" | "True" | "TRUE"))
    }

    /// Whether a flag is not set to false.
    pub(crate) fn unless_false(&self, name: &str) -> bool {
        self.value(name).is_none() || self.has(name)
    }

    /// The number of a flag.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.value(name).and_then(|value| value.parse().ok())
    }

    /// The time span of a flag.
    pub(crate) fn span(&self, name: &str) -> Option<Duration> {
        self.value(name).and_then(span)
    }

    /// Sets a flag as if it had been given.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.set.push((name.into(), value.into()));
    }
}

fn is_truth(value: &str) -> bool {
    matches!(value, "1" | "t" | "T" | "true" | "True" | "TRUE" | "0" | "f" | "F" | "false" | "False" | "FALSE")
}

/// A time span as Go writes it: `1h30m`, `500ms`, `0`. Negative ones count as very long.
pub(crate) fn span(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if rest.is_empty() {
        return None;
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, unit) = rest.split_at(end);
        let units = [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let (name, scale) = units.iter().find(|(name, _)| unit.starts_with(name))?;
        seconds += number.parse::<f64>().ok()? * scale;
        rest = &unit[name.len()..];
    }
    Some(Duration::from_secs_f64(if negative { 7.0 * 86_400.0 } else { seconds.min(1e9) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: &str) {
        let words: Vec<String> = words.split(' ').map(Into::into).collect();
        let shown =
            match Flags::read(&words, "o|output= w|watch l|selector= dry-run?unchanged replicas=i timeout=d", "get") {
                Ok(flags) => format!("{:?} {:?} {:?}", flags.set, flags.words, flags.dash),
                Err(failure) => failure.words(),
            };
        assert_eq!(shown, expected, "{words:?}");
    }

    #[test]
    fn flags_are_read() {
        check("pods -o wide", "[(\"output\", \"wide\")] [\"pods\"] None");
        check("-owide -w=false x", "[(\"output\", \"wide\"), (\"watch\", \"false\")] [\"x\"] None");
        check(
            "--output=json --dry-run -wl a=b",
            "[(\"output\", \"json\"), (\"dry-run\", \"unchanged\"), (\"watch\", \"true\"), (\"selector\", \"a=b\")] [] None",
        );
        check("p -- ls -l", "[] [\"p\", \"ls\", \"-l\"] Some(1)");
        check("--nope", "error: unknown flag: --nope\nSee 'kubectl get --help' for usage.\n");
        check("-z", "error: unknown shorthand flag: 'z' in -z\nSee 'kubectl get --help' for usage.\n");
        check("-o", "error: flag needs an argument: 'o' in -o\nSee 'kubectl get --help' for usage.\n");
        check(
            "--replicas=x",
            "error: invalid argument \"x\" for \"--replicas\" flag: strconv.ParseInt: parsing \"x\": invalid syntax\nSee 'kubectl get --help' for usage.\n",
        );
    }

    #[test]
    fn spans_are_read() {
        for (text, millis) in [("5s", 5000), ("1m30s", 90_000), ("500ms", 500), ("0", 0), ("1.5h", 5_400_000)] {
            assert_eq!(span(text).map(|span| span.as_millis()), Some(millis), "{text}");
        }
        for text in ["", "5", "x", "5x", "-"] {
            assert_eq!(span(text), None, "{text}");
        }
    }
}
