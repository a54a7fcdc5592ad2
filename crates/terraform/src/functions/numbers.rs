//! Functions of numbers.

use super::Unknowns::Deep;
use super::{Function, Gives, MANY, number, text, whole};
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("abs", 1, 1, Deep, Gives::Number, |a, _| Ok(Datum::Number(number(&a[0])?.abs()))),
    Function("ceil", 1, 1, Deep, Gives::Number, |a, _| Ok(Datum::Number(number(&a[0])?.ceil()))),
    Function("floor", 1, 1, Deep, Gives::Number, |a, _| Ok(Datum::Number(number(&a[0])?.floor()))),
    Function("signum", 1, 1, Deep, Gives::Number, |a, _| {
        let n = number(&a[0])?;
        Ok(Datum::Number(if n == 0.0 { 0.0 } else { n.signum() }))
    }),
    Function("log", 2, 2, Deep, Gives::Number, |a, _| finite(libm::log(number(&a[0])?) / libm::log(number(&a[1])?))),
    Function("pow", 2, 2, Deep, Gives::Number, |a, _| finite(libm::pow(number(&a[0])?, number(&a[1])?))),
    Function("max", 1, MANY, Deep, Gives::Number, |a, _| best(a, f64::max)),
    Function("min", 1, MANY, Deep, Gives::Number, |a, _| best(a, f64::min)),
    Function("sum", 1, 1, Deep, Gives::Number, |a, _| {
        let items = super::items(&a[0])?;
        if items.is_empty() {
            return Err("cannot sum an empty list".to_owned());
        }
        finite(items.iter().map(number).sum::<Result<f64, _>>()?)
    }),
    Function("parseint", 2, 2, Deep, Gives::Number, |a, _| {
        let (of, base) = (text(&a[0])?, whole(&a[1])?);
        let base = u32::try_from(base)
            .ok()
            .filter(|b| (2..=36).contains(b))
            .ok_or("base must be a whole number between 2 and 62 inclusive")?;
        let parsed =
            i64::from_str_radix(&of, base).map_err(|_| format!("cannot parse {of:?} as a base {base} integer"))?;
        #[allow(clippy::cast_precision_loss)]
        Ok(Datum::Number(parsed as f64))
    }),
];

fn finite(number: f64) -> Result<Datum, String> {
    if number.is_finite() { Ok(Datum::Number(number)) } else { Err("the result is no finite number".to_owned()) }
}

fn best(args: &[Datum], choose: fn(f64, f64) -> f64) -> Result<Datum, String> {
    let numbers = args.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    Ok(Datum::Number(numbers.into_iter().reduce(choose).expect("the table asks for one argument at least")))
}
