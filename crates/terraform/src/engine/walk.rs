//! One walk over the graph: every part is evaluated once per instance of its module, dependencies first.
//!
//! Validation, planning and applying are the same walk; they differ in what a resource's value is, which a handler decides.

use std::cell::Cell;

use super::blocks::{Attributes, evaluate};
use super::graph::GraphItem;
use super::propose::propose;
use super::scope::{InstanceKey, Instances, Scope, ScopeNames};
use super::{Project, VariableValues};
use crate::cloud::ProviderSettings;
use crate::config::{Placed, Repeat, Resource};
use crate::constraint::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::{Evaluator, constant};
use crate::functions::Host;
use crate::schema::{ResourceType, Schema};
use crate::syntax::Expr;

/// How many instances one block may have, and all blocks together.
const MOST_INSTANCES: usize = 500;

/// One instance of a resource, evaluated.
pub(super) struct Visit<'a> {
    pub(super) address: String,
    pub(super) resource: &'a Resource,
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

pub(super) struct Walk<'a> {
    project: &'a Project,
    host: Host<'a>,
    fuel: &'a Cell<u64>,
    given: Option<&'a VariableValues>,
    handler: &'a mut dyn Handler,
    scopes: Vec<Scope>,
    providers: Vec<(String, Option<String>, ProviderSettings)>,
    errors: Vec<Diagnostic>,
    made: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        project: &'a Project,
        host: Host<'a>,
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

    fn names<'s>(&'s self, at: usize, key: &'s InstanceKey) -> ScopeNames<'s> {
        ScopeNames { scopes: &self.scopes, config: &self.project.config, at, key, own: None }
    }

    fn eval(&self, at: usize, key: &InstanceKey, expr: &Expr) -> Result<Datum, Diagnostic> {
        let names = self.names(at, key);
        Evaluator::new(&names, &self.host, self.fuel).eval(expr)
    }

    fn variable(&self, at: usize, name: &str) -> Result<Datum, Diagnostic> {
        let scope = &self.scopes[at];
        let module = &self.project.config.modules[scope.module];
        let variable = &module.variables[name];
        let given = match &scope.parent {
            Some((parent, call)) => {
                let parent_module = &self.project.config.modules[self.scopes[*parent].module];
                let expr = parent_module.calls[call].inputs.get(name);
                expr.map(|e| self.eval(*parent, &scope.key, e)).transpose()?
            }
            None => match self.given.and_then(|g| g.get(name)) {
                Some(value) => Some(value.clone()),
                None => module.given.get(name).map(|e| constant(&e.item)).transpose()?,
            },
        };
        let value = match (given, &variable.default) {
            (Some(Datum::Null), Some(default)) if !variable.nullable => constant(default)?,
            (Some(value), _) => value,
            (None, _) if scope.parent.is_none() && self.handler.is_validating() => {
                if let Some(default) = &variable.default {
                    variable.takes.convert(constant(default)?).map_err(|e| default_error(&e))?;
                }
                return Ok(Datum::Unknown(variable.takes.clone()));
            }
            (None, Some(default)) => constant(default)?,
            (None, None) => {
                let detail = format!("The root module input variable {name:?} is not set, and has no default value.");
                return Err(Diagnostic::new("No value for required variable", detail));
            }
        };
        variable.takes.convert(value).map_err(|why| {
            let detail = format!("The given value is not suitable for var.{name}: {why}.");
            Diagnostic::new("Invalid value for input variable", detail)
        })
    }

    fn validations(&self, at: usize, name: &str) -> Result<(), Diagnostic> {
        let module = &self.project.config.modules[self.scopes[at].module];
        for (test, message) in &module.variables[name].validations {
            let held = self.eval(at, &InstanceKey::default(), test)?;
            if Constraint::Bool.convert(held) == Ok(Datum::Bool(false)) {
                return Err(Diagnostic::new("Invalid value for variable", self.message(at, message.as_ref())));
            }
        }
        Ok(())
    }

    fn message(&self, at: usize, message: Option<&Expr>) -> String {
        let made = message.and_then(|m| self.eval(at, &InstanceKey::default(), m).ok());
        made.and_then(|m| m.as_text().map(str::to_owned)).unwrap_or_default()
    }

    fn provider(&mut self, at: usize, index: usize) {
        let project = self.project;
        let block = &project.config.modules[self.scopes[at].module].providers[index];
        let Some(schema) = Schema::get().providers.get(&block.item.name) else { return };
        let key = InstanceKey::default();
        let names = self.names(at, &key);
        let made = evaluate(&block.item.body, schema, &mut Evaluator::new(&names, &self.host, self.fuel));
        let attrs = match made {
            Ok(attrs) => Datum::Map(attrs),
            Err(errors) => {
                let address = format!("provider {:?}", block.item.name);
                self.errors.extend(errors.into_iter().map(|e| block.place(e).with(address.clone())));
                return;
            }
        };
        let text = |name: &str| attrs.get(name).as_text().map(str::to_owned);
        let tags = attrs.get("default_tags").as_items().and_then(<[Datum]>::first).map(|t| t.get("tags").clone());
        let settings = ProviderSettings {
            region: text("region").or_else(|| attrs.get("region").is_unknown().then(|| "us-east-1".to_owned())),
            project: text("project").or_else(|| attrs.get("project").is_unknown().then(|| "project".to_owned())),
            zone: text("zone"),
            default_tags: tags.and_then(|t| t.as_map().cloned()).unwrap_or_default(),
        };
        self.providers.push((block.item.name.clone(), block.item.alias.clone(), settings));
    }

    /// The settings for a resource; clouds that need some must have been given them.
    fn settings(&self, resource: &Resource) -> Result<ProviderSettings, Diagnostic> {
        let name = resource.kind.split('_').next().unwrap_or_default();
        let found = self.providers.iter().find(|(n, alias, _)| n == name && *alias == resource.provider);
        let settings = found.map(|(_, _, s)| s.clone());
        if self.handler.is_validating() {
            return Ok(settings.unwrap_or_default());
        }
        let detail = match (name, &settings) {
            (_, None) if resource.provider.is_some() => format!(
                "There is no provider configuration {name}.{}.",
                resource.provider.as_deref().unwrap_or_default()
            ),
            ("aws", None) => "The provider \"aws\" needs a region.".to_owned(),
            ("aws", Some(s)) if s.region.is_none() => "The provider \"aws\" needs a region.".to_owned(),
            ("azurerm", None) => {
                "The provider \"azurerm\" requires explicit configuration with a features block.".to_owned()
            }
            _ => return Ok(settings.unwrap_or_default()),
        };
        Err(Diagnostic::new("Invalid provider configuration", detail))
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

    /// The instances that `count` or `for_each` asks for.
    fn keys(&self, at: usize, repeat: &Repeat) -> Result<Vec<InstanceKey>, Diagnostic> {
        let own = InstanceKey::default();
        let validating = self.handler.is_validating();
        match repeat {
            Repeat::Once => Ok(vec![own]),
            Repeat::Count(expr) => {
                let invalid = |detail: &str| Err(Diagnostic::new("Invalid count argument", detail).at(expr.line));
                match Constraint::Number.convert(self.eval(at, &own, expr)?) {
                    Ok(Datum::Number(n)) if n < 0.0 || n.fract() != 0.0 => {
                        invalid("The count must be a whole number, zero or more.")
                    }
                    Ok(Datum::Number(n)) if n > MOST_INSTANCES as f64 => Err(too_many().at(expr.line)),
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                    Ok(Datum::Number(n)) => Ok((0..n as u32).map(|i| index_key(Datum::Number(f64::from(i)))).collect()),
                    Ok(Datum::Unknown(_)) if validating => Ok(vec![index_key(Datum::Unknown(Constraint::Number))]),
                    Ok(Datum::Unknown(_)) => invalid(
                        "The \"count\" value depends on resource attributes that cannot be determined until apply, so Terraform cannot predict how many instances will be created.",
                    ),
                    Ok(_) => invalid("The given \"count\" argument value is null. An integer is required."),
                    Err(why) => invalid(&format!("The given \"count\" argument value is unsuitable: {why}.")),
                }
            }
            Repeat::Each(expr) => {
                let invalid = |detail: &str| Err(Diagnostic::new("Invalid for_each argument", detail).at(expr.line));
                let later = "The \"for_each\" value depends on resource attributes that cannot be determined until apply, so Terraform cannot determine the full set of keys.";
                match self.eval(at, &own, expr)? {
                    Datum::Map(entries) => many(entries.into_iter().map(|(k, v)| (Datum::Text(k), v))),
                    Datum::Set(items) if items.iter().any(Datum::is_unknown) => {
                        if validating {
                            Ok(vec![each_key(Datum::Unknown(Constraint::Text), Datum::unknown())])
                        } else {
                            invalid(later)
                        }
                    }
                    Datum::Set(items) if items.iter().all(|i| i.as_text().is_some()) => {
                        many(items.into_iter().map(|i| (i.clone(), i)))
                    }
                    Datum::Set(_) => invalid(
                        "The given \"for_each\" argument value is unsuitable: \"for_each\" supports sets of strings.",
                    ),
                    Datum::Unknown(Constraint::List(_) | Constraint::Tuple(_)) | Datum::List(_) => invalid(
                        "The given \"for_each\" argument value is unsuitable: the \"for_each\" argument must be a map, or set of strings, and you have provided a value of type tuple.",
                    ),
                    Datum::Unknown(_) if validating => {
                        Ok(vec![each_key(Datum::Unknown(Constraint::Text), Datum::unknown())])
                    }
                    Datum::Unknown(_) => invalid(later),
                    Datum::Null => {
                        invalid("The given \"for_each\" argument value is null. A map, or set of strings is allowed.")
                    }
                    other => invalid(&format!(
                        "The given \"for_each\" argument value is unsuitable: it is a {}.",
                        other.type_name()
                    )),
                }
            }
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
        resource: &Resource,
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
        resource: &Resource,
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

fn default_error(why: &str) -> Diagnostic {
    Diagnostic::new(
        "Invalid default value for variable",
        format!("This default value is not compatible with the variable's type constraint: {why}."),
    )
}

fn index_key(index: Datum) -> InstanceKey {
    InstanceKey { index: Some(index), each: None }
}

fn each_key(key: Datum, value: Datum) -> InstanceKey {
    InstanceKey { index: None, each: Some((key, value)) }
}

fn many(entries: impl ExactSizeIterator<Item = (Datum, Datum)>) -> Result<Vec<InstanceKey>, Diagnostic> {
    if entries.len() > MOST_INSTANCES {
        return Err(too_many());
    }
    Ok(entries.map(|(k, v)| each_key(k, v)).collect())
}

fn too_many() -> Diagnostic {
    Diagnostic::new(
        "Too many instances",
        format!("One block may have {MOST_INSTANCES} instances at most here, and all together twice as many."),
    )
}

fn group(repeat: &Repeat, made: Vec<(InstanceKey, Datum)>) -> Instances {
    let unknown = |k: &InstanceKey| {
        k.index.as_ref().is_some_and(Datum::is_unknown) || k.each.as_ref().is_some_and(|(k, _)| k.is_unknown())
    };
    if made.iter().any(|(k, _)| unknown(k)) {
        return Instances::Unknown;
    }
    match repeat {
        Repeat::Once => Instances::One(made.into_iter().next().map_or(Datum::unknown(), |(_, v)| v)),
        Repeat::Count(_) => Instances::Counted(made.into_iter().map(|(_, v)| v).collect()),
        Repeat::Each(_) => {
            Instances::Keyed(made.into_iter().filter_map(|(k, v)| Some((k.each?.0.as_text()?.to_owned(), v))).collect())
        }
    }
}
