//! Evaluates the body of a block against its schema: types, required and unknown arguments, nested and dynamic blocks.

use std::collections::BTreeMap;

use super::values::check_value;
use crate::datum::Datum;
use crate::datum::{Attributes, Constraint};
use crate::diagnostic::Diagnostic;
use crate::eval::{Evaluator, pairs};
use crate::schema::{BodySchema, NestedSchema};
use crate::syntax::{Body, ConfigBlock, ExprKind};

/// How many blocks one `dynamic` may give.
const MOST_DYNAMIC: usize = 500;

/// The settings of a body as one map: every attribute and block type of the schema, null or empty where not given.
pub fn evaluate(body: &Body, schema: &BodySchema, ev: &mut Evaluator) -> Result<Attributes, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut made = attributes(body, schema, ev, &mut errors);
    for (name, nested) in &schema.blocks {
        // Written as an argument, as in `ingress = [...]`: blocks that the cloud may fill take that too.
        if let Some(expr) = body.setting(name) {
            match ev.eval(expr) {
                Ok(value) => drop(made.insert(name.clone(), as_attribute(value, nested))),
                Err(error) => errors.push(error),
            }
            continue;
        }
        let blocks: Vec<&ConfigBlock> = body.blocks.iter().filter(|b| named(b) == Some(name)).collect();
        match nested_blocks(name, &blocks, nested, ev) {
            Ok(value) => drop(made.insert(name.clone(), value)),
            Err(more) => errors.extend(more),
        }
    }
    unexpected(body, schema, &mut errors);
    if errors.is_empty() { Ok(made) } else { Err(errors) }
}

