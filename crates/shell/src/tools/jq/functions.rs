//! The functions of jq.

use super::eval::{Eval, Names, Outcome, Raised, describe, set_path};
use super::parse::Filter;
use super::value::Json;
use crate::tools::filter;
use crate::{Dialect, pattern};

impl Eval {
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Filter],
        input: &Json,
        names: &Names,
        out: &mut Vec<Json>,
    ) -> Outcome {
        match (name, arguments) {
            ("empty", []) => Ok(()),
            ("error", []) => Err(Raised(input.clone())),
            ("error", [what]) => {
                let what = self.all(what, input, names)?.into_iter().next().unwrap_or(Json::Null);
                Err(Raised(what))
            }
            ("not", []) => push(out, Json::Bool(!input.holds())),
            ("select", [condition]) => {
                for holds in self.all(condition, input, names)? {
                    if holds.holds() {
                        out.push(input.clone());
                    }
                }
                Ok(())
            }
            ("recurse", []) => self.eval(&Filter::Everything, input, names, out),
            ("map", [each]) => {
                let mut items = Vec::new();
                for item in elements(input)? {
                    self.eval(each, &item, names, &mut items)?;
                }
                push(out, Json::List(items))
            }
            ("map_values", [each]) => {
                let result = match input {
                    Json::Object(fields) => {
                        let mut new = Vec::new();
                        for (key, value) in fields {
                            let value = self.all(each, value, names)?.into_iter().next();
                            new.extend(value.map(|value| (key.clone(), value)));
                        }
                        Json::Object(new)
                    }
                    other => {
                        let mut items = Vec::new();
                        for item in elements(other)? {
                            items.extend(self.all(each, &item, names)?.into_iter().next());
                        }
                        Json::List(items)
                    }
                };
                push(out, result)
            }
            ("with_entries", [each]) => {
                let mut entries = Vec::new();
                for entry in to_entries(input)? {
                    self.eval(each, &entry, names, &mut entries)?;
                }
                push(out, from_entries(&entries)?)
            }
            ("sort_by" | "group_by" | "unique_by" | "min_by" | "max_by", [key]) => {
                let mut keyed = Vec::new();
                for item in elements(input)? {
                    keyed.push((Json::List(self.all(key, &item, names)?), item));
                }
                push(out, by_key(name, keyed))
            }
            ("any" | "all", [each]) => {
                let mut results = Vec::new();
                for item in elements(input)? {
                    self.eval(each, &item, names, &mut results)?;
                }
                let holds =
                    if name == "any" { results.iter().any(Json::holds) } else { results.iter().all(Json::holds) };
                push(out, Json::Bool(holds))
            }
            ("first", [inner]) => {
                let found = self.all(inner, input, names)?;
                out.extend(found.into_iter().next());
                Ok(())
            }
            ("last", [inner]) => {
                let found = self.all(inner, input, names)?;
                out.extend(found.into_iter().last());
                Ok(())
            }
            ("limit", [most, inner]) => {
                let most = self.number(most, input, names)?;
                let found = self.all(inner, input, names)?;
                out.extend(found.into_iter().take(most.max(0.0) as usize));
                Ok(())
            }
            ("range", [end]) => {
                let end = self.number(end, input, names)?.min(100_000.0);
                out.extend((0..end.max(0.0) as usize).map(|at| Json::Number(at as f64)));
                Ok(())
            }
            ("range", [first, end]) => {
                let (first, end) = (self.number(first, input, names)?, self.number(end, input, names)?);
                let mut at = first;
                while at < end && out.len() < 100_000 {
                    out.push(Json::Number(at));
                    at += 1.0;
                }
                Ok(())
            }
            ("del", [places]) => {
                let mut paths = self.paths(places, input, names)?;
                let mut result = input.clone();
                paths.sort_by(|a, b| Json::List(b.clone()).compare(&Json::List(a.clone())));
                for path in paths {
                    set_path(&mut result, &path, None)?;
                }
                push(out, result)
            }
            ("path", [places]) => {
                let paths = self.paths(places, input, names)?;
                out.extend(paths.into_iter().map(Json::List));
                Ok(())
            }
            ("sub" | "gsub" | "test" | "match" | "capture", [_, ..]) => {
                let mut texts = Vec::new();
                for argument in arguments {
                    texts.extend(self.all(argument, input, names)?.into_iter().next());
                }
                push(out, matching(name, input, &texts)?)
            }
            ("now", []) => push(out, Json::Number(self.now as f64 / 1e6)),
            ("env", []) => push(out, Json::Object(Vec::new())),
            ("input" | "inputs" | "debug" | "limit" | "getpath" | "walk" | "splits" | "ascii" | "@sh", _)
                if !matches!(name, "debug") =>
            {
                Err(Raised::new(format!("{name}/{} is not supported here", arguments.len())))
            }
            ("debug", _) => push(out, input.clone()),
            (_, []) => push(out, plain(name, input)?),
            (_, [argument]) => {
                for argument in self.all(argument, input, names)? {
                    out.push(with_argument(name, input, &argument)?);
                }
                Ok(())
            }
            _ => Err(Raised::new(format!("{name}/{} is not defined", arguments.len()))),
        }
    }

    fn number(&mut self, filter: &Filter, input: &Json, names: &Names) -> Result<f64, Raised> {
        match self.all(filter, input, names)?.first() {
            Some(Json::Number(number)) => Ok(*number),
            _ => Err(Raised::new("Range bounds must be numeric")),
        }
    }
}

