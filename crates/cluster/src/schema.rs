//! The fields that built-in kinds have: what a body may hold, how lists are merged, what `explain` tells.
//!
//! The tables are in `schema/*.txt`: a type per paragraph, a field per `;`. A field is a name, a type (`str` if none is
//! named), and notes: `key=a,b` merges a list by these keys, `map=a` does so for server-side apply alone, `set` is a list
//! of unique values, `retain` drops the siblings that a patch does not name, `atomic` is owned as a whole, `must` is
//! always there.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A type: its fields by name.
#[derive(Debug)]
pub struct Shape {
    /// `core`, `apps`: the part of the tables that it stands in.
    pub section: String,
    /// `PodSpec`.
    pub name: String,
    /// The package of the OpenAPI document: `io.k8s.api.core.v1`.
    pub package: String,
    /// The fields, by name.
    pub fields: BTreeMap<String, Field>,
}

/// A field of a type.
#[derive(Debug)]
pub struct Field {
    /// What it holds.
    pub holds: Holds,
    /// How a list or a map is merged and owned.
    pub merge: Merge,
    /// A strategic patch drops what it does not name beside what it sets.
    pub retain: bool,
    /// Always there, so OpenAPI calls it required.
    pub must: bool,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Text.
    Text,
    /// A whole number.
    Int,
    /// True or false.
    Bool,
    /// Base64.
    Bytes,
    /// `100m`, `64Mi`.
    Quantity,
    /// An instant in seconds.
    Time,
    /// An instant in microseconds.
    MicroTime,
    /// A number or a text.
    IntOrString,
    /// Anything.
    Raw,
    /// A value of a type, by its full name.
    Shape(String),
    /// A list.
    List(Box<Holds>),
    /// A map from text.
    Map(Box<Holds>),
}

/// How a list or a map is merged and owned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// Lists are replaced, maps are merged.
    #[default]
    Plain,
    /// A list merged by keys, by patches (with the first of them) and by apply.
    Keyed(Vec<String>),
    /// A list merged by keys by apply alone.
    AppliedByKey(Vec<String>),
    /// A list of unique values.
    Set,
    /// Owned and replaced as a whole.
    Atomic,
}

const TABLES: [&str; 4] = [
    include_str!("../schema/meta.txt"),
    include_str!("../schema/core.txt"),
    include_str!("../schema/workloads.txt"),
    include_str!("../schema/groups.txt"),
];

/// All types by full name, such as `core.PodSpec`.
static SHAPES: LazyLock<BTreeMap<String, Shape>> = LazyLock::new(|| {
    let mut shapes = BTreeMap::new();
    for table in TABLES {
        read(table, &mut shapes);
    }
    shapes
});

/// A type by its full name.
///
/// # Panics
/// If the tables name a type that they do not have; a test looks at all of them.
pub fn named(full: &str) -> &'static Shape {
    SHAPES.get(full).unwrap_or_else(|| panic!("`{full}` is in the tables of types"))
}

/// All types, by full name.
#[cfg(test)]
pub fn all() -> impl Iterator<Item = (&'static String, &'static Shape)> {
    SHAPES.iter()
}

/// The type of a kind.
pub fn shape(group: &str, version: &str, kind: &str) -> Option<&'static Shape> {
    Some(named(&format!("{}.{kind}", section(group, version)?)))
}

fn section<'a>(group: &'a str, version: &str) -> Option<&'a str> {
    match (group, version) {
        ("", _) => Some("core"),
        ("autoscaling", "v1") => Some("autoscalingv1"),
        ("metrics.k8s.io", _) => None,
        (group, _) => group.split('.').next(),
    }
}

/// The type of a kind as bodies name it; options of calls go under the version of any group.
pub fn of_kind(api_version: &str, kind: &str) -> Option<&'static Shape> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let own = section(group, version).and_then(|section| SHAPES.get(&format!("{section}.{kind}")));
    own.or_else(|| SHAPES.get(&format!("meta.{kind}")))
}

