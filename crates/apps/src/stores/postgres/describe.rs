//! Tables as `\\d` and `\\dp` show them.

use super::print::{Layout, table as printed};
use super::{PgDatabase, PgStore, PgTable};
use crate::stores::sql::SqlValue;

type Found<'a> = (&'a (String, String), &'a PgTable);

/// The table of a name, with or without its schema.
fn found<'a>(database: &'a PgDatabase, name: &str) -> Option<Found<'a>> {
    let (schema, name) = name.split_once('.').unwrap_or(("public", name));
    database.tables.iter().find(|((own, table), _)| own == schema && table == name)
}

/// `\\d catalog.products`; nothing if there is no such table.
pub(super) fn table(store: &PgStore, database: &str, name: &str, layout: Layout) -> Option<String> {
    let ((schema, name), found) = found(store.databases.get(database)?, name)?;
    let text = |text: &str| SqlValue::text(text);
    let rows: Vec<Vec<SqlValue>> = found
        .columns
        .iter()
        .map(|(column, kind)| {
            let lower = kind.to_lowercase();
            let is_needed = lower.contains("not null") || lower.contains("primary key");
            let ends = [" not null", " primary key", " default", " references", " unique"];
            let end = ends.iter().filter_map(|end| lower.find(end)).min().unwrap_or(lower.len());
            let kind = match &lower[..end] {
                "int" | "int4" | "serial" => "integer",
                "int8" | "bigserial" => "bigint",
                "bool" => "boolean",
                kind => kind,
            };
            vec![text(column), text(kind), text(""), text(if is_needed { "not null" } else { "" }), text("")]
        })
        .collect();
    let names = ["Column", "Type", "Collation", "Nullable", "Default"].map(String::from);
    Some(without_count(&printed(&format!("Table \"{schema}.{name}\""), &names, &rows, layout)))
}

/// `\\dp`: who may do what with the tables of a schema, or with one of them.
pub(super) fn privileges(store: &PgStore, database: &str, name: &str, layout: Layout) -> String {
    let tables = store.databases.get(database).into_iter().flat_map(|database| &database.tables);
    let (schema, wanted) = name.split_once('.').unwrap_or(("public", if name.is_empty() { "*" } else { name }));
    let meant = tables.filter(|((own, table), _)| own == schema && (wanted == "*" || table == wanted));
    let mut rows = Vec::new();
    let mut count = 0;
    for ((schema, table), found) in meant {
        count += 1;
        for (at, line) in held(found).iter().enumerate() {
            let [schema, table, kind] = if at == 0 { [&**schema, &**table, "table"] } else { ["", "", ""] };
            rows.push([schema, table, kind, line, "", ""].map(SqlValue::text).to_vec());
        }
    }
    let names = ["Schema", "Name", "Type", "Access privileges", "Column privileges", "Policies"].map(String::from);
    let shown = without_count(&printed("Access privileges", &names, &rows, layout));
    let rows = if count == 1 { "(1 row)".into() } else { format!("({count} rows)") };
    format!("{shown}{rows}\n\n")
}

/// The privileges on a table as lines of one cell; where nothing was granted, nothing is shown.
fn held(table: &PgTable) -> Vec<String> {
    let letter = |right: &str| match right {
        "INSERT" => 'a',
        "SELECT" => 'r',
        "UPDATE" => 'w',
        "DELETE" => 'd',
        "TRUNCATE" => 'D',
        "REFERENCES" => 'x',
        _ => 't',
    };
    let mut roles: Vec<&String> = table.grants.iter().map(|(role, _)| role).collect();
    roles.dedup();
    if roles.is_empty() {
        return vec![String::new()];
    }
    let owner = &table.owner;
    let mut lines = vec![format!("{owner}=arwdDxtm/{owner}")];
    for role in roles {
        let rights = ["INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"].iter();
        let has = |right: &&&str| table.grants.contains(&(role.clone(), right.to_string()));
        let letters: String = rights.filter(has).map(|right| letter(right)).collect();
        let role = if role == "public" { "" } else { role };
        lines.push(format!("{role}={letters}/{owner}"));
    }
    let last = lines.len() - 1;
    lines.iter_mut().take(last).for_each(|line| line.push('+'));
    lines
}

/// A printed table without the line that counts its rows.
fn without_count(text: &str) -> String {
    let kept = text.lines().filter(|line| !(line.starts_with('(') && line.ends_with(" rows)") || *line == "(1 row)"));
    kept.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect::<String>()
        + if text.contains("Table \"") { "\n" } else { "" }
}
