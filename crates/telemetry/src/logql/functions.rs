//! Functions of Loki's templates.

use crate::go::template::{TemplateFunctions, TemplateValue};
use crate::go::time::{Civil, rfc3339_nanos};
use crate::go::{Anchoring, Regexp};

/// The functions with the line they may ask for.
#[derive(Default)]
pub(super) struct LogFunctions {
    pub line: String,
    /// Nanoseconds.
    pub time: i64,
}

const NAMES: &[&str] = &[
    "__line__",
    "__timestamp__",
    "ToLower",
    "ToUpper",
    "Replace",
    "Trim",
    "TrimLeft",
    "TrimRight",
    "TrimPrefix",
    "TrimSuffix",
    "TrimSpace",
    "lower",
    "upper",
    "title",
    "trim",
    "trimAll",
    "trimPrefix",
    "trimSuffix",
    "replace",
    "regexReplaceAll",
    "regexReplaceAllLiteral",
    "substr",
    "trunc",
    "default",
    "contains",
    "hasPrefix",
    "hasSuffix",
    "indent",
    "nindent",
    "repeat",
    "count",
    "int",
    "float64",
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "addf",
    "subf",
    "mulf",
    "divf",
    "max",
    "min",
    "maxf",
    "minf",
    "ceil",
    "floor",
    "round",
    "fromJson",
    "date",
    "toDate",
    "toDateInZone",
    "now",
    "unixToTime",
    "unixEpoch",
    "unixEpochMillis",
    "unixEpochNanos",
    "duration",
    "duration_seconds",
    "bytes",
    "urlencode",
    "urldecode",
    "b64enc",
    "b64dec",
    "alignLeft",
    "alignRight",
];

impl TemplateFunctions for LogFunctions {
    fn has(&self, name: &str) -> bool {
        NAMES.contains(&name)
    }