fn push(out: &mut Vec<Json>, value: Json) -> Outcome {
    out.push(value);
    Ok(())
}

fn elements(value: &Json) -> Result<Vec<Json>, Raised> {
    match value {
        Json::List(items) => Ok(items.clone()),
        Json::Object(fields) => Ok(fields.iter().map(|(_, value)| value.clone()).collect()),
        other => Err(Raised::new(format!("Cannot iterate over {}", describe(other)))),
    }
}

fn to_entries(value: &Json) -> Result<Vec<Json>, Raised> {
    match value {
        Json::Object(fields) => Ok(fields
            .iter()
            .map(|(key, value)| Json::Object(vec![("key".into(), Json::text(key)), ("value".into(), value.clone())]))
            .collect()),
        other => Err(Raised::new(format!("{} has no keys", describe(other)))),
    }
}

fn from_entries(entries: &[Json]) -> Result<Json, Raised> {
    let mut object = Json::Object(Vec::new());
    for entry in entries {
        let find = |names: &[&str]| names.iter().find_map(|name| entry.field(name)).cloned();
        let key = match find(&["key", "k", "name", "Name", "K", "Key"]) {
            Some(Json::Text(text)) => text,
            Some(Json::Null) | None => "null".into(),
            Some(other) => other.compact(),
        };
        object.set(&key, find(&["value", "v", "Value", "V"]).unwrap_or(Json::Null));
    }
    Ok(object)
}

fn by_key(name: &str, mut keyed: Vec<(Json, Json)>) -> Json {
    if name == "min_by" || name == "max_by" {
        let mut best: Option<(Json, Json)> = None;
        for (key, item) in keyed {
            let better = best.as_ref().is_none_or(|(so_far, _)| match name {
                "min_by" => key.compare(so_far).is_lt(),
                _ => key.compare(so_far).is_ge(),
            });
            if better {
                best = Some((key, item));
            }
        }
        return best.map_or(Json::Null, |(_, item)| item);
    }
    keyed.sort_by(|a, b| a.0.compare(&b.0));
    let mut groups: Vec<(Json, Vec<Json>)> = Vec::new();
    for (key, item) in keyed {
        match groups.last_mut() {
            Some((last, items)) if name != "sort_by" && last.compare(&key).is_eq() => items.push(item),
            _ => groups.push((key, vec![item])),
        }
    }
    let all = groups.into_iter().map(|(_, items)| items);
    Json::List(match name {
        "group_by" => all.map(Json::List).collect(),
        "unique_by" => all.filter_map(|items| items.into_iter().next()).collect(),
        _ => all.flatten().collect(),
    })
}

