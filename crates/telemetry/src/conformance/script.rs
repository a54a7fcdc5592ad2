//! Prometheus' own test format: `load`, `eval`, expectations.

use crate::go::duration::parse_prometheus;
use crate::go::parse_float;
use crate::labels::Labels;
use crate::promql::{Features, parse_selector};
use crate::store::{STALE, SeriesStore};

use super::Verdicts;
use super::script_case::Case;

/// Runs the script of a file against an empty store.
pub fn run_script(name: &str, text: &str, features: Features) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let mut store = SeriesStore::default();
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim();
        let start = at + 1;
        at += 1;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let body = block(&lines, &mut at);
        let place = format!("{name}:{start}");
        let word = line.split_whitespace().next().unwrap_or("");
        if word == "clear" {
            store = SeriesStore::default();
        } else if word == "load" {
            if let Err(error) = load(&mut store, line, &body) {
                verdicts.note(Err(format!("{place}: {error}")));
            }
        } else if word.starts_with("eval") {
            let outcome = Case::read(line, &body).and_then(|case| case.run(&store, features));
            verdicts.note(outcome.map_err(|why| format!("{place}: {line}\n    {why}")));
        } else {
            verdicts.note(Err(format!("{place}: unknown command `{line}`")));
        }
    }
    verdicts
}

/// The indented lines that belong to a command. Commands begin at the left margin in every script that exists.
fn block<'a>(lines: &[&'a str], at: &mut usize) -> Vec<&'a str> {
    let mut body = Vec::new();
    while *at < lines.len() {
        let line = lines[*at];
        let trimmed = line.trim();
        let command = ["load", "eval", "clear"].iter().any(|word| line.starts_with(word));
        if command || trimmed.is_empty() {
            break;
        }
        if !trimmed.starts_with('#') {
            body.push(trimmed);
        }
        *at += 1;
    }
    body
}

fn load(store: &mut SeriesStore, line: &str, body: &[&str]) -> Result<(), String> {
    let step = line.split_whitespace().nth(1).and_then(parse_prometheus).ok_or("load without a step")?;
    for line in body {
        let (labels, values) = series(line)?;
        for (i, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                store.append(&labels, step * i as i64, value);
            }
        }
    }
    Ok(())
}

/// `name{a="b"} 1 2 3`: labels and values, none where there is a gap.
pub(super) fn series(line: &str) -> Result<(Labels, Vec<Option<f64>>), String> {
    let (labels, rest) = split_labels(line);
    Ok((read_labels(labels)?, values(rest)?))
}

fn split_labels(line: &str) -> (&str, &str) {
    let mut quoted = None;
    let mut inside = false;
    let mut escaped = false;
    for (i, c) in line.char_indices() {
        match (quoted, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(mark), c) if c == mark => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quoted = Some(c),
            (None, '{') => inside = true,
            (None, '}') => return (&line[..=i], &line[i + 1..]),
            (None, c) if c.is_whitespace() && !inside => return (&line[..i], &line[i..]),
            _ => {}
        }
    }
    (line, "")
}

fn read_labels(text: &str) -> Result<Labels, String> {
    if text == "{}" {
        return Ok(Labels::default());
    }
    let selector = parse_selector(text).map_err(|e| e.to_string())?;
    Ok(Labels::new(selector.matchers.iter().map(|m| (m.name.as_str(), m.value.as_str()))))
}

fn values(text: &str) -> Result<Vec<Option<f64>>, String> {
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        match word {
            "_" => out.push(None),
            "stale" => out.push(Some(STALE)),
            _ => match word.strip_prefix("_x").map(str::parse::<usize>) {
                Some(Ok(count)) => out.extend(std::iter::repeat_n(None, count)),
                _ => expand(word, &mut out)?,
            },
        }
    }
    Ok(out)
}

/// `a`, `axn`, `a+bxn`, `a-bxn`.
fn expand(word: &str, out: &mut Vec<Option<f64>>) -> Result<(), String> {
    if let Some(value) = parse_float(word).filter(|_| !word.starts_with("0x")) {
        out.push(Some(value));
        return Ok(());
    }
    let bad = || format!("no values: `{word}`");
    let (formula, times) = word.rsplit_once('x').ok_or_else(bad)?;
    let times: usize = times.parse().map_err(|_| bad())?;
    // The sign between both numbers: neither the first character nor that of an exponent.
    let sign = formula
        .char_indices()
        .skip(1)
        .find(|(i, c)| matches!(c, '+' | '-') && !matches!(formula.as_bytes()[i - 1], b'e' | b'E'));
    let (first, change) = match sign {
        None => (parse_float(formula).ok_or_else(bad)?, 0.0),
        Some((i, _)) => {
            let (a, b) = formula.split_at(i);
            (parse_float(a).ok_or_else(bad)?, parse_float(b).ok_or_else(bad)?)
        }
    };
    let mut value = first;
    for _ in 0..=times {
        out.push(Some(value));
        value += change;
    }
    Ok(())
}
