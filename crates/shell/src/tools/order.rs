//! sort and uniq.

use std::cmp::Ordering;

use super::{ToolInput, done};
use crate::state::Output;

pub(super) fn sort(call: &mut ToolInput<'_>) -> Output {
    let long = [
        ("numeric-sort", 'n'),
        ("reverse", 'r'),
        ("unique", 'u'),
        ("key", 'k'),
        ("field-separator", 't'),
        ("human-numeric-sort", 'h'),
        ("version-sort", 'V'),
        ("ignore-case", 'f'),
        ("stable", 's'),
    ];
    let options = match call.options("nruk:t:hVfsbgo:M", &long) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (text, complaints) = call.joined(&options.rest);
    let mut lines: Vec<&str> = text.lines().collect();
    let separator = options.value('t').and_then(|text| text.chars().next());
    let global: String = options.set.iter().filter(|(_, value)| value.is_empty()).map(|(letter, _)| *letter).collect();
    let keys: Vec<SortKey> =
        options.set.iter().filter(|(letter, _)| *letter == 'k').map(|(_, text)| SortKey::read(text, &global)).collect();
    let by_keys = |a: &str, b: &str| {
        for key in &keys {
            let order = compare(key.of(a, separator), key.of(b, separator), &key.letters);
            if order != Ordering::Equal {
                return order;
            }
        }
        if keys.is_empty() { compare(a, b, &global) } else { Ordering::Equal }
    };
    lines.sort_by(|a, b| {
        let last = if options.has('s') || options.has('u') { Ordering::Equal } else { a.cmp(b) };
        by_keys(a, b).then(if options.has('r') { last.reverse() } else { last })
    });
    if options.has('u') {
        lines.dedup_by(|a, b| by_keys(a, b) == Ordering::Equal);
    }
    done(lines.iter().map(|line| format!("{line}\n")).collect(), complaints)
}

/// `-k 2,3nr`.
struct SortKey {
    first: usize,
    last: usize,
    letters: String,
}

impl SortKey {
    fn read(text: &str, global: &str) -> Self {
        let (first, last) = text.split_once(',').map_or((text, ""), |(first, last)| (first, last));
        let number = |text: &str| {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<usize>().ok()
        };
        let letters: String = text.chars().filter(|c| c.is_ascii_alphabetic()).collect();
        let letters = if letters.is_empty() { global.into() } else { letters };
        Self { first: number(first).unwrap_or(1).max(1), last: number(last).unwrap_or(usize::MAX), letters }
    }

    /// The fields of a line that the key names.
    fn of<'a>(&self, line: &'a str, separator: Option<char>) -> &'a str {
        let mut starts = vec![0];
        match separator {
            Some(sign) => starts.extend(line.match_indices(sign).map(|(at, _)| at + sign.len_utf8())),
            None => {
                let mut blank = true;
                for (at, c) in line.char_indices() {
                    if c.is_whitespace() && !blank {
                        starts.push(at);
                    }
                    blank = c.is_whitespace();
                }
            }
        }
        let Some(start) = starts.get(self.first - 1).copied() else { return "" };
        let end = starts.get(self.last).copied().unwrap_or(line.len());
        let end = if end < line.len() && separator.is_some() { end - 1 } else { end };
        line.get(start..end.max(start)).unwrap_or_default()
    }
}

fn compare(a: &str, b: &str, letters: &str) -> Ordering {
    let order = if letters.contains(['n', 'g']) {
        number(a).total_cmp(&number(b))
    } else if letters.contains('h') {
        human(a).total_cmp(&human(b))
    } else if letters.contains('V') {
        version(a).cmp(&version(b))
    } else if letters.contains('f') {
        a.to_lowercase().cmp(&b.to_lowercase())
    } else if letters.contains('b') {
        a.trim_start().cmp(b.trim_start())
    } else {
        a.cmp(b)
    };
    if letters.contains('r') { order.reverse() } else { order }
}

/// The number at the beginning of a text; 0 if there is none.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim_start();
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if !(c.is_ascii_digit() || c == '.' || (at == 0 && (c == '-' || c == '+'))) {
            break;
        }
        end = at + 1;
    }
    text[..end].parse().unwrap_or(0.0)
}

fn human(text: &str) -> f64 {
    let trimmed = text.trim_start();
    let unit = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').chars().next();
    let power = unit.and_then(|unit| "KMGTPE".find(unit.to_ascii_uppercase())).map_or(0, |at| at + 1);
    (0..power).fold(number(trimmed), |value, _| value * 1024.0)
}

fn version(text: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(word_end);
        let digits_end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        parts.push((0, word.to_string()));
        parts.push((tail[..digits_end].parse().unwrap_or(u64::MAX), String::new()));
        rest = &tail[digits_end..];
    }
    parts
}

pub(super) fn uniq(call: &mut ToolInput<'_>) -> Output {
    let long = [("count", 'c'), ("repeated", 'd'), ("unique", 'u'), ("ignore-case", 'i')];
    let options = match call.options("cdui", &long) {
        Ok(options) => options,
        Err(output) => return output,
    };
    let (text, complaints) = call.joined(&options.rest);
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for line in text.lines() {
        match runs.last_mut() {
            Some((last, count)) if *last == line || (options.has('i') && last.eq_ignore_ascii_case(line)) => {
                *count += 1
            }
            _ => runs.push((line, 1)),
        }
    }
    let kept = runs.iter().filter(|(_, count)| (!options.has('d') || *count > 1) && (!options.has('u') || *count < 2));
    let row = |(line, count): &(&str, usize)| {
        if options.has('c') { format!("{count:>7} {line}\n") } else { format!("{line}\n") }
    };
    done(kept.map(row).collect(), complaints)
}
