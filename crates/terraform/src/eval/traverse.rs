//! From a value to a part of it: attributes, indexes, splats.

use super::Evaluator;
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::syntax::{Expr, ExprKind, TraversalStep};

impl Evaluator<'_> {
    pub(super) fn traversal(&mut self, base: &Expr, steps: &[TraversalStep]) -> Result<Datum, Diagnostic> {
        match &base.kind {
            ExprKind::Name(name) => self.traverse_name(name, steps),
            _ => {
                let value = self.eval(base)?;
                self.steps(value, steps)
            }
        }
    }

    /// A name with what follows: names bound by `for` come first.
    pub(super) fn traverse_name(&mut self, name: &str, steps: &[TraversalStep]) -> Result<Datum, Diagnostic> {
        if let Some((_, value)) = self.bound.iter().rev().find(|(bound, _)| bound == name) {
            let value = value.clone();
            self.spend(value.weight())?;
            return self.steps(value, steps);
        }
        let path = steps.iter().map_while(|s| match s {
            TraversalStep::Attr(name) => Some(name.as_str()),
            _ => None,
        });
        let path: Vec<&str> = path.collect();
        let (value, used) = self.names.resolve(name, &path)?;
        self.spend(value.weight())?;
        self.steps(value, &steps[used..])
    }

    fn steps(&mut self, mut value: Datum, steps: &[TraversalStep]) -> Result<Datum, Diagnostic> {
        for (i, step) in steps.iter().enumerate() {
            value = match step {
                TraversalStep::Attr(name) => attribute(value, name)?,
                TraversalStep::Index(key) => {
                    let key = self.eval(key)?;
                    index(value, key)?
                }
                TraversalStep::AttrSplat => {
                    let rest = &steps[i + 1..];
                    let own = rest.iter().take_while(|s| matches!(s, TraversalStep::Attr(_))).count();
                    let made = self.splat(value, &rest[..own])?;
                    return self.steps(made, &rest[own..]);
                }
                TraversalStep::FullSplat => return self.splat(value, &steps[i + 1..]),
            };
        }
        Ok(value)
    }

    /// Takes the rest of the path of each element. A single value counts as a list of one, null as an empty list.
    fn splat(&mut self, value: Datum, rest: &[TraversalStep]) -> Result<Datum, Diagnostic> {
        let items = match value {
            Datum::List(items) | Datum::Set(items) => items,
            Datum::Null => Vec::new(),
            Datum::Unknown(_) => return Ok(Datum::Unknown(Constraint::List(Box::new(Constraint::Any)))),
            single => vec![single],
        };
        let made = items.into_iter().map(|item| self.steps(item, rest)).collect::<Result<Vec<_>, _>>()?;
        Ok(Datum::List(made))
    }
}

fn attribute(value: Datum, name: &str) -> Result<Datum, Diagnostic> {
    let missing = |detail: String| Err(Diagnostic::new("Unsupported attribute", detail));
    match value {
        Datum::Map(mut entries) => match entries.remove(name) {
            Some(value) => Ok(value),
            None => missing(format!("This object does not have an attribute named {name:?}.")),
        },
        Datum::Unknown(Constraint::Object(members)) => match members.get(name) {
            Some(member) => Ok(Datum::Unknown(member.takes.clone())),
            None => missing(format!("This object does not have an attribute named {name:?}.")),
        },
        Datum::Unknown(Constraint::Map(of)) => Ok(Datum::Unknown(*of)),
        Datum::Unknown(Constraint::Any) => Ok(Datum::unknown()),
        Datum::Null => Err(Diagnostic::new(
            "Attempt to get attribute from null value",
            format!("This value is null, so it does not have the attribute {name:?}."),
        )),
        Datum::List(_)
        | Datum::Set(_)
        | Datum::Unknown(Constraint::List(_) | Constraint::Set(_) | Constraint::Tuple(_)) => missing(format!(
            "A list or set has no attribute {name:?}. Did you mean to access it for a specific element, as in [0].{name}, or for each, as in [*].{name}?"
        )),
        other => missing(format!("Can't access attributes on a primitive-typed value ({}).", other.type_name())),
    }
}

pub(super) fn index(value: Datum, key: Datum) -> Result<Datum, Diagnostic> {
    let invalid = |detail: &str| Err(Diagnostic::new("Invalid index", detail.to_owned()));
    match (value, key) {
        (_, Datum::Null) => invalid("The index value is null."),
        (Datum::Null, _) => {
            Err(Diagnostic::new("Attempt to index null value", "This value is null, so it does not have any indices."))
        }
        (Datum::Unknown(of), _) => match of {
            Constraint::List(of) | Constraint::Map(of) => Ok(Datum::Unknown(*of)),
            Constraint::Bool | Constraint::Number | Constraint::Text | Constraint::Set(_) => {
                invalid("This value does not have any indices.")
            }
            _ => Ok(Datum::unknown()),
        },
        (Datum::List(_) | Datum::Map(_), Datum::Unknown(_)) => Ok(Datum::unknown()),
        (Datum::List(mut items), key) => match key.as_number().filter(|n| n.fract() == 0.0) {
            Some(n) if n >= 0.0 && n < items.len() as f64 =>
            {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                Ok(items.swap_remove(n as usize))
            }
            Some(_) => invalid(
                "The given key does not identify an element in this collection value: the given index is outside the list.",
            ),
            None => {
                invalid("The given key does not identify an element in this collection value: a number is required.")
            }
        },
        (Datum::Map(mut entries), key) => match Constraint::Text.convert(key) {
            Ok(Datum::Text(key)) => match entries.remove(&key) {
                Some(value) => Ok(value),
                None => invalid("The given key does not identify an element in this collection value."),
            },
            _ => invalid("The given key does not identify an element in this collection value: a string is required."),
        },
        (Datum::Set(_), _) => {
            invalid("Elements of a set are identified only by their value and don't have any separate index or key.")
        }
        _ => invalid("This value does not have any indices."),
    }
}
