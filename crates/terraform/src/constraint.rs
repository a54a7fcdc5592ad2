//! Types: what a variable or an attribute takes, and how a value becomes one of them.

use std::collections::BTreeMap;

use crate::datum::{Datum, number_text};
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind};

/// A type, as written after `type =`.
#[derive(Debug, Clone, PartialEq)]
pub enum Constraint {
    /// Whatever it is.
    Any,
    /// `bool`.
    Bool,
    /// `number`.
    Number,
    /// `string`.
    Text,
    /// `list(T)`.
    List(Box<Constraint>),
    /// `set(T)`.
    Set(Box<Constraint>),
    /// `map(T)`.
    Map(Box<Constraint>),
    /// `tuple([A, B])`.
    Tuple(Vec<Constraint>),
    /// `object({a = A})`.
    Object(BTreeMap<String, ObjectMember>),
}

/// One attribute of an object type.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectMember {
    /// What it takes.
    pub takes: Constraint,
    /// `optional(T)`.
    pub optional: bool,
    /// `optional(T, default)`.
    pub default: Datum,
}

impl Constraint {
    /// The word for it in messages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Any => "dynamic",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "string",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Map(_) => "map",
            Self::Tuple(_) => "tuple",
            Self::Object(_) => "object",
        }
    }

    /// Reads a type constraint, such as `list(string)`.
    pub fn read(expr: &Expr) -> Result<Self, Diagnostic> {
        match &expr.kind {
            ExprKind::Name(name) => Self::named(name, expr.line),
            // Written in quotes, as before version 0.12; still read for the three old words.
            ExprKind::Literal(Datum::Text(name)) => match name.as_str() {
                "list" => Ok(Self::List(Box::new(Self::Any))),
                "map" => Ok(Self::Map(Box::new(Self::Any))),
                other => Self::named(other, expr.line),
            },
            ExprKind::Call { name, args, .. } => Self::composite(name, args, expr.line),
            _ => Err(invalid(
                expr.line,
                "This is no type: use string, number, bool, any, list(..), set(..), map(..), tuple([..]) or object({..}).",
            )),
        }
    }

    fn named(name: &str, line: u32) -> Result<Self, Diagnostic> {
        match name {
            "string" => Ok(Self::Text),
            "number" => Ok(Self::Number),
            "bool" => Ok(Self::Bool),
            "any" => Ok(Self::Any),
            "list" | "set" | "map" | "tuple" | "object" => {
                Err(invalid(line, &format!("The {name} type constructor requires one argument.")))
            }
            other => Err(invalid(line, &format!("The keyword {other:?} is not a valid type specification."))),
        }
    }

    fn composite(name: &str, args: &[Expr], line: u32) -> Result<Self, Diagnostic> {
        let [arg] = args else {
            return Err(invalid(line, &format!("The {name} type constructor requires one argument.")));
        };
        match (name, &arg.kind) {
            ("list", _) => Ok(Self::List(Box::new(Self::read(arg)?))),
            ("set", _) => Ok(Self::Set(Box::new(Self::read(arg)?))),
            ("map", _) => Ok(Self::Map(Box::new(Self::read(arg)?))),
            ("tuple", ExprKind::List(items)) => {
                Ok(Self::Tuple(items.iter().map(Self::read).collect::<Result<_, _>>()?))
            }
            ("object", ExprKind::Object(items)) => {
                let members = items.iter().map(|(key, value)| {
                    let name = key.as_text().or(match &key.kind {
                        ExprKind::Name(name) => Some(name.as_str()),
                        _ => None,
                    });
                    let name = name.ok_or_else(|| invalid(key.line, "Attribute names must be plain."))?;
                    Ok((name.to_owned(), Self::member(value)?))
                });
                Ok(Self::Object(members.collect::<Result<_, Diagnostic>>()?))
            }
            _ => Err(invalid(line, &format!("{name}(..) is no type."))),
        }
    }

    fn member(expr: &Expr) -> Result<ObjectMember, Diagnostic> {
        if let ExprKind::Call { name, args, .. } = &expr.kind
            && name == "optional"
        {
            let Some(takes) = args.first() else {
                return Err(invalid(expr.line, "optional(..) needs a type."));
            };
            let takes = Self::read(takes)?;
            let default = match args.get(1) {
                None => Datum::Null,
                Some(default) => crate::eval::constant(default)?,
            };
            return Ok(ObjectMember { takes, optional: true, default });
        }
        Ok(ObjectMember { takes: Self::read(expr)?, optional: false, default: Datum::Null })
    }

    /// Turns a value into one of this type, or says why it cannot be.
    pub fn convert(&self, value: Datum) -> Result<Datum, String> {
        match (self, value) {
            (Self::Any, value) => Ok(value),
            (_, Datum::Null) => Ok(Datum::Null),
            (_, Datum::Unknown(of)) => self.convert_unknown(of),
            (Self::Text, Datum::Text(text)) => Ok(Datum::Text(text)),
            (Self::Text, Datum::Number(n)) => Ok(Datum::Text(number_text(n))),
            (Self::Text, Datum::Bool(b)) => Ok(Datum::Text(b.to_string())),
            (Self::Number, value @ Datum::Number(_)) => Ok(value),
            (Self::Number, Datum::Text(text)) => {
                let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
                number.map(Datum::Number).ok_or_else(|| "a number is required".to_owned())
            }
            (Self::Bool, value) => value.as_bool().map(Datum::Bool).ok_or_else(|| "a bool is required".to_owned()),
            (Self::List(of), Datum::List(items) | Datum::Set(items)) => Ok(Datum::List(of.each(items)?)),
            (Self::Set(of), Datum::List(items) | Datum::Set(items)) => Ok(Datum::set(of.each(items)?)),
            (Self::Map(of), Datum::Map(entries)) => Ok(Datum::Map(of.entries(entries)?)),
            (Self::Tuple(types), Datum::List(items)) if types.len() == items.len() => {
                Ok(Datum::List(types.iter().zip(items).map(|(t, v)| t.convert(v)).collect::<Result<_, _>>()?))
            }
            (Self::Object(members), Datum::Map(entries)) => object(members, entries),
            (wanted, value) => Err(format!("{} required, but have {}", wanted.word(), value.type_name())),
        }
    }

    fn convert_unknown(&self, of: Constraint) -> Result<Datum, String> {
        let scalar = |c: &Self| matches!(c, Self::Bool | Self::Number | Self::Text);
        let fits = of == Self::Any || scalar(self) == scalar(&of);
        if fits {
            Ok(Datum::Unknown(self.clone()))
        } else {
            Err(format!("{} required, but have {}", self.word(), of.word()))
        }
    }

    fn each(&self, items: Vec<Datum>) -> Result<Vec<Datum>, String> {
        let convert = |(i, item)| self.convert(item).map_err(|e| format!("element {i}: {e}"));
        items.into_iter().enumerate().map(convert).collect()
    }

    fn entries(&self, entries: BTreeMap<String, Datum>) -> Result<BTreeMap<String, Datum>, String> {
        entries
            .into_iter()
            .map(|(key, value)| match self.convert(value) {
                Ok(value) => Ok((key, value)),
                Err(error) => Err(format!("element {key:?}: {error}")),
            })
            .collect()
    }
}

fn object(members: &BTreeMap<String, ObjectMember>, mut entries: BTreeMap<String, Datum>) -> Result<Datum, String> {
    let mut made = BTreeMap::new();
    for (name, member) in members {
        let value = match entries.remove(name) {
            None if !member.optional => return Err(format!("attribute {name:?} is required")),
            None | Some(Datum::Null) if member.optional => member.default.clone(),
            None => Datum::Null,
            Some(value) => value,
        };
        let value = member.takes.convert(value).map_err(|e| format!("attribute {name:?}: {e}"))?;
        made.insert(name.clone(), value);
    }
    Ok(Datum::Map(made))
}

fn invalid(line: u32, detail: &str) -> Diagnostic {
    Diagnostic::new("Invalid type specification", detail).at(line)
}
