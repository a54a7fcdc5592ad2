//! The life of a configuration: validated, planned, applied, destroyed.

mod apply;
mod blocks;
mod graph;
mod inputs;
mod plan;
mod propose;
mod refs;
mod repeat;
mod scope;
mod values;
mod walk;

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::cloud::Cloud;
use crate::config::{self, Config, Problems, SourceFiles};
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::FUEL;
use crate::functions::EvalHost;

pub use crate::datum::Attributes;
pub use graph::DependencyGraph;
pub use plan::{Action, ChangePlan, PlannedChange};
pub use propose::{AttributeChange, alike, differences, propose};

/// Values of variables, as given with `-var`.
pub type VariableValues = BTreeMap<String, Datum>;

/// What Terraform remembers of the cloud.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TerraformState {
    /// Resources by address.
    pub instances: BTreeMap<String, StateInstance>,
    /// Results of the root module.
    pub outputs: BTreeMap<String, Datum>,
}

/// One resource in the state.
#[derive(Debug, Clone, PartialEq)]
pub struct StateInstance {
    /// Its type.
    pub kind: String,
    /// Its id in the cloud.
    pub id: String,
    /// Its attributes when they were last read.
    pub attrs: Attributes,
    /// Its place in the order of creation.
    pub rank: usize,
    /// Its lifecycle setting when it was last applied.
    pub prevent_destroy: bool,
}

/// A configuration whose parts are known and in order.
#[derive(Debug)]
pub struct Project {
    config: Config,
    graph: DependencyGraph,
}

impl Project {
    /// Reads files. Without problems of grammar there is a project, unless its parts wait for each other in a circle.
    pub fn load(files: &SourceFiles) -> (Option<Self>, Problems) {
        let (config, mut problems) = config::load(files);
        if !problems.syntax.is_empty() {
            return (None, problems);
        }
        match DependencyGraph::build(&config) {
            Ok(graph) => (Some(Self { config, graph }), problems),
            Err(errors) => {
                problems.validate.extend(errors);
                (None, problems)
            }
        }
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What `validate` says: references, arguments and types, without values of variables.
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut errors = refs::check(&self.config);
        if errors.is_empty() {
            let fuel = Cell::new(FUEL);
            let mut handler = walk::Validating;
            errors = walk::GraphWalk::new(self, self.host(None), &fuel, None, &mut handler).run().1;
        }
        errors
    }

    /// Compares the configuration with the state, after reading the state again from the cloud.
    pub fn plan(
        &self,
        vars: &VariableValues,
        state: &mut TerraformState,
        cloud: &Cloud,
    ) -> Result<ChangePlan, Vec<Diagnostic>> {
        state.refresh(cloud);
        let fuel = Cell::new(FUEL);
        let mut handler = plan::Planning::new(self, state, cloud);
        let (scopes, errors) = walk::GraphWalk::new(self, self.host(None), &fuel, Some(vars), &mut handler).run();
        if !errors.is_empty() {
            return Err(errors);
        }
        handler.finish(scopes.first().map(|s| s.outputs.clone()).unwrap_or_default())
    }

    /// Carries out a plan. What was done before an error stays done.
    pub fn apply(
        &self,
        plan: &ChangePlan,
        vars: &VariableValues,
        state: &mut TerraformState,
        cloud: &mut Cloud,
    ) -> Vec<Diagnostic> {
        cloud.begin();
        let now = cloud.now();
        let errors = apply::removals(plan, state, cloud, apply::RemovalTime::Before);
        if !errors.is_empty() {
            return errors;
        }
        let fuel = Cell::new(FUEL);
        let mut handler = apply::Applying::new(self, plan, state, cloud);
        let (scopes, mut errors) =
            walk::GraphWalk::new(self, self.host(Some(now)), &fuel, Some(vars), &mut handler).run();
        if errors.is_empty() {
            errors.extend(apply::removals(plan, state, cloud, apply::RemovalTime::After));
            let settled = cloud.settle();
            errors.extend(
                settled.into_iter().map(|(owner, why)| Diagnostic::new("Error waiting for creation", why).with(owner)),
            );
            state.outputs = scopes.into_iter().next().map(|s| s.outputs).unwrap_or_default();
        }
        errors
    }

    fn host(&self, now: Option<i64>) -> EvalHost<'_> {
        EvalHost { files: Some(&self.config.files), now }
    }
}

impl TerraformState {
    /// Reads everything again; what is gone is forgotten.
    pub fn refresh(&mut self, cloud: &Cloud) {
        self.instances.retain(|_, instance| match cloud.get(&instance.kind, &instance.id) {
            Some(object) => {
                instance.attrs.clone_from(&object.attrs);
                true
            }
            None => false,
        });
    }

    /// Removes everything, last made first.
    pub fn destroy(&mut self, cloud: &mut Cloud) -> Vec<Diagnostic> {
        self.refresh(cloud);
        if let Some((address, _)) = self.instances.iter().find(|(_, i)| i.prevent_destroy) {
            let detail = format!(
                "Resource {address} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed."
            );
            return vec![Diagnostic::new("Instance cannot be destroyed", detail)];
        }
        let mut order: Vec<(usize, String)> = self.instances.iter().map(|(a, i)| (i.rank, a.clone())).collect();
        order.sort();
        let mut errors = Vec::new();
        for (_, address) in order.into_iter().rev() {
            errors.extend(apply::remove(&address, self, cloud));
        }
        errors
    }
}
