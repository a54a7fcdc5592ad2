//! One walk over the graph: every part is evaluated once per instance of its module, dependencies first.
//!
//! Validation, planning and applying are the same walk; they differ in what a resource's value is, which a handler decides.

use std::cell::Cell;

use super::blocks::evaluate;
use super::graph::GraphItem;
use super::propose::propose;
use super::repeat::{group, too_many};
use super::scope::{InstanceKey, Instances, Scope, ScopeNames};
use super::{Project, VariableValues};
use crate::cloud::ProviderSettings;
use crate::config::{Placed, ResourceBlock};
use crate::datum::Attributes;
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::Evaluator;
use crate::functions::EvalHost;
use crate::schema::{ResourceType, Schema};
use crate::syntax::Expr;

/// How many instances one block may have, and all blocks together.
pub(super) const MOST_INSTANCES: usize = 500;

/// One instance of a resource, evaluated.
pub(super) struct Visit<'a> {
    pub(super) address: String,
    pub(super) resource: &'a ResourceBlock,
    pub(super) kind: &'a ResourceType,
    pub(super) config: Attributes,
    pub(super) settings: &'a ProviderSettings,
    pub(super) node: usize,
    pub(super) rank: usize,
}

/// Decides what a resource is worth in a phase.
pub(super) trait Handler {
    /// The attributes of the instance, as others see them from now on.
    fn resource(&mut self, visit: Visit) -> Result<Attributes, Diagnostic>;

    /// Whether unknown counts and missing variables are fine.
    fn is_validating(&self) -> bool {
        false
    }

    /// Whether the walk ends at the first error.
    fn stops(&self) -> bool {
        false
    }
}

/// Everything computed is unknown.
pub(super) struct Validating;

impl Handler for Validating {
    fn resource(&mut self, visit: Visit) -> Result<Attributes, Diagnostic> {
        Ok(propose(&visit.kind.body, &visit.config, None))
    }

    fn is_validating(&self) -> bool {
        true
    }
}

pub(super) struct GraphWalk<'a> {
    pub(super) project: &'a Project,
    pub(super) host: EvalHost<'a>,
    pub(super) fuel: &'a Cell<u64>,
    pub(super) given: Option<&'a VariableValues>,
    pub(super) handler: &'a mut dyn Handler,
    pub(super) scopes: Vec<Scope>,
    pub(super) providers: Vec<(String, Option<String>, ProviderSettings)>,
    pub(super) errors: Vec<Diagnostic>,
    made: usize,
}

impl<'a> GraphWalk<'a> {
    pub(super) fn new(
        project: &'a Project,
        host: EvalHost<'a>,
        fuel: &'a Cell<u64>,
        given: Option<&'a VariableValues>,
        handler: &'a mut dyn Handler,
    ) -> Self {
        let scopes = vec![Scope::default()];
        Self { project, host, fuel, given, handler, scopes, providers: Vec::new(), errors: Vec::new(), made: 0 }
    }

    pub(super) fn run(mut self) -> (Vec<Scope>, Vec<Diagnostic>) {
        self.undeclared();
        let project = self.project;
        for (rank, node) in project.graph.order.iter().enumerate() {
            let (module, item) = &project.graph.nodes[*node];
            let scopes: Vec<usize> = (0..self.scopes.len()).filter(|s| self.scopes[*s].module == *module).collect();
            for at in scopes {
                self.item(at, item, *node, rank);
            }
            if self.handler.stops() && !self.errors.is_empty() || self.fuel.get() == 0 {
                break;
            }
        }
        if self.fuel.get() == 0 && self.errors.is_empty() {
            self.errors.push(Diagnostic::new(
                "Evaluation too large",
                "The configuration asks for more computation than is allowed.",
            ));
        }
        (self.scopes, self.errors)
    }

    /// Values for variables that do not exist are an error of the command line.
    fn undeclared(&mut self) {
        let root = &self.project.config.modules[0];
        for name in self.given.into_iter().flatten().map(|(n, _)| n).filter(|n| !root.variables.contains_key(*n)) {
            let detail = format!(
                "A variable named {name:?} was assigned on the command line, but the root module does not declare a variable of that name."
            );
            self.errors.push(Diagnostic::new("Value for undeclared variable", detail));
        }
    }

    fn item(&mut self, at: usize, item: &GraphItem, node: usize, rank: usize) {
        let project = self.project;
        let module = &project.config.modules[self.scopes[at].module];
        match item {
            GraphItem::Variable(name) => {
                let value = self.variable(at, name);
                let value = self.keep(value, &module.variables[name].place, Datum::unknown());
                self.scopes[at].variables.insert(name.clone(), value);
                if let Err(error) = self.validations(at, name) {
                    self.errors.push(module.variables[name].place.place(error));
                }
            }
            GraphItem::Local(name) => {
                let local = &module.locals[name];
                let value = self.eval(at, &InstanceKey::default(), &local.item);
                let value = self.keep(value, local, Datum::unknown());
                self.scopes[at].locals.insert(name.clone(), value);
            }
            GraphItem::Output(name) => {
                let output = &module.outputs[name];
                let value = self.eval(at, &InstanceKey::default(), &output.value);
                let value = self.keep(value, &output.place, Datum::unknown());
                self.scopes[at].outputs.insert(name.clone(), value);
            }
            GraphItem::Provider(i) => self.provider(at, *i),
            GraphItem::Call(name) => self.call(at, name),
            GraphItem::Resource(key) => self.resource(at, key, node, rank),
        }
    }

