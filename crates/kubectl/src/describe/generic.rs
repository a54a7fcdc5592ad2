//! Everything else: the object itself, with names made readable.

use serde_json::Value;

use super::{Page, events};
use crate::failure::Failure;
use crate::json;
use crate::kubectl::Kubectl;
use crate::targets::Found;

pub(super) fn generic(call: &mut Kubectl<'_, '_>, found: &Found, page: &mut Page) -> Result<(), Failure> {
    let mut object = found.object.clone();
    page.entry("Name", &found.name);
    page.entry("Namespace", &found.namespace);
    page.labels("Labels", json::at(&object, "metadata.labels"), "");
    page.annotations("Annotations", json::at(&object, "metadata.annotations"), "");
    for hidden in ["name", "namespace", "labels", "annotations", "managedFields"] {
        json::remove(&mut object, &format!("metadata.{hidden}"));
    }
    map(&object, 0, page);
    events(call, found, page)
}

fn map(value: &Value, level: usize, page: &mut Page) {
    let mut fields: Vec<(String, &Value)> =
        value.as_object().into_iter().flatten().map(|(key, value)| (title(key), value)).collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, value) in fields {
        match value {
            Value::Object(_) => {
                page.line(level, format!("{name}:"));
                map(value, level + 1, page);
            }
            Value::Array(items) => {
                page.line(level, format!("{name}:"));
                list(items, level + 1, page);
            }
            scalar => page.line(level, format!("{name}:\t{}", crate::go::plain(scalar))),
        }
    }
}

fn list(items: &[Value], level: usize, page: &mut Page) {
    for item in items {
        match item {
            Value::Object(_) => map(item, level, page),
            Value::Array(inner) => list(inner, level + 1, page),
            scalar => page.line(level, crate::go::plain(scalar)),
        }
    }
}

/// `creationTimestamp` as `Creation Timestamp`, `apiVersion` as `API Version`.
fn title(field: &str) -> String {
    // A name of capitals and digits within stays as it is.
    if field.starts_with("openAPI") || field.chars().all(|c| !c.is_ascii_lowercase()) {
        return field.into();
    }
    let mut words: Vec<String> = Vec::new();
    for c in field.chars() {
        let last = words.last();
        let begins = match last.and_then(|word| word.chars().last()) {
            None => true,
            Some(before) => {
                let is_sign = |c: char| !c.is_alphanumeric();
                (c.is_uppercase() && !before.is_uppercase()) || is_sign(c) != is_sign(before)
            }
        };
        match words.last_mut().filter(|_| !begins) {
            Some(word) => word.push(c),
            None => words.push(c.to_string()),
        }
    }
    let shown = words.iter().map(|word| {
        let upper = word.to_uppercase();
        match upper.as_str() {
            "API" | "URL" | "UID" | "OSB" | "GUID" => upper,
            _ => {
                let mut letters = word.chars();
                letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
            }
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}
