//! Operators, and the type that two sides of a condition share.

use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;
use crate::syntax::BinaryOp;

pub(super) fn not(value: Datum) -> Result<Datum, Diagnostic> {
    match boolean(value)? {
        Some(value) => Ok(Datum::Bool(!value)),
        None => Ok(Datum::Unknown(Constraint::Bool)),
    }
}

pub(super) fn negate(value: Datum) -> Result<Datum, Diagnostic> {
    match number(value)? {
        Some(value) => Ok(Datum::Number(-value)),
        None => Ok(Datum::Unknown(Constraint::Number)),
    }
}

pub(super) fn binary(op: BinaryOp, left: Datum, right: Datum) -> Result<Datum, Diagnostic> {
    match op {
        BinaryOp::Eq => Ok(equal(&left, &right).map_or(Datum::Unknown(Constraint::Bool), Datum::Bool)),
        BinaryOp::NotEq => Ok(equal(&left, &right).map_or(Datum::Unknown(Constraint::Bool), |same| Datum::Bool(!same))),
        BinaryOp::And | BinaryOp::Or => logic(op, left, right),
        _ => arithmetic(op, left, right),
    }
}

/// Equality; nothing where it depends on something unknown.
fn equal(left: &Datum, right: &Datum) -> Option<bool> {
    if left.is_null() || right.is_null() {
        let unknown = left.is_unknown() || right.is_unknown();
        return if unknown { None } else { Some(left.is_null() && right.is_null()) };
    }
    if left.has_unknown() || right.has_unknown() {
        return None;
    }
    Some(left.same(right))
}

/// Whether the left side of `&&` or `||` decides alone.
pub(super) fn decided(op: BinaryOp, left: &Datum) -> bool {
    match op {
        BinaryOp::And => left.as_bool() == Some(false),
        BinaryOp::Or => left.as_bool() == Some(true),
        _ => false,
    }
}

fn logic(op: BinaryOp, left: Datum, right: Datum) -> Result<Datum, Diagnostic> {
    let (left, right) = (boolean(left)?, boolean(right)?);
    Ok(match (op, left, right) {
        (BinaryOp::And, Some(false), _) | (BinaryOp::And, _, Some(false)) => Datum::Bool(false),
        (BinaryOp::Or, Some(true), _) | (BinaryOp::Or, _, Some(true)) => Datum::Bool(true),
        (BinaryOp::And, Some(a), Some(b)) => Datum::Bool(a && b),
        (_, Some(a), Some(b)) => Datum::Bool(a || b),
        _ => Datum::Unknown(Constraint::Bool),
    })
}

fn arithmetic(op: BinaryOp, left: Datum, right: Datum) -> Result<Datum, Diagnostic> {
    let compares = matches!(op, BinaryOp::Less | BinaryOp::LessEq | BinaryOp::Greater | BinaryOp::GreaterEq);
    let (Some(a), Some(b)) = (number(left)?, number(right)?) else {
        return Ok(Datum::Unknown(if compares { Constraint::Bool } else { Constraint::Number }));
    };
    if matches!(op, BinaryOp::Div | BinaryOp::Mod) && b == 0.0 {
        return Err(Diagnostic::new("Division by zero", "Dividing by zero gives no number."));
    }
    let made = match op {
        BinaryOp::Less => return Ok(Datum::Bool(a < b)),
        BinaryOp::LessEq => return Ok(Datum::Bool(a <= b)),
        BinaryOp::Greater => return Ok(Datum::Bool(a > b)),
        BinaryOp::GreaterEq => return Ok(Datum::Bool(a >= b)),
        BinaryOp::Plus => a + b,
        BinaryOp::Minus => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => a % b,
    };
    if made.is_finite() {
        Ok(Datum::Number(decimal(made)))
    } else {
        Err(Diagnostic::new("Invalid operand", "The result is no finite number."))
    }
}

/// Terraform counts in decimals: 0.1 + 0.2 is 0.3. Fifteen digits of a binary number are exact ones.
fn decimal(number: f64) -> f64 {
    if number.fract() == 0.0 { number } else { format!("{number:.14e}").parse().unwrap_or(number) }
}

fn boolean(value: Datum) -> Result<Option<bool>, Diagnostic> {
    match Constraint::Bool.convert(value) {
        Ok(Datum::Bool(value)) => Ok(Some(value)),
        Ok(Datum::Unknown(_)) => Ok(None),
        _ => Err(Diagnostic::new("Invalid operand", "Unsuitable value for operand: a bool is required.")),
    }
}

fn number(value: Datum) -> Result<Option<f64>, Diagnostic> {
    match Constraint::Number.convert(value) {
        Ok(Datum::Number(value)) => Ok(Some(value)),
        Ok(Datum::Unknown(_)) => Ok(None),
        _ => Err(Diagnostic::new("Invalid operand", "Unsuitable value for operand: a number is required.")),
    }
}

/// The chosen side of a condition, turned into the type it shares with the other side.
pub fn unify(chosen: Datum, other: &Datum) -> Result<Datum, Diagnostic> {
    match (&chosen, other) {
        (Datum::Null, _) | (_, Datum::Null) => Ok(chosen),
        (Datum::List(_), Datum::Set(_)) | (Datum::Set(_), Datum::List(_)) => Ok(chosen),
        (a, b) if a.type_name() == b.type_name() => Ok(chosen),
        (Datum::Unknown(Constraint::Any), _) | (_, Datum::Unknown(Constraint::Any)) => Ok(chosen),
        (a, b) if is_scalar(a) && is_scalar(b) => match Constraint::Text.convert(chosen.clone()) {
            Ok(text) => Ok(text),
            Err(_) => Ok(chosen),
        },
        (a, b) if is_scalar(a) != is_scalar(b) => {
            let detail = format!(
                "The true and false result expressions must have consistent types: {} and {}.",
                a.type_name(),
                b.type_name()
            );
            Err(Diagnostic::new("Inconsistent conditional result types", detail))
        }
        _ => Ok(chosen),
    }
}

fn is_scalar(value: &Datum) -> bool {
    matches!(
        value,
        Datum::Bool(_)
            | Datum::Number(_)
            | Datum::Text(_)
            | Datum::Unknown(Constraint::Bool | Constraint::Number | Constraint::Text)
    )
}

/// The type of a result that may be either value.
pub(super) fn common(a: &Datum, b: &Datum) -> Constraint {
    let of = |value: &Datum| match value {
        Datum::Unknown(constraint) => constraint.clone(),
        Datum::Bool(_) => Constraint::Bool,
        Datum::Number(_) => Constraint::Number,
        Datum::Text(_) => Constraint::Text,
        Datum::List(_) => Constraint::List(Box::new(Constraint::Any)),
        Datum::Set(_) => Constraint::Set(Box::new(Constraint::Any)),
        Datum::Map(_) => Constraint::Map(Box::new(Constraint::Any)),
        Datum::Null => Constraint::Any,
    };
    match (a, b) {
        (Datum::Null, other) | (other, Datum::Null) => of(other),
        _ => {
            let (a, b) = (of(a), of(b));
            if a == b { a } else { Constraint::Any }
        }
    }
}
