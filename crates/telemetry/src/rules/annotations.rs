//! Templates in annotations and labels of alerts.

use std::collections::BTreeMap;

use crate::go::template::{Template, TemplateFunctions, TemplateValue};
use crate::go::{Anchoring, Regexp};
use crate::labels::Labels;
use crate::promql::{Engine, Features, QueryValue, parse};

/// The text of an annotation for an alert; what goes wrong is told in its place.
pub(super) fn expand(text: &str, labels: &Labels, value: f64, engine: &Engine<'_>, now: i64) -> String {
    if !text.contains("{{") {
        return text.to_owned();
    }
    let functions = AlertFunctions { engine, now };
    let labels = labels_value(labels);
    let dot = TemplateValue::Map(BTreeMap::from([
        ("Labels".to_owned(), labels.clone()),
        ("Value".to_owned(), TemplateValue::Float(value)),
        ("ExternalLabels".to_owned(), TemplateValue::Map(BTreeMap::new())),
        ("ExternalURL".to_owned(), TemplateValue::text("")),
    ]));
    let variables = [
        ("$labels", labels),
        ("$value", TemplateValue::Float(value)),
        ("$externalLabels", TemplateValue::Map(BTreeMap::new())),
        ("$externalURL", TemplateValue::text("")),
    ];
    Template::parse("__alert", text, &functions)
        .map_err(|why| format!("error parsing template __alert: {why}"))
        .and_then(|template| {
            template
                .run(&dot, &variables, &functions)
                .map_err(|why| format!("error executing template __alert: template: __alert: {why}"))
        })
        .unwrap_or_else(|why| format!("<error expanding template: {why}>"))
}

fn labels_value(labels: &Labels) -> TemplateValue {
    TemplateValue::Map(labels.iter().map(|(n, v)| (n.to_owned(), TemplateValue::text(v))).collect())
}

struct AlertFunctions<'e> {
    engine: &'e Engine<'e>,
    now: i64,
}

const NAMES: [&str; 21] = [
    "query",
    "first",
    "label",
    "value",
    "sortByLabel",
    "humanize",
    "humanize1024",
    "humanizeDuration",
    "humanizePercentage",
    "humanizeTimestamp",
    "title",
    "toUpper",
    "toLower",
    "match",
    "reReplaceAll",
    "stripPort",
    "parseDuration",
    "pathPrefix",
    "externalURL",
    "toTime",
    "safeHtml",
];

impl TemplateFunctions for AlertFunctions<'_> {
    fn has(&self, name: &str) -> bool {
        NAMES.contains(&name)
    }

    fn call(&self, name: &str, args: &[TemplateValue]) -> Result<TemplateValue, String> {
        use TemplateValue::{Bool, Float, List, Map, Text};
        let arg = |i: usize| args.get(i).ok_or_else(|| "wrong number of args".to_owned());
        let text = |i: usize| arg(i).map(TemplateValue::shown);
        let number = |i: usize| {
            let given = arg(i)?;
            given.number().ok_or_else(|| format!("can't convert {} to float", given.shown()))
        };
        Ok(match name {
            "query" => self.query(&text(0)?)?,
            "first" => match arg(0)? {
                List(list) => list.first().cloned().ok_or("first() called on vector with no elements")?,
                _ => return Err("first() needs a vector".to_owned()),
            },
            "label" => match arg(1)? {
                Map(sample) => match sample.get("Labels") {
                    Some(Map(labels)) => labels.get(&text(0)?).cloned().unwrap_or(Text(String::new())),
                    _ => Text(String::new()),
                },
                _ => return Err("label() needs a sample".to_owned()),
            },
            "value" => match arg(0)? {
                Map(sample) => sample.get("Value").cloned().unwrap_or(TemplateValue::Nil),
                _ => return Err("value() needs a sample".to_owned()),
            },
            "sortByLabel" => arg(1)?.clone(),
            "humanize" => Text(humanize(number(0)?)),
            "humanize1024" => Text(humanize1024(number(0)?)),
            "humanizeDuration" => Text(humanize_duration(number(0)?)),
            "humanizePercentage" => {
                let shown = crate::go::template::sprintf("%.4g", &[Float(number(0)? * 100.0)]);
                Text(shown + "%")
            }
            "humanizeTimestamp" => {
                Text(crate::go::time::rfc3339(number(0)? as i64).replace(['T'], " ").replace('Z', " +0000 UTC"))
            }
            "title" => Text(title(&text(0)?)),
            "toUpper" => Text(text(0)?.to_uppercase()),
            "toLower" => Text(text(0)?.to_lowercase()),
            "match" => Bool(Regexp::new(&text(0)?, Anchoring::Anywhere)?.is_match(&text(1)?)),
            "reReplaceAll" => {
                let regexp = Regexp::new(&text(0)?, Anchoring::Anywhere)?;
                Text(regexp.compiled().replace_all(&text(2)?, text(1)?.as_str()).into_owned())
            }
            "stripPort" => {
                let host = text(0)?;
                Text(host.rsplit_once(':').map_or(host.clone(), |(host, _)| host.to_owned()))
            }
            "parseDuration" => {
                let millis = crate::go::duration::parse_prometheus(&text(0)?).ok_or("not a valid duration string")?;
                Float(millis as f64 / 1000.0)
            }
            "toTime" => Text(crate::go::time::rfc3339(number(0)? as i64)),
            "safeHtml" => arg(0)?.clone(),
            _ => Text(String::new()),
        })
    }
}

