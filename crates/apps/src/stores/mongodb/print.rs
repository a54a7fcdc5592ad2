//! Values as the two shells print them.

use crate::stores::script::JsValue;

/// As the old shell prints: quoted names, spaces around colons, tabs.
pub(super) fn old_style(value: &JsValue, depth: usize, is_short: bool) -> String {
    let (open, pad, close) = match is_short {
        true => (" ".to_string(), " ".to_string(), " ".to_string()),
        false => ("\n".to_string(), format!("\n{}", "\t".repeat(depth + 1)), format!("\n{}", "\t".repeat(depth))),
    };
    let first = if is_short { open } else { pad.clone() };
    match value {
        JsValue::Text(text) => quoted(text),
        JsValue::List(items) if items.is_empty() => "[ ]".into(),
        JsValue::List(items) => {
            let shown: Vec<_> = items.iter().map(|item| old_style(item, depth + 1, is_short)).collect();
            format!("[{first}{}{close}]", shown.join(&format!(",{pad}")))
        }
        JsValue::Object(fields) if fields.is_empty() => "{ }".into(),
        JsValue::Object(fields) => {
            let shown: Vec<_> = fields
                .iter()
                .map(|(name, value)| format!("\"{name}\" : {}", old_style(value, depth + 1, is_short)))
                .collect();
            format!("{{{first}{}{close}}}", shown.join(&format!(",{pad}")))
        }
        other => other.shown(),
    }
}

/// As the new shell prints: bare names, single quotes, one line while it fits.
pub(super) fn new_style(value: &JsValue, depth: usize) -> String {
    let inner = "  ".repeat(depth + 1);
    let outer = "  ".repeat(depth);
    let laid = |open: &str, items: Vec<String>, close: &str| {
        let short = format!("{open} {} {close}", items.join(", "));
        if short.len() + depth * 2 <= 76 && !short.contains('\n') {
            return short;
        }
        format!("{open}\n{inner}{}\n{outer}{close}", items.join(&format!(",\n{inner}")))
    };
    match value {
        JsValue::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        JsValue::List(items) if items.is_empty() => "[]".into(),
        JsValue::List(items) => laid("[", items.iter().map(|item| new_style(item, depth + 1)).collect(), "]"),
        JsValue::Object(fields) if fields.is_empty() => "{}".into(),
        JsValue::Object(fields) => {
            let bare = |name: &str| match name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
                true => name.to_string(),
                false => format!("'{name}'"),
            };
            let shown = fields.iter().map(|(name, value)| format!("{}: {}", bare(name), new_style(value, depth + 1)));
            laid("{", shown.collect(), "}")
        }
        JsValue::Made(name, text) => format!("{name}('{text}')"),
        other => other.shown(),
    }
}

/// As JSON.
pub(super) fn json(value: &JsValue) -> String {
    match value {
        JsValue::Text(text) => quoted(text),
        JsValue::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        JsValue::Object(fields) => {
            let shown: Vec<_> = fields.iter().map(|(name, value)| format!("\"{name}\":{}", json(value))).collect();
            format!("{{{}}}", shown.join(","))
        }
        JsValue::Made(_, text) => quoted(text),
        other => other.shown(),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.into()).to_string()
}
