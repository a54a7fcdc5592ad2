//! `INSERT`, `UPDATE`, `DELETE`, `TRUNCATE`.

use cluster::Stamp;

use super::PgStore;
use super::catalog::OwnSession;
use super::statement::PgFunctions;
use crate::stores::sql::{SqlParser, SqlValue, evaluate};

/// Applies a statement whose table is known; nothing if it is not understood.
pub(super) fn apply(
    store: &mut PgStore,
    own: &OwnSession,
    now: Stamp,
    name: &(String, String),
    verb: &str,
    parser: &mut SqlParser<'_>,
) -> Option<Result<String, String>> {
    let columns = table(store, own, name)?.columns.clone();
    match verb {
        "truncate" => {
            let table = store.databases.get_mut(&own.database)?.tables.get_mut(name)?;
            table.rows.clear();
            table.more = 0;
            Some(Ok("TRUNCATE TABLE".into()))
        }
        "insert" => {
            let mut targets: Vec<String> = Vec::new();
            if parser.took_sign("(") {
                while !parser.took_sign(")") {
                    targets.push(parser.name()?);
                    parser.took_sign(",");
                }
            } else {
                targets = columns.iter().map(|(name, _)| name.clone()).collect();
            }
            if !parser.took("values") {
                return None;
            }
            let mut count = 0;
            while parser.took_sign("(") {
                let mut given = Vec::new();
                while !parser.took_sign(")") {
                    let expression = parser.expression()?;
                    let mut functions = PgFunctions { store, own, now, sleeps: 0.0 };
                    match evaluate(&expression, &Vec::new(), &mut functions) {
                        Ok(value) => given.push(value),
                        Err(why) => return Some(Err(why)),
                    }
                    parser.took_sign(",");
                }
                let table = store.databases.get_mut(&own.database)?.tables.get_mut(name)?;
                let serial = table.rows.len() as i64 + 1;
                let cell = |(column, kind): &(String, String)| match targets.iter().position(|target| target == column)
                {
                    Some(at) => given.get(at).cloned().unwrap_or(SqlValue::Null),
                    None if kind.starts_with("serial") => SqlValue::Int(serial),
                    None => SqlValue::Null,
                };
                let row = columns.iter().map(cell).collect();
                table.rows.push(row);
                count += 1;
                parser.took_sign(",");
            }
            Some(Ok(format!("INSERT 0 {count}")))
        }
        _ => change(store, own, now, name, verb, parser),
    }
}

fn table<'a>(store: &'a PgStore, own: &OwnSession, name: &(String, String)) -> Option<&'a super::PgTable> {
    store.databases.get(&own.database)?.tables.get(name)
}

fn change(
    store: &mut PgStore,
    own: &OwnSession,
    now: Stamp,
    name: &(String, String),
    verb: &str,
    parser: &mut SqlParser<'_>,
) -> Option<Result<String, String>> {
    let mut sets = Vec::new();
    if parser.took("set") {
        loop {
            let column = parser.name()?;
            if !parser.took_sign("=") {
                return None;
            }
            sets.push((column, parser.expression()?));
            if !parser.took_sign(",") {
                break;
            }
        }
    }
    let filter = if parser.took("where") { Some(parser.expression()?) } else { None };
    let (columns, rows, more) = {
        let table = table(store, own, name)?;
        (table.columns.clone(), table.rows.clone(), table.more)
    };
    let mut functions = PgFunctions { store, own, now, sleeps: 0.0 };
    let mut kept = Vec::new();
    let mut count = 0;
    for mut row in rows {
        let named =
            columns.iter().zip(&row).map(|((column, _), value)| (name.1.clone(), column.clone(), value.clone()));
        let named: Vec<_> = named.collect();
        let is_meant = match filter.as_ref().map(|filter| evaluate(filter, &named, &mut functions)) {
            None => true,
            Some(Ok(value)) => value.is_true(),
            Some(Err(why)) => return Some(Err(why)),
        };
        count += i64::from(is_meant);
        if is_meant && verb == "delete" {
            continue;
        }
        if is_meant {
            for (column, value) in &sets {
                let at = columns.iter().position(|(name, _)| name == column);
                let Some(at) = at else {
                    return Some(Err(format!("column \"{column}\" of relation \"{}\" does not exist", name.1)));
                };
                match evaluate(value, &named, &mut functions) {
                    Ok(value) => row[at] = value,
                    Err(why) => return Some(Err(why)),
                }
            }
        }
        kept.push(row);
    }
    let table = store.databases.get_mut(&own.database)?.tables.get_mut(name)?;
    table.rows = kept;
    if filter.is_none() {
        count += more;
        if verb == "delete" {
            table.more = 0;
        }
    }
    Some(Ok(format!("{} {count}", verb.to_uppercase())))
}
