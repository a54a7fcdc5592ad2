//! JSON whose objects keep the order in which they were written.

use std::cmp::Ordering;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

/// How values are printed.
pub struct Style {
    /// What one level is indented by; on one line if none.
    pub indent: Option<String>,
    /// Whether keys are sorted.
    pub sorts: bool,
}

/// All values of a text, or those before the first mistake and what it is.
pub fn read_all(text: &str) -> Result<Vec<Json>, (Vec<Json>, String)> {
    let mut values = Vec::new();
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    for value in stream {
        match value {
            Ok(value) => values.push(value),
            Err(error) => return Err((values, format!("{error}"))),
        }
    }
    Ok(values)
}

impl Json {
    /// Like `Text`.
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// The name of its type.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// All but `null` and `false`.
    pub fn holds(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    /// A field of an object; null if there is none.
    pub fn field(&self, name: &str) -> Option<&Json> {
        match self {
            Self::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a field of an object.
    pub fn set(&mut self, name: &str, value: Json) {
        if let Self::Object(fields) = self {
            match fields.iter_mut().find(|(key, _)| key == name) {
                Some((_, old)) => *old = value,
                None => fields.push((name.into(), value)),
            }
        }
    }

    /// On one line.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write(&Style { indent: None, sorts: false }, &mut out);
        out
    }

    /// Shortened, for messages.
    pub fn brief(&self) -> String {
        let text = self.compact();
        if text.chars().count() <= 11 { text } else { text.chars().take(10).chain("...".chars()).collect() }
    }

    /// Prints it.
    pub fn write(&self, style: &Style, out: &mut String) {
        self.write_at(style, 0, out);
    }

    fn write_at(&self, style: &Style, depth: usize, out: &mut String) {
        let line = |out: &mut String, depth: usize| {
            if let Some(indent) = &style.indent {
                out.push('\n');
                (0..depth).for_each(|_| out.push_str(indent));
            }
        };
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(&number_text(*number)),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::List(items) if items.is_empty() => out.push_str("[]"),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    item.write_at(style, depth + 1, out);
                }
                line(out, depth);
                out.push(']');
            }
            Self::Object(fields) if fields.is_empty() => out.push_str("{}"),
            Self::Object(fields) => {
                let mut order: Vec<_> = fields.iter().collect();
                if style.sorts {
                    order.sort_by(|a, b| a.0.cmp(&b.0));
                }
                out.push('{');
                for (at, (key, value)) in order.into_iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    out.push_str(&quoted(key));
                    out.push(':');
                    if style.indent.is_some() {
                        out.push(' ');
                    }
                    value.write_at(style, depth + 1, out);
                }
                line(out, depth);
                out.push('}');
            }
        }
    }

    /// The order of all values: null, false, true, numbers, texts, lists, objects.
    pub fn compare(&self, other: &Self) -> Ordering {
        let rank = |value: &Self| match value {
            Self::Null => 0,
            Self::Bool(false) => 1,
            Self::Bool(true) => 2,
            Self::Number(_) => 3,
            Self::Text(_) => 4,
            Self::List(_) => 5,
            Self::Object(_) => 6,
        };
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::List(a), Self::List(b)) => {
                let first = a.iter().zip(b).map(|(a, b)| a.compare(b)).find(|order| order.is_ne());
                first.unwrap_or(a.len().cmp(&b.len()))
            }
            (Self::Object(a), Self::Object(b)) => {
                let sorted = |fields: &[(String, Json)]| {
                    let mut fields = fields.to_vec();
                    fields.sort_by(|a, b| a.0.cmp(&b.0));
                    fields
                };
                let (a, b) = (sorted(a), sorted(b));
                let keys = a.iter().map(|(key, _)| key).cmp(b.iter().map(|(key, _)| key));
                keys.then_with(|| {
                    let mut orders = a.iter().zip(&b).map(|((_, a), (_, b))| a.compare(b));
                    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
                })
            }
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

/// A number as jq prints it.
pub fn number_text(number: f64) -> String {
    if number == number.trunc() && number.abs() < 1e17 {
        return format!("{}", number as i64);
    }
    if !number.is_finite() {
        return if number.is_nan() {
            "null".into()
        } else {
            format!("{}1.7976931348623157e+308", if number < 0.0 { "-" } else { "" })
        };
    }
    serde_json::Number::from_f64(number).map(|number| number.to_string()).unwrap_or_default()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Number(value as f64))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Number(value))
            }

            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::text(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Json::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
                let mut fields: Vec<(String, Json)> = Vec::new();
                while let Some((key, value)) = entries.next_entry::<String, Json>()? {
                    fields.push((key, value));
                }
                Ok(Json::Object(fields))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