    fn keep<T, P>(&mut self, value: Result<T, Diagnostic>, place: &Placed<P>, fallback: T) -> T {
        value.unwrap_or_else(|error| {
            self.errors.push(place.place(error));
            fallback
        })
    }

    pub(super) fn names<'s>(&'s self, at: usize, key: &'s InstanceKey) -> ScopeNames<'s> {
        ScopeNames { scopes: &self.scopes, config: &self.project.config, at, key, own: None }
    }

    pub(super) fn eval(&self, at: usize, key: &InstanceKey, expr: &Expr) -> Result<Datum, Diagnostic> {
        let names = self.names(at, key);
        Evaluator::new(&names, &self.host, self.fuel).eval(expr)
    }

    fn call(&mut self, at: usize, name: &str) {
        let project = self.project;
        let call = &project.config.modules[self.scopes[at].module].calls[name];
        let Some(module) = call.module else { return };
        let keys = match self.keys(at, &call.repeat) {
            Ok(keys) => keys,
            Err(error) => {
                self.errors.push(call.place.place(error));
                return;
            }
        };
        for key in keys {
            let prefix = format!("{}module.{name}{}.", self.scopes[at].prefix, key.suffix());
            self.scopes.push(Scope { module, parent: Some((at, name.to_owned())), prefix, key, ..Scope::default() });
        }
        if self.scopes.len() > MOST_INSTANCES {
            self.errors.push(call.place.place(too_many()));
        }
    }

    fn resource(&mut self, at: usize, key: &str, node: usize, rank: usize) {
        let project = self.project;
        let resource = &project.config.modules[self.scopes[at].module].resources[key];
        let made = self.instances(at, key, resource, node, rank);
        let instances = made.unwrap_or_else(|errors| {
            let address = format!("{}{key}", self.scopes[at].prefix);
            self.errors.extend(errors.into_iter().map(|e| resource.place.place(e).with(address.clone())));
            Instances::Unknown
        });
        self.scopes[at].resources.insert(key.to_owned(), instances);
    }

    fn instances(
        &mut self,
        at: usize,
        name: &str,
        resource: &ResourceBlock,
        node: usize,
        rank: usize,
    ) -> Result<Instances, Vec<Diagnostic>> {
        let kind = Schema::get().find(resource.is_data, &resource.kind).ok_or_else(|| {
            let what = if resource.is_data { "data source" } else { "resource type" };
            vec![Diagnostic::new(
                format!("Invalid {what}"),
                format!("The provider does not support {what} {:?}.", resource.kind),
            )]
        })?;
        let settings = self.settings(resource).map_err(|e| vec![e])?;
        let keys = self.keys(at, &resource.repeat).map_err(|e| vec![e])?;
        self.made += keys.len();
        if self.made > 2 * MOST_INSTANCES {
            return Err(vec![too_many()]);
        }
        let mut made = Vec::new();
        for key in keys {
            let names = self.names(at, &key);
            let config = evaluate(&resource.body, &kind.body, &mut Evaluator::new(&names, &self.host, self.fuel))?;
            let address = format!("{}{name}{}", self.scopes[at].prefix, key.suffix());
            let visit = Visit {
                address: address.clone(),
                resource,
                kind,
                config,
                settings: &settings,
                node,
                rank: rank * 1000 + made.len(),
            };
            let attrs = self.handler.resource(visit).map_err(|e| vec![e.with(address)])?;
            self.conditions(at, &key, resource, &attrs).map_err(|e| vec![e])?;
            made.push((key, Datum::Map(attrs)));
        }
        // Validation does not count on instances: an index beyond them is found by the plan.
        if self.handler.is_validating() && resource.repeat.expr().is_some() {
            return Ok(Instances::Unknown);
        }
        Ok(group(&resource.repeat, made))
    }

    fn conditions(
        &self,
        at: usize,
        key: &InstanceKey,
        resource: &ResourceBlock,
        attrs: &Attributes,
    ) -> Result<(), Diagnostic> {
        let own = Datum::Map(attrs.clone());
        for (test, message) in &resource.lifecycle.conditions {
            let mut names = self.names(at, key);
            names.own = Some(&own);
            let held = Evaluator::new(&names, &self.host, self.fuel).eval(test)?;
            if Constraint::Bool.convert(held) == Ok(Datum::Bool(false)) {
                return Err(Diagnostic::new("Resource condition failed", self.message(at, message.as_ref())));
            }
        }
        Ok(())
    }
}
