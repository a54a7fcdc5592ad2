//! `-o go-template`.

use serde_json::Value;

use super::template_parse::{Piece, Pipe, Term, parse};
use crate::failure::Failure;
use crate::go;

/// What a Go template prints for an object.
pub(crate) fn print(template: &str, object: &Value) -> Result<String, Failure> {
    let pieces = parse(template)
        .map_err(|why| Failure::new(format!("error parsing template {template}, template: output:1: {why}")))?;
    let mut fill = Fill { names: vec![("".into(), object.clone())], out: String::new(), steps: 0 };
    fill.all(&pieces, object).map_err(|why| {
        Failure::new(format!(
            "error executing template {}: template: output:1: executing \"output\": {why}",
            go::quote(template)
        ))
    })?;
    Ok(fill.out)
}

struct Fill {
    names: Vec<(String, Value)>,
    out: String,
    steps: usize,
}

impl Fill {
    fn all(&mut self, pieces: &[Piece], dot: &Value) -> Result<(), String> {
        let known = self.names.len();
        for piece in pieces {
            self.steps += 1;
            if self.steps > 500_000 || self.out.len() > 16 << 20 {
                return Err("the template runs too long".into());
            }
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Print(pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    let text = match &value {
                        Value::Null => "<no value>".into(),
                        other => go::plain(other),
                    };
                    self.out.push_str(&text);
                }
                Piece::Set(name, pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    match self.names.iter_mut().rev().find(|(known, _)| known == name) {
                        Some((_, old)) if known > 1 => *old = value,
                        _ => self.names.push((name.clone(), value)),
                    }
                }
                Piece::If(condition, then, otherwise) => {
                    let holds = holds(&self.pipe(condition, dot)?);
                    self.all(if holds { then } else { otherwise }, dot)?;
                }
                Piece::With(pipe, body, otherwise) => {
                    let value = self.pipe(pipe, dot)?;
                    match holds(&value) {
                        true => self.all(body, &value)?,
                        false => self.all(otherwise, dot)?,
                    }
                }
                Piece::Range { key, value, over, body, otherwise } => {
                    let items: Vec<(Value, Value)> = match self.pipe(over, dot)? {
                        Value::Array(items) => {
                            items.into_iter().enumerate().map(|(at, item)| (at.into(), item)).collect()
                        }
                        Value::Object(map) => map.into_iter().map(|(key, item)| (key.into(), item)).collect(),
                        Value::Null => Vec::new(),
                        other => return Err(format!("range can't iterate over {}", go::plain(&other))),
                    };
                    if items.is_empty() {
                        self.all(otherwise, dot)?;
                    }
                    for (at, item) in items {
                        let before = self.names.len();
                        self.names.extend(key.iter().map(|name| (name.clone(), at.clone())));
                        self.names.extend(value.iter().map(|name| (name.clone(), item.clone())));
                        self.all(body, &item)?;
                        self.names.truncate(before);
                    }
                }
            }
        }
        self.names.truncate(known.max(1));
        Ok(())
    }

    fn pipe(&mut self, pipe: &Pipe, dot: &Value) -> Result<Value, String> {
        let mut last: Option<Value> = None;
        for call in pipe {
            let mut values: Vec<Value> = Vec::new();
            let name = match &call[0] {
                Term::Name(name) => Some(name.clone()),
                term => {
                    values.push(self.term(term, dot)?);
                    None
                }
            };
            for term in &call[1..] {
                values.push(self.term(term, dot)?);
            }
            values.extend(last.take());
            last = Some(match name {
                Some(name) => function(&name, &values)?,
                None => values.into_iter().next().unwrap_or(Value::Null),
            });
        }
        Ok(last.unwrap_or(Value::Null))
    }

    fn term(&mut self, term: &Term, dot: &Value) -> Result<Value, String> {
        let follow = |value: Value, names: &[String]| -> Result<Value, String> {
            names.iter().try_fold(value, |value, name| match value {
                Value::Object(mut map) => Ok(map.remove(name).unwrap_or(Value::Null)),
                Value::Null => Ok(Value::Null),
                other => Err(format!("at <.{name}>: can't evaluate field {name} in type {}", kind(&other))),
            })
        };
        Ok(match term {
            Term::Path(None, names) => follow(dot.clone(), names)?,
            Term::Path(Some(name), names) => {
                let known = self.names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
                follow(known.ok_or_else(|| format!("undefined variable \"${name}\""))?, names)?
            }
            Term::Text(text) => text.clone().into(),
            Term::Number(number) if number.fract() == 0.0 => (*number as i64).into(),
            Term::Number(number) => (*number).into(),
            Term::Bool(value) => (*value).into(),
            Term::Nil => Value::Null,
            Term::Name(name) => function(name, &[])?,
            Term::Group(pipe, names) => {
                let value = self.pipe(pipe, dot)?;
                follow(value, names)?
            }
        })
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Number(_) => "float64",
        Value::Bool(_) => "bool",
        _ => "interface {}",
    }
}

