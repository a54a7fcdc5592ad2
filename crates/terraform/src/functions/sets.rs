//! Functions of sets.

use super::Unknowns::Deep;
use super::{EvalHost, Function, Gives, MANY, items};
use crate::datum::Datum;

pub(super) const TABLE: &[Function] = &[
    Function("setunion", 1, MANY, Deep, Gives::Set, |a, _| {
        let lists = a.iter().map(items).collect::<Result<Vec<_>, _>>()?;
        Ok(Datum::set(lists.concat()))
    }),
    Function("setintersection", 1, MANY, Deep, Gives::Set, |a, _| {
        let lists = a.iter().map(items).collect::<Result<Vec<_>, _>>()?;
        let in_all = |item: &&Datum| lists.iter().all(|list| list.iter().any(|i| i.same(item)));
        Ok(Datum::set(lists[0].iter().filter(in_all).cloned().collect()))
    }),
    Function("setsubtract", 2, 2, Deep, Gives::Set, |a, _| {
        let (from, what) = (items(&a[0])?, items(&a[1])?);
        Ok(Datum::set(from.iter().filter(|item| !what.iter().any(|w| w.same(item))).cloned().collect()))
    }),
    Function("setproduct", 2, MANY, Deep, Gives::List, product),
];

fn product(args: &[Datum], _: &EvalHost) -> Result<Datum, String> {
    let lists = args.iter().map(items).collect::<Result<Vec<_>, _>>()?;
    let size = lists.iter().fold(1usize, |size, list| size.saturating_mul(list.len()));
    if size.saturating_mul(lists.len()) > 20_000 {
        return Err("the product is too large".to_owned());
    }
    let mut rows: Vec<Vec<Datum>> = vec![Vec::new()];
    for list in lists {
        rows = rows
            .iter()
            .flat_map(|row| list.iter().map(|item| [row.as_slice(), std::slice::from_ref(item)].concat()))
            .collect();
    }
    Ok(Datum::List(rows.into_iter().map(Datum::List).collect()))
}