    fn call(&self, name: &str, args: &[TemplateValue]) -> Result<TemplateValue, String> {
        use TemplateValue::{Bool, Float, Int, Text};
        let arg = |i: usize| args.get(i).ok_or_else(|| "wrong number of args".to_owned());
        let text = |i: usize| arg(i).map(TemplateValue::shown);
        let int = |i: usize| arg(i).map(|v| v.number().map_or(0, |n| n as i64));
        let float = |i: usize| arg(i).map(|v| v.number().unwrap_or(0.0));
        let fold = |f: fn(i64, i64) -> Option<i64>| -> Result<TemplateValue, String> {
            let mut total = int(0)?;
            for i in 1..args.len() {
                total = f(total, int(i)?).ok_or("integer divide by zero")?;
            }
            Ok(Int(total))
        };
        let foldf = |f: fn(f64, f64) -> f64| -> Result<TemplateValue, String> {
            let mut total = float(0)?;
            for i in 1..args.len() {
                total = f(total, float(i)?);
            }
            Ok(Float(total))
        };
        Ok(match name {
            "__line__" => Text(self.line.clone()),
            "__timestamp__" | "now" => Text(rfc3339_nanos(self.time)),
            "ToLower" | "lower" => Text(text(0)?.to_lowercase()),
            "ToUpper" | "upper" => Text(text(0)?.to_uppercase()),
            "title" => Text(titled(&text(0)?)),
            "Replace" => {
                let most = int(3)?;
                let (value, old, new) = (text(0)?, text(1)?, text(2)?);
                Text(if most < 0 { value.replace(&old, &new) } else { value.replacen(&old, &new, most as usize) })
            }
            "replace" => Text(text(2)?.replace(&text(0)?, &text(1)?)),
            "Trim" => Text(text(0)?.trim_matches(|c| args[1].shown().contains(c)).to_owned()),
            "trimAll" => Text(text(1)?.trim_matches(|c| args[0].shown().contains(c)).to_owned()),
            "TrimLeft" => Text(text(0)?.trim_start_matches(|c| args[1].shown().contains(c)).to_owned()),
            "TrimRight" => Text(text(0)?.trim_end_matches(|c| args[1].shown().contains(c)).to_owned()),
            "TrimPrefix" => Text(strip(&text(0)?, &text(1)?, true)),
            "TrimSuffix" => Text(strip(&text(0)?, &text(1)?, false)),
            "trimPrefix" => Text(strip(&text(1)?, &text(0)?, true)),
            "trimSuffix" => Text(strip(&text(1)?, &text(0)?, false)),
            "TrimSpace" | "trim" => Text(text(0)?.trim().to_owned()),
            "regexReplaceAll" | "regexReplaceAllLiteral" => {
                let regexp = Regexp::new(&text(0)?, Anchoring::Anywhere)?;
                let (value, new) = (text(1)?, text(2)?);
                let new = if name.ends_with("Literal") { new.replace('$', "$$") } else { new };
                Text(regexp.compiled().replace_all(&value, new.as_str()).into_owned())
            }
            "substr" => {
                let (start, end, value) = (int(0)?, int(1)?, text(2)?);
                let chars: Vec<char> = value.chars().collect();
                let start = start.max(0) as usize;
                let end = if end < 0 { chars.len() } else { (end as usize).min(chars.len()) };
                Text(chars.get(start.min(end)..end).unwrap_or_default().iter().collect())
            }
            "trunc" => {
                let (length, value) = (int(0)?, text(1)?);
                let count = value.chars().count() as i64;
                Text(match length {
                    below if below < 0 => value.chars().skip((count + below).max(0) as usize).collect(),
                    length => value.chars().take(length as usize).collect(),
                })
            }
            "default" => {
                let given = arg(1)?;
                if given.is_true() { given.clone() } else { arg(0)?.clone() }
            }
            "contains" => Bool(text(1)?.contains(&text(0)?)),
            "hasPrefix" => Bool(text(1)?.starts_with(&text(0)?)),
            "hasSuffix" => Bool(text(1)?.ends_with(&text(0)?)),
            "indent" | "nindent" => {
                let space = " ".repeat(int(0)?.clamp(0, 1000) as usize);
                let body = text(1)?.split('\n').map(|l| format!("{space}{l}")).collect::<Vec<_>>().join("\n");
                Text(if name == "nindent" { format!("\n{body}") } else { body })
            }
            "repeat" => {
                let (times, value) = (int(0)?.clamp(0, 1000) as usize, text(1)?);
                Text(value.repeat(times))
            }
            "count" => {
                let regexp = Regexp::new(&text(0)?, Anchoring::Anywhere)?;
                Int(regexp.compiled().find_iter(&text(1)?).count() as i64)
            }
            "int" => Int(int(0)?),
            "float64" => Float(float(0)?),
            "add" => return fold(|a, b| Some(a.wrapping_add(b))),
            "sub" => return fold(|a, b| Some(a.wrapping_sub(b))),
            "mul" => return fold(|a, b| Some(a.wrapping_mul(b))),
            "div" => return fold(i64::checked_div),
            "mod" => return fold(i64::checked_rem),
            "max" => return fold(|a, b| Some(a.max(b))),
            "min" => return fold(|a, b| Some(a.min(b))),
            "addf" => return foldf(|a, b| a + b),
            "subf" => return foldf(|a, b| a - b),
            "mulf" => return foldf(|a, b| a * b),
            "divf" => return foldf(|a, b| a / b),
            "maxf" => return foldf(f64::max),
            "minf" => return foldf(f64::min),
            "ceil" => Float(float(0)?.ceil()),
            "floor" => Float(float(0)?.floor()),
            "round" => {
                let scale = (0..int(1)?.clamp(0, 15)).fold(1.0, |s: f64, _| s * 10.0);
                Float((float(0)? * scale).round() / scale)
            }
            "fromJson" => from_json(&serde_json::from_str(&text(0)?).map_err(|e| e.to_string())?),
            "date" => Text(date(&text(0)?, &text(1)?)),
            "toDate" => Text(text(1)?),
            "toDateInZone" => Text(text(2)?),
            "unixToTime" => Text(rfc3339_nanos(unix_nanos(&text(0)?).ok_or("unable to parse time")?)),
            "unixEpoch" | "unixEpochMillis" | "unixEpochNanos" => {
                let nanos = crate::go::time::parse_rfc3339(&text(0)?).unwrap_or(self.time);
                Text(match name {
                    "unixEpoch" => nanos.div_euclid(1_000_000_000).to_string(),
                    "unixEpochMillis" => nanos.div_euclid(1_000_000).to_string(),
                    _ => nanos.to_string(),
                })
            }
            "duration" | "duration_seconds" => {
                let value = text(0)?;
                let nanos = super::lex::duration(&value)
                    .ok_or_else(|| format!("time: invalid duration {}", crate::go::quote(&value)))?;
                Float(nanos as f64 / 1e9)
            }
            "bytes" => Float(super::lex::bytes(&text(0)?).ok_or("strconv.ParseFloat: invalid syntax")?),
            "urlencode" => Text(crate::http::escape(&text(0)?).replace("%20", "+")),
            "urldecode" => Text(crate::http::decode(&text(0)?, true)),
            "b64enc" => Text(base64(text(0)?.as_bytes())),
            "b64dec" => Text(base64_decoded(&text(0)?).ok_or("illegal base64 data")?),
            _ => Text(aligned(name, int(0)?, &text(1)?)),
        })
    }
}