fn holds(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn function(name: &str, values: &[Value]) -> Result<Value, String> {
    let order = || match (values.first(), values.get(1)) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64().partial_cmp(&b.as_f64()),
        (Some(Value::String(a)), Some(Value::String(b))) => Some(a.cmp(b)),
        _ => None,
    };
    let same = |other: &Value| {
        values.first() == Some(other)
            || values.first().and_then(Value::as_f64).is_some_and(|a| Some(a) == other.as_f64())
    };
    Ok(match name {
        "eq" => values[values.len().min(1)..].iter().any(same).into(),
        "ne" => (!values[values.len().min(1)..].iter().any(same)).into(),
        "lt" => order().is_some_and(std::cmp::Ordering::is_lt).into(),
        "le" => order().is_some_and(std::cmp::Ordering::is_le).into(),
        "gt" => order().is_some_and(std::cmp::Ordering::is_gt).into(),
        "ge" => order().is_some_and(std::cmp::Ordering::is_ge).into(),
        "not" => (!values.first().is_some_and(holds)).into(),
        "and" => values.iter().find(|value| !holds(value)).or(values.last()).cloned().unwrap_or(Value::Null),
        "or" => values.iter().find(|value| holds(value)).or(values.last()).cloned().unwrap_or(Value::Null),
        "len" => match values.first() {
            Some(Value::String(text)) => text.len().into(),
            Some(Value::Array(items)) => items.len().into(),
            Some(Value::Object(map)) => map.len().into(),
            _ => return Err("error calling len: len of untyped nil".into()),
        },
        "index" => {
            let mut value = values.first().cloned().unwrap_or(Value::Null);
            for step in values.get(1..).unwrap_or_default() {
                value = match (&value, step) {
                    (Value::Object(map), Value::String(name)) => map.get(name).cloned().unwrap_or(Value::Null),
                    (Value::Array(items), Value::Number(at)) => {
                        let at = at.as_u64().unwrap_or(u64::MAX);
                        let found = usize::try_from(at).ok().and_then(|at| items.get(at));
                        found
                            .cloned()
                            .ok_or_else(|| "error calling index: reflect: slice index out of range".to_string())?
                    }
                    (Value::Null, _) => Value::Null,
                    _ => return Err("error calling index: can't index item of this type".into()),
                };
            }
            value
        }
        "print" | "println" => {
            let text: Vec<_> = values.iter().map(go::plain).collect();
            format!("{}{}", text.join(" "), if name == "println" { "\n" } else { "" }).into()
        }
        "printf" => {
            let format = values.first().and_then(Value::as_str).unwrap_or_default();
            formatted(format, &values[values.len().min(1)..]).into()
        }
        "base64decode" => {
            let text = values.first().and_then(Value::as_str).unwrap_or_default();
            let bytes =
                cluster::from_base64(text).ok_or("error calling base64decode: illegal base64 data at input byte 0")?;
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        "exists" => {
            let mut value = values.first();
            for step in values.get(1..).unwrap_or_default() {
                value = value.and_then(|value| step.as_str().and_then(|name| value.get(name)));
            }
            value.is_some_and(|value| !value.is_null()).into()
        }
        name => return Err(format!("function \"{name}\" not defined")),
    })
}

fn formatted(format: &str, values: &[Value]) -> String {
    let mut values = values.iter();
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let spec: String = rest[at + 1..].chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect();
        let kind = rest[at + 1 + spec.len()..].chars().next();
        rest = rest.get(at + 1 + spec.len() + kind.map_or(0, char::len_utf8)..).unwrap_or_default();
        let width = spec.trim_start_matches('-').parse::<usize>().unwrap_or(0).min(500);
        let text = match kind {
            Some('%') => "%".into(),
            Some('q') => values.next().map(|value| go::quote(&go::plain(value))).unwrap_or_default(),
            Some(_) => values.next().map(go::plain).unwrap_or_else(|| "%!s(MISSING)".into()),
            None => "%!(NOVERB)".into(),
        };
        let gap: String = std::iter::repeat_n(' ', width.saturating_sub(text.chars().count())).collect();
        out.push_str(&if spec.starts_with('-') { text + &gap } else { gap + &text });
    }
    out.push_str(rest);
    out
}
