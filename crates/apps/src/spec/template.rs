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
            let (name, part) = name.split_once('@').unwrap_or((name, ""));
            let value = settings.get(name).map_or("", |value| value);
            match part {
                "" => out.push_str(value),
                part => out.push_str(&connection_part(value, part)),
            }
            rest = left;
        }
        out + rest
    }
}

/// A part of a connection string: `port` of an address; `host`, `user`, `password` or `database` of a URL, or of pairs as libpq and .NET write
/// them.
fn connection_part(text: &str, part: &str) -> String {
    if part == "port" {
        return text.rsplit_once(':').map_or(String::new(), |(_, port)| port.into());
    }
    if let Some((_, rest)) = text.split_once("://") {
        let (login, rest) = rest.rsplit_once('@').unwrap_or(("", rest));
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let found = match part {
            "user" => user,
            "password" => password,
            "database" => path.split('?').next().unwrap_or_default(),
            _ => host,
        };
        return found.into();
    }
    let names: &[&str] = match part {
        "user" => &["user", "username", "user id"],
        "password" => &["password", "pwd"],
        "database" => &["dbname", "database"],
        _ => &["host", "server"],
    };
    let pairs = text.split([';', ' ']).filter_map(|pair| pair.split_once('='));
    let mut own = pairs.filter(|(name, _)| names.contains(&&*name.trim().to_ascii_lowercase()));
    own.next().map_or(String::new(), |(_, value)| value.trim().into())
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
    fn connection_strings_have_parts() {
        for text in [
            "postgres://otelu:otelp@postgresql/otel?sslmode=disable",
            "Host=postgresql;Username=otelu;Password=otelp;Database=otel",
            "host=postgresql user=otelu password=otelp dbname=otel",
        ] {
            let settings = BTreeMap::from([("db".to_string(), text.to_string())]);
            let filled = SettingTemplate::from("${db@host} ${db@user} ${db@password} ${db@database}").fill(&settings);
            assert_eq!(filled, "postgresql otelu otelp otel");
        }
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
