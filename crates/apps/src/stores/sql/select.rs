//! `SELECT`: which columns of which rows, in which order.

use super::eval::{Row, SqlFunctions, SqlValue, evaluate};
use super::expression::{SqlExpression, SqlParser};

/// What a `SELECT` asks for.
#[derive(Clone, Debug, Default)]
pub(in crate::stores) struct Selection {
    /// Expressions and the names that they were given.
    columns: Vec<(SqlExpression, Option<String>)>,
    /// The tables, with the condition under which each is joined to those before.
    pub(in crate::stores) from: Vec<Source>,
    filter: Option<SqlExpression>,
    group: Vec<SqlExpression>,
    order: Vec<(SqlExpression, bool)>,
    limit: Option<usize>,
    is_distinct: bool,
}

/// A table of a `FROM`.
#[derive(Clone, Debug)]
pub(in crate::stores) struct Source {
    pub(in crate::stores) schema: Option<String>,
    pub(in crate::stores) table: String,
    /// The name under which its columns are known.
    pub(in crate::stores) alias: String,
    on: Option<SqlExpression>,
}

/// A table to select from.
#[derive(Clone, Debug, Default)]
pub(in crate::stores) struct SqlTable {
    pub(in crate::stores) columns: Vec<String>,
    pub(in crate::stores) rows: Vec<Row>,
}

impl SqlTable {
    /// A table of named columns under an alias.
    pub(in crate::stores) fn new(alias: &str, columns: &[&str], rows: impl IntoIterator<Item = Vec<SqlValue>>) -> Self {
        let named = |row: Vec<SqlValue>| {
            columns.iter().zip(row).map(|(name, value)| (alias.to_string(), name.to_string(), value)).collect()
        };
        Self { columns: columns.iter().map(ToString::to_string).collect(), rows: rows.into_iter().map(named).collect() }
    }
}

/// Reads what follows `SELECT`; nothing if it is not understood.
pub(in crate::stores) fn parse_select(parser: &mut SqlParser<'_>) -> Option<Selection> {
    let mut selection = Selection { is_distinct: parser.took("distinct"), ..Selection::default() };
    loop {
        let expression = parser.expression()?;
        let name = if parser.took("as") { parser.name() } else { bare_alias(parser) };
        selection.columns.push((expression, name));
        if !parser.took_sign(",") {
            break;
        }
    }
    if parser.took("from") {
        selection.from.push(source(parser)?);
        loop {
            let is_joined = parser.took("join")
                || parser.took_all(&["inner", "join"])
                || parser.took_all(&["left", "join"])
                || parser.took_all(&["left", "outer", "join"]);
            if !is_joined && !parser.took_sign(",") {
                break;
            }
            let mut joined = source(parser)?;
            if parser.took("on") {
                joined.on = Some(parser.expression()?);
            }
            selection.from.push(joined);
        }
    }
    if parser.took("where") {
        selection.filter = Some(parser.expression()?);
    }
    if parser.took_all(&["group", "by"]) {
        loop {
            selection.group.push(parser.expression()?);
            if !parser.took_sign(",") {
                break;
            }
        }
    }
    if parser.took_all(&["order", "by"]) {
        loop {
            let expression = parser.expression()?;
            let is_down = parser.took("desc");
            parser.took("asc");
            selection.order.push((expression, is_down));
            if !parser.took_sign(",") {
                break;
            }
        }
    }
    if parser.took("limit") {
        let SqlExpression::Number(count) = parser.expression()? else { return None };
        selection.limit = Some(count as usize);
    }
    let columns = std::mem::take(&mut selection.columns);
    selection.group = selection.group.into_iter().map(|by| meant(&columns, by)).collect();
    selection.order = selection.order.into_iter().map(|(by, is_down)| (meant(&columns, by), is_down)).collect();
    selection.columns = columns;
    parser.is_done().then_some(selection)
}

