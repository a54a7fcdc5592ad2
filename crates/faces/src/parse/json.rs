//! JSON: `{"action": "inspect_logs", "service": "cache"}` and what models make of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::tool::Tool;
use crate::toolset::ToolSet;

use super::{ONE_ONLY, Piece, find_tool};
use crate::nearest::clip;

const EXAMPLE: &str = r#"{"action": "inspect_logs", "service": "..."}"#;

/// Reads one JSON object and nothing else.
pub(super) fn read(text: &str, set: ToolSet) -> Result<(&'static dyn Tool, Vec<Piece<'_>>), String> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Json<'_>>();
    let first = stream.next().transpose().map_err(|e| broken(&e))?;
    let Some(Json::Object(fields)) = first else {
        return Err(format!("this is no JSON object; write {EXAMPLE}"));
    };
    let rest = text[stream.byte_offset()..].trim();
    if rest.starts_with('{') {
        return Err(format!("{ONE_ONLY}: there are two JSON objects here; write the first alone"));
    }
    if !rest.is_empty() {
        return Err(format!("write the JSON object alone, with nothing behind it; got `{}`", clip(rest)));
    }
    call(fields, set)
}

fn broken(error: &serde_json::Error) -> String {
    format!("this is no valid JSON ({error}); write {EXAMPLE}, with double quotes")
}

/// Splits the fields of an action into its tool and its arguments.
fn call<'a>(fields: Fields<'a>, set: ToolSet) -> Result<(&'static dyn Tool, Vec<Piece<'a>>), String> {
    let mut tool = None;
    let mut rest = Vec::with_capacity(fields.len());
    for (key, value) in fields {
        if is(&key, &["action", "tool", "name"]) {
            if tool.is_some() {
                return Err(format!("{ONE_ONLY}: `{}` names a second tool", clip(&key)));
            }
            tool = Some(named(&key, &value, set)?);
        } else {
            rest.push((key, value));
        }
    }
    let tool = tool.ok_or_else(|| format!("`action` is missing; write {EXAMPLE}"))?;
    let mut pieces = Vec::with_capacity(rest.len());
    for (key, value) in rest {
        if is(&key, &["args", "arguments"]) {
            arguments(tool, &key, value, &mut pieces)?;
        } else {
            pieces.push(piece(tool, Some(key), value)?);
        }
    }
    Ok((tool, pieces))
}

fn is(key: &str, names: &[&str]) -> bool {
    names.iter().any(|name| key.eq_ignore_ascii_case(name))
}

fn named(key: &str, value: &Json<'_>, set: ToolSet) -> Result<&'static dyn Tool, String> {
    let Json::Text(name) = value else {
        return Err(format!("`{key}` takes the name of a tool as text; write {EXAMPLE}"));
    };
    let name = name.trim();
    let before = name.split('(').next().unwrap_or("").trim();
    match set.find(before).filter(|_| name.contains('(')) {
        Some(tool) => {
            let tool = tool.signature();
            Err(format!(
                "`{key}` takes the name of a tool alone, and the arguments stand beside it: {EXAMPLE}; or write {tool} without JSON"
            ))
        }
        None => find_tool(name, set),
    }
}

/// Arguments as an object, as a list, or as either written into a string.
fn arguments<'a>(tool: &dyn Tool, key: &str, value: Json<'a>, pieces: &mut Vec<Piece<'a>>) -> Result<(), String> {
    match value {
        Json::Null => Ok(()),
        Json::Object(fields) => {
            fields.into_iter().try_for_each(|(k, v)| piece(tool, Some(k), v).map(|p| pieces.push(p)))
        }
        Json::List(values) => values.into_iter().try_for_each(|v| piece(tool, None, v).map(|p| pieces.push(p))),
        Json::Text(text) if text.trim().is_empty() => Ok(()),
        Json::Text(text) => match serde_json::from_str(&text) {
            Ok(inner @ (Json::Object(_) | Json::List(_))) => {
                let mut found = Vec::new();
                arguments(tool, key, inner, &mut found)?;
                pieces.extend(found.into_iter().map(Piece::owned));
                Ok(())
            }
            _ => Err(wrong_arguments(key)),
        },
        Json::Scalar(_) => Err(wrong_arguments(key)),
    }
}

fn wrong_arguments(key: &str) -> String {
    format!("`{key}` takes an object such as {{\"service\": \"...\"}}, a list, or either as a JSON string")
}

fn takes_lists(tool: &dyn Tool, key: Option<&str>) -> bool {
    let is_meant = |param: &&crate::param::Param| key.is_some_and(|key| param.name.eq_ignore_ascii_case(key));
    tool.params().iter().find(is_meant).is_some_and(|param| param.kind.takes_lists())
}

/// What is `null` was not given: its value is empty, as a value that was left out.
fn piece<'a>(tool: &dyn Tool, key: Option<Cow<'a, str>>, value: Json<'a>) -> Result<Piece<'a>, String> {
    let value = match value {
        Json::Null => Cow::Borrowed(""),
        Json::Text(text) => text,
        Json::Scalar(text) => Cow::Owned(text),
        value @ (Json::List(_) | Json::Object(_)) if takes_lists(tool, key.as_deref()) => Cow::Owned(value.text()),
        Json::List(_) | Json::Object(_) => {
            let key = key.as_deref().map_or("an argument".into(), |k| format!("`{}`", clip(k)));
            return Err(format!("{key} takes one text, number or truth value, not a list or an object"));
        }
    };
    Ok(Piece { key, value, bare: None })
}

impl Piece<'_> {
    fn owned<'b>(self) -> Piece<'b> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Piece { key: self.key.map(own), value: own(self.value), bare: self.bare }
    }
}

/// The fields of an object as they stand there: what is given twice is seen twice.
type Fields<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

/// A JSON value; numbers and truth values as an agent would have typed them.
enum Json<'a> {
    Null,
    Scalar(String),
    Text(Cow<'a, str>),
    List(Vec<Json<'a>>),
    Object(Fields<'a>),
}

impl Json<'_> {
    /// The value as JSON text again.
    fn text(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Json::Null => "null".to_string(),
            Json::Scalar(text) => text.clone(),
            Json::Text(text) => quoted(text),
            Json::List(list) => format!("[{}]", list.iter().map(Json::text).collect::<Vec<_>>().join(",")),
            Json::Object(fields) => {
                let field = |(key, value): &(Cow<'_, str>, Json<'_>)| format!("{}:{}", quoted(key), value.text());
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Json<'de>, D::Error> {
        source.deserialize_any(Build)
    }
}

struct Build;

impl<'de> Visitor<'de> for Build {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    /// `300.0` is displayed as `300`, which is what a whole number is.
    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_string())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = source.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Json<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = source.next_key::<Json<'de>>()? {
            let Json::Text(key) = key else { continue };
            fields.push((key, source.next_value()?));
        }
        Ok(Json::Object(fields))
    }
}
