//! Values as the tool sends them: MessagePack, with an extension for what is known after apply.

use std::collections::BTreeMap;

use terraform::datum::Constraint;
use terraform::datum::Datum;

/// Values nest at most so deep: a message comes from outside.
const DEEPEST: usize = 64;

/// A value of a type as bytes.
pub fn write(value: &Datum, takes: &Constraint) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, value, takes);
    out
}

fn put(out: &mut Vec<u8>, value: &Datum, takes: &Constraint) {
    // A value of any type carries its type with it.
    if *takes == Constraint::Any && !matches!(value, Datum::Null | Datum::Unknown(_)) {
        let own = type_of(value);
        out.push(0x92);
        blob(out, type_json(&own).to_string().as_bytes());
        return put(out, value, &own);
    }
    match value {
        Datum::Null => out.push(0xc0),
        // Extension 0, one byte long, as the format of unknown values is.
        Datum::Unknown(_) => out.extend([0xd4, 0, 0]),
        Datum::Bool(value) => out.push(if *value { 0xc3 } else { 0xc2 }),
        Datum::Number(number) => put_number(out, *number),
        Datum::Text(text) => put_text(out, text),
        Datum::List(items) | Datum::Set(items) => {
            head(out, items.len(), 0x90, 0xdc);
            for (at, item) in items.iter().enumerate() {
                put(out, item, element(takes, at));
            }
        }
        Datum::Map(entries) => put_map(out, entries, takes),
    }
}

fn put_map(out: &mut Vec<u8>, entries: &BTreeMap<String, Datum>, takes: &Constraint) {
    if let Constraint::Object(members) = takes {
        head(out, members.len(), 0x80, 0xde);
        for (name, member) in members {
            put_text(out, name);
            put(out, entries.get(name).unwrap_or(&Datum::Null), &member.takes);
        }
        return;
    }
    head(out, entries.len(), 0x80, 0xde);
    for (name, value) in entries {
        put_text(out, name);
        put(out, value, element(takes, 0));
    }
}

