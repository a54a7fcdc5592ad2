//! Fenced blocks and marker lines.

use super::{Pieces, ReplyLayout, looks_like_configuration, names};

/// One fenced block, with what could name it.
struct Fence {
    info: String,
    before: Vec<String>,
    body: String,
    closed: bool,
}

/// Fenced blocks, named by their info string, their first comment, or the lines before them.
pub(super) fn fences(text: &str) -> Option<Pieces> {
    let found = read(text);
    if found.is_empty() {
        return None;
    }
    let mut pieces = Pieces::new(ReplyLayout::Fences);
    pieces.truncated = found.last().is_some_and(|f| !f.closed);
    let mut loose = Vec::new();
    for fence in &found {
        let parts = split(&fence.body);
        if parts.len() > 1 {
            parts.into_iter().for_each(|(name, text)| pieces.add(name, text));
            continue;
        }
        match name_of(fence) {
            Some(name) => pieces.add(name, fence.body.clone()),
            None if is_configuration(fence) => loose.push(fence.body.clone()),
            None => {}
        }
    }
    guess(loose, &mut pieces);
    Some(pieces)
}

fn read(text: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut before: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((mark, length, info)) = opening(line) else {
            before.push(line.to_owned());
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        let (mut body, mut closed) = (String::new(), false);
        for inner in lines.by_ref() {
            let bare = inner.trim();
            if bare.len() >= length && bare.chars().all(|c| c == mark) {
                closed = true;
                break;
            }
            // Closed at the end of a line of code, by an author in a hurry.
            let fence = mark.to_string().repeat(length);
            let (inner, ends) = inner.strip_suffix(fence.as_str()).map_or((inner, false), |code| (code, true));
            let cut = inner.len() - inner.trim_start_matches(' ').len();
            body.push_str(&inner[cut.min(indent)..]);
            body.push('\n');
            if ends {
                closed = true;
                break;
            }
        }
        found.push(Fence { info, before: std::mem::take(&mut before), body, closed });
    }
    found
}

/// The mark, its length and the info string of an opening fence, also within a list or a quotation.
fn opening(line: &str) -> Option<(char, usize, String)> {
    let line = line.trim_start().trim_start_matches("> ").trim_start_matches("- ").trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let info = line[length..].trim();
    (length >= 3 && !info.contains('`')).then(|| (mark, length, info.to_owned()))
}

fn name_of(fence: &Fence) -> Option<String> {
    if let Some(name) = names::in_line(&fence.info.replace([':', '/'], " "))
        .filter(|_| !fence.info.contains('/'))
        .or_else(|| names::in_line(&fence.info))
    {
        return Some(name);
    }
    let first = fence.body.lines().map(str::trim).find(|l| !l.is_empty());
    if let Some(name) = first.and_then(names::comment_label) {
        return Some(name);
    }
    // A line of its own, such as a heading, may stand a few lines above; a sentence must name one file only.
    let near = fence.before.iter().rev().filter(|l| !l.trim().is_empty()).take(3);
    for (i, line) in near.enumerate() {
        if let Some(name) = names::label(line) {
            return Some(name);
        }
        let sentence = i == 0 || line.trim_end().ends_with(':');
        if sentence && names::count_in_line(line) == 1 && !line.trim_start().starts_with('|') {
            return names::in_line(line);
        }
    }
    None
}

fn is_configuration(fence: &Fence) -> bool {
    let language = fence.info.split([' ', ':', '{']).next().unwrap_or_default().to_lowercase();
    let known = matches!(
        language.as_str(),
        "" | "hcl"
            | "terraform"
            | "tf"
            | "hcl2"
            | "terraform-hcl"
            | "text"
            | "plaintext"
            | "go"
            | "ruby"
            | "bash"
            | "json"
    );
    known && looks_like_configuration(&fence.body)
}

/// Names blocks without a name by what they declare.
fn guess(loose: Vec<String>, pieces: &mut Pieces) {
    for body in loose {
        let heads = body.lines().filter(|l| l.contains('{') && l.starts_with(|c: char| c.is_ascii_lowercase()));
        let kinds: Vec<&str> = heads.filter_map(|l| l.split([' ', '{']).next()).collect();
        let all = |kind: &str| !kinds.is_empty() && kinds.iter().all(|k| *k == kind);
        let name = if all("variable") {
            "variables.tf"
        } else if all("output") {
            "outputs.tf"
        } else {
            "main.tf"
        };
        match pieces.named.iter_mut().find(|(n, _)| n == name) {
            // Several blocks without names are parts of one file.
            Some((_, text)) if *text != body => text.push_str(&format!("\n{body}")),
            Some(_) => {}
            None => pieces.add(name.to_owned(), body),
        }
    }
}

/// Splits a block that holds several files behind comment labels.
fn split(body: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in body.lines() {
        let top = !line.starts_with([' ', '\t']);
        match names::comment_label(line).filter(|n| top && n.contains(".tf")) {
            Some(name) => parts.push((name, String::new())),
            None => match parts.last_mut() {
                Some((_, text)) => push(text, line),
                None if line.trim().is_empty() || is_rule(line) => {}
                None => return Vec::new(),
            },
        }
    }
    parts.iter_mut().for_each(|(_, text)| unframe(text));
    parts
}

/// Adds a line to a file; lines that frame its label are left out.
fn push(text: &mut String, line: &str) {
    if !(text.is_empty() && (line.trim().is_empty() || is_rule(line))) {
        text.push_str(line);
        text.push('\n');
    }
}

/// Drops the upper frame of the next label from the end of a file.
fn unframe(text: &mut String) {
    while let Some(last) = text.trim_end().lines().last()
        && !last.trim().is_empty()
        && is_rule(last)
    {
        let end = text.trim_end().len() - last.len();
        text.truncate(end);
    }
}

/// A line of dashes or equal signs, as comments are framed with.
fn is_rule(line: &str) -> bool {
    line.trim().trim_start_matches(['#', '/']).chars().all(|c| matches!(c, '-' | '=' | '*' | '#' | ' ' | '~'))
}

/// Plain text with lines such as `=== main.tf ===` between the files.
pub(super) fn markers(text: &str) -> Option<Pieces> {
    let mut pieces = Pieces::new(ReplyLayout::Markers);
    for line in text.lines() {
        let top = !line.starts_with([' ', '\t']);
        match names::label(line).filter(|n| top && n.contains(".tf")) {
            Some(name) => pieces.add(name, String::new()),
            None => {
                if let Some((_, body)) = pieces.named.last_mut() {
                    push(body, line);
                }
            }
        }
    }
    pieces.named.iter_mut().for_each(|(_, body)| unframe(body));
    pieces.named.retain(|(_, body)| looks_like_configuration(body));
    (!pieces.named.is_empty()).then_some(pieces)
}
