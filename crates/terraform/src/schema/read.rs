//! Reads the tables.
//!
//! ```text
//! resource TYPE [taggable] [quota=N] [unique=ATTR] id=PATTERN
//!   ATTR TYPE req|opt|comp [new] [unique] [default=V] [of=A|B] [check=RULE] [range=A..B] [pattern=RE] [conflicts=ATTR] [ref=TYPE.ATTR|ATTR|WORD] [is=PATTERN]
//!   block NAME list|set LEAST MOST [comp] [new]
//!     ATTR ...
//! data TYPE
//! provider NAME
//! ```
//! A `~` in a value stands for a space. Patterns may hold `{attr}`, `{hex}`, `{HEX}`, `{digits}`, `{byte}`, `{region}`, `{account}`, `{sub}`.

use super::{AttrSchema, BodySchema, NestedSchema, Refers, ResourceType, Schema};
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::syntax::parse_expression;

pub(super) fn read(table: &str, schema: &mut Schema) -> Result<(), String> {
    let lines: Vec<(usize, &str)> = table
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
        .map(|l| (l.len() - l.trim_start().len(), l.trim()))
        .collect();
    let mut at = 0;
    while at < lines.len() {
        let (_, line) = lines[at];
        at += 1;
        let mut body = read_body(&lines, &mut at, 2).map_err(|e| format!("{line}: {e}"))?;
        let words: Vec<&str> = line.split(' ').collect();
        let name = (*words.get(1).ok_or("a name is missing")?).to_owned();
        if words[0] == "provider" {
            body.attrs.insert("alias".to_owned(), AttrSchema { optional: true, ..plain(Constraint::Text) });
            body.attrs.insert("version".to_owned(), AttrSchema { optional: true, ..plain(Constraint::Text) });
            schema.providers.insert(name, body);
            continue;
        }
        let made = resource(&name, &words[2..], body)?;
        let target = if words[0] == "data" { &mut schema.data } else { &mut schema.resources };
        target.insert(name, made);
    }
    Ok(())
}

fn resource(name: &str, flags: &[&str], mut body: BodySchema) -> Result<ResourceType, String> {
    let mut made = ResourceType {
        name: name.to_owned(),
        id: "{hex}".to_owned(),
        taggable: false,
        quota: None,
        body: BodySchema::default(),
    };
    for flag in flags {
        match flag.split_once('=').unwrap_or((flag, "")) {
            ("taggable", _) => made.taggable = true,
            ("quota", n) => made.quota = n.parse().ok(),
            ("id", pattern) => pattern.clone_into(&mut made.id),
            ("unique", attr) => body.attrs.get_mut(attr).ok_or_else(|| format!("{name}: no {attr}"))?.unique = true,
            _ => return Err(format!("{name}: unknown flag {flag}")),
        }
    }
    let computed = |takes| AttrSchema { computed: true, ..plain(takes) };
    body.attrs.entry("id".to_owned()).or_insert_with(|| computed(Constraint::Text));
    if made.taggable {
        let tags = || Constraint::Map(Box::new(Constraint::Text));
        body.attrs.insert("tags".to_owned(), AttrSchema { optional: true, ..plain(tags()) });
        body.attrs.insert("tags_all".to_owned(), AttrSchema { optional: true, ..computed(tags()) });
    }
    made.body = body;
    Ok(made)
}

fn read_body(lines: &[(usize, &str)], at: &mut usize, depth: usize) -> Result<BodySchema, String> {
    let mut body = BodySchema::default();
    while let Some((indent, line)) = lines.get(*at) {
        if *indent < depth {
            break;
        }
        *at += 1;
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "block" {
            let [_, name, mode, least, most, flags @ ..] = words.as_slice() else {
                return Err(format!("a block needs a mode and two numbers: {line}"));
            };
            let number = |n: &str| n.parse::<usize>().map_err(|_| format!("no number: {line}"));
            let nested = NestedSchema {
                is_set: *mode == "set",
                least: number(least)?,
                most: number(most)?,
                computed: flags.contains(&"comp"),
                force_new: flags.contains(&"new"),
                body: read_body(lines, at, depth + 2)?,
            };
            body.blocks.insert((*name).to_owned(), nested);
        } else {
            let [name, takes, flags @ ..] = words.as_slice() else { return Err(format!("no type: {line}")) };
            body.attrs.insert((*name).to_owned(), attribute(takes, flags).map_err(|e| format!("{line}: {e}"))?);
        }
    }
    Ok(body)
}

fn plain(takes: Constraint) -> AttrSchema {
    AttrSchema {
        takes,
        required: false,
        optional: false,
        computed: false,
        force_new: false,
        unique: false,
        default: None,
        one_of: Vec::new(),
        check: None,
        range: None,
        pattern: None,
        conflicts: None,
        refers: None,
        is: None,
    }
}

fn attribute(takes: &str, flags: &[&str]) -> Result<AttrSchema, String> {
    let takes = parse_expression(takes).and_then(|e| Constraint::read(&e)).map_err(|e| e.to_string())?;
    let mut made = plain(takes);
    for flag in flags {
        let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
        let value = value.replace('~', " ");
        match name {
            "req" => made.required = true,
            "opt" => made.optional = true,
            "comp" => made.computed = true,
            "new" => made.force_new = true,
            "unique" => made.unique = true,
            "default" => made.default = Some(made.takes.convert(Datum::Text(value))?),
            "of" => made.one_of = value.split('|').map(str::to_owned).collect(),
            "check" => made.check = Some(value),
            "range" => {
                let (from, to) = value.split_once("..").ok_or("a range needs two numbers")?;
                made.range = Some((from.parse().map_err(|_| "no number")?, to.parse().map_err(|_| "no number")?));
            }
            "pattern" => made.pattern = Some(regex_lite::Regex::new(&value).map_err(|e| e.to_string())?),
            "conflicts" => made.conflicts = Some(value),
            "ref" => made.refers = Some(refers(&value)?),
            "is" => made.is = Some(value),
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    if made.required || made.optional || made.computed {
        Ok(made)
    } else {
        Err("one of req, opt, comp is needed".to_owned())
    }
}

fn refers(value: &str) -> Result<Refers, String> {
    let (kind, rest) = value.split_once('.').ok_or("a reference is TYPE.ATTR")?;
    let mut made = Refers { kind: kind.to_owned(), by: Vec::new(), implicit: false, any: false, words: Vec::new() };
    for word in rest.split('|') {
        match word {
            "implicit" => made.implicit = true,
            "any" => made.any = true,
            "local" | "default" | "aws" => made.words.push(word.to_owned()),
            attr => made.by.push(attr.to_owned()),
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use crate::schema::{BodySchema, Schema};

    #[test]
    fn the_shipped_tables_are_whole() {
        let schema = Schema::get();
        assert!(schema.resources.len() >= 45, "{} types", schema.resources.len());
        for (name, kind) in &schema.resources {
            references_exist(schema, name, &kind.body);
        }
    }

    fn references_exist(schema: &Schema, name: &str, body: &BodySchema) {
        for (attr, rules) in &body.attrs {
            let Some(refers) = &rules.refers else { continue };
            let target =
                schema.resources.get(&refers.kind).unwrap_or_else(|| panic!("{name}.{attr}: no {}", refers.kind));
            for by in &refers.by {
                assert!(target.body.attrs.contains_key(by), "{name}.{attr}: {} has no {by}", refers.kind);
            }
        }
        body.blocks.values().for_each(|block| references_exist(schema, name, &block.body));
    }
}