/// What rows are grouped or ordered by: a column may be named by its number, or by the name that it was given.
fn meant(columns: &[(SqlExpression, Option<String>)], by: SqlExpression) -> SqlExpression {
    let found = match &by {
        SqlExpression::Number(number) => columns.get((*number as usize).wrapping_sub(1)),
        SqlExpression::Column(None, name) => columns.iter().find(|(_, given)| given.as_ref() == Some(name)),
        _ => None,
    };
    found.map_or(by, |(expression, _)| expression.clone())
}

fn bare_alias(parser: &mut SqlParser<'_>) -> Option<String> {
    const ENDS: &[&str] = &["from", "where", "group", "order", "limit", "join", "inner", "left", "on", "for"];
    let is_end = parser.peek().is_some_and(|token| ENDS.iter().any(|end| token.is(end)));
    if is_end { None } else { parser.name() }
}

fn source(parser: &mut SqlParser<'_>) -> Option<Source> {
    let (schema, table) = parser.path()?;
    let alias = if parser.took("as") { parser.name() } else { bare_alias(parser) };
    Some(Source { schema, alias: alias.unwrap_or_else(|| table.clone()), table, on: None })
}

/// The names and rows of a selection, given the rows of each of its tables.
pub(in crate::stores) fn project(
    selection: &Selection,
    tables: &[SqlTable],
    functions: &mut dyn SqlFunctions,
) -> Result<(Vec<String>, Vec<Vec<SqlValue>>), String> {
    let mut rows: Vec<Row> = vec![Vec::new()];
    for (source, table) in selection.from.iter().zip(tables) {
        let mut joined = Vec::new();
        for row in &rows {
            for more in &table.rows {
                let whole: Row = row.iter().chain(more).cloned().collect();
                if keeps(source.on.as_ref(), &whole, functions)? {
                    joined.push(whole);
                }
            }
        }
        rows = joined;
    }
    let mut kept = Vec::new();
    for row in rows {
        if keeps(selection.filter.as_ref(), &row, functions)? {
            kept.push(row);
        }
    }
    sort(selection, &mut kept, functions)?;
    let is_count = |(expression, _): &(SqlExpression, Option<String>)| is_aggregate(expression);
    if selection.columns.iter().any(is_count) {
        return aggregate(selection, &kept, functions);
    }
    let names = names(selection, tables);
    let mut rows: Vec<Vec<SqlValue>> = Vec::new();
    let most = selection.limit.unwrap_or(usize::MAX);
    for row in kept.iter() {
        if rows.len() == most {
            break;
        }
        let row = values(selection, row, functions)?;
        if !selection.is_distinct || !rows.contains(&row) {
            rows.push(row);
        }
    }
    Ok((names, rows))
}

fn keeps(condition: Option<&SqlExpression>, row: &Row, functions: &mut dyn SqlFunctions) -> Result<bool, String> {
    condition.map_or(Ok(true), |condition| Ok(evaluate(condition, row, functions)?.is_true()))
}

fn sort(selection: &Selection, rows: &mut Vec<Row>, functions: &mut dyn SqlFunctions) -> Result<(), String> {
    if selection.order.is_empty() {
        return Ok(());
    }
    let mut keyed = Vec::new();
    for row in rows.drain(..) {
        let key: Result<Vec<_>, _> = selection.order.iter().map(|(by, _)| evaluate(by, &row, functions)).collect();
        // An order by a name that a column was given, or by its number, leaves the rows as they are.
        keyed.push((key.unwrap_or_default(), row));
    }
    keyed.sort_by(|(a, _), (b, _)| compared(selection, a, b));
    rows.extend(keyed.into_iter().map(|(_, row)| row));
    Ok(())
}

/// Which of two rows comes first, given what they are ordered by.
fn compared(selection: &Selection, a: &[SqlValue], b: &[SqlValue]) -> std::cmp::Ordering {
    for ((a, b), (_, is_down)) in a.iter().zip(b).zip(&selection.order) {
        let order = match (a, b) {
            (SqlValue::Int(a), SqlValue::Int(b)) => a.cmp(b),
            (SqlValue::Interval(a), SqlValue::Interval(b)) => a.cmp(b),
            _ => a.shown().cmp(&b.shown()),
        };
        let order = if *is_down { order.reverse() } else { order };
        if order.is_ne() {
            return order;
        }
    }
    std::cmp::Ordering::Equal
}

