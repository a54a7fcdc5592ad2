//! Functions of lists and maps.

use std::collections::BTreeMap;

use super::Unknowns::{Deep, Own, Shallow};
use super::{EvalHost, Function, Gives, MANY, count, entries, items, text, whole};
use crate::datum::Constraint;
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("length", 1, 1, Shallow, Gives::Number, length),
    Function("keys", 1, 1, Shallow, Gives::List, |a, _| Ok(Datum::texts(entries(&a[0])?.keys().cloned()))),
    Function("values", 1, 1, Shallow, Gives::List, |a, _| Ok(Datum::List(entries(&a[0])?.values().cloned().collect()))),
    Function("lookup", 2, 3, Shallow, Gives::Any, |a, _| {
        let found = entries(&a[0])?.get(&text(&a[1])?).or(a.get(2));
        found.cloned().ok_or_else(|| format!("lookup failed to find key {}", a[1]))
    }),
    Function("element", 2, 2, Shallow, Gives::Any, |a, _| {
        let (list, index) = (items(&a[0])?, whole(&a[1])?);
        let size = i64::try_from(list.len()).unwrap_or(i64::MAX);
        if size == 0 {
            return Err("cannot use element function with an empty list".to_owned());
        }
        Ok(list[usize::try_from(index.rem_euclid(size)).unwrap_or(0)].clone())
    }),
    Function("index", 2, 2, Deep, Gives::Number, |a, _| {
        let place = items(&a[0])?.iter().position(|item| item.same(&a[1]));
        place.map(count).ok_or_else(|| "item not found".to_owned())
    }),
    Function("contains", 2, 2, Deep, Gives::Bool, |a, _| {
        Ok(Datum::Bool(items(&a[0])?.iter().any(|item| item.same(&a[1]))))
    }),
    Function("concat", 1, MANY, Shallow, Gives::List, |a, _| {
        let lists = a.iter().map(items).collect::<Result<Vec<_>, _>>()?;
        Ok(Datum::List(lists.concat()))
    }),
    Function("merge", 0, MANY, Shallow, Gives::Map, |a, _| {
        let mut made = BTreeMap::new();
        for map in a.iter().filter(|m| !m.is_null()) {
            made.extend(entries(map)?.clone());
        }
        Ok(Datum::Map(made))
    }),
    Function("flatten", 1, 1, Shallow, Gives::List, |a, _| {
        items(&a[0])?;
        let mut made = Vec::new();
        Ok(if flatten(&a[0], &mut made) { Datum::List(made) } else { Gives::List.unknown() })
    }),
    Function("distinct", 1, 1, Deep, Gives::List, |a, _| {
        let mut made: Vec<Datum> = Vec::new();
        for item in items(&a[0])? {
            if made.len() > 4096 {
                return Err("the list is too long".to_owned());
            }
            if !made.iter().any(|m| m.same(item)) {
                made.push(item.clone());
            }
        }
        Ok(Datum::List(made))
    }),
    Function("compact", 1, 1, Deep, Gives::List, |a, _| {
        let keep = |item: &&Datum| !item.is_null() && item.as_text() != Some("");
        Ok(Datum::List(items(&a[0])?.iter().filter(keep).cloned().collect()))
    }),
    Function("slice", 3, 3, Shallow, Gives::List, |a, _| {
        let (from, to) = (usize::try_from(whole(&a[1])?), usize::try_from(whole(&a[2])?));
        let range = from.unwrap_or(usize::MAX)..to.unwrap_or(usize::MAX);
        let bad = || "the indexes must stand in order, within the list".to_owned();
        items(&a[0])?.get(range).map(|part| Datum::List(part.to_vec())).ok_or_else(bad)
    }),
    Function("chunklist", 2, 2, Shallow, Gives::List, |a, _| {
        let size = usize::try_from(whole(&a[1])?).ok().filter(|s| *s > 0).ok_or("the size must be positive")?;
        Ok(Datum::List(items(&a[0])?.chunks(size).map(|c| Datum::List(c.to_vec())).collect()))
    }),
    Function("reverse", 1, 1, Shallow, Gives::List, |a, _| {
        Ok(Datum::List(items(&a[0])?.iter().rev().cloned().collect()))
    }),
    Function("sort", 1, 1, Deep, Gives::List, |a, _| {
        let mut texts = items(&a[0])?.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        texts.sort();
        Ok(Datum::texts(texts))
    }),
    Function("range", 1, 3, Deep, Gives::List, range),
    Function("zipmap", 2, 2, Shallow, Gives::Map, |a, _| {
        let (keys, values) = (items(&a[0])?, items(&a[1])?);
        if keys.len() != values.len() {
            return Err(format!("number of keys ({}) does not match number of values ({})", keys.len(), values.len()));
        }
        if keys.iter().any(Datum::is_unknown) {
            return Ok(Gives::Map.unknown());
        }
        let pairs = keys.iter().zip(values).map(|(k, v)| Ok((text(k)?, v.clone())));
        Ok(Datum::Map(pairs.collect::<Result<_, String>>()?))
    }),
    Function("matchkeys", 3, 3, Deep, Gives::List, |a, _| {
        let (values, keys, wanted) = (items(&a[0])?, items(&a[1])?, items(&a[2])?);
        if values.len() != keys.len() {
            return Err("length of keys and values should be equal".to_owned());
        }
        let chosen = values.iter().zip(keys).filter(|(_, k)| wanted.iter().any(|w| w.same(k)));
        Ok(Datum::List(chosen.map(|(v, _)| v.clone()).collect()))
    }),
    Function("transpose", 1, 1, Deep, Gives::Map, |a, _| {
        let mut made: BTreeMap<String, Vec<Datum>> = BTreeMap::new();
        for (key, list) in entries(&a[0])? {
            for item in items(list)? {
                made.entry(text(item)?).or_default().push(Datum::text(key.clone()));
            }
        }
        Ok(Datum::map(made.into_iter().map(|(k, v)| (k, Datum::List(v)))))
    }),
    Function("coalesce", 1, MANY, Own, Gives::Any, |a, _| {
        for value in a {
            if value.is_unknown() {
                return Ok(Datum::unknown());
            }
            if !value.is_null() && value.as_text() != Some("") {
                return Ok(value.clone());
            }
        }
        Err("no non-null, non-empty-string arguments".to_owned())
    }),
    Function("coalescelist", 1, MANY, Shallow, Gives::List, |a, _| {
        let found = a.iter().find(|l| l.as_items().is_some_and(|l| !l.is_empty()));
        found.cloned().ok_or_else(|| "no non-null arguments".to_owned())
    }),
    Function("one", 1, 1, Shallow, Gives::Any, |a, _| match items(&a[0])? {
        [] => Ok(Datum::Null),
        [only] => Ok(only.clone()),
        _ => Err("must be a list, set, or tuple value with either zero or one elements".to_owned()),
    }),
    Function("alltrue", 1, 1, Own, Gives::Bool, |a, _| truth(&a[0], false)),
    Function("anytrue", 1, 1, Own, Gives::Bool, |a, _| truth(&a[0], true)),
];

