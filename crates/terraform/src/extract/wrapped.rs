//! Files inside another format: JSON, tags, shell scripts, diffs.

use serde_json::Value;

use super::{Pieces, ReplyLayout, looks_like_configuration, names};

/// JSON: a map of names to texts, a list of objects, or either below `files`; alone or in one fenced block.
pub(super) fn json(text: &str) -> Option<Pieces> {
    let trimmed = text.trim();
    let fenced = trimmed
        .strip_prefix("```json")
        .or_else(|| trimmed.strip_prefix("```"))
        .and_then(|t| t.trim_end().strip_suffix("```"));
    let candidate = fenced.unwrap_or(trimmed).trim();
    let inner = candidate.find(['{', '[']).and_then(|from| candidate.rfind(['}', ']']).map(|to| (from, to)));
    let value: Value = serde_json::from_str(candidate).ok().or_else(|| {
        let (from, to) = inner?;
        serde_json::from_str(candidate.get(from..=to)?).ok()
    })?;
    let mut pieces = Pieces::new(ReplyLayout::Json);
    collect(&value, &mut pieces, 0);
    (!pieces.named.is_empty()).then_some(pieces)
}

fn collect(value: &Value, pieces: &mut Pieces, depth: usize) {
    if depth > 4 {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, pieces, depth + 1)),
        Value::Object(entries) => {
            let text = |keys: &[&str]| keys.iter().find_map(|k| entries.get(*k).and_then(Value::as_str));
            let name = text(&["name", "path", "filename", "file", "file_name", "file_path"]).and_then(names::in_line);
            if let (Some(name), Some(body)) = (name, text(&["content", "contents", "code", "text", "body", "data"])) {
                return pieces.add(name, body.to_owned());
            }
            for (key, item) in entries {
                match (names::in_line(key), item) {
                    (Some(name), Value::String(body)) => pieces.add(name, body.clone()),
                    (Some(name), Value::Object(inner)) => {
                        let body = ["content", "contents", "code", "text"]
                            .iter()
                            .find_map(|k| inner.get(*k).and_then(Value::as_str));
                        pieces.named.extend(body.map(|b| (name, b.to_owned())));
                    }
                    _ => collect(item, pieces, depth + 1),
                }
            }
        }
        _ => {}
    }
}

/// `<file name="main.tf">...</file>`, `<main.tf>...</main.tf>`, with or without fences inside.
pub(super) fn tags(text: &str) -> Option<Pieces> {
    let mut pieces = Pieces::new(ReplyLayout::Tags);
    let mut rest = text;
    while let Some(from) = rest.find('<') {
        let Some(to) = rest[from..].find('>').map(|at| from + at) else { break };
        let head = &rest[from + 1..to];
        let word = head.split_whitespace().next().unwrap_or_default();
        let named = head.len() < 200
            && !head.contains('\n')
            && !head.starts_with('/')
            && !head.starts_with('<')
            && !word.is_empty();
        let close = format!("</{word}>");
        let end = if named { rest[to..].find(&close).map(|at| to + at) } else { None };
        match (names::in_line(head), end) {
            (Some(name), Some(end)) => {
                pieces.add(name, unfenced(&rest[to + 1..end]));
                rest = &rest[end + close.len()..];
            }
            _ => rest = &rest[from + 1..],
        }
    }
    (!pieces.named.is_empty()).then_some(pieces)
}

/// The body without a fence or a CDATA frame around it.
fn unfenced(body: &str) -> String {
    let trimmed = body.trim();
    let trimmed = trimmed.strip_prefix("<![CDATA[").and_then(|t| t.strip_suffix("]]>")).unwrap_or(trimmed).trim();
    let inner = trimmed
        .strip_prefix("```")
        .and_then(|t| t.split_once('\n'))
        .and_then(|(_, t)| t.trim_end().strip_suffix("```"));
    inner.unwrap_or(trimmed).to_owned()
}

/// `cat > main.tf <<'EOF'` and `tee main.tf <<EOF`.
pub(super) fn shell(text: &str) -> Option<Pieces> {
    let mut pieces = Pieces::new(ReplyLayout::Shell);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let writes = (line.contains("cat ") || line.contains("tee ")) && line.contains("<<");
        let Some((head, word)) = line.split_once("<<").filter(|_| writes) else { continue };
        let tail = word.split_once('>').map_or("", |(_, t)| t);
        let Some(name) = names::in_line(head).or_else(|| names::in_line(tail)) else { continue };
        let end: String = word
            .trim_start_matches('-')
            .trim()
            .chars()
            .filter(|c| !matches!(c, '\'' | '"' | '\\'))
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if end.is_empty() {
            continue;
        }
        let body: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != end).collect();
        pieces.add(name, body.join("\n"));
    }
    (!pieces.named.is_empty()).then_some(pieces)
}

/// A diff that adds files: `+++ b/main.tf` and lines that begin with a plus.
pub(super) fn diff(text: &str) -> Option<Pieces> {
    let mut pieces = Pieces::new(ReplyLayout::Diff);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("+++ ").and_then(names::in_line) {
            pieces.add(name.strip_prefix("b/").unwrap_or(&name).to_owned(), String::new());
        } else if let (Some(added), Some((_, body))) = (line.strip_prefix('+'), pieces.named.last_mut()) {
            body.push_str(added);
            body.push('\n');
        }
    }
    pieces.named.retain(|(_, body)| looks_like_configuration(body));
    (!pieces.named.is_empty()).then_some(pieces)
}
