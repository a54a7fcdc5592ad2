//! Fills what the cloud decides: names, ids, addresses, defaults.

use super::{ACCOUNT, ProviderSettings, SUBSCRIPTION};
use crate::datum::Attributes;
use crate::datum::{Datum, number_text};
use crate::draws::{hash, mix};
use crate::functions::json_text;
use crate::schema::{BodySchema, ResourceType};

/// Reproducible digits for one object: the same configuration gets the same ids.
pub(super) struct IdDraws {
    state: u64,
}

impl IdDraws {
    pub(super) fn new(kind: &str, serial: u64) -> Self {
        Self { state: hash(kind) ^ serial.wrapping_mul(0x9e37_79b9_7f4a_7c15) }
    }

    fn word(&self, n: u64) -> u64 {
        mix(self.state.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    pub(super) fn hex(&self) -> String {
        format!("0{:016x}", self.word(1))
    }

    pub(super) fn digits(&self) -> String {
        format!("{:010}", self.word(2) % 10_000_000_000)
    }

    pub(super) fn byte(&self) -> String {
        (self.word(3) % 250 + 4).to_string()
    }
}

/// A pattern with its braces replaced.
pub(super) fn expand(pattern: &str, attrs: &Attributes, settings: &ProviderSettings, draw: &IdDraws) -> String {
    let mut made = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        made.push_str(before);
        let Some((name, tail)) = after.split_once('}') else { break };
        made.push_str(&word(name, attrs, settings, draw));
        rest = tail;
    }
    made + rest
}

fn word(name: &str, attrs: &Attributes, settings: &ProviderSettings, draw: &IdDraws) -> String {
    match attrs.get(name) {
        Some(Datum::Text(text)) => return text.clone(),
        Some(Datum::Number(n)) => return number_text(*n),
        _ => {}
    }
    match name {
        "hex" => draw.hex(),
        "HEX" => draw.hex().to_uppercase(),
        "digits" => draw.digits(),
        "byte" => draw.byte(),
        "account" => ACCOUNT.to_owned(),
        "sub" => SUBSCRIPTION.to_owned(),
        "region" => settings.region.clone().unwrap_or_else(|| "us-east-1".to_owned()),
        "project" => settings.project.clone().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Names that were not given: from their prefix, or made up.
pub(super) fn names(kind: &ResourceType, attrs: &mut Attributes, serial: u64) {
    for (name, prefix) in [
        ("name", "name_prefix"),
        ("bucket", "bucket_prefix"),
        ("key_name", "key_name_prefix"),
        ("node_group_name", "node_group_name_prefix"),
    ] {
        let open = kind.body.attrs.get(name).is_some_and(|r| r.computed && r.optional)
            && kind.body.attrs.contains_key(prefix)
            && attrs.get(name).is_none_or(|v| v.is_unknown());
        if open {
            let prefix = attrs.get(prefix).and_then(Datum::as_text).unwrap_or("terraform-").to_owned();
            attrs.insert(name.to_owned(), Datum::Text(format!("{prefix}2026{serial:08}")));
        }
    }
    for (name, rules) in &kind.body.attrs {
        let prefix = name.ends_with("_prefix") && rules.computed;
        if prefix && attrs.get(name).is_some_and(Datum::is_unknown) {
            attrs.insert(name.clone(), Datum::Text(String::new()));
        }
    }
}

/// Replaces every unknown value by what the cloud makes of it.
pub(super) fn computed(schema: &BodySchema, attrs: &mut Attributes, settings: &ProviderSettings, draw: &IdDraws) {
    for (name, rules) in &schema.attrs {
        if attrs.get(name).is_some_and(Datum::is_unknown) {
            let made = match &rules.is {
                Some(pattern) => {
                    let text = Datum::Text(expand(pattern, attrs, settings, draw));
                    rules.takes.convert(text).unwrap_or(Datum::Null)
                }
                None => Datum::Null,
            };
            attrs.insert(name.clone(), made);
        }
    }
    for (name, nested) in &schema.blocks {
        match attrs.get_mut(name) {
            Some(Datum::List(items) | Datum::Set(items)) => {
                for item in items {
                    if let Datum::Map(inner) = item {
                        computed(&nested.body, inner, settings, draw);
                    }
                }
            }
            Some(value @ Datum::Unknown(_)) => *value = Datum::List(Vec::new()),
            _ => {}
        }
    }
}

/// Providers without a cloud: random values, triggers.
pub(super) fn local(kind: &str, attrs: &mut Attributes, draw: &IdDraws) {
    let number = |attrs: &Attributes, name: &str| attrs.get(name).and_then(Datum::as_number).unwrap_or(0.0);
    match kind {
        "random_id" => {
            let hex: String = draw.hex().chars().cycle().take(2 * length(number(attrs, "byte_length"))).collect();
            let prefix = attrs.get("prefix").and_then(Datum::as_text).unwrap_or_default().to_owned();
            for (name, value) in [
                ("hex", format!("{prefix}{hex}")),
                ("dec", format!("{prefix}{}", draw.digits())),
                ("b64_std", hex.clone()),
                ("b64_url", hex.clone()),
                ("id", hex.clone()),
            ] {
                attrs.insert(name.to_owned(), Datum::Text(value));
            }
        }
        "random_string" | "random_password" => {
            let text: String = draw.hex().chars().cycle().take(length(number(attrs, "length"))).collect();
            attrs.insert("result".to_owned(), Datum::Text(text));
        }
        "random_pet" => {
            let prefix = attrs.get("prefix").and_then(Datum::as_text).map(|p| format!("{p}-")).unwrap_or_default();
            attrs.insert("id".to_owned(), Datum::Text(format!("{prefix}calm-{}", &draw.digits()[..4])));
        }
        "random_integer" => {
            attrs.insert("result".to_owned(), Datum::Number(number(attrs, "min")));
        }
        "terraform_data" => {
            let input = attrs.get("input").cloned().unwrap_or(Datum::Null);
            attrs.insert("output".to_owned(), input);
        }
        "local_file" => {
            let content = attrs.get("content").map(json_text).unwrap_or_default();
            attrs.insert("id".to_owned(), Datum::Text(format!("{:016x}", content.len())));
        }
        _ => {}
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn length(number: f64) -> usize {
    number.clamp(0.0, 1024.0) as usize
}
