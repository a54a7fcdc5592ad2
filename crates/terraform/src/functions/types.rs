//! Conversions between types, and marks that do not change a value here.

use super::Unknowns::{Deep, Own};
use super::{EvalHost, Function, Gives};
use crate::datum::Constraint;
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("tostring", 1, 1, Own, Gives::Text, |a, _| Constraint::Text.convert(a[0].clone())),
    Function("tonumber", 1, 1, Own, Gives::Number, |a, _| Constraint::Number.convert(a[0].clone())),
    Function("tobool", 1, 1, Own, Gives::Bool, |a, _| Constraint::Bool.convert(a[0].clone())),
    Function("tolist", 1, 1, Own, Gives::List, |a, _| uniform(&a[0], &Constraint::List(Box::new(Constraint::Any)))),
    Function("toset", 1, 1, Own, Gives::Set, |a, _| uniform(&a[0], &Constraint::Set(Box::new(Constraint::Any)))),
    Function("tomap", 1, 1, Own, Gives::Map, |a, _| uniform(&a[0], &Constraint::Map(Box::new(Constraint::Any)))),
    // Marks of sensitivity are not kept: nothing here prints a plan for other eyes.
    Function("sensitive", 1, 1, Own, Gives::Any, same),
    Function("nonsensitive", 1, 1, Own, Gives::Any, same),
    Function("ephemeralasnull", 1, 1, Own, Gives::Any, same),
    Function("issensitive", 1, 1, Deep, Gives::Bool, |_, _| Ok(Datum::Bool(false))),
    Function("type", 1, 1, Own, Gives::Text, |a, _| Ok(Datum::text(a[0].type_name()))),
];

fn same(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    Ok(args[0].clone())
}

/// A collection whose elements share one type: mixed primitives become strings, as in Terraform.
fn uniform(value: &Datum, wanted: &Constraint) -> Result<Datum, String> {
    let elements: Vec<&Datum> = match value {
        Datum::List(items) | Datum::Set(items) => items.iter().collect(),
        Datum::Map(entries) => entries.values().collect(),
        _ => Vec::new(),
    };
    let scalar = |v: &&Datum| matches!(v, Datum::Bool(_) | Datum::Number(_) | Datum::Text(_));
    let first = elements.iter().find(|v| scalar(v)).map(|v| v.type_name());
    let mixed = elements.iter().any(|v| scalar(v) && Some(v.type_name()) != first);
    let of = Box::new(if mixed { Constraint::Text } else { Constraint::Any });
    match wanted {
        Constraint::List(_) => Constraint::List(of).convert(value.clone()),
        Constraint::Set(_) => Constraint::Set(of).convert(value.clone()),
        _ => Constraint::Map(of).convert(value.clone()),
    }
}
