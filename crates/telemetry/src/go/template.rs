//! Go's text templates: what annotations of alerts and `line_format` are written in.

mod builtins;
mod parse;
mod printf;
mod run;

use std::collections::BTreeMap;

pub(crate) use parse::Template;
pub(crate) use printf::sprintf;

/// A value inside a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TemplateValue {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<TemplateValue>),
    Map(BTreeMap<String, TemplateValue>),
}

impl TemplateValue {
    pub fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }

    /// As `{{ . }}` prints it.
    pub fn shown(&self) -> String {
        match self {
            Self::Nil => "<no value>".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => super::number::general(*value),
            Self::Text(value) => value.clone(),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::shown).collect::<Vec<_>>().join(" "))
            }
            Self::Map(values) => {
                let parts: Vec<String> = values.iter().map(|(k, v)| format!("{k}:{}", v.shown())).collect();
                format!("map[{}]", parts.join(" "))
            }
        }
    }

    /// Whether `if` takes it for true.
    pub fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(value) => !value.is_empty(),
            Self::List(values) => !values.is_empty(),
            Self::Map(values) => !values.is_empty(),
        }
    }

    /// The number that it is or that its text says.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Text(value) => super::parse_float(value),
            _ => None,
        }
    }
}

/// The functions that a template may call beside Go's own.
pub(crate) trait TemplateFunctions {
    /// Whether there is such a function.
    fn has(&self, name: &str) -> bool;
    /// Its value, or why it has none.
    fn call(&self, name: &str, args: &[TemplateValue]) -> Result<TemplateValue, String>;
}
