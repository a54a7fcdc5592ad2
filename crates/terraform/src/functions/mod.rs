//! Terraform's functions, one table row each.

mod collections;
mod dates;
mod encoding;
mod hashes;
mod network;
mod numbers;
mod sets;
mod strings;
mod types;

use std::collections::BTreeMap;

use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;

pub use encoding::{json_text, json_value as json};
pub use network::{Cidr, contains_address};

/// What functions may see of the outside: files that were handed in, and a simulated time.
#[derive(Debug, Clone, Copy, Default)]
pub struct EvalHost<'a> {
    /// Files by path, relative to the root module.
    pub files: Option<&'a BTreeMap<String, String>>,
    /// Seconds since 1970 while applying; unknown while planning.
    pub now: Option<i64>,
}

impl<'a> EvalHost<'a> {
    /// The text of a file; `./` and `${path.module}/` before the name mean the same folder.
    pub fn file(&self, path: &str) -> Option<&'a str> {
        let path = path.trim_start_matches("./");
        self.files.and_then(|files| files.get(path)).map(String::as_str)
    }
}

/// How a function treats unknown arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknowns {
    /// Unknown anywhere inside makes the result unknown.
    Deep,
    /// Only an argument that is unknown itself does; elements may be.
    Shallow,
    /// It looks for itself.
    Own,
}

/// What a function gives when its result is unknown.
#[derive(Clone, Copy)]
enum Gives {
    Text,
    Number,
    Bool,
    List,
    Set,
    Map,
    Any,
}

impl Gives {
    fn unknown(self) -> Datum {
        let any = || Box::new(Constraint::Any);
        Datum::Unknown(match self {
            Self::Text => Constraint::Text,
            Self::Number => Constraint::Number,
            Self::Bool => Constraint::Bool,
            Self::List => Constraint::List(any()),
            Self::Set => Constraint::Set(any()),
            Self::Map => Constraint::Map(any()),
            Self::Any => Constraint::Any,
        })
    }
}

type Body = fn(&[Datum], &EvalHost) -> Result<Datum, String>;

/// One function: its name, how many arguments it takes, what it does with unknown ones, what it gives, and itself.
struct Function(&'static str, usize, usize, Unknowns, Gives, Body);

const MANY: usize = usize::MAX;

const TABLES: &[&[Function]] = &[
    strings::TABLE,
    collections::TABLE,
    sets::TABLE,
    numbers::TABLE,
    encoding::TABLE,
    hashes::TABLE,
    network::TABLE,
    types::TABLE,
    dates::TABLE,
];

/// Calls a function by its name.
pub fn call(name: &str, args: Vec<Datum>, host: &EvalHost) -> Result<Datum, Diagnostic> {
    let plain = name.strip_prefix("core::").unwrap_or(name);
    let Some(function) = find(plain) else {
        let detail = format!("There is no function named {name:?}.");
        return Err(Diagnostic::new("Call to unknown function", detail));
    };
    let Function(_, least, most, unknowns, gives, body) = function;
    if args.len() < *least || args.len() > *most {
        let few = if args.len() < *least { "Not enough" } else { "Too many" };
        let detail = format!("Function {name:?} got {} arguments.", args.len());
        return Err(Diagnostic::new(format!("{few} function arguments"), detail));
    }
    let unknown = match unknowns {
        Unknowns::Deep => args.iter().any(Datum::has_unknown),
        Unknowns::Shallow => args.iter().any(Datum::is_unknown),
        Unknowns::Own => false,
    };
    if unknown {
        return Ok(gives.unknown());
    }
    body(&args, host)
        .map_err(|why| Diagnostic::new("Error in function call", format!("Call to function {name:?} failed: {why}.")))
}

/// Whether a function of this name exists.
pub fn exists(name: &str) -> bool {
    matches!(name, "try" | "can" | "templatefile") || find(name.strip_prefix("core::").unwrap_or(name)).is_some()
}

/// The names of all functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter().map(|f| f.0)).chain(["try", "can", "templatefile"])
}

fn find(name: &str) -> Option<&'static Function> {
    TABLES.iter().flat_map(|table| table.iter()).find(|f| f.0 == name)
}

// Readers of arguments, shared by the tables.

fn text(value: &Datum) -> Result<String, String> {
    match Constraint::Text.convert(value.clone()) {
        Ok(Datum::Text(text)) => Ok(text),
        Ok(_) => Err("argument must not be null".to_owned()),
        Err(_) => Err("a string is required".to_owned()),
    }
}

fn number(value: &Datum) -> Result<f64, String> {
    match Constraint::Number.convert(value.clone()) {
        Ok(Datum::Number(number)) => Ok(number),
        Ok(_) => Err("argument must not be null".to_owned()),
        Err(why) => Err(why),
    }
}

fn whole(value: &Datum) -> Result<i64, String> {
    let number = number(value)?;
    #[allow(clippy::cast_possible_truncation)]
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Ok(number as i64)
    } else {
        Err("a whole number is required".to_owned())
    }
}

fn items(value: &Datum) -> Result<&[Datum], String> {
    value.as_items().ok_or_else(|| format!("a list or set is required, but have {}", value.type_name()))
}

fn entries(value: &Datum) -> Result<&BTreeMap<String, Datum>, String> {
    value.as_map().ok_or_else(|| format!("a map or object is required, but have {}", value.type_name()))
}

#[allow(clippy::cast_precision_loss)]
fn count(n: usize) -> Datum {
    Datum::Number(n as f64)
}
