//! Tables for programs: one object per row, `null` where there was nothing to measure.

use serde_json::{Map, Value, json};

use super::{Cell, Form, Table};

/// A table as a JSON value; numbers are rounded when the file is written.
pub fn json(table: &Table) -> Value {
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| json!({ "key": column.key, "name": column.name, "form": form(column.form) }))
        .collect();
    let row = |row: &Vec<Cell>| -> Value {
        let cells = table.columns.iter().zip(row).map(|(column, cell)| (column.key.clone(), value(cell, column.form)));
        Value::Object(cells.collect::<Map<_, _>>())
    };
    json!({ "id": table.id, "title": table.title, "columns": columns, "rows": table.rows.iter().map(row).collect::<Vec<_>>() })
}

fn form(form: Form) -> &'static str {
    match form {
        Form::Words => "words",
        Form::Count => "count",
        Form::Decimals(_) | Form::Chance => "number",
        Form::Percent => "share",
    }
}

fn value(cell: &Cell, form: Form) -> Value {
    match cell {
        Cell::Words(text) => Value::from(text.as_str()),
        Cell::Number(value) if form == Form::Count && value.fract() == 0.0 => Value::from(*value as i64),
        Cell::Number(value) => Value::from(*value),
        Cell::Estimate(estimate) => match estimate.interval {
            None => Value::from(estimate.value),
            Some((low, high)) => json!({ "value": estimate.value, "low": low, "high": high }),
        },
        Cell::Nothing => Value::Null,
    }
}
