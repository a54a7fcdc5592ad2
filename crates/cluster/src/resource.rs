//! The kinds that the API serves: names, verbs, subresources and printed columns.

mod custom;
mod table;

use std::sync::{Arc, LazyLock};

use crate::schema::Shape;
pub use custom::CustomKind;
pub(crate) use custom::resources as resources_of;

/// A resource of one group and version, as discovery tells it.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Empty for the core group.
    pub group: String,
    /// `v1`, `v2`, ...
    pub version: String,
    /// `Deployment`.
    pub kind: String,
    /// `deployments`.
    pub plural: String,
    /// `deployment`.
    pub singular: String,
    /// `deploy`.
    pub short_names: Vec<String>,
    /// `all`, `api-extensions`.
    pub categories: Vec<String>,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether `metadata.generation` counts changes of what is wanted.
    pub counts_generations: bool,
    /// What may be done with it, as discovery words it.
    pub verbs: Vec<&'static str>,
    /// `status`, `scale`, `log`, ...
    pub subresources: Vec<Subresource>,
    /// What tables show, `Name` first.
    pub columns: Vec<PrintColumn>,
    /// The fields that its objects may have; custom resources bring their own schema.
    pub shape: Option<&'static Shape>,
    /// The definition behind a custom resource.
    pub custom: Option<CustomKind>,
    /// Where its objects are stored: two versions of one thing share a place.
    pub storage: Arc<str>,
}

/// A part of an object with a path of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// `scale`.
    pub name: String,
    /// Group, version and kind of what it answers; empty group and version mean those of its parent.
    pub answers: (String, String, String),
    /// What may be done with it.
    pub verbs: Vec<&'static str>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintColumn {
    /// `Ready`.
    pub name: String,
    /// `string`, `integer`, `boolean`, `date`, ...
    pub r#type: String,
    /// `name` for the column that holds the name.
    pub format: String,
    /// Said by custom resources, else a sentence of ours.
    pub description: String,
    /// 0 is always shown, 1 with `-o wide`.
    pub priority: i64,
    /// For custom resources: where the cell is found.
    pub path: String,
}

impl Resource {
    /// `v1` or `apps/v1`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// `pods` or `deployments.apps`: how errors name it.
    pub fn group_resource(&self) -> String {
        qualified(&self.plural, &self.group)
    }

    /// `Pod` or `Deployment.apps`: how validation errors name it.
    pub fn group_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }

    /// Whether a verb is offered.
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.contains(&verb)
    }

    /// A subresource by name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// Whether status is written on its own path.
    pub fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Whether objects are stored; reviews are only answered.
    pub fn is_stored(&self) -> bool {
        self.allows("list") && self.group != "metrics.k8s.io" && self.plural != "componentstatuses"
    }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_string() } else { format!("{name}.{group}") }
}

/// The kinds that every cluster has, in the order of discovery.
pub static BUILT_IN: LazyLock<Vec<Arc<Resource>>> = LazyLock::new(table::read);

/// The kinds of one cluster: those that every cluster has, and its custom resources.
#[derive(Clone, Debug, Default)]
pub struct ResourceTypes {
    custom: Vec<Arc<Resource>>,
}

impl ResourceTypes {
    /// All kinds in the order of discovery.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Resource>> {
        let (before, after) = BUILT_IN.split_at(BUILT_IN.len() - 2);
        before.iter().chain(&self.custom).chain(after)
    }

    /// The resource at a path.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.all().find(|r| r.plural == plural && r.group == group && r.version == version)
    }

    /// The resource of a kind, as owner references and manifests name it.
    pub fn kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.all().find(|r| r.kind == kind && r.group == group && r.version == version && group != "metrics.k8s.io")
    }

    /// The resource whose objects are stored at this place, in its preferred version.
    pub fn stored(&self, storage: &str) -> Option<&Arc<Resource>> {
        self.all().find(|r| &*r.storage == storage)
    }

    /// Whether any kind belongs to the group and version.
    pub fn serves(&self, group: &str, version: &str) -> bool {
        self.all().any(|r| r.group == group && r.version == version)
    }

    /// Replaces the custom resources.
    pub(crate) fn set_custom(&mut self, custom: Vec<Arc<Resource>>) {
        self.custom = custom;
    }
}

/// A kind that every cluster has, by the place of its objects.
///
/// # Panics
/// If no such kind is in the table: only a misspelt name in the code can do that.
pub fn built_in(storage: &str) -> &'static Arc<Resource> {
    BUILT_IN.iter().find(|r| &*r.storage == storage).unwrap_or_else(|| panic!("`{storage}` is in the table of kinds"))
}
