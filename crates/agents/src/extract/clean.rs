//! What the model meant us to see: without thoughts, control tokens and the typography of chat.

use std::borrow::Cow;

/// Tags that hold thoughts.
const THOUGHTS: &[&str] = &["think", "thinking", "thought", "reasoning", "reflection", "scratchpad", "analysis"];

/// The output without thoughts and control tokens.
pub(super) fn visible(output: &str) -> String {
    let text = final_channel(output);
    let mut text = Cow::Borrowed(text);
    for tag in THOUGHTS {
        if let Some(shorter) = without(&text, tag) {
            text = Cow::Owned(shorter);
        }
    }
    without_tokens(&text).replace("\\_", "_").replace("&quot;", "\"").replace('\u{a0}', " ")
}

/// Some models write into channels; the last message of the `final` or `commentary` channel counts.
fn final_channel(output: &str) -> &str {
    for name in ["<|channel|>final", "<|channel|>commentary"] {
        if let Some(at) = output.rfind(name) {
            let rest = &output[at + name.len()..];
            return rest.split_once("<|message|>").map_or(rest, |(_, rest)| rest);
        }
    }
    output
}

/// The text without `<tag>...</tag>`; `None` if there is no such tag. What was never opened was
/// opened in the prompt, and what was never closed is thought to the end.
fn without(text: &str, tag: &str) -> Option<String> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    // ASCII folding keeps every position where it was.
    let lower = text.to_ascii_lowercase();
    if !lower.contains(&open) && !lower.contains(&close) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    loop {
        let opened = lower[at..].find(&open).map(|i| at + i);
        let closed = lower[at..].find(&close).map(|i| at + i);
        match (opened, closed) {
            (Some(o), Some(c)) if o < c => {
                out.push_str(&text[at..o]);
                at = c + close.len();
            }
            (_, Some(c)) => {
                out.clear();
                at = c + close.len();
            }
            (Some(o), None) => {
                out.push_str(&text[at..o]);
                return Some(out);
            }
            (None, None) => {
                out.push_str(&text[at..]);
                return Some(out);
            }
        }
    }
}

/// `<|python_tag|>`, `<|eot_id|>` and their like become line ends: they separate.
fn without_tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[']) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        match token(tail) {
            Some(len) => {
                out.push('\n');
                rest = &tail[len..];
            }
            None => {
                out.push_str(&tail[..1]);
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The length of the control token that the text begins with.
fn token(text: &str) -> Option<usize> {
    const WHOLE: &[&str] = &["[TOOL_CALLS]", "[/TOOL_CALLS]", "[INST]", "[/INST]"];
    if let Some(token) = WHOLE.iter().find(|token| text.starts_with(**token)) {
        return Some(token.len());
    }
    // Two alphabets write these tokens: with a plain bar, and with a wide one.
    let close = if text.starts_with("<|") { "|>" } else { text.starts_with("<\u{ff5c}").then_some("\u{ff5c}>")? };
    let end = text.find(close)?;
    let short = end < 48 && !text[..end].contains('\n');
    short.then_some(end + close.len())
}

/// Typographic quotes around arguments become plain ones. Where plain quotes are in use, the others
/// are part of a sentence and stay.
pub(super) fn straight(text: &str) -> String {
    let text = text.trim();
    if !text.contains('"') && text.contains(['\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}']) {
        return text.replace(['\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}', '\u{bb}'], "\"");
    }
    if !text.contains(['"', '\'']) && text.contains('\u{2018}') {
        return text.replace(['\u{2018}', '\u{2019}'], "'");
    }
    text.to_string()
}
