//! Actions in text: behind a marker, in a code fence, on a line of their own, within a sentence.

use super::call::{end, name_len};
use super::{Hit, object, shapes};

/// Words that announce an action when they begin a line and a colon follows.
const MARKERS: &[&str] =
    &["action", "next action", "final action", "tool call", "function call", "call", "command", "tool"];

/// Where what is marked as an action begins: behind each `Action:`.
pub(super) fn markers(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(len) = marker(line) {
            found.push(at + len);
        }
        at += line.len();
    }
    found
}

/// The length of `**Action 3:** ` at the beginning of a line.
fn marker(line: &str) -> Option<usize> {
    let colon = line.find([':', '\u{ff1a}'])?;
    let dressed = |c: char| c.is_whitespace() || c.is_ascii_digit() || "*_#>-.)`".contains(c);
    let word = line[..colon].trim_matches(dressed).to_ascii_lowercase();
    let known = MARKERS.contains(&word.as_str()) && colon < 40;
    let behind = colon + line[colon..].chars().next().map_or(1, char::len_utf8);
    known.then_some(behind)
}

/// The action that stands right behind a marker.
pub(super) fn direct(text: &str, start: usize, tools: &[&str]) -> Option<Hit> {
    let start = start + decoration(&text[start..], true);
    let rest = &text[start..];
    if rest.starts_with('{') {
        return object::at(text, start, tools);
    }
    let name = name_len(rest);
    if let Some(end) = end(text, start) {
        let known = is(tools, &rest[..name]);
        return (known || alone(&text[end..])).then(|| hit(text, start, end));
    }
    named(text, start, tools)
}

/// A tool's name alone, with its arguments as JSON behind it: `Action Input:`, a fence, the next line.
fn named(text: &str, start: usize, tools: &[&str]) -> Option<Hit> {
    let rest = &text[start..];
    let name = &rest[..name_len(rest)];
    if !is(tools, name) {
        return None;
    }
    let line = start + rest.find('\n').unwrap_or(rest.len());
    let tail = text[start + name.len()..line].trim_matches(|c: char| "`*\"'.:, ".contains(c));
    if tail.is_empty()
        && let Some((end, arguments)) = arguments(text, line)
    {
        return Some(Hit { start, end, text: shapes::written(name, &arguments)? });
    }
    let shown = rest[..line - start].trim().trim_end_matches(['`', '*', '"', '\'']);
    // Without parentheses it is no call, but clearly meant as one: the parser says what is wrong.
    Some(Hit { start, end: line, text: shown.to_string() })
}

/// Arguments below a name, behind nothing but decoration and `Action Input:`.
fn arguments(text: &str, line: usize) -> Option<(usize, serde_json::Value)> {
    let mut at = line + decoration(&text[line..], true);
    let lower = text[at..].to_ascii_lowercase();
    let label = ["action input", "action_input", "arguments", "parameters", "input", "args"]
        .iter()
        .find_map(|word| lower.strip_prefix(word).map(|rest| word.len() + usize::from(rest.starts_with(':'))));
    at += label.unwrap_or(0);
    at += decoration(&text[at..], true);
    let end = at + text[at..].find('\n').unwrap_or(text.len() - at);
    let word = text[at..end].trim().trim_end_matches(['`', '"', '\'']);
    let alone = || label.filter(|_| !word.is_empty()).map(|_| (end, vec![word].into()));
    object::value_at(text, at).or_else(alone)
}

/// The first action inside a code fence.
pub(super) fn fenced(text: &str, from: usize, tools: &[&str]) -> Option<Hit> {
    let mut at = from;
    while let Some(open) = text[at..].find("```").map(|i| at + i + 3) {
        let close = text[open..].find("```").map_or(text.len(), |i| open + i);
        let body = open + fence_word(&text[open..close]);
        let found = super::earliest(object::find(text, body, tools), first_line(text, body, close, tools));
        if let Some(hit) = found.filter(|hit| hit.start < close) {
            return Some(hit);
        }
        at = (close + 3).min(text.len());
    }
    None
}

/// The length of `json\n` behind an opening fence.
fn fence_word(text: &str) -> usize {
    let word = name_len(text);
    let behind = &text[word..];
    if behind.starts_with(['\n', '\r']) || (behind.starts_with([' ', '{']) && !behind.trim_start().starts_with('(')) {
        word
    } else {
        0
    }
}