fn attributes(body: &Body, schema: &BodySchema, ev: &mut Evaluator, errors: &mut Vec<Diagnostic>) -> Attributes {
    let mut made = BTreeMap::new();
    for (name, rules) in &schema.attrs {
        let Some(setting) = body.settings.iter().find(|s| s.name == *name) else {
            if rules.required {
                errors.push(missing(name, "no definition was found"));
            }
            made.insert(name.clone(), Datum::Null);
            continue;
        };
        if !rules.required && !rules.optional {
            let detail = format!(
                "Can't configure a value for {name:?}: its value will be decided automatically based on the result of applying this configuration."
            );
            errors.push(Diagnostic::new("Value for unconfigurable attribute", detail).at(setting.line));
            continue;
        }
        let value = match ev.eval(&setting.value) {
            Ok(value) => value,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        match rules.takes.convert(value) {
            Err(why) => {
                let detail = format!("Inappropriate value for attribute {name:?}: {why}.");
                errors.push(Diagnostic::new("Incorrect attribute value type", detail).at(setting.line));
            }
            Ok(Datum::Null) if rules.required => errors.push(missing(name, "it is null here").at(setting.line)),
            Ok(value) => {
                if let Err(error) = check_value(name, rules, &value) {
                    errors.push(error.at(setting.line));
                }
                made.insert(name.clone(), value);
            }
        }
    }
    for (name, rules) in &schema.attrs {
        let given = |n: &str| made.get(n).is_some_and(|v| !v.is_null());
        if let Some(other) = &rules.conflicts
            && given(name)
            && given(other)
        {
            let detail = format!("{name:?}: conflicts with {other}.");
            errors.push(Diagnostic::new("Conflicting configuration arguments", detail));
        }
    }
    made
}

fn missing(name: &str, why: &str) -> Diagnostic {
    Diagnostic::new("Missing required argument", format!("The argument {name:?} is required, but {why}."))
}

/// The name under which a block counts: its kind, or the label of a `dynamic` block.
fn named(block: &ConfigBlock) -> Option<&String> {
    if block.kind == "dynamic" { block.labels.first() } else { Some(&block.kind) }
}

fn nested_blocks(
    name: &str,
    blocks: &[&ConfigBlock],
    schema: &NestedSchema,
    ev: &mut Evaluator,
) -> Result<Datum, Vec<Diagnostic>> {
    let (mut made, mut errors, mut unknown) = (Vec::new(), Vec::new(), false);
    for block in blocks {
        if block.kind == "dynamic" {
            match dynamic(block, schema, ev) {
                Ok(Some(items)) => made.extend(items),
                Ok(None) => unknown = true,
                Err(more) => errors.extend(more),
            }
        } else {
            match evaluate(&block.body, &schema.body, ev) {
                Ok(value) => made.push(Datum::Map(value)),
                Err(more) => errors.extend(more.into_iter().map(|e| e.at(block.line))),
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if unknown {
        return Ok(Datum::Unknown(Constraint::List(Box::new(Constraint::Any))));
    }
    if made.len() < schema.least {
        let detail = format!("At least {} {name:?} blocks are required.", schema.least);
        return Err(vec![Diagnostic::new(format!("Insufficient {name} blocks"), detail)]);
    }
    if made.len() > schema.most {
        let detail = format!("No more than {} {name:?} blocks are allowed.", schema.most);
        return Err(vec![Diagnostic::new(format!("Too many {name} blocks"), detail)]);
    }
    Ok(if schema.is_set { Datum::set(made) } else { Datum::List(made) })
}

/// The blocks that a `dynamic` block gives; nothing where their number is unknown.
fn dynamic(
    block: &ConfigBlock,
    schema: &NestedSchema,
    ev: &mut Evaluator,
) -> Result<Option<Vec<Datum>>, Vec<Diagnostic>> {
    let bad = |detail: &str| vec![Diagnostic::new("Invalid dynamic block", detail).at(block.line)];
    let label = block.labels.first().ok_or_else(|| bad("A label is needed: the type of the blocks to make."))?;
    let each = block.body.setting("for_each").ok_or_else(|| bad("The argument \"for_each\" is required."))?;
    let content = block.body.blocks_of("content").next().ok_or_else(|| bad("A \"content\" block is required."))?;
    let iterator = match block.body.setting("iterator").map(|e| &e.kind) {
        Some(ExprKind::Name(name)) => name,
        _ => label,
    };
    let collection = ev.eval(each).map_err(|e| vec![e])?;
    let Some(entries) = pairs(collection).map_err(|e| vec![e.at(each.line)])? else {
        // Evaluated once with unknown values, so that mistakes inside are found.
        ev.bind(iterator.clone(), Datum::map([("key", Datum::unknown()), ("value", Datum::unknown())]));
        let made = evaluate(&content.body, &schema.body, ev);
        ev.unbind();
        return made.map(|_| None);
    };
    if entries.len() > MOST_DYNAMIC {
        return Err(bad("It gives too many blocks."));
    }
    let mut made = Vec::new();
    for (key, value) in entries {
        ev.bind(iterator.clone(), Datum::map([("key", key), ("value", value)]));
        let block = evaluate(&content.body, &schema.body, ev);
        ev.unbind();
        made.push(Datum::Map(block?));
    }
    Ok(Some(made))
}

/// A list of objects given with `=`: missing attributes become null.
fn as_attribute(value: Datum, schema: &NestedSchema) -> Datum {
    let items = match value {
        Datum::List(items) | Datum::Set(items) => items,
        Datum::Null => Vec::new(),
        Datum::Map(_) => vec![value],
        other => return other,
    };
    let whole = |item: Datum| match item {
        Datum::Map(mut entries) => {
            for (name, rules) in &schema.body.attrs {
                let value = entries.remove(name).unwrap_or(Datum::Null);
                entries.insert(name.clone(), rules.takes.convert(value.clone()).unwrap_or(value));
            }
            Datum::Map(entries)
        }
        other => other,
    };
    let items: Vec<Datum> = items.into_iter().map(whole).collect();
    if schema.is_set { Datum::set(items) } else { Datum::List(items) }
}

fn unexpected(body: &Body, schema: &BodySchema, errors: &mut Vec<Diagnostic>) {
    for setting in &body.settings {
        let known = schema.attrs.contains_key(&setting.name);
        let block = schema.blocks.get(&setting.name);
        if !known && block.is_none_or(|b| !b.computed) {
            let name = &setting.name;
            let hint = block.map_or(String::new(), |_| format!(" Did you mean to define a block of type {name:?}?"));
            let detail = format!("An argument named {name:?} is not expected here.{hint}");
            errors.push(Diagnostic::new("Unsupported argument", detail).at(setting.line));
        }
    }
    for block in &body.blocks {
        let name = named(block).cloned().unwrap_or_default();
        if !schema.blocks.contains_key(&name) {
            let hint = if schema.attrs.contains_key(&name) {
                format!(" Did you mean to define argument {name:?}? If so, use the equals sign to assign it a value.")
            } else {
                String::new()
            };
            let detail = format!("Blocks of type {name:?} are not expected here.{hint}");
            errors.push(Diagnostic::new("Unsupported block type", detail).at(block.line));
        }
    }
}