fn strip(value: &str, part: &str, front: bool) -> String {
    let stripped = if front { value.strip_prefix(part) } else { value.strip_suffix(part) };
    stripped.unwrap_or(value).to_owned()
}

fn titled(text: &str) -> String {
    let mut start = true;
    text.chars()
        .map(|c| {
            let shown = if start { c.to_ascii_uppercase() } else { c };
            start = !c.is_alphanumeric();
            shown
        })
        .collect()
}

/// A text of exactly so many characters.
fn aligned(name: &str, width: i64, text: &str) -> String {
    let width = width.clamp(0, 1000) as usize;
    let count = text.chars().count();
    if count >= width {
        return if name == "alignLeft" {
            text.chars().take(width).collect()
        } else {
            text.chars().skip(count - width).collect()
        };
    }
    let space = " ".repeat(width - count);
    if name == "alignLeft" { format!("{text}{space}") } else { format!("{space}{text}") }
}

fn from_json(json: &serde_json::Value) -> TemplateValue {
    use serde_json::Value;
    match json {
        Value::Null => TemplateValue::Nil,
        Value::Bool(value) => TemplateValue::Bool(*value),
        Value::Number(number) => TemplateValue::Float(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => TemplateValue::text(text.as_str()),
        Value::Array(list) => TemplateValue::List(list.iter().map(from_json).collect()),
        Value::Object(map) => TemplateValue::Map(map.iter().map(|(k, v)| (k.clone(), from_json(v))).collect()),
    }
}

fn unix_nanos(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    match text.len() {
        5 => value.checked_mul(86_400_000_000_000),
        10 => value.checked_mul(1_000_000_000),
        13 => value.checked_mul(1_000_000),
        16 => value.checked_mul(1000),
        19 => Some(value),
        _ => None,
    }
}

/// Go's reference time with the parts of a moment in their places.
fn date(layout: &str, time: &str) -> String {
    let nanos = crate::go::time::parse_rfc3339(time).unwrap_or(0);
    let c = Civil::of(nanos.div_euclid(1_000_000_000));
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let millis = nanos.rem_euclid(1_000_000_000) / 1_000_000;
    layout
        .replace("2006", &format!("{:04}", c.year))
        .replace("Jan", MONTHS[(c.month as usize - 1) % 12])
        .replace("01", &format!("{:02}", c.month))
        .replace("02", &format!("{:02}", c.day))
        .replace("15", &format!("{:02}", c.hour))
        .replace("04", &format!("{:02}", c.minute))
        .replace("05", &format!("{:02}", c.second))
        .replace(".000", &format!(".{millis:03}"))
        .replace("Z07:00", "Z")
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |w, b| (w << 8) | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * i)) as usize & 63] as char;
            out.push(if i <= chunk.len() { letter } else { '=' });
        }
    }
    out
}

fn base64_decoded(text: &str) -> Option<String> {
    let mut out = Vec::new();
    for chunk in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut word = 0u32;
        for byte in chunk {
            word = (word << 6) | ALPHABET.iter().position(|a| a == byte)? as u32;
        }
        word <<= 6 * (4 - chunk.len() as u32);
        let bytes = word.to_be_bytes();
        out.extend_from_slice(&bytes[1..chunk.len()]);
    }
    String::from_utf8(out).ok()
}
