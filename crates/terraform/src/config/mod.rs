//! A configuration: the blocks of all files, sorted by what they declare, with its local modules.

mod declare;
mod load;

use std::collections::BTreeMap;

use crate::datum::Constraint;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Body, Expr, Reference};

pub use load::load;

/// Files by path, relative to the root module.
pub type SourceFiles = BTreeMap<String, String>;

/// A root module and the modules it calls, flattened: the root is the first.
#[derive(Debug)]
pub struct Config {
    /// All modules, parents before children.
    pub modules: Vec<Module>,
    /// The files they came from, for `file` and `templatefile`.
    pub files: SourceFiles,
}

/// What is wrong with a configuration before anything is evaluated, by the stage that reports it.
#[derive(Debug, Default)]
pub struct Problems {
    /// Grammar.
    pub syntax: Vec<Diagnostic>,
    /// Providers, versions, module sources, backends.
    pub init: Vec<Diagnostic>,
    /// Declarations.
    pub validate: Vec<Diagnostic>,
}

/// One module.
#[derive(Debug, Default)]
pub struct Module {
    /// The names of the calls that lead here; empty for the root.
    pub path: Vec<String>,
    /// Its folder; empty for the root.
    pub folder: String,
    /// The calling module and the name of the call.
    pub parent: Option<(usize, String)>,
    /// `variable` blocks.
    pub variables: BTreeMap<String, VariableBlock>,
    /// Entries of `locals` blocks.
    pub locals: BTreeMap<String, Placed<Expr>>,
    /// `output` blocks.
    pub outputs: BTreeMap<String, OutputBlock>,
    /// `resource` and `data` blocks by `type.name` and `data.type.name`.
    pub resources: BTreeMap<String, ResourceBlock>,
    /// `module` blocks.
    pub calls: BTreeMap<String, ModuleCall>,
    /// `provider` blocks.
    pub providers: Vec<Placed<ProviderBlock>>,
    /// `required_providers`: local name, source and version constraint.
    pub required: Vec<(String, Option<String>, Option<String>)>,
    /// `.tfvars` files that are read by themselves.
    pub given: BTreeMap<String, Placed<Expr>>,
}

/// Something and the place where it stands.
#[derive(Debug, Clone)]
pub struct Placed<T> {
    /// The thing.
    pub item: T,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl<T> Placed<T> {
    /// Adds this place to an error that has none.
    pub fn place(&self, error: Diagnostic) -> Diagnostic {
        error.in_file(&self.file).at(self.line)
    }
}

/// An input of a module.
#[derive(Debug)]
pub struct VariableBlock {
    /// Its type.
    pub takes: Constraint,
    /// Its value when none is given.
    pub default: Option<Expr>,
    /// Whether null may be given.
    pub nullable: bool,
    /// Conditions and what to say when they fail.
    pub validations: Vec<(Expr, Option<Expr>)>,
    /// Where it stands.
    pub place: Placed<()>,
}

/// A result of a module.
#[derive(Debug)]
pub struct OutputBlock {
    /// What it gives.
    pub value: Expr,
    /// What must exist first.
    pub depends_on: Vec<Reference>,
    /// Where it stands.
    pub place: Placed<()>,
}

/// A resource or a data source.
#[derive(Debug)]
pub struct ResourceBlock {
    /// Whether it is a data source.
    pub is_data: bool,
    /// Such as `aws_vpc`.
    pub kind: String,
    /// Such as `main`.
    pub name: String,
    /// Its settings, without those that every resource has.
    pub body: Body,
    /// How many.
    pub repeat: Repeat,
    /// What must exist first.
    pub depends_on: Vec<Reference>,
    /// `provider = aws.west`: the name after the point.
    pub provider: Option<String>,
    /// `lifecycle`.
    pub lifecycle: Lifecycle,
    /// Where it stands.
    pub place: Placed<()>,
}

/// How a block is repeated.
#[derive(Debug, Default)]
pub enum Repeat {
    /// Once.
    #[default]
    Once,
    /// `count`.
    Count(Expr),
    /// `for_each`.
    Each(Expr),
}

impl Repeat {
    /// The expression, if there is one.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Self::Once => None,
            Self::Count(expr) | Self::Each(expr) => Some(expr),
        }
    }
}

/// How a resource is replaced and kept.
#[derive(Debug, Default)]
pub struct Lifecycle {
    /// The new one exists before the old one goes.
    pub create_before_destroy: bool,
    /// Plans that would destroy it fail.
    pub prevent_destroy: bool,
    /// Changes of these attributes are not planned.
    pub ignore: Vec<String>,
    /// No change is planned.
    pub ignore_all: bool,
    /// Conditions before and after, and what to say when they fail.
    pub conditions: Vec<(Expr, Option<Expr>)>,
    /// A change of these replaces it.
    pub triggers: Vec<Reference>,
}

/// A call of a module.
#[derive(Debug)]
pub struct ModuleCall {
    /// The module's place in [`Config::modules`]; absent when its source could not be found.
    pub module: Option<usize>,
    /// The values of its variables.
    pub inputs: BTreeMap<String, Expr>,
    /// How many.
    pub repeat: Repeat,
    /// What must exist first.
    pub depends_on: Vec<Reference>,
    /// Where it stands.
    pub place: Placed<()>,
}

/// Settings of a provider.
#[derive(Debug)]
pub struct ProviderBlock {
    /// Its local name, such as `aws`.
    pub name: String,
    /// The name of this configuration of it.
    pub alias: Option<String>,
    /// The settings.
    pub body: Body,
}
