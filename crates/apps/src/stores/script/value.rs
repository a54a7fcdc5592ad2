//! What scripts compute with.

use std::sync::Arc;

use super::parser::Statement;

/// A value of a script.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) enum JsValue {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<JsValue>),
    Object(Vec<(String, JsValue)>),
    /// A constructed value that prints as a call: `ObjectId("...")`, `UUID("...")`, `ISODate("...")`.
    Made(&'static str, String),
    /// A thing of the host: its kind, its names, and what it holds.
    Host(&'static str, Vec<String>, Vec<JsValue>),
    /// A function: its parameters and its body.
    Function(Arc<(Vec<String>, Vec<Statement>)>),
}

/// Why a script stopped.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::stores) struct ScriptError {
    /// `SyntaxError`, `ReferenceError`, `TypeError`, `Error`, or what the host says.
    pub(in crate::stores) name: String,
    pub(in crate::stores) message: String,
}

impl ScriptError {
    pub(in crate::stores) fn new(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into() }
    }
}

impl JsValue {
    pub(in crate::stores) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(in crate::stores) fn object<const N: usize>(fields: [(&str, JsValue); N]) -> Self {
        Self::Object(fields.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    /// A field of an object.
    pub(in crate::stores) fn field(&self, name: &str) -> Option<&JsValue> {
        match self {
            Self::Object(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a text field.
    pub(in crate::stores) fn text_field(&self, name: &str) -> Option<&str> {
        self.field(name).and_then(JsValue::as_text)
    }

    pub(in crate::stores) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(in crate::stores) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Bool(flag) => Some(f64::from(u8::from(*flag))),
            _ => None,
        }
    }

    pub(in crate::stores) fn is_true(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// As `print` shows it.
    pub(in crate::stores) fn shown(&self) -> String {
        match self {
            Self::Undefined => "undefined".into(),
            Self::Null => "null".into(),
            Self::Bool(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::List(items) => items.iter().map(JsValue::shown).collect::<Vec<_>>().join(","),
            Self::Object(_) => "[object Object]".into(),
            Self::Made(name, text) => format!("{name}(\"{text}\")"),
            Self::Host(kind, names, _) => match *kind {
                "db" => names.join("."),
                _ => format!("[object {kind}]"),
            },
            Self::Function(_) => "function() { ... }".into(),
        }
    }
}