/// Groups in the order that was asked for, as far as it is that of what they show.
fn sort_groups(selection: &Selection, rows: &mut [Vec<SqlValue>]) {
    let place = |by: &SqlExpression| selection.columns.iter().position(|(own, _)| own == by);
    let places: Option<Vec<usize>> = selection.order.iter().map(|(by, _)| place(by)).collect();
    let Some(places) = places else { return };
    let key = |row: &Vec<SqlValue>| places.iter().map(|at| row[*at].clone()).collect::<Vec<_>>();
    rows.sort_by(|a, b| compared(selection, &key(a), &key(b)));
}

fn is_aggregate(expression: &SqlExpression) -> bool {
    matches!(expression, SqlExpression::Call(name, _) if matches!(&**name, "count" | "max" | "min" | "sum"))
}

type Shown = (Vec<String>, Vec<Vec<SqlValue>>);

fn aggregate(selection: &Selection, rows: &[Row], functions: &mut dyn SqlFunctions) -> Result<Shown, String> {
    let mut groups: Vec<(Vec<SqlValue>, Vec<&Row>)> = Vec::new();
    for row in rows {
        let key = selection.group.iter().map(|by| evaluate(by, row, functions)).collect::<Result<Vec<_>, _>>()?;
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    if groups.is_empty() && selection.group.is_empty() {
        groups.push((Vec::new(), Vec::new()));
    }
    let mut out = Vec::new();
    for (_, rows) in &groups {
        let mut shown = Vec::new();
        for (expression, _) in &selection.columns {
            shown.push(match expression {
                SqlExpression::Call(name, args) if is_aggregate(expression) => total(name, args, rows, functions)?,
                other => rows.first().map_or(Ok(SqlValue::Null), |row| evaluate(other, row, functions))?,
            });
        }
        out.push(shown);
    }
    sort_groups(selection, &mut out);
    out.truncate(selection.limit.unwrap_or(usize::MAX));
    Ok((names(selection, &[]), out))
}

fn total(
    name: &str,
    args: &[SqlExpression],
    rows: &[&Row],
    functions: &mut dyn SqlFunctions,
) -> Result<SqlValue, String> {
    let mut values = Vec::new();
    for row in rows {
        match args.first() {
            None | Some(SqlExpression::Star) => values.push(SqlValue::Int(1)),
            Some(arg) => values.push(evaluate(arg, row, functions)?),
        }
    }
    values.retain(|value| *value != SqlValue::Null);
    let int = |value: &SqlValue| value.shown().parse::<i64>().unwrap_or(0);
    Ok(match name {
        "count" => SqlValue::Int(values.len() as i64),
        "sum" => SqlValue::Int(values.iter().map(int).sum()),
        "max" => values.into_iter().max_by_key(|value| (int(value), value.shown())).unwrap_or(SqlValue::Null),
        _ => values.into_iter().min_by_key(|value| (int(value), value.shown())).unwrap_or(SqlValue::Null),
    })
}

fn names(selection: &Selection, tables: &[SqlTable]) -> Vec<String> {
    let star = || tables.iter().flat_map(|table| table.columns.iter().cloned());
    let mut out = Vec::new();
    for (expression, name) in &selection.columns {
        match (name, expression) {
            (Some(name), _) => out.push(name.clone()),
            (None, SqlExpression::Star) => out.extend(star()),
            (None, SqlExpression::Column(_, name) | SqlExpression::Call(name, _)) => out.push(name.clone()),
            _ => out.push("?column?".into()),
        }
    }
    out
}

fn values(selection: &Selection, row: &Row, functions: &mut dyn SqlFunctions) -> Result<Vec<SqlValue>, String> {
    let mut out = Vec::new();
    for (expression, _) in &selection.columns {
        match expression {
            SqlExpression::Star => out.extend(row.iter().map(|(_, _, value)| value.clone())),
            other => out.push(evaluate(other, row, functions)?),
        }
    }
    Ok(out)
}
