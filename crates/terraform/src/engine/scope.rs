//! One scope per instance of a module: the values that its names stand for.

use std::collections::BTreeMap;

use crate::config::{Config, Repeat};
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::eval::NameSource;

/// The instances of a resource block.
#[derive(Debug, Clone)]
pub enum Instances {
    /// Not repeated.
    One(Datum),
    /// `count`.
    Counted(Vec<Datum>),
    /// `for_each`.
    Keyed(BTreeMap<String, Datum>),
    /// How many is not known yet.
    Unknown,
}

impl Instances {
    fn value(&self) -> Datum {
        match self {
            Self::One(value) => value.clone(),
            Self::Counted(items) => Datum::List(items.clone()),
            Self::Keyed(items) => Datum::Map(items.clone()),
            Self::Unknown => Datum::unknown(),
        }
    }
}

/// The instance of `count` or `for_each` that something stands in.
#[derive(Debug, Clone, Default)]
pub struct InstanceKey {
    /// `count.index`.
    pub index: Option<Datum>,
    /// `each.key` and `each.value`.
    pub each: Option<(Datum, Datum)>,
}

impl InstanceKey {
    /// What stands in an address: `[0]`, `["a"]` or nothing.
    pub fn suffix(&self) -> String {
        match (&self.index, &self.each) {
            (Some(index), _) => format!("[{index}]"),
            (None, Some((key, _))) => format!("[{key}]"),
            (None, None) => String::new(),
        }
    }

    fn is_unknown(&self) -> bool {
        self.index.as_ref().is_some_and(Datum::is_unknown) || self.each.as_ref().is_some_and(|(k, _)| k.is_unknown())
    }
}

/// One instance of a module.
#[derive(Debug, Default)]
pub struct Scope {
    /// Its module.
    pub module: usize,
    /// The scope that calls it, and the name of the call.
    pub parent: Option<(usize, String)>,
    /// What stands before addresses in it, such as `module.net[0].`.
    pub prefix: String,
    /// Which instance of the call it is.
    pub key: InstanceKey,
    /// Inputs.
    pub variables: BTreeMap<String, Datum>,
    /// Local values.
    pub locals: BTreeMap<String, Datum>,
    /// Results.
    pub outputs: BTreeMap<String, Datum>,
    /// Resources and data sources by key.
    pub resources: BTreeMap<String, Instances>,
}

/// The names that an expression in a scope may use.
pub struct ScopeNames<'a> {
    /// All scopes.
    pub scopes: &'a [Scope],
    /// The configuration.
    pub config: &'a Config,
    /// This one.
    pub at: usize,
    /// The instance that the expression stands in.
    pub key: &'a InstanceKey,
    /// `self`.
    pub own: Option<&'a Datum>,
}

impl NameSource for ScopeNames<'_> {
    fn resolve(&self, root: &str, path: &[&str]) -> Result<(Datum, usize), Diagnostic> {
        let scope = &self.scopes[self.at];
        let alone = || invalid(format!("The {root:?} object cannot be used by itself; an attribute must follow."));
        let first = || path.first().copied().ok_or_else(alone);
        match root {
            "var" => Ok((declared(&scope.variables, "input variable", first()?)?, 1)),
            "local" => Ok((declared(&scope.locals, "local value", first()?)?, 1)),
            "module" => Ok((self.module(first()?)?, 1)),
            "each" => match (&self.key.each, first()?) {
                (Some((key, _)), "key") => Ok((key.clone(), 1)),
                (Some((_, value)), "value") => Ok((value.clone(), 1)),
                (None, _) => {
                    let detail = "The \"each\" object can be used only where \"for_each\" is set.";
                    Err(Diagnostic::new("Reference to \"each\" in context without for_each", detail))
                }
                (_, other) => Err(no_attribute("each", other)),
            },
            "count" => match (&self.key.index, first()?) {
                (Some(index), "index") => Ok((index.clone(), 1)),
                (None, _) => {
                    let detail = "The \"count\" object can be used only where \"count\" is set.";
                    Err(Diagnostic::new("Reference to \"count\" in non-counted context", detail))
                }
                (_, other) => Err(no_attribute("count", other)),
            },
            "path" => match first()? {
                "module" => {
                    let folder = &self.config.modules[scope.module].folder;
                    Ok((Datum::text(if folder.is_empty() { "." } else { folder }), 1))
                }
                "root" => Ok((Datum::text("."), 1)),
                "cwd" => Ok((Datum::text("/config"), 1)),
                other => Err(no_attribute("path", other)),
            },
            "terraform" => match first()? {
                "workspace" => Ok((Datum::text("default"), 1)),
                other => Err(no_attribute("terraform", other)),
            },
            "self" => {
                let missing = || invalid("The \"self\" object is not available in this context.".to_owned());
                self.own.map(|v| (v.clone(), 0)).ok_or_else(missing)
            }
            "data" => match path {
                [kind, name, rest @ ..] => self.resource(&format!("data.{kind}.{name}"), rest, 2),
                _ => Err(invalid("The \"data\" object must be followed by two attribute names.".to_owned())),
            },
            kind => self.resource(&format!("{kind}.{}", first()?), path.get(1..).unwrap_or_default(), 1),
        }
    }
}

impl ScopeNames<'_> {
    /// The value of a resource, or of the one attribute that follows: whole resources are large, and seldom meant.
    fn resource(&self, key: &str, rest: &[&str], used: usize) -> Result<(Datum, usize), Diagnostic> {
        let found = self.scopes[self.at].resources.get(key).ok_or_else(|| undeclared("resource", key))?;
        if let (Instances::One(Datum::Map(attrs)), Some(attr)) = (found, rest.first())
            && let Some(value) = attrs.get(*attr)
        {
            return Ok((value.clone(), used + 1));
        }
        Ok((found.value(), used))
    }

    /// The outputs of a called module: one object, or a list or map of them.
    fn module(&self, name: &str) -> Result<Datum, Diagnostic> {
        let scope = &self.scopes[self.at];
        let call = self.config.modules[scope.module].calls.get(name).ok_or_else(|| undeclared("module", name))?;
        let is_child = |s: &&Scope| s.parent.as_ref().is_some_and(|(p, n)| *p == self.at && n == name);
        let children: Vec<&Scope> = self.scopes.iter().filter(is_child).collect();
        if children.iter().any(|c| c.key.is_unknown()) {
            return Ok(Datum::unknown());
        }
        let object = |scope: &Scope| Datum::Map(scope.outputs.clone());
        Ok(match &call.repeat {
            Repeat::Once => children.first().map_or(Datum::unknown(), |c| object(c)),
            Repeat::Count(_) => Datum::List(children.iter().map(|c| object(c)).collect()),
            Repeat::Each(_) => Datum::map(children.iter().filter_map(|c| {
                let (key, _) = c.key.each.as_ref()?;
                Some((key.as_text()?.to_owned(), object(c)))
            })),
        })
    }
}

fn declared(values: &BTreeMap<String, Datum>, what: &str, name: &str) -> Result<Datum, Diagnostic> {
    values.get(name).cloned().ok_or_else(|| undeclared(what, name))
}

fn undeclared(what: &str, name: &str) -> Diagnostic {
    let detail = format!("A {what} with the name {name:?} has not been declared.");
    Diagnostic::new(format!("Reference to undeclared {what}"), detail)
}

fn no_attribute(object: &str, name: &str) -> Diagnostic {
    invalid(format!("The {object:?} object does not have an attribute named {name:?}."))
}

fn invalid(detail: String) -> Diagnostic {
    Diagnostic::new("Invalid reference", detail)
}
