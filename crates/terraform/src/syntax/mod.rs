//! The syntax tree of a configuration, and the way from text to it.
//!
//! `hcl-edit` reads the text: it is maintained, it knows the whole grammar (templates, heredocs, legacy indexes), and it
//! refuses deep nesting before the stack is in danger. Its tree keeps every space, which an evaluator does not want; so it
//! is lowered once into the small tree below, with a line number on every expression.

mod lower;
mod refs;

use crate::datum::Datum;
use crate::diagnostic::Diagnostic;

pub use refs::{Reference, references};

/// The largest file that is read. Terraform has no such bound; a reply that needs more is no reply.
pub const LARGEST_FILE: usize = 512 * 1024;

/// Reads one file, or says where its grammar breaks.
pub fn parse(file: &str, text: &str) -> Result<Body, Diagnostic> {
    if text.len() > LARGEST_FILE {
        let detail = format!("The file has {} bytes; at most {LARGEST_FILE} are read.", text.len());
        return Err(Diagnostic::new("File too large", detail).in_file(file));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match hcl_edit::parser::parse_body(text) {
        Ok(body) => Ok(lower::Lowering::new(text).body(&body)),
        Err(error) => {
            let line = u32::try_from(error.location().line()).unwrap_or(u32::MAX);
            Err(Diagnostic::new("Invalid syntax", error.message().to_owned()).in_file(file).at(line))
        }
    }
}

/// Reads one expression, as in a check of a task.
pub fn parse_expression(text: &str) -> Result<Expr, Diagnostic> {
    if text.len() > LARGEST_FILE {
        return Err(Diagnostic::new("Expression too large", ""));
    }
    match hcl_edit::parser::parse_expr(text) {
        Ok(expr) => Ok(lower::Lowering::new(text).expr(&expr)),
        Err(error) => Err(Diagnostic::new("Invalid expression", error.message().to_owned())),
    }
}

/// Reads text with `${}` and `%{}` in it, for `templatefile`.
pub fn parse_template(text: &str) -> Result<Expr, Diagnostic> {
    if text.len() > LARGEST_FILE {
        return Err(Diagnostic::new("Template too large", ""));
    }
    match hcl_edit::parser::parse_template(text) {
        Ok(template) => Ok(Expr { line: 1, kind: ExprKind::Template(lower::Lowering::new(text).template(&template)) }),
        Err(error) => Err(Diagnostic::new("Invalid template", error.message().to_owned())),
    }
}

/// What stands between two braces: settings and blocks, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// `name = expression` lines.
    pub settings: Vec<Assignment>,
    /// `kind "label" { }` groups.
    pub blocks: Vec<ConfigBlock>,
}

impl Body {
    /// The expression assigned to a name.
    pub fn setting(&self, name: &str) -> Option<&Expr> {
        self.settings.iter().find(|s| s.name == name).map(|s| &s.value)
    }

    /// All blocks of one kind.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a ConfigBlock> {
        self.blocks.iter().filter(move |b| b.kind == kind)
    }

    /// The text of a setting that is a plain string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.setting(name).and_then(Expr::as_text)
    }
}

/// One `name = expression`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Left of the sign.
    pub name: String,
    /// Right of it.
    pub value: Expr,
    /// Where it begins.
    pub line: u32,
}

/// One block with its labels.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigBlock {
    /// `resource`, `variable`, `ingress`, ...
    pub kind: String,
    /// The quoted names after the kind.
    pub labels: Vec<String>,
    /// What the braces hold.
    pub body: Body,
    /// Where it begins.
    pub line: u32,
}

/// An expression and the line it begins on.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Counted from one.
    pub line: u32,
    /// What it is.
    pub kind: ExprKind,
}

impl Expr {
    /// The text of a plain string.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Literal(Datum::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// The kinds of expression.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum ExprKind {
    Literal(Datum),
    Template(Vec<TemplatePart>),
    Name(String),
    Traversal { base: Box<Expr>, steps: Vec<TraversalStep> },
    Call { name: String, args: Vec<Expr>, expand: bool },
    Conditional { test: Box<Expr>, yes: Box<Expr>, no: Box<Expr> },
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary { op: BinaryOp, left: Box<Expr>, right: Box<Expr> },
    List(Vec<Expr>),
    Object(Vec<(Expr, Expr)>),
    For(Box<ForLoop>),
}

/// One step from a value to a part of it.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum TraversalStep {
    Attr(String),
    Index(Expr),
    /// `.*`: only the attributes that follow are taken of each element.
    AttrSplat,
    /// `[*]`: all that follows is taken of each element.
    FullSplat,
}

/// Operators with two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Eq,
    NotEq,
    LessEq,
    GreaterEq,
    Less,
    Greater,
    Plus,
    Minus,
    Mul,
    Div,
    Mod,
    And,
    Or,
}

/// `[for k, v in xs : y if z]` and `{for ... : k => v...}`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForLoop {
    /// The first of two names.
    pub key_name: Option<String>,
    /// The only or the second name.
    pub value_name: String,
    /// What is walked over.
    pub collection: Expr,
    /// The key of the result; without it the result is a list.
    pub key: Option<Expr>,
    /// The value of the result.
    pub value: Expr,
    /// `...` after the value: values of equal keys are gathered.
    pub grouping: bool,
    /// The `if`.
    pub test: Option<Expr>,
}

/// A piece of a template. Strip markers have done their work already.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum TemplatePart {
    Text(String),
    Interpolation(Expr),
    If { test: Expr, yes: Vec<TemplatePart>, no: Vec<TemplatePart> },
    For { key_name: Option<String>, value_name: String, collection: Expr, body: Vec<TemplatePart> },
}
