//! `-o custom-columns`.

use serde_json::Value;

use super::JsonPath;
use crate::failure::Failure;
use crate::json;
use crate::tabs::Tabs;

/// Columns that the operator names: `NAME:.metadata.name,IMAGE:.spec.containers[*].image`.
#[derive(Debug)]
pub(crate) struct CustomColumns {
    columns: Vec<(String, JsonPath)>,
}

impl CustomColumns {
    pub(crate) fn read(text: &str) -> Result<Self, Failure> {
        let mut columns = Vec::new();
        for part in split(text) {
            let Some((name, path)) = part.split_once(':') else {
                return Err(Failure::new(format!(
                    "unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>"
                )));
            };
            let path = JsonPath::relaxed(path).map_err(Failure::new)?;
            columns.push((name.to_string(), path));
        }
        Ok(Self { columns })
    }

    pub(crate) fn print(&self, object: &Value, with_headers: bool) -> Result<String, Failure> {
        let items = match object.get("items").filter(|_| json::text(object, "kind").ends_with("List")) {
            Some(Value::Array(items)) => items.as_slice(),
            _ => std::slice::from_ref(object),
        };
        let mut text = String::new();
        if with_headers {
            let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
            text.push_str(&format!("{}\n", names.join("\t")));
        }
        for item in items {
            let cells: Vec<String> = self.columns.iter().map(|(_, path)| cell(path, item)).collect();
            text.push_str(&format!("{}\n", cells.join("\t")));
        }
        Ok(Tabs::table().align(&text))
    }
}

fn cell(path: &JsonPath, item: &Value) -> String {
    let values = path.values(item).unwrap_or_default();
    if values.is_empty() {
        return "<none>".into();
    }
    let shown = |value: &&Value| match value {
        Value::Null => "<nil>".into(),
        other => crate::go::plain(other),
    };
    values.iter().map(shown).collect::<Vec<_>>().join(",")
}

/// Splits at commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
