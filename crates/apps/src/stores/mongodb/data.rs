//! Documents, and which of them a filter finds.

use crate::stores::script::JsValue;

/// A collection: the documents that were written by hand, and how many more there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Collection {
    pub(super) documents: Vec<JsValue>,
    /// Documents of programs, which are only counted.
    pub(super) more: usize,
}

impl Collection {
    pub(super) fn count(&self) -> usize {
        self.documents.len() + self.more
    }
}

/// Whether a document passes a filter.
pub(super) fn passes(document: &JsValue, filter: &JsValue) -> bool {
    let JsValue::Object(wanted) = filter else { return true };
    wanted.iter().all(|(path, wanted)| {
        let found = at(document, path);
        match wanted {
            JsValue::Object(tests) if tests.iter().any(|(name, _)| name.starts_with('$')) => {
                tests.iter().all(|(name, value)| test(found, name, value))
            }
            JsValue::Null => found.is_none_or(|found| *found == JsValue::Null),
            _ => found == Some(wanted),
        }
    })
}

fn at<'a>(document: &'a JsValue, path: &str) -> Option<&'a JsValue> {
    path.split('.').try_fold(document, |value, name| value.field(name))
}

fn test(found: Option<&JsValue>, name: &str, value: &JsValue) -> bool {
    let numbers = found.and_then(JsValue::as_number).zip(value.as_number());
    match name {
        "$eq" => found == Some(value),
        "$ne" => found != Some(value),
        "$gt" => numbers.is_some_and(|(a, b)| a > b),
        "$gte" => numbers.is_some_and(|(a, b)| a >= b),
        "$lt" => numbers.is_some_and(|(a, b)| a < b),
        "$lte" => numbers.is_some_and(|(a, b)| a <= b),
        "$exists" => found.is_some() == value.is_true(),
        "$in" => matches!(value, JsValue::List(items) if found.is_some_and(|found| items.contains(found))),
        _ => false,
    }
}

/// Changes a document as `$set`, `$unset` and `$inc` say; anything else replaces it but for its id.
pub(super) fn change(document: &mut JsValue, update: &JsValue) {
    let JsValue::Object(changes) = update else { return };
    if !changes.iter().any(|(name, _)| name.starts_with('$')) {
        let id = document.field("_id").cloned().map(|id| ("_id".to_string(), id));
        *document = JsValue::Object(id.into_iter().chain(changes.iter().cloned()).collect());
        return;
    }
    let JsValue::Object(fields) = document else { return };
    for (operator, values) in changes {
        let JsValue::Object(values) = values else { continue };
        for (name, value) in values {
            let place = fields.iter().position(|(field, _)| field == name);
            match (&**operator, place) {
                ("$set", Some(at)) => fields[at].1 = value.clone(),
                ("$set" | "$inc", None) => fields.push((name.clone(), value.clone())),
                ("$inc", Some(at)) => {
                    let sum = fields[at].1.as_number().unwrap_or(0.0) + value.as_number().unwrap_or(0.0);
                    fields[at].1 = JsValue::Number(sum);
                }
                ("$unset", Some(at)) => drop(fields.remove(at)),
                _ => {}
            }
        }
    }
}
