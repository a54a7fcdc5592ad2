//! Types: what a variable or an attribute takes, and how a value becomes one of them.

use std::collections::BTreeMap;

use super::{Datum, number_text};

/// A type, as written after `type =`.
#[derive(Debug, Clone, PartialEq)]
pub enum Constraint {
    /// Whatever it is.
    Any,
    /// `bool`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    Text,
    /// `list(T)`.
    List(Box<Constraint>),
    /// `set(T)`.
    Set(Box<Constraint>),
    /// `map(T)`.
    Map(Box<Constraint>),
    /// `tuple([A, B])`.
    Tuple(Vec<Constraint>),
    /// `object({a = A})`.
    Object(BTreeMap<String, ObjectMember>),
}

/// One attribute of an object type.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectMember {
    /// What it takes.
    pub takes: Constraint,
    /// `optional(T)`.
    pub optional: bool,
    /// `optional(T, default)`.
    pub default: Datum,
}

impl Constraint {
    /// The word for it in messages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Any => "dynamic",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "string",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Map(_) => "map",
            Self::Tuple(_) => "tuple",
            Self::Object(_) => "object",
        }
    }

    /// Turns a value into one of this type, or says why it cannot be.
    pub fn convert(&self, value: Datum) -> Result<Datum, String> {
        match (self, value) {
            (Self::Any, value) => Ok(value),
            (_, Datum::Null) => Ok(Datum::Null),
            (_, Datum::Unknown(of)) => self.convert_unknown(of),
            (Self::Text, Datum::Text(text)) => Ok(Datum::Text(text)),
            (Self::Text, Datum::Number(n)) => Ok(Datum::Text(number_text(n))),
            (Self::Text, Datum::Bool(b)) => Ok(Datum::Text(b.to_string())),
            (Self::Number, value @ Datum::Number(_)) => Ok(value),
            (Self::Number, Datum::Text(text)) => {
                let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
                number.map(Datum::Number).ok_or_else(|| "a number is required".to_owned())
            }
            (Self::Bool, value) => value.as_bool().map(Datum::Bool).ok_or_else(|| "a bool is required".to_owned()),
            (Self::List(of), Datum::List(items) | Datum::Set(items)) => Ok(Datum::List(of.each(items)?)),
            (Self::Set(of), Datum::List(items) | Datum::Set(items)) => Ok(Datum::set(of.each(items)?)),
            (Self::Map(of), Datum::Map(entries)) => Ok(Datum::Map(of.entries(entries)?)),
            (Self::Tuple(types), Datum::List(items)) if types.len() == items.len() => {
                Ok(Datum::List(types.iter().zip(items).map(|(t, v)| t.convert(v)).collect::<Result<_, _>>()?))
            }
            (Self::Object(members), Datum::Map(entries)) => object(members, entries),
            (wanted, value) => Err(format!("{} required, but have {}", wanted.word(), value.type_name())),
        }
    }

    fn convert_unknown(&self, of: Constraint) -> Result<Datum, String> {
        let scalar = |c: &Self| matches!(c, Self::Bool | Self::Number | Self::Text);
        let fits = of == Self::Any || scalar(self) == scalar(&of);
        if fits {
            Ok(Datum::Unknown(self.clone()))
        } else {
            Err(format!("{} required, but have {}", self.word(), of.word()))
        }
    }

    fn each(&self, items: Vec<Datum>) -> Result<Vec<Datum>, String> {
        let convert = |(i, item)| self.convert(item).map_err(|e| format!("element {i}: {e}"));
        items.into_iter().enumerate().map(convert).collect()
    }

    fn entries(&self, entries: BTreeMap<String, Datum>) -> Result<BTreeMap<String, Datum>, String> {
        entries
            .into_iter()
            .map(|(key, value)| match self.convert(value) {
                Ok(value) => Ok((key, value)),
                Err(error) => Err(format!("element {key:?}: {error}")),
            })
            .collect()
    }
}

fn object(members: &BTreeMap<String, ObjectMember>, mut entries: BTreeMap<String, Datum>) -> Result<Datum, String> {
    let mut made = BTreeMap::new();
    for (name, member) in members {
        let value = match entries.remove(name) {
            None if !member.optional => return Err(format!("attribute {name:?} is required")),
            None | Some(Datum::Null) if member.optional => member.default.clone(),
            None => Datum::Null,
            Some(value) => value,
        };
        let value = member.takes.convert(value).map_err(|e| format!("attribute {name:?}: {e}"))?;
        made.insert(name.clone(), value);
    }
    Ok(Datum::Map(made))
}
