//! Texts with settings in them: `${host}:${port}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// A text in which `${name}` stands for a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingTemplate(String);

impl From<&str> for SettingTemplate {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl<'de> Deserialize<'de> for SettingTemplate {
    /// Numbers and switches may be written without quotes.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match toml::Value::deserialize(from)? {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(is_on) => is_on.to_string(),
            _ => return Err(serde::de::Error::custom("takes a text, a number or a switch")),
        }))
    }
}

impl SettingTemplate {
    /// The text as it is written.
    pub fn source(&self) -> &str {
        &self.0
    }

    /// The settings that it names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
    }

    /// The text with its settings; one that is not there is empty.
    pub fn fill(&self, settings: &BTreeMap<String, String>) -> String {
        if !self.0.contains("${") {
            return self.0.clone();
        }
        let mut out = String::new();
        let mut rest = &*self.0;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some((name, left)) = after.split_once('}') else {
                rest = after;
                break;
            };
            out.push_str(settings.get(name).map_or("", |value| value));
            rest = left;
        }
        out + rest
    }
}

/// Seconds of `750ms`, `1s`, `2m`, or a plain number of the given unit.
pub fn parse_duration(text: &str, plain_unit: f64) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse::<f64>().ok()?;
    let unit = match text[end..].trim() {
        "" => plain_unit,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_filled_in() {
        let settings = BTreeMap::from([("host".to_string(), "geo".to_string())]);
        let check = |text: &str, expect: &str| assert_eq!(SettingTemplate::from(text).fill(&settings), expect);
        check("${host}:8083", "geo:8083");
        check("plain", "plain");
        check("${none}:1", ":1");
        check("a${host", "ahost");
    }

    #[test]
    fn durations_have_units() {
        let check = |text: &str, expect: Option<f64>| assert_eq!(parse_duration(text, 1e-3), expect, "{text}");
        check("750", Some(0.75));
        check("750ms", Some(0.75));
        check("1s", Some(1.0));
        check("2m", Some(120.0));
        check("soon", None);
    }
}