/// Functions without arguments.
fn plain(name: &str, input: &Json) -> Result<Json, Raised> {
    let wrong = |what: &str| Raised::new(format!("{} {what}", describe(input)));
    Ok(match (name, input) {
        ("length", Json::Null) => Json::Number(0.0),
        ("length", Json::Text(text)) => Json::Number(text.chars().count() as f64),
        ("length", Json::List(items)) => Json::Number(items.len() as f64),
        ("length", Json::Object(fields)) => Json::Number(fields.len() as f64),
        ("length" | "abs", Json::Number(number)) => Json::Number(number.abs()),
        ("length", _) => return Err(wrong("has no length")),
        ("keys" | "keys_unsorted", Json::Object(fields)) => {
            let mut keys: Vec<String> = fields.iter().map(|(key, _)| key.clone()).collect();
            if name == "keys" {
                keys.sort();
            }
            Json::List(keys.into_iter().map(Json::Text).collect())
        }
        ("keys" | "keys_unsorted", Json::List(items)) => {
            Json::List((0..items.len()).map(|at| Json::Number(at as f64)).collect())
        }
        ("keys" | "keys_unsorted", _) => return Err(wrong("has no keys")),
        ("values", Json::Null) => return Err(Raised::new("break")),
        ("values", _) => input.clone(),
        ("add", _) => {
            let mut sum = Json::Null;
            for item in elements(input)? {
                sum = arithmetic(&sum, "+", &item)?;
            }
            sum
        }
        ("any", _) => Json::Bool(elements(input)?.iter().any(Json::holds)),
        ("all", _) => Json::Bool(elements(input)?.iter().all(Json::holds)),
        ("sort" | "unique" | "min" | "max", Json::List(items)) => {
            let keyed = items.iter().map(|item| (Json::List(vec![item.clone()]), item.clone())).collect();
            by_key(&format!("{name}_by"), keyed)
        }
        ("reverse", Json::List(items)) => Json::List(items.iter().rev().cloned().collect()),
        ("reverse", Json::Text(text)) => Json::Text(text.chars().rev().collect()),
        ("reverse", Json::Null) => Json::List(Vec::new()),
        ("first", Json::List(items)) => items.first().cloned().unwrap_or(Json::Null),
        ("last", Json::List(items)) => items.last().cloned().unwrap_or(Json::Null),
        ("first" | "last", Json::Null) => Json::Null,
        ("flatten", Json::List(items)) => Json::List(flatten(items, usize::MAX)),
        ("to_entries", _) => Json::List(to_entries(input)?),
        ("from_entries", _) => from_entries(&elements(input)?)?,
        ("tostring", Json::Text(_)) => input.clone(),
        ("tostring" | "tojson", _) => Json::Text(input.compact()),
        ("fromjson", Json::Text(text)) => match super::value::read_all(text) {
            Ok(mut values) if values.len() == 1 => values.remove(0),
            _ => return Err(Raised::new(format!("{} (while parsing '{text}')", "Invalid JSON text"))),
        },
        ("tonumber", Json::Number(_)) => input.clone(),
        ("tonumber", Json::Text(text)) => match text.trim().parse() {
            Ok(number) => Json::Number(number),
            Err(_) => return Err(wrong("cannot be parsed as a number")),
        },
        ("type", _) => Json::text(input.kind()),
        ("floor", Json::Number(number)) => Json::Number(number.floor()),
        ("ceil", Json::Number(number)) => Json::Number(number.ceil()),
        ("round", Json::Number(number)) => Json::Number(number.round()),
        ("sqrt", Json::Number(number)) => Json::Number(number.sqrt()),
        ("ascii_downcase", Json::Text(text)) => Json::Text(text.to_ascii_lowercase()),
        ("ascii_upcase", Json::Text(text)) => Json::Text(text.to_ascii_uppercase()),
        ("trim", Json::Text(text)) => Json::text(text.trim()),
        ("ltrim", Json::Text(text)) => Json::text(text.trim_start()),
        ("rtrim", Json::Text(text)) => Json::text(text.trim_end()),
        ("explode", Json::Text(text)) => Json::List(text.chars().map(|c| Json::Number(f64::from(c as u32))).collect()),
        ("todate" | "todateiso8601", Json::Number(number)) => Json::Text(filter::time_text(*number as i64, "%FT%TZ")),
        ("strings" | "numbers" | "arrays" | "objects" | "booleans" | "nulls" | "scalars", _) => {
            return Err(Raised::new(format!("{name} is not supported here: use select(type == ...)")));
        }
        ("infinite", _) => Json::Number(f64::INFINITY),
        ("paths" | "leaf_paths" | "transpose" | "fromdate" | "fromdateiso8601", _) => {
            return Err(Raised::new(format!("{name} is not supported here")));
        }
        _ => return Err(Raised::new(format!("{name}/0 is not defined for {}", input.kind()))),
    })
}

fn flatten(items: &[Json], depth: usize) -> Vec<Json> {
    let mut out = Vec::new();
    for item in items {
        match item {
            Json::List(inner) if depth > 0 => out.extend(flatten(inner, depth - 1)),
            other => out.push(other.clone()),
        }
    }
    out
}

