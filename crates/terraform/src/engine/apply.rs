//! Applying: the plan's actions against the cloud, in order.

use super::plan::{Action, ChangePlan, with_tags};
use super::propose::propose;
use super::walk::{Handler, Visit};
use super::{Project, StateInstance, TerraformState};
use crate::cloud::{Caller, Cloud};
use crate::datasource;
use crate::datum::Attributes;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;

/// When old objects are removed: before new ones are made, or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RemovalTime {
    Before,
    After,
}

/// Removes what the plan removes, last made first.
pub(super) fn removals(
    plan: &ChangePlan,
    state: &mut TerraformState,
    cloud: &mut Cloud,
    moment: RemovalTime,
) -> Vec<Diagnostic> {
    let due = |action: Action| match moment {
        RemovalTime::Before => matches!(action, Action::Replace | Action::Delete),
        RemovalTime::After => false,
    };
    let mut order: Vec<(usize, String)> = Vec::new();
    for (address, change) in &plan.changes {
        if due(change.action)
            && let Some(instance) = state.instances.get(address)
        {
            order.push((instance.rank, address.clone()));
        }
    }
    if moment == RemovalTime::After {
        let old = state.instances.iter().filter(|(a, _)| a.ends_with(DEPOSED));
        order.extend(old.map(|(a, i)| (i.rank, a.clone())));
    }
    order.sort();
    order.into_iter().rev().flat_map(|(_, address)| remove(&address, state, cloud)).collect()
}

/// What an address ends with while its successor exists already.
const DEPOSED: &str = " (deposed)";

/// Removes one resource from the cloud and the state.
pub(super) fn remove(address: &str, state: &mut TerraformState, cloud: &mut Cloud) -> Option<Diagnostic> {
    let instance = state.instances.get(address)?;
    match cloud.delete(&instance.kind, &instance.id) {
        Ok(()) => {
            state.instances.remove(address);
            None
        }
        Err(why) => Some(Diagnostic::new(format!("deleting {}", instance.kind), why).with(address)),
    }
}

pub(super) struct Applying<'a> {
    project: &'a Project,
    plan: &'a ChangePlan,
    state: &'a mut TerraformState,
    cloud: &'a mut Cloud,
}

impl<'a> Applying<'a> {
    pub(super) fn new(
        project: &'a Project,
        plan: &'a ChangePlan,
        state: &'a mut TerraformState,
        cloud: &'a mut Cloud,
    ) -> Self {
        Self { project, plan, state, cloud }
    }
}

impl Handler for Applying<'_> {
    fn stops(&self) -> bool {
        true
    }

    fn resource(&mut self, visit: Visit) -> Result<Attributes, Diagnostic> {
        if visit.resource.is_data {
            return datasource::read(visit.kind, &visit.config, visit.settings, self.cloud, false);
        }
        let action = self.plan.changes.get(&visit.address).map_or(Action::Create, |c| c.action);
        let graph = &self.project.graph;
        let waits_for = |node: usize| graph.waits_for(visit.node, node);
        let caller =
            Caller { address: &visit.address, settings: visit.settings, node: visit.node, waits_for: &waits_for };
        let config = with_tags(&visit);
        let body = &visit.kind.body;
        let made = match action {
            Action::NoOp | Action::Delete => {
                let instance = self.state.instances.get_mut(&visit.address);
                return Ok(instance.map_or_else(Attributes::new, |i| {
                    i.rank = visit.rank;
                    i.prevent_destroy = visit.resource.lifecycle.prevent_destroy;
                    i.attrs.clone()
                }));
            }
            Action::Update => {
                let prior =
                    self.state.instances.get(&visit.address).expect("updates are planned for what is in the state");
                let mut attrs = propose(body, &config, Some(&prior.attrs));
                for (name, value) in &prior.attrs {
                    if visit.resource.lifecycle.ignore.contains(name) {
                        attrs.insert(name.clone(), value.clone());
                    }
                }
                let id = prior.id.clone();
                self.cloud.update(visit.kind, &id, attrs, &caller).map_err(|e| failed("updating", &visit, e))?
            }
            Action::Create | Action::Replace | Action::ReplaceAfter => {
                if let Some(old) = self.state.instances.remove(&visit.address) {
                    self.state.instances.insert(format!("{}{DEPOSED}", visit.address), old);
                }
                self.cloud
                    .create(visit.kind, propose(body, &config, None), &caller)
                    .map_err(|e| failed("creating", &visit, e))?
            }
        };
        let id = made.get("id").and_then(Datum::as_text).unwrap_or_default().to_owned();
        let prevent_destroy = visit.resource.lifecycle.prevent_destroy;
        let instance =
            StateInstance { kind: visit.kind.name.clone(), id, attrs: made.clone(), rank: visit.rank, prevent_destroy };
        self.state.instances.insert(visit.address, instance);
        Ok(made)
    }
}

fn failed(what: &str, visit: &Visit, why: String) -> Diagnostic {
    Diagnostic::new(format!("{what} {}", visit.kind.name), why)
}