impl AlertFunctions<'_> {
    fn query(&self, text: &str) -> Result<TemplateValue, String> {
        let expr = parse(text, Features::default()).map_err(|e| e.to_string())?;
        let result = self.engine.instant(&expr, self.now).map_err(|e| e.to_string())?;
        let sample = |labels: &Labels, value: f64| {
            TemplateValue::Map(BTreeMap::from([
                ("Labels".to_owned(), labels_value(labels)),
                ("Value".to_owned(), TemplateValue::Float(value)),
            ]))
        };
        Ok(TemplateValue::List(match result.value {
            QueryValue::Vector(vector) => vector.iter().map(|(labels, point)| sample(&labels, point.value)).collect(),
            QueryValue::Scalar(value) => vec![sample(&Labels::default(), value)],
            _ => return Err("query result is not a vector or scalar".to_owned()),
        }))
    }
}

fn four_digits(value: f64) -> String {
    crate::go::template::sprintf("%.4g", &[TemplateValue::Float(value)])
}

/// `1.234k`, `12m`.
fn humanize(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return four_digits(value);
    }
    let mut value = value;
    let mut prefix = "";
    if value.abs() >= 1.0 {
        for next in ["k", "M", "G", "T", "P", "E", "Z", "Y"] {
            if value.abs() < 1000.0 {
                break;
            }
            prefix = next;
            value /= 1000.0;
        }
    } else {
        for next in ["m", "u", "n", "p", "f", "a", "z", "y"] {
            if value.abs() >= 1.0 {
                break;
            }
            prefix = next;
            value *= 1000.0;
        }
    }
    four_digits(value) + prefix
}

/// `1.5Ki`.
fn humanize1024(value: f64) -> String {
    if value.abs() <= 1.0 || !value.is_finite() {
        return four_digits(value);
    }
    let mut value = value;
    let mut prefix = "";
    for next in ["ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"] {
        if value.abs() < 1024.0 {
            break;
        }
        prefix = next;
        value /= 1024.0;
    }
    four_digits(value) + prefix
}

/// `1h 2m 3s`, `12ms`.
fn humanize_duration(value: f64) -> String {
    if !value.is_finite() {
        return four_digits(value);
    }
    if value == 0.0 {
        return "0s".to_owned();
    }
    if value.abs() >= 1.0 {
        let sign = if value < 0.0 { "-" } else { "" };
        let size = value.abs();
        let whole = size as i64;
        let (seconds, minutes, hours, days) = (whole % 60, whole / 60 % 60, whole / 3600 % 24, whole / 86_400);
        if days != 0 {
            return format!("{sign}{days}d {hours}h {minutes}m {seconds}s");
        }
        if hours != 0 {
            return format!("{sign}{hours}h {minutes}m {seconds}s");
        }
        if minutes != 0 {
            return format!("{sign}{minutes}m {seconds}s");
        }
        return format!("{sign}{}s", four_digits(size));
    }
    let mut value = value;
    let mut prefix = "";
    for next in ["m", "u", "n", "p", "f", "a", "z", "y"] {
        if value.abs() >= 1.0 {
            break;
        }
        prefix = next;
        value *= 1000.0;
    }
    format!("{}{prefix}s", four_digits(value))
}

fn title(text: &str) -> String {
    let mut out = String::new();
    let mut start = true;
    for c in text.chars() {
        if start {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
        start = c.is_whitespace();
    }
    out
}
