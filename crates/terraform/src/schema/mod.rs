//! The typed model of resources: one table that drives validation, planning and the simulated cloud.
//!
//! The tables are text files beside the source, so that a type is added without touching code.

mod read;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::datum::Constraint;
use crate::datum::Datum;

/// Everything the tables hold.
#[derive(Debug, Default)]
pub struct Schema {
    /// Resource types by name.
    pub resources: BTreeMap<String, ResourceType>,
    /// Data sources by name.
    pub data: BTreeMap<String, ResourceType>,
    /// Settings of providers by local name.
    pub providers: BTreeMap<String, BodySchema>,
}

impl Schema {
    /// The tables that ship with the crate. They are constant: read once, the same everywhere.
    pub fn get() -> &'static Schema {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        SCHEMA.get_or_init(|| {
            let mut schema = Schema::default();
            let tables = [
                include_str!("../../schema/aws-network.txt"),
                include_str!("../../schema/aws-compute.txt"),
                include_str!("../../schema/aws-storage.txt"),
                include_str!("../../schema/google.txt"),
                include_str!("../../schema/azure.txt"),
                include_str!("../../schema/other.txt"),
                include_str!("../../schema/providers.txt"),
            ];
            for table in tables {
                read::read(table, &mut schema).expect("the shipped tables are read in tests");
            }
            schema
        })
    }

    /// A resource type or a data source.
    pub fn find(&self, is_data: bool, name: &str) -> Option<&ResourceType> {
        if is_data { self.data.get(name) } else { self.resources.get(name) }
    }
}

/// One type of resource.
#[derive(Debug)]
pub struct ResourceType {
    /// Such as `aws_vpc`.
    pub name: String,
    /// The pattern of its id.
    pub id: String,
    /// Whether it takes `tags`, and the provider's default tags with them.
    pub taggable: bool,
    /// How many the account may hold.
    pub quota: Option<usize>,
    /// What a block of it may hold.
    pub body: BodySchema,
}

/// What may stand between braces.
#[derive(Debug, Default)]
pub struct BodySchema {
    /// `name = value`.
    pub attrs: BTreeMap<String, AttrSchema>,
    /// Nested blocks.
    pub blocks: BTreeMap<String, NestedSchema>,
}

/// One attribute.
#[derive(Debug)]
pub struct AttrSchema {
    /// Its type.
    pub takes: Constraint,
    /// It must be given.
    pub required: bool,
    /// It may be given.
    pub optional: bool,
    /// The cloud fills it where it is not given.
    pub computed: bool,
    /// A change of it replaces the resource.
    pub force_new: bool,
    /// No two resources of the type share it.
    pub unique: bool,
    /// What it is when it is not given.
    pub default: Option<Datum>,
    /// The only values it takes.
    pub one_of: Vec<String>,
    /// A rule for its content, by name.
    pub check: Option<String>,
    /// The least and the largest number.
    pub range: Option<(f64, f64)>,
    /// What the whole text must match.
    pub pattern: Option<regex_lite::Regex>,
    /// An attribute that excludes it.
    pub conflicts: Option<String>,
    /// The object it names.
    pub refers: Option<Refers>,
    /// How the cloud fills it.
    pub is: Option<String>,
}

/// What the value of an attribute must name.
#[derive(Debug, Clone)]
pub struct Refers {
    /// The type of the object.
    pub kind: String,
    /// The attributes by which it may be named.
    pub by: Vec<String>,
    /// Objects that the cloud made by itself are fine too, such as a default security group.
    pub implicit: bool,
    /// Anything else is fine too.
    pub any: bool,
    /// Words that are fine too, such as `local`.
    pub words: Vec<String>,
}

/// One type of nested block.
#[derive(Debug)]
pub struct NestedSchema {
    /// Order does not matter.
    pub is_set: bool,
    /// The least number of them.
    pub least: usize,
    /// The largest number.
    pub most: usize,
    /// The cloud fills it where none is given.
    pub computed: bool,
    /// A change replaces the resource.
    pub force_new: bool,
    /// What each holds.
    pub body: BodySchema,
}