/// Functions with one argument.
fn with_argument(name: &str, input: &Json, argument: &Json) -> Result<Json, Raised> {
    Ok(match (name, input, argument) {
        ("has", Json::Object(_), Json::Text(key)) => Json::Bool(input.field(key).is_some()),
        ("has", Json::List(items), Json::Number(at)) => Json::Bool(*at >= 0.0 && (*at as usize) < items.len()),
        ("in", Json::Text(key), Json::Object(_)) => Json::Bool(argument.field(key).is_some()),
        ("contains", _, _) => Json::Bool(contains(input, argument)),
        ("inside", _, _) => Json::Bool(contains(argument, input)),
        ("startswith", Json::Text(text), Json::Text(part)) => Json::Bool(text.starts_with(&**part)),
        ("endswith", Json::Text(text), Json::Text(part)) => Json::Bool(text.ends_with(&**part)),
        ("startswith" | "endswith", _, _) => return Err(Raised::new(format!("{name}() requires string inputs"))),
        ("ltrimstr", Json::Text(text), Json::Text(part)) => Json::text(text.strip_prefix(&**part).unwrap_or(text)),
        ("rtrimstr", Json::Text(text), Json::Text(part)) => Json::text(text.strip_suffix(&**part).unwrap_or(text)),
        ("ltrimstr" | "rtrimstr", _, _) => input.clone(),
        ("split", Json::Text(text), Json::Text(sign)) if sign.is_empty() => {
            Json::List(text.chars().map(|c| Json::Text(c.into())).collect())
        }
        ("split", Json::Text(text), Json::Text(sign)) => Json::List(text.split(&**sign).map(Json::text).collect()),
        ("join", Json::List(items), Json::Text(sign)) => {
            let text = |item: &Json| match item {
                Json::Null => Ok(String::new()),
                Json::Text(text) => Ok(text.clone()),
                Json::Number(_) | Json::Bool(_) => Ok(item.compact()),
                other => Err(Raised::new(format!("Cannot join with {}", describe(other)))),
            };
            Json::Text(items.iter().map(text).collect::<Result<Vec<_>, _>>()?.join(sign))
        }
        ("index", Json::Text(text), Json::Text(part)) => {
            text.find(&**part).map_or(Json::Null, |at| Json::Number(text[..at].chars().count() as f64))
        }
        ("flatten", Json::List(items), Json::Number(depth)) => Json::List(flatten(items, depth.max(0.0) as usize)),
        ("strftime", Json::Number(number), Json::Text(format)) => Json::Text(filter::time_text(*number as i64, format)),
        ("pow", _, _) => return Err(Raised::new("pow is not supported here")),
        _ => return Err(Raised::new(format!("{name}/1 is not defined for {}", input.kind()))),
    })
}

fn contains(whole: &Json, part: &Json) -> bool {
    match (whole, part) {
        (Json::Text(whole), Json::Text(part)) => whole.contains(&**part),
        (Json::List(whole), Json::List(part)) => part.iter().all(|part| whole.iter().any(|item| contains(item, part))),
        (Json::Object(_), Json::Object(part)) => {
            part.iter().all(|(key, part)| whole.field(key).is_some_and(|value| contains(value, part)))
        }
        _ => whole == part,
    }
}