/// The first line that is an action.
pub(super) fn find(text: &str, from: usize, tools: &[&str]) -> Option<Hit> {
    first_line(text, from, text.len(), tools)
}

fn first_line(text: &str, from: usize, to: usize, tools: &[&str]) -> Option<Hit> {
    starts(text, from, to).find_map(|start| line_call(text, start, tools))
}

/// The first line that is nothing but a call of a tool that we do not have.
pub(super) fn stranger(text: &str) -> Option<Hit> {
    starts(text, 0, text.len()).find_map(|start| {
        let name = &text[start..start + name_len(&text[start..])];
        let end = end(text, start).filter(|end| name.contains('_') && alone(&text[*end..]))?;
        Some(hit(text, start, end))
    })
}

/// Where the words of each line begin.
fn starts(text: &str, from: usize, to: usize) -> impl Iterator<Item = usize> {
    let mut at = from;
    std::iter::from_fn(move || {
        while at < to {
            let next = text[at..to].find('\n').map_or(to, |i| at + i + 1);
            let start = at + decoration(&text[at..next], false);
            at = next;
            if start < next {
                return Some(start);
            }
        }
        None
    })
}

/// A call, with or without a sentence behind it.
fn line_call(text: &str, start: usize, tools: &[&str]) -> Option<Hit> {
    let name = &text[start..start + name_len(&text[start..])];
    if !is(tools, name) {
        return None;
    }
    match end(text, start) {
        Some(end) => Some(hit(text, start, end)),
        None => named(text, start, tools).filter(|hit| hit.text.contains('(') || bare(text, hit)),
    }
}

/// Whether a line is a tool's name and at most a word or two: an action without parentheses, and no sentence.
fn bare(text: &str, hit: &Hit) -> bool {
    let line = text[hit.start..hit.end].trim();
    line.split_whitespace().count() <= 3 && !line.ends_with('.')
}

/// The first call of a known tool anywhere.
pub(super) fn inline(text: &str, from: usize, tools: &[&str]) -> Option<Hit> {
    let mut at = from;
    while at < text.len() {
        let start = at + text[at..].find(|c: char| c.is_ascii_alphabetic() || c == '_')?;
        let len = name_len(&text[start..]);
        let name = &text[start..start + len];
        if is(tools, name)
            && let Some(end) = end(text, start)
        {
            return Some(hit(text, start, end));
        }
        at = start + len.max(1);
    }
    None
}

fn hit(text: &str, start: usize, end: usize) -> Hit {
    Hit { start, end, text: text[start..end].to_string() }
}

fn is(tools: &[&str], name: &str) -> bool {
    tools.iter().any(|tool| tool.eq_ignore_ascii_case(name))
}

/// Whether nothing but closing decoration follows on the line.
fn alone(rest: &str) -> bool {
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    line.trim_matches(|c: char| "`*_\"'.;)]} \r".contains(c)).is_empty()
}

/// The length of list signs, prompts, emphasis and fences before the words. With `lines`, empty lines
/// and an opening fence too.
fn decoration(text: &str, lines: bool) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let step = if lines && rest.starts_with("```") {
            3 + fence_word(&rest[3..])
        } else if let Some(sign) = [">>> ", "$ ", "print(", "await ", "- ", "* ", "+ ", "\u{2022} ", "\u{2192} ", "-> "]
            .iter()
            .find(|sign| rest.starts_with(**sign))
        {
            sign.len()
        } else if let Some(prefix) =
            ["functions.", "tools.", "default_api.", "env."].iter().find(|p| rest.starts_with(**p))
        {
            prefix.len()
        } else if let Some(len) = number(rest) {
            len
        } else {
            match rest.chars().next() {
                Some(c) if " \t\r>`*[(\"'#\u{201c}".contains(c) || (lines && c == '\n') => c.len_utf8(),
                _ => return at,
            }
        };
        at += step;
    }
}

/// The length of `12. ` or `12) `.
fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = text[digits..].starts_with(['.', ')']) && text[digits + 1..].starts_with(' ');
    (digits > 0 && digits < 3 && sign).then_some(digits + 2)
}