impl Shape {
    /// `core.PodSpec`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The name in the OpenAPI document.
    pub fn open_api_name(&self) -> String {
        format!("{}.{}", self.package, self.name)
    }

    /// As Go names it in error messages: `v1.Container`.
    pub fn go_name(&self) -> String {
        format!("{}.{}", self.package.rsplit('.').next().unwrap_or_default(), self.name)
    }
}

fn read(table: &str, shapes: &mut BTreeMap<String, Shape>) {
    let (mut package, mut section, mut current) = (String::new(), String::new(), String::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix("package ") {
            let mut words = rest.split(' ');
            package = words.next().unwrap_or_default().into();
            let default = package.rsplit('.').nth(1).unwrap_or_default();
            section = words.next().unwrap_or(default).into();
        } else if let Some(fields) = line.strip_prefix("  ") {
            let shape: &mut Shape = shapes.get_mut(&current).expect("a type's name stands before its fields");
            shape.fields.extend(fields.split(';').map(|text| field(text.trim(), &section)));
        } else {
            current = format!("{section}.{line}");
            let shape = Shape {
                section: section.clone(),
                name: line.into(),
                package: package.clone(),
                fields: BTreeMap::new(),
            };
            assert!(shapes.insert(current.clone(), shape).is_none(), "`{current}` stands twice in the tables");
        }
    }
}

fn field(text: &str, section: &str) -> (String, Field) {
    let mut words = text.split(' ');
    let name = words.next().unwrap_or_default().to_string();
    let mut field = Field { holds: Holds::Text, merge: Merge::Plain, retain: false, must: false };
    for word in words {
        let keys = |list: &str| list.split(',').map(Into::into).collect();
        match word.split_once('=') {
            Some(("key", list)) => field.merge = Merge::Keyed(keys(list)),
            Some(("map", list)) => field.merge = Merge::AppliedByKey(keys(list)),
            _ => match word {
                "set" => field.merge = Merge::Set,
                "atomic" => field.merge = Merge::Atomic,
                "retain" => field.retain = true,
                "must" => field.must = true,
                holds => field.holds = self::holds(holds, section),
            },
        }
    }
    (name, field)
}

fn holds(word: &str, section: &str) -> Holds {
    let inside = |open, close| word.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    if let Some(item) = inside('[', ']') {
        return Holds::List(Box::new(holds(item, section)));
    }
    if let Some(item) = inside('{', '}') {
        return Holds::Map(Box::new(holds(item, section)));
    }
    match word {
        "str" => Holds::Text,
        "int" => Holds::Int,
        "bool" => Holds::Bool,
        "bytes" => Holds::Bytes,
        "qty" => Holds::Quantity,
        "time" => Holds::Time,
        "micro" => Holds::MicroTime,
        "intstr" => Holds::IntOrString,
        "raw" => Holds::Raw,
        other if other.contains('.') => Holds::Shape(other.into()),
        other => Holds::Shape(format!("{section}.{other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named_by(holds: &Holds) -> Option<&String> {
        match holds {
            Holds::Shape(name) => Some(name),
            Holds::List(item) | Holds::Map(item) => named_by(item),
            _ => None,
        }
    }

    #[test]
    fn every_named_type_is_there() {
        for (full, shape) in all() {
            assert!(!shape.fields.is_empty(), "{full} has fields");
            for (name, field) in &shape.fields {
                assert!(!name.is_empty() && name.is_ascii(), "{full} has a field without a name");
                if let Some(other) = named_by(&field.holds) {
                    assert!(SHAPES.contains_key(other), "{full}.{name} holds {other}, which is nowhere");
                }
            }
        }
    }

    #[test]
    fn every_kind_has_its_type() {
        for resource in crate::resource::BUILT_IN.iter().filter(|r| r.group != "metrics.k8s.io") {
            let shape = resource.shape.expect("a type");
            assert_eq!(shape.name, resource.kind);
            assert!(shape.fields.contains_key("metadata"), "{} has metadata", shape.name);
        }
    }
}
