//! Instances of blocks: `count`, `for_each`, and their bounds.

use super::scope::{InstanceKey, Instances};
use super::walk::{GraphWalk, MOST_INSTANCES};
use crate::config::Repeat;
use crate::datum::Constraint;
use crate::datum::Datum;
use crate::diagnostic::Diagnostic;

impl GraphWalk<'_> {
    /// The instances that `count` or `for_each` asks for.
    pub(super) fn keys(&self, at: usize, repeat: &Repeat) -> Result<Vec<InstanceKey>, Diagnostic> {
        let own = InstanceKey::default();
        let validating = self.handler.is_validating();
        match repeat {
            Repeat::Once => Ok(vec![own]),
            Repeat::Count(expr) => {
                let invalid = |detail: &str| Err(Diagnostic::new("Invalid count argument", detail).at(expr.line));
                match Constraint::Number.convert(self.eval(at, &own, expr)?) {
                    Ok(Datum::Number(n)) if n < 0.0 || n.fract() != 0.0 => {
                        invalid("The count must be a whole number, zero or more.")
                    }
                    Ok(Datum::Number(n)) if n > MOST_INSTANCES as f64 => Err(too_many().at(expr.line)),
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                    Ok(Datum::Number(n)) => Ok((0..n as u32).map(|i| index_key(Datum::Number(f64::from(i)))).collect()),
                    Ok(Datum::Unknown(_)) if validating => Ok(vec![index_key(Datum::Unknown(Constraint::Number))]),
                    Ok(Datum::Unknown(_)) => invalid(
                        "The \"count\" value depends on resource attributes that cannot be determined until apply, so Terraform cannot predict how many instances will be created.",
                    ),
                    Ok(_) => invalid("The given \"count\" argument value is null. An integer is required."),
                    Err(why) => invalid(&format!("The given \"count\" argument value is unsuitable: {why}.")),
                }
            }
            Repeat::Each(expr) => {
                let invalid = |detail: &str| Err(Diagnostic::new("Invalid for_each argument", detail).at(expr.line));
                let later = "The \"for_each\" value depends on resource attributes that cannot be determined until apply, so Terraform cannot determine the full set of keys.";
                match self.eval(at, &own, expr)? {
                    Datum::Map(entries) => many(entries.into_iter().map(|(k, v)| (Datum::Text(k), v))),
                    Datum::Set(items) if items.iter().any(Datum::is_unknown) => {
                        if validating {
                            Ok(vec![each_key(Datum::Unknown(Constraint::Text), Datum::unknown())])
                        } else {
                            invalid(later)
                        }
                    }
                    Datum::Set(items) if items.iter().all(|i| i.as_text().is_some()) => {
                        many(items.into_iter().map(|i| (i.clone(), i)))
                    }
                    Datum::Set(_) => invalid(
                        "The given \"for_each\" argument value is unsuitable: \"for_each\" supports sets of strings.",
                    ),
                    Datum::Unknown(Constraint::List(_) | Constraint::Tuple(_)) | Datum::List(_) => invalid(
                        "The given \"for_each\" argument value is unsuitable: the \"for_each\" argument must be a map, or set of strings, and you have provided a value of type tuple.",
                    ),
                    Datum::Unknown(_) if validating => {
                        Ok(vec![each_key(Datum::Unknown(Constraint::Text), Datum::unknown())])
                    }
                    Datum::Unknown(_) => invalid(later),
                    Datum::Null => {
                        invalid("The given \"for_each\" argument value is null. A map, or set of strings is allowed.")
                    }
                    other => invalid(&format!(
                        "The given \"for_each\" argument value is unsuitable: it is a {}.",
                        other.type_name()
                    )),
                }
            }
        }
    }
}

fn index_key(index: Datum) -> InstanceKey {
    InstanceKey { index: Some(index), each: None }
}

fn each_key(key: Datum, value: Datum) -> InstanceKey {
    InstanceKey { index: None, each: Some((key, value)) }
}

fn many(entries: impl ExactSizeIterator<Item = (Datum, Datum)>) -> Result<Vec<InstanceKey>, Diagnostic> {
    if entries.len() > MOST_INSTANCES {
        return Err(too_many());
    }
    Ok(entries.map(|(k, v)| each_key(k, v)).collect())
}

pub(super) fn too_many() -> Diagnostic {
    Diagnostic::new(
        "Too many instances",
        format!("One block may have {MOST_INSTANCES} instances at most here, and all together twice as many."),
    )
}

pub(super) fn group(repeat: &Repeat, made: Vec<(InstanceKey, Datum)>) -> Instances {
    let unknown = |k: &InstanceKey| {
        k.index.as_ref().is_some_and(Datum::is_unknown) || k.each.as_ref().is_some_and(|(k, _)| k.is_unknown())
    };
    if made.iter().any(|(k, _)| unknown(k)) {
        return Instances::Unknown;
    }
    match repeat {
        Repeat::Once => Instances::One(made.into_iter().next().map_or(Datum::unknown(), |(_, v)| v)),
        Repeat::Count(_) => Instances::Counted(made.into_iter().map(|(_, v)| v).collect()),
        Repeat::Each(_) => {
            Instances::Keyed(made.into_iter().filter_map(|(k, v)| Some((k.each?.0.as_text()?.to_owned(), v))).collect())
        }
    }
}
