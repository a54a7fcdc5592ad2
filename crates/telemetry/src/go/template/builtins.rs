//! Functions that every Go template has.

use super::{TemplateValue, sprintf};

const NAMES: [&str; 18] = [
    "and", "or", "not", "len", "index", "slice", "print", "printf", "println", "eq", "ne", "lt", "le", "gt", "ge",
    "html", "js", "urlquery",
];

pub(super) fn has(name: &str) -> bool {
    NAMES.contains(&name)
}

pub(super) fn call(name: &str, args: &[TemplateValue]) -> Result<TemplateValue, String> {
    use TemplateValue::{Bool, Int, Text};
    let first = || args.first().ok_or_else(|| "wrong number of args".to_owned());
    Ok(match name {
        "and" => args.iter().find(|a| !a.is_true()).or(args.last()).cloned().ok_or("wrong number of args")?,
        "or" => args.iter().find(|a| a.is_true()).or(args.last()).cloned().ok_or("wrong number of args")?,
        "not" => Bool(!first()?.is_true()),
        "len" => Int(match first()? {
            Text(text) => text.len(),
            TemplateValue::List(list) => list.len(),
            TemplateValue::Map(map) => map.len(),
            other => return Err(format!("len of type {}", other.shown())),
        } as i64),
        "index" => index(args)?,
        "slice" => {
            let Text(text) = first()? else { return Err("slice of an unfit type".to_owned()) };
            let bound = |i: usize, default: usize| match args.get(i) {
                Some(Int(n)) => usize::try_from(*n).unwrap_or(0),
                _ => default,
            };
            let cut = text.get(bound(1, 0)..bound(2, text.len())).ok_or("index out of range")?;
            Text(cut.to_owned())
        }
        "print" => Text(args.iter().map(TemplateValue::shown).collect::<Vec<_>>().join("")),
        "println" => Text(args.iter().map(TemplateValue::shown).collect::<Vec<_>>().join(" ") + "\n"),
        "printf" => {
            let Text(format) = first()? else { return Err("the format is no string".to_owned()) };
            Text(sprintf(format, &args[1..]))
        }
        "eq" => Bool(args.len() > 1 && args[1..].iter().any(|b| same(&args[0], b))),
        "ne" => Bool(args.len() > 1 && !same(&args[0], &args[1])),
        "lt" | "le" | "gt" | "ge" => {
            let [a, b] = args else { return Err("wrong number of args".to_owned()) };
            let order = ordering(a, b).ok_or("incompatible types for comparison")?;
            Bool(match name {
                "lt" => order.is_lt(),
                "le" => order.is_le(),
                "gt" => order.is_gt(),
                _ => order.is_ge(),
            })
        }
        "html" => Text(
            first()?
                .shown()
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&#34;")
                .replace('\'', "&#39;"),
        ),
        "urlquery" => Text(crate::http::escape(&first()?.shown()).replace("%20", "+")),
        _ => Text(first()?.shown()),
    })
}

fn index(args: &[TemplateValue]) -> Result<TemplateValue, String> {
    let mut value = args.first().cloned().ok_or("wrong number of args")?;
    for key in &args[1..] {
        value = match (value, key) {
            (TemplateValue::List(list), TemplateValue::Int(i)) => {
                let at = usize::try_from(*i).map_err(|_| format!("index out of range: {i}"))?;
                list.get(at).cloned().ok_or_else(|| format!("index out of range: {i}"))?
            }
            (TemplateValue::Map(map), key) => {
                map.get(&key.shown()).cloned().unwrap_or(TemplateValue::Text(String::new()))
            }
            (other, _) => return Err(format!("can't index item of value {}", other.shown())),
        };
    }
    Ok(value)
}

fn same(a: &TemplateValue, b: &TemplateValue) -> bool {
    match (a, b) {
        (TemplateValue::Int(a), TemplateValue::Float(b)) | (TemplateValue::Float(b), TemplateValue::Int(a)) => {
            *a as f64 == *b
        }
        _ => a == b,
    }
}

fn ordering(a: &TemplateValue, b: &TemplateValue) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (TemplateValue::Text(a), TemplateValue::Text(b)) => Some(a.cmp(b)),
        (TemplateValue::Text(_), _) | (_, TemplateValue::Text(_)) => None,
        _ => a.number()?.partial_cmp(&b.number()?),
    }
}
