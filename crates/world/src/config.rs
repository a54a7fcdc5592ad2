//! Typed configuration: every key knows its type, range, unit and what it does.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::time::Span;

/// A configuration value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A host name or a path.
    Text(Arc<str>),
}

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// A whole number between two bounds, both included, in some unit.
    Int {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// What is counted, in the plural.
        unit: &'static str,
    },
    /// `true` or `false`.
    Bool,
    /// An absolute path such as `/healthz`.
    Path,
    /// A host name such as `cache.internal`.
    Host,
}

/// One configuration key of a kind of service. Built from [`int`], [`flag`], [`path`] or [`host`].
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name, in capitals.
    pub name: &'static str,
    /// What it takes.
    pub takes: KeyType,
    /// The healthy default; a blueprint may choose another.
    pub default: &'static str,
    /// How long a change takes to reach the running service.
    pub rollout: Span,
    /// Whether a change restarts the instances, one after another.
    pub restarts: bool,
    /// One line on what it does.
    pub about: &'static str,
    /// The value that hurts under an ordinary load, and the concept behind it.
    pub(crate) hurts: Option<(Bad, &'static str)>,
    /// How many times what a place needs it may be without harm.
    pub roomy: f64,
    /// How many times less than what is usual for a place will do there as well.
    pub spare: f64,
    /// The concept behind it where it is a credential, which runs out by itself.
    pub(crate) runs_out: Option<&'static str>,
    /// The setting of the same service of which more is needed where this one is bad.
    pub crowds: Option<&'static str>,
}

/// A value that hurts under an ordinary load.
#[derive(Clone, Copy, Debug)]
pub enum Bad {
    /// This one.
    Is(&'static str),
    /// The healthy number times this.
    Times(f64),
}

/// How the key of an index begins, whatever the table.
pub(crate) const INDEX: &str = "INDEX_";

/// How long most changes take to reach the running service.
const ROLLOUT: Span = Span::secs(15);

/// A key that takes a whole number of units.
pub(crate) const fn int(name: &'static str, min: i64, max: i64, unit: &'static str, default: &'static str) -> Key {
    Key::new(name, KeyType::Int { min, max, unit }, default)
}

/// A key that is on or off.
pub(crate) const fn flag(name: &'static str, default: &'static str) -> Key {
    Key::new(name, KeyType::Bool, default)
}

/// A key that takes an absolute path.
pub(crate) const fn path(name: &'static str, default: &'static str) -> Key {
    Key::new(name, KeyType::Path, default)
}

/// A key that takes a host name.
pub(crate) const fn host(name: &'static str, default: &'static str) -> Key {
    Key::new(name, KeyType::Host, default)
}

impl Key {
    const fn new(name: &'static str, takes: KeyType, default: &'static str) -> Key {
        Key {
            name,
            takes,
            default,
            rollout: ROLLOUT,
            restarts: false,
            about: "",
            hurts: None,
            roomy: 1.0,
            spare: 1.0,
            runs_out: None,
            crowds: None,
        }
    }

    pub(crate) const fn about(self, about: &'static str) -> Key {
        Key { about, ..self }
    }

    pub(crate) const fn rolled_out_in(self, secs: u64) -> Key {
        Key { rollout: Span::secs(secs), ..self }
    }

    /// A change restarts the instances.
    pub(crate) const fn restarting(self) -> Key {
        Key { restarts: true, ..self }
    }

    /// The value that hurts under an ordinary load, and the concept behind it.
    pub(crate) const fn hurts(self, at: Bad, concept: &'static str) -> Key {
        Key { hurts: Some((at, concept)), ..self }
    }

    /// How many times what a place needs it may be without harm.
    pub(crate) const fn roomy(self, times: f64) -> Key {
        Key { roomy: times, ..self }
    }

    /// More of another setting is needed where this one is bad.
    pub(crate) const fn crowds(self, other: &'static str) -> Key {
        Key { crowds: Some(other), ..self }
    }

