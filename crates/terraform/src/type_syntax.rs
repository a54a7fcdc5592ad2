//! Types as they are written: `list(string)`, `object({a = optional(number, 1)})`.

use crate::datum::{Constraint, Datum, ObjectMember};
use crate::diagnostic::Diagnostic;
use crate::eval;
use crate::syntax::{Expr, ExprKind};

impl Constraint {
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
                Some(default) => eval::constant(default)?,
            };
            return Ok(ObjectMember { takes, optional: true, default });
        }
        Ok(ObjectMember { takes: Self::read(expr)?, optional: false, default: Datum::Null })
    }
}

fn invalid(line: u32, detail: &str) -> Diagnostic {
    Diagnostic::new("Invalid type specification", detail).at(line)
}
