//! Which resources the server has, and which of them a word means.

use std::sync::Arc;

use serde_json::Value;

use crate::json;
use crate::url::encoded;

/// A resource as the server tells of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) verbs: Vec<String>,
    pub(crate) is_namespaced: bool,
    pub(crate) subresources: Vec<String>,
}

/// All resources, in the server's order: groups, and in each its preferred version first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Discovery {
    pub(crate) kinds: Vec<Arc<Kind>>,
    /// `v1`, `apps/v1`, in the server's order.
    pub(crate) versions: Vec<String>,
}

impl Kind {
    /// `apps/v1`.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// `deployments.apps`.
    pub(crate) fn group_resource(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// `deployment.apps`: as objects are named in what is printed.
    pub(crate) fn shown(&self) -> String {
        let kind = self.kind.to_lowercase();
        if self.group.is_empty() { kind } else { format!("{kind}.{}", self.group) }
    }

    /// The path of all of them, in a namespace or everywhere.
    pub(crate) fn path(&self, namespace: &str) -> String {
        let root = match self.group.is_empty() {
            true => format!("/api/{}", self.version),
            false => format!("/apis/{}/{}", self.group, self.version),
        };
        match self.is_namespaced && !namespace.is_empty() {
            true => format!("{root}/namespaces/{}/{}", encoded(namespace), self.plural),
            false => format!("{root}/{}", self.plural),
        }
    }

    /// The path of one of them.
    pub(crate) fn object_path(&self, namespace: &str, name: &str) -> String {
        format!("{}/{}", self.path(namespace), encoded(name))
    }

    pub(crate) fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }
}

impl Discovery {
    /// Reads the two aggregated documents.
    pub(crate) fn read(core: &Value, groups: &Value) -> Self {
        let mut discovery = Self::default();
        for group in json::list(core, "items").iter().chain(json::list(groups, "items")) {
            let name = json::text(group, "metadata.name");
            for version in json::list(group, "versions") {
                let number = json::text(version, "version");
                discovery.versions.push(if name.is_empty() { number.into() } else { format!("{name}/{number}") });
                let kinds = json::list(version, "resources").iter().map(|resource| kind(name, number, resource));
                discovery.kinds.extend(kinds.map(Arc::new));
            }
        }
        discovery
    }

    /// The resource that a word means: `pods`, `po`, `pod`, `deployments.apps`, `deployments.v1.apps`.
    pub(crate) fn find(&self, word: &str) -> Option<Arc<Kind>> {
        let word = word.to_lowercase();
        let (name, rest) = word.split_once('.').map_or((&*word, None), |(name, rest)| (name, Some(rest)));
        let by_name = |kind: &&Arc<Kind>| {
            kind.plural == name
                || (!kind.singular.is_empty() && kind.singular == name)
                || kind.kind.to_lowercase() == name
        };
        let by_short = |kind: &&Arc<Kind>| kind.short_names.iter().any(|short| short == name);
        let in_group = |kind: &&Arc<Kind>| match rest {
            None => true,
            Some(rest) => {
                kind.group == rest
                    || rest.split_once('.').is_some_and(|(version, group)| kind.version == version && kind.group == group)
                    || (kind.group.is_empty() && rest == kind.version)
                    // A group may be shortened to its beginning.
                    || (!rest.contains('/') && kind.group.starts_with(&format!("{rest}.")))
            }
        };
        let found = self.kinds.iter().filter(in_group).find(by_short);
        found.or_else(|| self.kinds.iter().filter(in_group).find(by_name)).cloned()
    }

    /// The resource of a manifest.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<Arc<Kind>> {
        self.kinds.iter().find(|known| known.kind == kind && known.api_version() == api_version).cloned()
    }

    /// The resources of a category, such as `all`.
    pub(crate) fn category(&self, name: &str) -> Vec<Arc<Kind>> {
        let mut found: Vec<Arc<Kind>> = Vec::new();
        for kind in self.kinds.iter().filter(|kind| kind.categories.iter().any(|known| known == name)) {
            if !found.iter().any(|other| other.group == kind.group && other.plural == kind.plural) {
                found.push(kind.clone());
            }
        }
        found
    }
}

fn kind(group: &str, version: &str, resource: &Value) -> Kind {
    let texts = |path: &str| json::list(resource, path).iter().filter_map(Value::as_str).map(Into::into).collect();
    Kind {
        group: group.into(),
        version: version.into(),
        kind: json::text(resource, "responseKind.kind").into(),
        plural: json::text(resource, "resource").into(),
        singular: json::text(resource, "singularResource").into(),
        short_names: texts("shortNames"),
        categories: texts("categories"),
        verbs: texts("verbs"),
        is_namespaced: json::text(resource, "scope") == "Namespaced",
        subresources: json::list(resource, "subresources")
            .iter()
            .map(|sub| json::text(sub, "subresource").to_string())
            .collect(),
    }
}