fn put_number(out: &mut Vec<u8>, number: f64) {
    if number.fract() == 0.0 && number.abs() < 9.0e15 {
        out.push(0xd3);
        out.extend((number as i64).to_be_bytes());
    } else {
        out.push(0xcb);
        out.extend(number.to_be_bytes());
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    let length = text.len();
    match (u8::try_from(length), u32::try_from(length)) {
        (Ok(short), _) if short < 32 => out.push(0xa0 | short),
        (_, Ok(long)) => {
            out.push(0xdb);
            out.extend(long.to_be_bytes());
        }
        _ => unreachable!("no attribute holds four gigabytes"),
    }
    out.extend(text.as_bytes());
}

fn blob(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(0xc6);
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
}

fn head(out: &mut Vec<u8>, count: usize, short: u8, long: u8) {
    match u8::try_from(count) {
        Ok(few) if few < 16 => out.push(short | few),
        _ => {
            out.push(long + 1);
            out.extend((count as u32).to_be_bytes());
        }
    }
}

fn element(takes: &Constraint, at: usize) -> &Constraint {
    match takes {
        Constraint::List(inner) | Constraint::Set(inner) | Constraint::Map(inner) => inner,
        Constraint::Tuple(members) => members.get(at).unwrap_or(&Constraint::Any),
        _ => &Constraint::Any,
    }
}

/// The type that a value of any type travels with.
fn type_of(value: &Datum) -> Constraint {
    use terraform::datum::ObjectMember;
    let member = |value: &Datum| ObjectMember { takes: type_of(value), optional: false, default: Datum::Null };
    match value {
        Datum::Null | Datum::Unknown(_) => Constraint::Any,
        Datum::Bool(_) => Constraint::Bool,
        Datum::Number(_) => Constraint::Number,
        Datum::Text(_) => Constraint::Text,
        Datum::List(items) => Constraint::Tuple(items.iter().map(type_of).collect()),
        Datum::Set(items) => Constraint::Set(Box::new(items.first().map_or(Constraint::Text, type_of))),
        Datum::Map(entries) => Constraint::Object(entries.iter().map(|(k, v)| (k.clone(), member(v))).collect()),
    }
}

/// A type as the tool writes it.
pub fn type_json(takes: &Constraint) -> serde_json::Value {
    use serde_json::json;
    match takes {
        Constraint::Any => json!("dynamic"),
        Constraint::Bool => json!("bool"),
        Constraint::Number => json!("number"),
        Constraint::Text => json!("string"),
        Constraint::List(inner) => json!(["list", type_json(inner)]),
        Constraint::Set(inner) => json!(["set", type_json(inner)]),
        Constraint::Map(inner) => json!(["map", type_json(inner)]),
        Constraint::Tuple(members) => json!(["tuple", members.iter().map(type_json).collect::<Vec<_>>()]),
        Constraint::Object(members) => {
            let members: serde_json::Map<_, _> =
                members.iter().map(|(name, member)| (name.clone(), type_json(&member.takes))).collect();
            json!(["object", members])
        }
    }
}

/// A value from bytes of a type; nothing if they are none.
pub fn read(bytes: &[u8], takes: &Constraint) -> Option<Datum> {
    let mut rest = bytes;
    let value = get(&mut rest, takes, DEEPEST)?;
    rest.is_empty().then_some(value)
}

fn get(rest: &mut &[u8], takes: &Constraint, deep: usize) -> Option<Datum> {
    let deep = deep.checked_sub(1)?;
    let first = *rest.first()?;
    let boxed = *takes == Constraint::Any && first == 0x92;
    if boxed {
        *rest = &rest[1..];
        let Datum::Text(_) = get(rest, &Constraint::Text, deep)? else { return None };
        return get(rest, &UNTYPED, deep);
    }
    *rest = &rest[1..];
    Some(match first {
        0x00..=0x7f => Datum::Number(f64::from(first)),
        0xe0..=0xff => Datum::Number(f64::from(first as i8)),
        0xc0 => Datum::Null,
        0xc2 => Datum::Bool(false),
        0xc3 => Datum::Bool(true),
        0xca => Datum::Number(f64::from(f32::from_be_bytes(array(rest)?))),
        0xcb => Datum::Number(f64::from_be_bytes(array(rest)?)),
        0xcc => Datum::Number(f64::from(array::<1>(rest)?[0])),
        0xcd => Datum::Number(f64::from(u16::from_be_bytes(array(rest)?))),
        0xce => Datum::Number(f64::from(u32::from_be_bytes(array(rest)?))),
        0xcf => Datum::Number(u64::from_be_bytes(array(rest)?) as f64),
        0xd0 => Datum::Number(f64::from(i8::from_be_bytes(array(rest)?))),
        0xd1 => Datum::Number(f64::from(i16::from_be_bytes(array(rest)?))),
        0xd2 => Datum::Number(f64::from(i32::from_be_bytes(array(rest)?))),
        0xd3 => Datum::Number(i64::from_be_bytes(array(rest)?) as f64),
        // Extensions: unknown values, with or without what is known of them.
        0xd4..=0xd8 => {
            take(rest, 1 + (1 << (first - 0xd4)))?;
            Datum::Unknown(takes.clone())
        }
        0xc7 => {
            let length = usize::from(array::<1>(rest)?[0]);
            take(rest, 1 + length)?;
            Datum::Unknown(takes.clone())
        }
        0xa0..=0xbf => text(rest, usize::from(first & 0x1f), takes)?,
        0xd9 | 0xc4 => {
            let length = usize::from(array::<1>(rest)?[0]);
            text(rest, length, takes)?
        }
        0xda | 0xc5 => {
            let length = usize::from(u16::from_be_bytes(array(rest)?));
            text(rest, length, takes)?
        }
        0xdb | 0xc6 => {
            let length = u32::from_be_bytes(array(rest)?) as usize;
            text(rest, length, takes)?
        }
        0x90..=0x9f => items(rest, usize::from(first & 0xf), takes, deep)?,
        0xdc => {
            let count = usize::from(u16::from_be_bytes(array(rest)?));
            items(rest, count, takes, deep)?
        }
        0xdd => {
            let count = u32::from_be_bytes(array(rest)?) as usize;
            items(rest, count, takes, deep)?
        }
        0x80..=0x8f => entries(rest, usize::from(first & 0xf), takes, deep)?,
        0xde => {
            let count = usize::from(u16::from_be_bytes(array(rest)?));
            entries(rest, count, takes, deep)?
        }
        0xdf => {
            let count = u32::from_be_bytes(array(rest)?) as usize;
            entries(rest, count, takes, deep)?
        }
        _ => return None,
    })
}

/// The inside of a value that came with its type: nothing in it is boxed again.
static UNTYPED: Constraint = Constraint::Tuple(Vec::new());

/// Numbers that do not fit are sent as text.
fn text(rest: &mut &[u8], length: usize, takes: &Constraint) -> Option<Datum> {
    let text = std::str::from_utf8(take(rest, length)?).ok()?;
    match takes {
        Constraint::Number => text.parse().ok().map(Datum::Number),
        _ => Some(Datum::text(text)),
    }
}

fn items(rest: &mut &[u8], count: usize, takes: &Constraint, deep: usize) -> Option<Datum> {
    let mut made = Vec::new();
    for at in 0..count {
        let inner = if *takes == UNTYPED { takes } else { element(takes, at) };
        made.push(get(rest, inner, deep)?);
    }
    Some(if matches!(takes, Constraint::Set(_)) { Datum::set(made) } else { Datum::List(made) })
}

fn entries(rest: &mut &[u8], count: usize, takes: &Constraint, deep: usize) -> Option<Datum> {
    let mut made = BTreeMap::new();
    for _ in 0..count {
        let Datum::Text(name) = get(rest, &Constraint::Text, deep)? else { return None };
        let inner = match takes {
            Constraint::Object(members) => members.get(&name).map_or(&Constraint::Any, |member| &member.takes),
            takes if *takes == UNTYPED => takes,
            takes => element(takes, 0),
        };
        made.insert(name, get(rest, inner, deep)?);
    }
    Some(Datum::Map(made))
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    take(rest, N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let list = |inner| Constraint::List(Box::new(inner));
        let check = |value: Datum, takes: Constraint| {
            assert_eq!(read(&write(&value, &takes), &takes).as_ref(), Some(&value), "{value} as {takes:?}");
        };
        check(Datum::Null, Constraint::Text);
        check(Datum::Unknown(Constraint::Text), Constraint::Text);
        check(Datum::Bool(true), Constraint::Bool);
        check(Datum::text("a".repeat(70_000)), Constraint::Text);
        check(Datum::Number(-3.0), Constraint::Number);
        check(Datum::Number(0.25), Constraint::Number);
        check(Datum::texts(vec!["x"; 20]), list(Constraint::Text));
        check(Datum::set(vec![Datum::text("b"), Datum::text("a")]), Constraint::Set(Box::new(Constraint::Text)));
        check(Datum::map([("k", Datum::Number(1.0))]), Constraint::Map(Box::new(Constraint::Number)));
        check(Datum::List(vec![Datum::text("a"), Datum::Number(2.0), Datum::Null]), Constraint::Any);
        check(Datum::map([("a", Datum::List(vec![Datum::Bool(false)]))]), Constraint::Any);
    }

    #[test]
    fn what_comes_from_outside_may_be_anything() {
        for bytes in [&[0x91_u8; 4000][..], &[0xdd, 0xff, 0xff, 0xff, 0xff], &[0xdb, 0, 0, 1, 0], &[0xc1], &[]] {
            assert_eq!(read(bytes, &Constraint::List(Box::new(Constraint::Any))), None);
        }
    }
}
