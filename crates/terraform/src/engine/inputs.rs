//! What a walk starts from: values of variables and settings of providers.

use super::blocks::evaluate;
use super::scope::InstanceKey;
use super::walk::GraphWalk;
use crate::cloud::ProviderSettings;
use crate::config::ResourceBlock;
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::{Evaluator, constant};
use crate::schema::Schema;
use crate::syntax::Expr;

impl GraphWalk<'_> {
    pub(super) fn variable(&self, at: usize, name: &str) -> Result<Datum, Diagnostic> {
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

    pub(super) fn validations(&self, at: usize, name: &str) -> Result<(), Diagnostic> {
        let module = &self.project.config.modules[self.scopes[at].module];
        for (test, message) in &module.variables[name].validations {
            let held = self.eval(at, &InstanceKey::default(), test)?;
            if Constraint::Bool.convert(held) == Ok(Datum::Bool(false)) {
                return Err(Diagnostic::new("Invalid value for variable", self.message(at, message.as_ref())));
            }
        }
        Ok(())
    }

    pub(super) fn message(&self, at: usize, message: Option<&Expr>) -> String {
        let made = message.and_then(|m| self.eval(at, &InstanceKey::default(), m).ok());
        made.and_then(|m| m.as_text().map(str::to_owned)).unwrap_or_default()
    }

    pub(super) fn provider(&mut self, at: usize, index: usize) {
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
    pub(super) fn settings(&self, resource: &ResourceBlock) -> Result<ProviderSettings, Diagnostic> {
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
}

fn default_error(why: &str) -> Diagnostic {
    Diagnostic::new(
        "Invalid default value for variable",
        format!("This default value is not compatible with the variable's type constraint: {why}."),
    )
}
