//! Protobuf bodies: what kubectl sends for `create`, `autoscale`, `auth` and others.
//!
//! A body is the mark `k8s\0` and an envelope with version, kind and the object's bytes. The tables of types say what a
//! field holds, `schema/numbers.txt` under which number it is written; the result is the JSON that the client would have
//! sent instead.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::schema::{self, Holds, Shape};
use crate::time::Stamp;
use crate::{base64, quantity};

/// What every body begins with.
const MARK: &[u8] = b"k8s\0";
/// Bodies are not nested deeper than this.
const DEEPEST: usize = 64;

/// The object of a body, with its version and kind; nothing if the bytes are no such thing.
pub(super) fn read(body: &[u8]) -> Option<Value> {
    let envelope = body.strip_prefix(MARK)?;
    let (mut version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Fields(envelope) {
        match field? {
            (1, Wire::Bytes(bytes)) => {
                for field in Fields(bytes) {
                    match field? {
                        (1, Wire::Bytes(text)) => version = String::from_utf8(text.to_vec()).ok()?,
                        (2, Wire::Bytes(text)) => kind = String::from_utf8(text.to_vec()).ok()?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let shape = schema::of_kind(&version, &kind)?;
    let mut object = message(raw, shape, 0)?;
    object.insert("apiVersion".into(), version.into());
    object.insert("kind".into(), kind.into());
    Some(object.into())
}

/// A field as it is written.
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in the order in which they are written; nothing where the bytes break off.
struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Option<(u32, Wire<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let tag = self.number()?;
        let wire = match tag & 7 {
            0 => Wire::Number(self.number()?),
            1 => Wire::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((u32::try_from(tag >> 3).ok()?, wire))
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for at in 0..10 {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 127) << (7 * at);
            if byte & 128 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

/// What stands under a number.
enum Slot {
    /// A field of the type, and whether a zero is told.
    Field(&'static str, bool),
    /// A message whose fields belong to the type itself.
    Inline(BTreeMap<u32, Slot>),
}

static NUMBERS: LazyLock<BTreeMap<&'static str, BTreeMap<u32, Slot>>> = LazyLock::new(|| {
    let lines = include_str!("../../../schema/numbers.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut words = line.split(' ');
            let mut slots = BTreeMap::new();
            let name = words.next()?;
            for (field, number) in words.filter_map(|word| word.split_once('=')) {
                let told = number.ends_with('*');
                let path = number.trim_end_matches('*').split('.').filter_map(|n| n.parse().ok()).collect::<Vec<u32>>();
                place(&mut slots, &path, Slot::Field(field, told));
            }
            Some((name, slots))
        })
        .collect()
});

fn place(slots: &mut BTreeMap<u32, Slot>, path: &[u32], slot: Slot) {
    match path {
        [] => {}
        [last] => drop(slots.insert(*last, slot)),
        [first, rest @ ..] => {
            if let Slot::Inline(inner) = slots.entry(*first).or_insert(Slot::Inline(BTreeMap::new())) {
                place(inner, rest, slot);
            }
        }
    }
}

fn message(bytes: &[u8], shape: &'static Shape, depth: usize) -> Option<Map<String, Value>> {
    let mut object = Map::new();
    if let Some(slots) = NUMBERS.get(shape.full_name().as_str()) {
        fill(&mut object, bytes, shape, slots, depth)?;
    }
    Some(object)
}

fn fill(
    object: &mut Map<String, Value>,
    bytes: &[u8],
    shape: &'static Shape,
    slots: &BTreeMap<u32, Slot>,
    depth: usize,
) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    for field in Fields(bytes) {
        let (number, wire) = field?;
        match (slots.get(&number), wire) {
            (Some(Slot::Inline(inner)), Wire::Bytes(bytes)) => fill(object, bytes, shape, inner, depth + 1)?,
            (Some(Slot::Field(name, told)), wire) => {
                let Some(field) = shape.fields.get(*name) else { continue };
                add(object, name, &field.holds, wire, *told, depth)?;
            }
            // What we have no name for is nothing that we would keep.
            _ => {}
        }
    }
    Some(())
}

fn add(
    object: &mut Map<String, Value>,
    name: &str,
    holds: &'static Holds,
    wire: Wire<'_>,
    told: bool,
    depth: usize,
) -> Option<()> {
    match holds {
        Holds::List(item) => {
            let list = object.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Some(value) = one(item, &wire, depth)? {
                list.as_array_mut()?.push(value);
            }
        }
        Holds::Map(item) => {
            let Wire::Bytes(entry) = wire else { return None };
            let (mut key, mut value) = (String::new(), default(item));
            for field in Fields(entry) {
                match field? {
                    (1, Wire::Bytes(text)) => key = String::from_utf8(text.to_vec()).ok()?,
                    (2, wire) => value = one(item, &wire, depth)?.unwrap_or_else(|| default(item)),
                    _ => {}
                }
            }
            let map = object.entry(name).or_insert_with(|| Value::Object(Map::new()));
            map.as_object_mut()?.insert(key, value);
        }
        holds => {
            let value = one(holds, &wire, depth)?;
            if let Some(value) = value.filter(|value| told || !is_zero(value)) {
                object.insert(name.into(), value);
            }
        }
    }
    Some(())
}

/// One value; the inner nothing is a value that JSON would not write.
fn one(holds: &'static Holds, wire: &Wire<'_>, depth: usize) -> Option<Option<Value>> {
    let value = match (holds, wire) {
        (Holds::Int, Wire::Number(number)) => (*number as i64).into(),
        (Holds::Bool, Wire::Number(number)) => (*number != 0).into(),
        (Holds::Text, Wire::Bytes(text)) => String::from_utf8(text.to_vec()).ok()?.into(),
        (Holds::Bytes, Wire::Bytes(bytes)) => base64::encode(bytes).into(),
        (Holds::Quantity, Wire::Bytes(bytes)) => {
            let text = texts(bytes, 1)?;
            quantity::canonical(&text).unwrap_or(text).into()
        }
        (Holds::Time | Holds::MicroTime, Wire::Bytes(bytes)) => return time(holds, bytes),
        (Holds::IntOrString, Wire::Bytes(bytes)) => match (numbers(bytes, 1)?, numbers(bytes, 2)?, texts(bytes, 3)?) {
            (1, _, text) => text.into(),
            (_, number, _) => number.into(),
        },
        (Holds::Shape(name), Wire::Bytes(bytes)) => message(bytes, schema::named(name), depth + 1)?.into(),
        (Holds::Raw, Wire::Bytes(bytes)) => return Some(raw(bytes)),
        _ => return None,
    };
    Some(Some(value))
}

fn time(holds: &Holds, bytes: &[u8]) -> Option<Option<Value>> {
    let (seconds, nanos) = (numbers(bytes, 1)?, numbers(bytes, 2)?);
    if seconds == 0 && nanos == 0 {
        return Some(None);
    }
    // The years that can be written.
    if !(-62_135_596_800..253_402_300_800).contains(&seconds) {
        return None;
    }
    let stamp = Stamp(seconds * 1_000_000 + nanos / 1000);
    let text = if *holds == Holds::MicroTime { stamp.rfc3339_micro() } else { stamp.rfc3339() };
    Some(Some(text.into()))
}

/// Something of any shape travels as JSON inside a message.
fn raw(bytes: &[u8]) -> Option<Value> {
    let inner = Fields(bytes).flatten().find_map(|(number, wire)| match wire {
        Wire::Bytes(inner) if number == 1 => Some(inner),
        _ => None,
    });
    serde_json::from_slice(inner?).ok()
}

fn numbers(bytes: &[u8], wanted: u32) -> Option<i64> {
    let mut found = 0;
    for field in Fields(bytes) {
        if let (number, Wire::Number(value)) = field?
            && number == wanted
        {
            found = value as i64;
        }
    }
    Some(found)
}

fn texts(bytes: &[u8], wanted: u32) -> Option<String> {
    let mut found = String::new();
    for field in Fields(bytes) {
        if let (number, Wire::Bytes(text)) = field?
            && number == wanted
        {
            found = String::from_utf8(text.to_vec()).ok()?;
        }
    }
    Some(found)
}

fn default(holds: &Holds) -> Value {
    match holds {
        Holds::Int => 0.into(),
        Holds::Bool => false.into(),
        Holds::Shape(_) | Holds::Map(_) | Holds::Raw => Value::Object(Map::new()),
        Holds::List(_) => Value::Array(Vec::new()),
        _ => "".into(),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2, u8::try_from(bytes.len()).expect("a short field")];
        out.extend(bytes);
        out
    }

    fn body(version: &str, kind: &str, object: &[u8]) -> Vec<u8> {
        let about = [field(1, version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MARK.to_vec(), field(1, &about), field(2, object)].concat()
    }

    #[test]
    fn an_object_is_the_json_that_it_stands_for() {
        let metadata = [field(1, b"web"), field(3, b""), vec![7 << 3, 0]].concat();
        let entry = [field(1, b"a"), field(2, b"1")].concat();
        let object = [field(1, &metadata), field(2, &entry)].concat();
        let read = read(&body("v1", "ConfigMap", &object)).expect("a body");
        let expect = serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "data": {"a": "1"},
        });
        assert_eq!(read, expect);
    }

    #[test]
    fn zeros_are_told_where_they_mean_something() {
        let spec = [vec![1 << 3, 0], vec![5 << 3, 0]].concat();
        let read = read(&body("apps/v1", "Deployment", &field(2, &spec))).expect("a body");
        assert_eq!(read["spec"], serde_json::json!({"replicas": 0}));
    }

    #[test]
    fn what_is_broken_is_refused() {
        let whole = body("v1", "ConfigMap", &field(1, &field(1, b"web")));
        assert!(read(&whole).is_some());
        for length in 1..whole.len() {
            assert!(read(&whole[..whole.len() - length]).is_none() || length > 8, "{length} bytes short");
        }
        assert!(read(b"k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").is_none());
        assert!(read(&body("v1", "NoSuchKind", b"")).is_none());
    }

    #[test]
    fn every_number_belongs_to_a_field_that_the_tables_have() {
        fn check(name: &str, shape: &Shape, slots: &BTreeMap<u32, Slot>) {
            for slot in slots.values() {
                match slot {
                    Slot::Field(field, _) => assert!(shape.fields.contains_key(*field), "{name}.{field}"),
                    Slot::Inline(inner) => check(name, shape, inner),
                }
            }
        }
        for (name, slots) in NUMBERS.iter() {
            check(name, schema::named(name), slots);
        }
        assert!(NUMBERS.len() > 100);
    }
}