fn length(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    match &args[0] {
        Datum::List(items) => Ok(count(items.len())),
        Datum::Set(items) if items.iter().any(Datum::has_unknown) => Ok(Gives::Number.unknown()),
        Datum::Set(items) => Ok(count(items.len())),
        Datum::Map(entries) => Ok(count(entries.len())),
        Datum::Text(text) => Ok(count(text.chars().count())),
        _ => Err("argument must be a string, a collection type, or a structural type".to_owned()),
    }
}

/// Appends all elements that are no lists; says whether every list was known.
fn flatten(value: &Datum, made: &mut Vec<Datum>) -> bool {
    match value {
        Datum::List(items) | Datum::Set(items) => items.iter().all(|item| flatten(item, made)),
        Datum::Unknown(Constraint::Text | Constraint::Number | Constraint::Bool) => {
            made.push(value.clone());
            true
        }
        Datum::Unknown(_) => false,
        other => {
            made.push(other.clone());
            true
        }
    }
}

fn range(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let numbers = args.iter().map(super::number).collect::<Result<Vec<_>, _>>()?;
    let (start, end) = if numbers.len() == 1 { (0.0, numbers[0]) } else { (numbers[0], numbers[1]) };
    let step = numbers.get(2).copied().unwrap_or(if end < start { -1.0 } else { 1.0 });
    if step == 0.0 || (end - start) * step < 0.0 {
        return if start == end {
            Ok(Datum::List(Vec::new()))
        } else {
            Err("step must lead from start to end".to_owned())
        };
    }
    let mut made = Vec::new();
    let mut at = start;
    while if step > 0.0 { at < end } else { at > end } {
        if made.len() >= 1024 {
            return Err("more than 1024 values were generated; either decrease the difference between start and end or use a smaller step".to_owned());
        }
        made.push(Datum::Number(at));
        at += step;
    }
    Ok(Datum::List(made))
}

/// Whether any or all elements are true; a decisive known element decides despite unknown ones.
fn truth(list: &Datum, any: bool) -> Result<Datum, String> {
    if list.is_unknown() {
        return Ok(Gives::Bool.unknown());
    }
    let mut unknown = false;
    for item in items(list)? {
        match Constraint::Bool.convert(item.clone()) {
            Ok(Datum::Bool(value)) if value == any => return Ok(Datum::Bool(any)),
            Ok(Datum::Bool(_)) => {}
            Ok(Datum::Unknown(_)) => unknown = true,
            Ok(_) if !any => return Ok(Datum::Bool(false)),
            Ok(_) => {}
            Err(why) => return Err(why),
        }
    }
    Ok(if unknown { Gives::Bool.unknown() } else { Datum::Bool(!any) })
}
