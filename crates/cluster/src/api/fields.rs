//! Sets of fields, as `managedFields` writes them: who set what.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::json;
use crate::schema::{self, Holds, Merge, Shape};

/// A set of fields as a tree. A step is written as in `fieldsV1`: `f:name`, `k:{"name":"web"}`, `v:"x"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldSet {
    /// Whether the place itself is in the set: a leaf, or a list or map that was made.
    own: bool,
    steps: BTreeMap<String, FieldSet>,
}

/// What a place holds, as far as it matters for who owns it.
#[derive(Clone, Copy)]
pub(super) enum FieldPlace {
    Shape(&'static Shape),
    /// A map of which every entry is owned apart.
    Map,
    Keyed(&'static [String], &'static Shape, bool),
    Set,
    /// Fields of a custom resource: maps are followed, lists are not.
    Open,
    Leaf,
}

impl FieldPlace {
    fn of(field: &'static schema::Field) -> Self {
        match (&field.holds, &field.merge) {
            (_, Merge::Atomic) => Self::Leaf,
            (Holds::Shape(name), _) => Self::Shape(schema::named(name)),
            (Holds::Map(_), _) => Self::Map,
            (Holds::List(item), Merge::Keyed(keys) | Merge::AppliedByKey(keys)) => match &**item {
                Holds::Shape(name) => Self::Keyed(keys, schema::named(name), field.must),
                _ => Self::Leaf,
            },
            (Holds::List(_), Merge::Set) => Self::Set,
            _ => Self::Leaf,
        }
    }

    /// The place one step further.
    pub(super) fn step(self, name: &str) -> Self {
        match self {
            Self::Shape(shape) => shape.fields.get(name).map_or(Self::Leaf, Self::of),
            Self::Open if name == "metadata" => Self::Shape(schema::named("meta.ObjectMeta")),
            Self::Open => Self::Open,
            _ => Self::Leaf,
        }
    }
}

/// Fields that the server sets: they belong to no manager.
const SERVERS: [&str; 11] = [
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
    "clusterName",
];

impl FieldSet {
    /// The fields that are new or different in `new`, and those that are gone from it.
    pub(super) fn difference(old: &Value, new: &Value, root: FieldPlace) -> (FieldSet, FieldSet) {
        let (mut changed, mut gone) = (FieldSet::default(), FieldSet::default());
        compare_fields(old, new, root, &mut changed, &mut gone, 0);
        (changed, gone)
    }

    /// The fields that a manager applies: the values, and the items of keyed lists. Lists and maps around them belong to no
    /// applier, unless they are empty.
    pub(super) fn applied(value: &Value, root: FieldPlace) -> FieldSet {
        let mut all = Self::difference(&Value::Object(Map::new()), value, root).0;
        all.disown_outer(false);
        all
    }

