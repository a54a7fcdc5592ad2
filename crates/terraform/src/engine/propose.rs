//! What a resource will be: configuration, defaults, what it was, and what is known after apply. And what changes by that.

use std::collections::BTreeSet;

use crate::datum::Attributes;
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::schema::{AttrSchema, BodySchema, NestedSchema};

/// The values after a change, from the configuration and from what was before.
pub fn propose(schema: &BodySchema, config: &Attributes, prior: Option<&Attributes>) -> Attributes {
    let given = |name: &str| config.get(name).unwrap_or(&Datum::Null);
    let before = |name: &str| prior.and_then(|p| p.get(name));
    let attrs = schema.attrs.iter().map(|(name, rules)| (name.clone(), attribute(rules, given(name), before(name))));
    let nested = schema.blocks.iter().map(|(name, rules)| (name.clone(), blocks(rules, given(name), before(name))));
    attrs.chain(nested).collect()
}

fn attribute(rules: &AttrSchema, given: &Datum, before: Option<&Datum>) -> Datum {
    if !given.is_null() {
        // Two spellings of one JSON document are the same document: the provider keeps the old text.
        return match before {
            Some(old) if is_json(rules) && same_json(old, given) => old.clone(),
            _ => given.clone(),
        };
    }
    match (&rules.default, before) {
        (Some(default), _) => default.clone(),
        (None, Some(old)) if rules.computed => old.clone(),
        (None, None) if rules.computed => Datum::Unknown(rules.takes.clone()),
        _ => Datum::Null,
    }
}

fn is_json(rules: &AttrSchema) -> bool {
    matches!(rules.check.as_deref(), Some("json" | "policy" | "trust"))
}

fn same_json(a: &Datum, b: &Datum) -> bool {
    match (a.as_text().map(crate::functions::json), b.as_text().map(crate::functions::json)) {
        (Some(Ok(a)), Some(Ok(b))) => loosen(&a).same(&loosen(&b)),
        _ => false,
    }
}

/// A policy with a list of one string means the same as with the string; the order of strings means nothing.
fn loosen(value: &Datum) -> Datum {
    match value {
        Datum::List(items) if items.len() == 1 && items[0].as_text().is_some() => items[0].clone(),
        Datum::List(items) if items.iter().all(|i| i.as_text().is_some()) => Datum::set(items.clone()),
        Datum::List(items) => Datum::List(items.iter().map(loosen).collect()),
        Datum::Map(entries) => Datum::Map(entries.iter().map(|(k, v)| (k.clone(), loosen(v))).collect()),
        other => other.clone(),
    }
}

fn blocks(schema: &NestedSchema, given: &Datum, before: Option<&Datum>) -> Datum {
    let old = before.and_then(Datum::as_items).unwrap_or_default();
    // What is not written is an empty list here, and null where the tool asks.
    let Some(items) = given.as_items().or(given.is_null().then_some(&[])) else {
        return if given.is_unknown() { given.clone() } else { Datum::List(Vec::new()) };
    };
    if items.is_empty() && schema.computed {
        return before.cloned().unwrap_or_else(|| Datum::Unknown(Constraint::List(Box::new(Constraint::Any))));
    }
    let made = items.iter().enumerate().map(|(i, item)| {
        let Datum::Map(config) = item else { return item.clone() };
        let matching = if schema.is_set { old.iter().find(|o| covers(o, config)) } else { old.get(i) };
        Datum::Map(propose(&schema.body, config, matching.and_then(Datum::as_map)))
    });
    let made: Vec<Datum> = made.collect();
    if schema.is_set { Datum::set(made) } else { Datum::List(made) }
}

/// Whether an existing block has everything that a configured one asks for.
fn covers(old: &Datum, config: &Attributes) -> bool {
    config.iter().all(|(name, value)| match value {
        Datum::Null => true,
        Datum::List(items) | Datum::Set(items) if items.is_empty() => true,
        value => alike(old.get(name), value),
    })
}

/// One difference between before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeChange {
    /// The attribute, with those around it.
    pub path: String,
    /// Whether it cannot be changed in place.
    pub force_new: bool,
}

/// What differs.
pub fn differences(schema: &BodySchema, before: &Attributes, after: &Attributes) -> Vec<AttributeChange> {
    let sides = |name: &str| (before.get(name).unwrap_or(&Datum::Null), after.get(name).unwrap_or(&Datum::Null));
    let mut made = Vec::new();
    for (name, rules) in &schema.attrs {
        let (old, new) = sides(name);
        if !alike(old, new) {
            made.push(AttributeChange { path: name.clone(), force_new: rules.force_new });
        }
    }
    for (name, nested) in &schema.blocks {
        let (old, new) = sides(name);
        if !alike(old, new) {
            made.extend(block_changes(name, nested, old, new));
        }
    }
    made
}

fn block_changes(name: &str, nested: &NestedSchema, old: &Datum, new: &Datum) -> Vec<AttributeChange> {
    let whole = AttributeChange { path: name.to_owned(), force_new: nested.force_new };
    let (Some(old), Some(new)) = (old.as_items(), new.as_items()) else { return vec![whole] };
    if nested.is_set || old.len() != new.len() {
        return vec![whole];
    }
    let pairs = old.iter().zip(new).filter_map(|(o, n)| Some((o.as_map()?, n.as_map()?)));
    let inner = pairs.flat_map(|(o, n)| differences(&nested.body, o, n));
    inner
        .map(|d| AttributeChange { path: format!("{name}.{}", d.path), force_new: d.force_new || nested.force_new })
        .collect()
}

/// Equality as old providers see it: absent, empty, zero and false are one.
pub fn alike(a: &Datum, b: &Datum) -> bool {
    match (a, b) {
        (Datum::List(x) | Datum::Set(x), Datum::List(y) | Datum::Set(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| alike(x, y))
        }
        (Datum::Map(x), Datum::Map(y)) => {
            let keys: BTreeSet<&String> = x.keys().chain(y.keys()).collect();
            keys.into_iter().all(|k| alike(a.get(k), b.get(k)))
        }
        _ => a.same(b) || (is_zero(a) && is_zero(b)),
    }
}

fn is_zero(value: &Datum) -> bool {
    match value {
        Datum::Null => true,
        Datum::Bool(b) => !b,
        Datum::Number(n) => *n == 0.0,
        Datum::Text(text) => text.is_empty(),
        Datum::List(items) | Datum::Set(items) => items.is_empty(),
        Datum::Map(entries) => entries.is_empty(),
        Datum::Unknown(_) => false,
    }
}
