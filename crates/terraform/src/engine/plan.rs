//! Planning: what has to be done so that the cloud becomes what the configuration says.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::GraphItem;
use super::propose::{AttributeChange, differences, propose};
use super::walk::{Handler, Visit};
use super::{Project, TerraformState};
use crate::cloud::Cloud;
use crate::datasource;
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::syntax::Reference;

/// What happens to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Nothing.
    NoOp,
    /// It is made.
    Create,
    /// It is changed in place.
    Update,
    /// It is removed and made again.
    Replace,
    /// It is made again, then the old one is removed.
    ReplaceAfter,
    /// It is removed.
    Delete,
}

/// One resource in a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedChange {
    /// What happens.
    pub action: Action,
    /// Which attributes change, and which of them force a replacement.
    pub because: Vec<AttributeChange>,
    /// The attributes afterwards, as far as they are known.
    pub after: Attributes,
}

/// A plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangePlan {
    /// Resources by address.
    pub changes: BTreeMap<String, PlannedChange>,
    /// Results of the root module afterwards.
    pub outputs: BTreeMap<String, Datum>,
    /// Names of results that change.
    pub changed_outputs: BTreeSet<String>,
}

impl ChangePlan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changed_outputs.is_empty() && self.changes.values().all(|c| c.action == Action::NoOp)
    }

    /// What there is to do, one line each.
    pub fn lines(&self) -> Vec<String> {
        let mut made = Vec::new();
        for (address, change) in self.changes.iter().filter(|(_, c)| c.action != Action::NoOp) {
            let paths: Vec<&str> = change.because.iter().map(|d| d.path.as_str()).collect();
            let because = if paths.is_empty() { String::new() } else { format!(" ({})", paths.join(", ")) };
            made.push(format!("{:?} {address}{because}", change.action));
        }
        made.extend(self.changed_outputs.iter().map(|name| format!("output {name} changes")));
        made
    }
}

pub(super) struct Planning<'a> {
    project: &'a Project,
    state: &'a TerraformState,
    cloud: &'a Cloud,
    changes: BTreeMap<String, PlannedChange>,
    pending: BTreeSet<String>,
}

impl<'a> Planning<'a> {
    pub(super) fn new(project: &'a Project, state: &'a TerraformState, cloud: &'a Cloud) -> Self {
        Self { project, state, cloud, changes: BTreeMap::new(), pending: BTreeSet::new() }
    }

    /// Adds removals and outputs.
    pub(super) fn finish(mut self, outputs: BTreeMap<String, Datum>) -> Result<ChangePlan, Vec<Diagnostic>> {
        for (address, instance) in &self.state.instances {
            if !self.changes.contains_key(address) {
                let gone = PlannedChange { action: Action::Delete, because: Vec::new(), after: Attributes::new() };
                if instance.prevent_destroy && self.still_declared(address) {
                    return Err(vec![protected(address)]);
                }
                self.changes.insert(address.clone(), gone);
            }
        }
        let before = |name: &String| self.state.outputs.get(name);
        let changed = outputs
            .iter()
            .filter(|(name, value)| before(name).is_none_or(|old| !old.same(value)))
            .map(|(n, _)| n.clone());
        let changed_outputs =
            changed.chain(self.state.outputs.keys().filter(|n| !outputs.contains_key(*n)).cloned()).collect();
        Ok(ChangePlan { changes: self.changes, outputs, changed_outputs })
    }

    /// Whether the new one is made before the old one goes: by its own setting, or because something that waits for it is so.
    fn makes_first(&self, visit: &Visit) -> bool {
        let graph = &self.project.graph;
        let dependents = graph.nodes.iter().enumerate().filter(|(node, _)| graph.waits_for(*node, visit.node));
        let inherits = dependents.into_iter().any(|(_, (module, item))| match item {
            GraphItem::Resource(key) => {
                self.project.config.modules[*module].resources[key].lifecycle.create_before_destroy
            }
            _ => false,
        });
        visit.resource.lifecycle.create_before_destroy || inherits
    }

    fn still_declared(&self, address: &str) -> bool {
        let key = address.split('[').next().unwrap_or(address);
        self.project.graph.find(0, &GraphItem::Resource(key.to_owned())).is_some()
    }

    fn data(&self, visit: &Visit) -> Result<Attributes, Diagnostic> {
        let waits = visit.resource.depends_on.iter().any(|r| self.pending.contains(&resource_key(r)));
        datasource::read(visit.kind, &visit.config, visit.settings, self.cloud, waits)
    }

    fn change(&self, visit: &Visit) -> PlannedChange {
        let lifecycle = &visit.resource.lifecycle;
        let body = &visit.kind.body;
        let config = with_tags(visit);
        let Some(prior) = self.state.instances.get(&visit.address) else {
            return PlannedChange { action: Action::Create, because: Vec::new(), after: propose(body, &config, None) };
        };
        let mut after = propose(body, &config, Some(&prior.attrs));
        for (name, value) in &prior.attrs {
            if lifecycle.ignore_all || lifecycle.ignore.contains(name) {
                after.insert(name.clone(), value.clone());
            }
        }
        let because = differences(body, &prior.attrs, &after);
        let triggered = lifecycle.triggers.iter().any(|r| self.pending.contains(&resource_key(r)));
        let action = if triggered || because.iter().any(|d| d.force_new) {
            after = propose(body, &config, None);
            if self.makes_first(visit) { Action::ReplaceAfter } else { Action::Replace }
        } else if because.is_empty() {
            Action::NoOp
        } else {
            Action::Update
        };
        PlannedChange { action, because, after }
    }
}

impl Handler for Planning<'_> {
    fn resource(&mut self, visit: Visit) -> Result<Attributes, Diagnostic> {
        if visit.resource.is_data {
            return self.data(&visit);
        }
        let change = self.change(&visit);
        let replaced = matches!(change.action, Action::Replace | Action::ReplaceAfter);
        if replaced && visit.resource.lifecycle.prevent_destroy {
            return Err(protected(&visit.address));
        }
        if change.action != Action::NoOp {
            self.pending.insert(format!("{}.{}", visit.resource.kind, visit.resource.name));
        }
        let after = change.after.clone();
        self.changes.insert(visit.address, change);
        Ok(after)
    }
}

/// The settings with the provider's default tags in `tags_all`.
pub(super) fn with_tags(visit: &Visit) -> Attributes {
    let mut config = visit.config.clone();
    if visit.kind.taggable && config.get("tags_all").is_none_or(Datum::is_null) {
        let tags = config.get("tags").cloned().unwrap_or(Datum::Null);
        let all = match tags {
            Datum::Unknown(_) => tags,
            tags => {
                let mut all = visit.settings.default_tags.clone();
                all.extend(tags.as_map().cloned().unwrap_or_default());
                Datum::Map(all)
            }
        };
        config.insert("tags_all".to_owned(), all);
    }
    config
}

fn resource_key(reference: &Reference) -> String {
    format!("{}.{}", reference.root, reference.path.first().map_or("", |p| p))
}

fn protected(address: &str) -> Diagnostic {
    let detail = format!(
        "Resource {address} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed."
    );
    Diagnostic::new("Instance cannot be destroyed", detail)
}