    /// How many times less than what is usual for a place will do there as well.
    pub(crate) const fn spare(self, times: f64) -> Key {
        Key { spare: times, ..self }
    }

    /// It is a credential; the concept behind its end.
    pub(crate) const fn runs_out(self, concept: &'static str) -> Key {
        Key { runs_out: Some(concept), ..self }
    }

    /// Whether it says that an index is there.
    pub(crate) fn is_index(&self) -> bool {
        self.name.starts_with(INDEX)
    }

    /// Reads `text` as a value of this key; the error says what would have been right.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        self.takes.parse(text).ok_or_else(|| format!("{} takes {}; got `{text}`", self.name, self.takes))
    }

    /// What hurts under an ordinary load, if it is known.
    pub fn bad(&self) -> Option<Bad> {
        self.hurts.map(|(bad, _)| bad)
    }

    /// Whether it is a credential, which runs out by itself.
    pub fn is_credential(&self) -> bool {
        self.runs_out.is_some()
    }

    /// The healthy default as a value.
    pub fn default_value(&self) -> Value {
        self.parse(self.default).expect("defaults are valid")
    }
}

impl KeyType {
    fn parse(self, text: &str) -> Option<Value> {
        match self {
            KeyType::Int { min, max, .. } => text.parse().ok().filter(|n| (min..=max).contains(n)).map(Value::Int),
            KeyType::Bool if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            KeyType::Bool if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            KeyType::Bool => None,
            KeyType::Path => {
                let good = text.starts_with('/') && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_graphic());
                good.then(|| Value::Text(text.into()))
            }
            KeyType::Host => {
                let good = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
                let ok = !text.is_empty() && text.len() <= 64 && text.bytes().all(good);
                ok.then(|| Value::Text(text.to_ascii_lowercase().into()))
            }
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyType::Int { min, max, unit } => write!(f, "{unit}, a whole number from {min} to {max}"),
            KeyType::Bool => f.write_str("true or false"),
            KeyType::Path => f.write_str("an absolute path such as /healthz"),
            KeyType::Host => f.write_str("a host name such as db.internal"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => f.write_str(if *b { "true" } else { "false" }),
            Value::Int(n) => write!(f, "{n}"),
            Value::Text(t) => f.write_str(t),
        }
    }
}

impl Value {
    /// The number, or 0 for what is none.
    pub fn int(&self) -> f64 {
        match self {
            Value::Int(n) => *n as f64,
            _ => 0.0,
        }
    }

    /// The truth value; what is none counts as false.
    pub fn bool(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    /// The text; empty for what is none.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(t) => t,
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(takes: KeyType) -> Key {
        Key::new("TTL_SECONDS", takes, "")
    }

    #[test]
    fn values_are_typed_and_ranged() {
        let check = |takes: KeyType, text: &str, expect: &str| {
            let shown = key(takes).parse(text).map_or_else(|e| e, |v| v.to_string());
            assert_eq!(shown, expect, "{takes:?} {text}");
        };
        let secs = KeyType::Int { min: 1, max: 86_400, unit: "seconds" };
        check(secs, " 300 ", "300");
        check(secs, "ten", "TTL_SECONDS takes seconds, a whole number from 1 to 86400; got `ten`");
        check(secs, "0", "TTL_SECONDS takes seconds, a whole number from 1 to 86400; got `0`");
        check(KeyType::Bool, "True", "true");
        check(KeyType::Bool, "1", "TTL_SECONDS takes true or false; got `1`");
        check(KeyType::Path, "/healthz", "/healthz");
        check(KeyType::Path, "healthz", "TTL_SECONDS takes an absolute path such as /healthz; got `healthz`");
        check(KeyType::Host, "Cache.internal", "cache.internal");
        check(KeyType::Host, "no host", "TTL_SECONDS takes a host name such as db.internal; got `no host`");
    }
}