    fn disown_outer(&mut self, is_item: bool) {
        self.own &= is_item || self.steps.is_empty();
        for (step, set) in &mut self.steps {
            set.disown_outer(step.starts_with("k:"));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.own && self.steps.is_empty()
    }

    pub(super) fn add(&mut self, other: &FieldSet) {
        self.own |= other.own;
        for (step, set) in &other.steps {
            self.steps.entry(step.clone()).or_default().add(set);
        }
    }

    pub(super) fn subtract(&mut self, other: &FieldSet) {
        self.own &= !other.own;
        for (step, set) in &other.steps {
            if let Some(own) = self.steps.get_mut(step) {
                own.subtract(set);
                if own.is_empty() {
                    self.steps.remove(step);
                }
            }
        }
    }

    pub(super) fn has(&self, path: &[String]) -> bool {
        let end = path.iter().try_fold(self, |set, step| set.steps.get(step));
        end.is_some_and(|set| set.own)
    }

    /// The paths of all places in the set, outer ones first.
    pub(super) fn paths(&self) -> Vec<Vec<String>> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect(&self, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
        if self.own && !path.is_empty() {
            paths.push(path.clone());
        }
        for (step, set) in &self.steps {
            path.push(step.clone());
            set.collect(path, paths);
            path.pop();
        }
    }

    /// Whether the set has fields below this path.
    pub(super) fn has_below(&self, path: &[String]) -> bool {
        let end = path.iter().try_fold(self, |set, step| set.steps.get(step));
        end.is_some_and(|set| !set.steps.is_empty())
    }

    /// As `fieldsV1`.
    pub(super) fn to_json(&self) -> Value {
        let mut map = Map::new();
        if self.own && !self.steps.is_empty() {
            map.insert(".".into(), Value::Object(Map::new()));
        }
        for (step, set) in &self.steps {
            map.insert(step.clone(), set.to_json());
        }
        Value::Object(map)
    }

    /// From `fieldsV1`.
    pub(super) fn from_json(value: &Value) -> Self {
        Self { own: false, ..Self::node(value) }
    }

    fn node(value: &Value) -> Self {
        let Some(map) = value.as_object() else { return Self::default() };
        let own = map.is_empty() || map.contains_key(".");
        let steps = map.iter().filter(|(step, _)| *step != ".").map(|(step, set)| (step.clone(), Self::node(set)));
        Self { own, steps: steps.collect() }
    }
}

fn compare_fields(
    old: &Value,
    new: &Value,
    place: FieldPlace,
    changed: &mut FieldSet,
    gone: &mut FieldSet,
    depth: usize,
) {
    let names =
        |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let is_meta = matches!(place, FieldPlace::Shape(shape) if shape.name == "ObjectMeta") && depth == 1;
    let mut all = names(old);
    all.extend(names(new).into_iter().filter(|name| old.get(name).is_none()));
    for name in all {
        let skipped = depth == 0 && matches!(name.as_str(), "kind" | "apiVersion");
        if skipped || is_meta && SERVERS.contains(&name.as_str()) {
            continue;
        }
        let step = format!("f:{name}");
        compare(old.get(&name), new.get(&name), place.step(&name), step, changed, gone, depth + 1);
    }
}

fn compare(
    old: Option<&Value>,
    new: Option<&Value>,
    place: FieldPlace,
    step: String,
    changed: &mut FieldSet,
    gone: &mut FieldSet,
    depth: usize,
) {
    let (old, new) = (old.filter(|v| !v.is_null()), new.filter(|v| !v.is_null()));
    if old == new {
        return;
    }
    let (mut inner, mut lost) = (FieldSet::default(), FieldSet::default());
    let nothing = Value::Null;
    let both = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
    let is_map = |value: &Value| value.is_object() || value.is_null();
    match place {
        FieldPlace::Shape(_) | FieldPlace::Open if is_map(both.0) && is_map(both.1) => {
            compare_fields(both.0, both.1, place, &mut inner, &mut lost, depth);
            // A part that was made empty is owned itself.
            inner.own = inner.steps.is_empty() && new.is_some_and(json::is_empty);
            lost.own = new.is_none();
        }
        FieldPlace::Map if is_map(both.0) && is_map(both.1) => {
            compare_fields(both.0, both.1, FieldPlace::Leaf, &mut inner, &mut lost, 2);
            (inner.own, lost.own) = (old.is_none(), new.is_none());
        }
        FieldPlace::Keyed(keys, shape, must) => {
            compare_items(both, |item| key_step(item, keys), FieldPlace::Shape(shape), &mut inner, &mut lost);
            (inner.own, lost.own) = (old.is_none() && !must, new.is_none());
        }
        FieldPlace::Set => {
            compare_items(both, |item| format!("v:{item}"), FieldPlace::Leaf, &mut inner, &mut lost);
            (inner.own, lost.own) = (old.is_none(), new.is_none());
        }
        _ => (inner.own, lost.own) = (new.is_some(), new.is_none()),
    }
    if !inner.is_empty() {
        changed.steps.insert(step.clone(), inner);
    }
    if !lost.is_empty() {
        gone.steps.insert(step, lost);
    }
}

fn compare_items(
    (old, new): (&Value, &Value),
    name: impl Fn(&Value) -> String,
    place: FieldPlace,
    changed: &mut FieldSet,
    gone: &mut FieldSet,
) {
    let by_name = |list: &'_ Value| -> BTreeMap<String, Value> {
        list.as_array().into_iter().flatten().map(|item| (name(item), item.clone())).collect()
    };
    let (old, new) = (by_name(old), by_name(new));
    for (step, item) in &new {
        let before = old.get(step);
        compare(before, Some(item), place, step.clone(), changed, gone, 2);
        if before.is_none() {
            changed.steps.entry(step.clone()).or_default().own = true;
        }
    }
    for (step, item) in old.iter().filter(|(step, _)| !new.contains_key(*step)) {
        compare(Some(item), None, place, step.clone(), changed, gone, 2);
        gone.steps.entry(step.clone()).or_default().own = true;
    }
}

/// The step to an item of a keyed list: its keys as JSON; the protocol is TCP where none is said.
pub(super) fn key_step(item: &Value, keys: &[String]) -> String {
    let mut map = Map::new();
    for key in keys {
        let value = item.get(key).cloned();
        let value = value.or_else(|| (key == "protocol").then(|| "TCP".into()));
        if let Some(value) = value {
            map.insert(key.clone(), value);
        }
    }
    format!("k:{}", Value::Object(map))
}

/// A path as conflicts print it: `.spec.containers[name="web"].image`.
pub(super) fn print(path: &[String]) -> String {
    let step = |step: &String| {
        let (kind, rest) = step.split_at(2);
        match kind {
            "f:" => format!(".{rest}"),
            "v:" => format!("[={rest}]"),
            _ => {
                let keys: Map<String, Value> = serde_json::from_str(rest).unwrap_or_default();
                let pairs: Vec<_> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("[{}]", pairs.join(","))
            }
        }
    };
    path.iter().map(step).collect()
}

/// What stands at a path of steps.
pub(super) fn value_at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| {
        let (kind, rest) = step.split_at(2);
        match kind {
            "f:" => value.get(rest),
            _ => value.as_array()?.iter().find(|item| is_item(item, kind, rest)),
        }
    })
}

/// Takes away what stands at a path of steps.
pub(super) fn remove_at(value: &mut Value, path: &[String]) {
    let Some((last, parents)) = path.split_last() else { return };
    let parent = parents.iter().try_fold(value, |value, step| {
        let (kind, rest) = step.split_at(2);
        match kind {
            "f:" => value.get_mut(rest),
            _ => value.as_array_mut()?.iter_mut().find(|item| is_item(item, kind, rest)),
        }
    });
    let (kind, rest) = last.split_at(2);
    match parent {
        Some(Value::Object(map)) => {
            map.remove(rest);
        }
        Some(Value::Array(list)) => list.retain(|item| !is_item(item, kind, rest)),
        _ => {}
    }
}

fn is_item(item: &Value, kind: &str, rest: &str) -> bool {
    if kind == "v:" {
        return serde_json::from_str::<Value>(rest).is_ok_and(|value| value == *item);
    }
    let keys: Map<String, Value> = serde_json::from_str(rest).unwrap_or_default();
    let same = |key: &String, value: &Value| match item.get(key) {
        Some(own) => own == value,
        None => key == "protocol" && value == "TCP",
    };
    keys.iter().all(|(key, value)| same(key, value))
}
