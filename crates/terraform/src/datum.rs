//! Values of the language: known, null, or known after apply.

mod constraint;

use std::cmp::Ordering;
use std::collections::BTreeMap;

pub use constraint::{Constraint, ObjectMember};

/// Attributes by name.
pub type Attributes = BTreeMap<String, Datum>;

/// One value. Tuples are lists and objects are maps here: the difference shows in a few messages of Terraform only.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// Absent.
    Null,
    /// Known after apply; of this type.
    Unknown(Constraint),
    /// `true` or `false`.
    Bool(bool),
    /// Terraform counts with big decimals; 53 bits are enough for infrastructure.
    Number(f64),
    /// Text.
    Text(String),
    /// In order, with duplicates.
    List(Vec<Datum>),
    /// Sorted, without duplicates. Made by [`Datum::set`].
    Set(Vec<Datum>),
    /// By name.
    Map(BTreeMap<String, Datum>),
}

impl Datum {
    /// Text from anything that is text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A set of these elements: sorted, each once. Two that are not known yet may turn out to be different: both stay.
    pub fn set(mut items: Vec<Datum>) -> Self {
        items.sort_by(Datum::order);
        items.dedup_by(|later, one| later == one && !one.has_unknown());
        Self::Set(items)
    }

    /// A map of these entries.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Datum)>) -> Self {
        Self::Map(entries.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }

    /// A list of texts.
    pub fn texts<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(|t| Self::text(t)).collect())
    }

    /// An unknown value of any type.
    pub fn unknown() -> Self {
        Self::Unknown(Constraint::Any)
    }

    /// Whether this value itself is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// Whether this value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether something unknown is anywhere inside.
    pub fn has_unknown(&self) -> bool {
        match self {
            Self::Unknown(_) => true,
            Self::List(items) | Self::Set(items) => items.iter().any(Self::has_unknown),
            Self::Map(entries) => entries.values().any(Self::has_unknown),
            _ => false,
        }
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one or reads as one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The truth value, if it is one or reads as one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            Self::Text(text) if text == "true" => Some(true),
            Self::Text(text) if text == "false" => Some(false),
            _ => None,
        }
    }

    /// The elements of a list or a set.
    pub fn as_items(&self) -> Option<&[Datum]> {
        match self {
            Self::List(items) | Self::Set(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a map.
    pub fn as_map(&self) -> Option<&BTreeMap<String, Datum>> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The entry of a map; null where there is none.
    pub fn get(&self, name: &str) -> &Datum {
        self.as_map().and_then(|m| m.get(name)).unwrap_or(&Datum::Null)
    }

    /// How much work it is to copy: elements and text, roughly.
    pub fn weight(&self) -> u64 {
        match self {
            Self::Text(text) => 1 + text.len() as u64 / 32,
            Self::List(items) | Self::Set(items) => 1 + items.iter().map(Self::weight).sum::<u64>(),
            Self::Map(entries) => 1 + entries.values().map(|v| 1 + v.weight()).sum::<u64>(),
            _ => 1,
        }
    }

    /// How deep it nests.
    pub fn depth(&self) -> usize {
        match self {
            Self::List(items) | Self::Set(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Map(entries) => 1 + entries.values().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// The word for its type, as messages use it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Unknown(constraint) => constraint.word(),
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "tuple",
            Self::Set(_) => "set",
            Self::Map(_) => "object",
        }
    }

    /// A total order, for sets and for sorted output: by kind first, then by content.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::List(a) | Self::Set(a), Self::List(b) | Self::Set(b)) => order_items(a, b),
            (Self::Map(a), Self::Map(b)) => {
                let keys = a.keys().cmp(b.keys());
                keys.then_with(|| {
                    a.values().zip(b.values()).map(|(x, y)| x.order(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
                })
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Unknown(_) => 1,
            Self::Bool(_) => 2,
            Self::Number(_) => 3,
            Self::Text(_) => 4,
            Self::List(_) | Self::Set(_) => 5,
            Self::Map(_) => 6,
        }
    }

    /// Equality as the language sees it: a list and a set of the same elements are equal when both are sorted alike.
    pub fn same(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

fn order_items(a: &[Datum], b: &[Datum]) -> Ordering {
    let first = a.iter().zip(b).map(|(x, y)| x.order(y)).find(|o| o.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// A number as Terraform prints it: whole ones without a point, others with as few digits as they need.
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    if number.fract() == 0.0 && number.abs() < 1e21 { format!("{number:.0}") } else { format!("{number}") }
}

impl std::fmt::Display for Datum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => write!(f, "null"),
            Self::Unknown(_) => write!(f, "(known after apply)"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Number(n) => write!(f, "{}", number_text(*n)),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) | Self::Set(items) => {
                write!(f, "[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "]")
            }
            Self::Map(entries) => {
                write!(f, "{{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key} = {value}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "}}")
            }
        }
    }
}