fn matching(name: &str, input: &Json, arguments: &[Json]) -> Result<Json, Raised> {
    let Json::Text(text) = input else {
        return Err(Raised::new(format!("{} cannot be matched, as it is not a string", describe(input))));
    };
    let as_text = |at: usize| match arguments.get(at) {
        Some(Json::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let replaces = name == "sub" || name == "gsub";
    let flags = as_text(if replaces { 2 } else { 1 });
    let regex = pattern(&as_text(0), Dialect::Extended, flags.contains('i')).map_err(Raised::new)?;
    Ok(match name {
        "test" => Json::Bool(regex.is_match(text)),
        "sub" => Json::Text(regex.replacen(text, 1, regex_lite::NoExpand(&as_text(1))).into_owned()),
        "gsub" => Json::Text(regex.replace_all(text, regex_lite::NoExpand(&as_text(1))).into_owned()),
        _ => match regex.captures(text) {
            None => return Err(Raised::new("no match")),
            Some(found) if name == "match" => {
                let whole = found.get(0).expect("a match has its whole");
                let offset = Json::Number(text[..whole.start()].chars().count() as f64);
                Json::Object(vec![("offset".into(), offset), ("string".into(), Json::text(whole.as_str()))])
            }
            Some(found) => {
                let names = regex.capture_names().flatten();
                let field = |name: &str| {
                    let value = found.name(name).map_or(Json::Null, |group| Json::text(group.as_str()));
                    (name.to_string(), value)
                };
                Json::Object(names.map(field).collect())
            }
        },
    })
}

/// `@base64`, `@tsv` and their kin.
pub(super) fn format(name: &str, value: &Json) -> Result<String, Raised> {
    let text = match value {
        Json::Text(text) => text.clone(),
        other => other.compact(),
    };
    let row = |quote: fn(&str) -> String, sign: &str| -> Result<String, Raised> {
        let Json::List(items) = value else {
            return Err(Raised::new(format!("{} cannot be {name}-formatted, only an array can be", describe(value))));
        };
        let cell = |item: &Json| match item {
            Json::Text(text) => quote(text),
            Json::Null => String::new(),
            other => other.compact(),
        };
        Ok(items.iter().map(cell).collect::<Vec<_>>().join(sign))
    };
    match name {
        "text" => Ok(text),
        "json" => Ok(value.compact()),
        "base64" => Ok(filter::encoded(text.as_bytes())),
        "base64d" => match filter::decoded(&text) {
            Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            None => Err(Raised::new(format!("{} is not valid base64 data", describe(value)))),
        },
        "tsv" => row(|text| text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n"), "\t"),
        "csv" => row(|text| format!("\"{}\"", text.replace('"', "\"\"")), ","),
        "sh" => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
        "uri" => Ok(text
            .bytes()
            .map(|byte| match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
                byte => format!("%{byte:02X}"),
            })
            .collect()),
        other => Err(Raised::new(format!("{other} is not a valid format"))),
    }
}

pub(super) fn arithmetic(left: &Json, sign: &str, right: &Json) -> Result<Json, Raised> {
    let order = || left.compare(right);
    Ok(match (sign, left, right) {
        ("==", _, _) => Json::Bool(order().is_eq()),
        ("!=", _, _) => Json::Bool(order().is_ne()),
        ("<", _, _) => Json::Bool(order().is_lt()),
        ("<=", _, _) => Json::Bool(order().is_le()),
        (">", _, _) => Json::Bool(order().is_gt()),
        (">=", _, _) => Json::Bool(order().is_ge()),
        ("+", Json::Null, other) | ("+", other, Json::Null) => other.clone(),
        ("+", Json::Number(a), Json::Number(b)) => Json::Number(a + b),
        ("+", Json::Text(a), Json::Text(b)) if a.len() + b.len() < 8 << 20 => Json::Text(format!("{a}{b}")),
        ("+", Json::List(a), Json::List(b)) => Json::List(a.iter().chain(b).cloned().collect()),
        ("+", Json::Object(_), Json::Object(b)) => {
            let mut sum = left.clone();
            b.iter().for_each(|(key, value)| sum.set(key, value.clone()));
            sum
        }
        ("-", Json::Number(a), Json::Number(b)) => Json::Number(a - b),
        ("-", Json::List(a), Json::List(b)) => Json::List(a.iter().filter(|item| !b.contains(item)).cloned().collect()),
        ("*", Json::Number(a), Json::Number(b)) => Json::Number(a * b),
        ("*", Json::Object(_), Json::Object(b)) => {
            let mut sum = left.clone();
            for (key, value) in b {
                let merged = match (left.field(key), value) {
                    (Some(old @ Json::Object(_)), Json::Object(_)) => arithmetic(old, "*", value)?,
                    _ => value.clone(),
                };
                sum.set(key, merged);
            }
            sum
        }
        ("/", Json::Number(_), Json::Number(b)) if *b == 0.0 => {
            let (a, b) = (describe(left), describe(right));
            return Err(Raised::new(format!("{a} and {b} cannot be divided because the divisor is zero")));
        }
        ("/", Json::Number(a), Json::Number(b)) => Json::Number(a / b),
        ("/", Json::Text(_), Json::Text(_)) => with_argument("split", left, right)?,
        ("%", Json::Number(a), Json::Number(b)) if b.trunc() != 0.0 => Json::Number(a.trunc() % b.trunc()),
        _ => {
            let what = match sign {
                "+" => "added",
                "-" => "subtracted",
                "*" => "multiplied",
                _ => "divided",
            };
            return Err(Raised::new(format!("{} and {} cannot be {what}", describe(left), describe(right))));
        }
    })
}
