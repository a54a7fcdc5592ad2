//! Tables that the server makes, as `get` prints them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::json;

/// A table as it comes from the server.
#[derive(Debug, Deserialize)]
pub(crate) struct Table {
    #[serde(rename = "columnDefinitions", default)]
    pub(crate) columns: Option<Vec<Column>>,
    #[serde(default)]
    pub(crate) rows: Option<Vec<Row>>,
}

/// A column; those with a priority are shown by `-o wide` alone.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) priority: i64,
}

/// A row: its cells, and the object if it was asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Row {
    pub(crate) cells: Vec<Value>,
    #[serde(default)]
    pub(crate) object: Value,
}

/// How tables are printed.
#[derive(Debug, Default)]
pub(crate) struct TablePrinter {
    pub(crate) wide: bool,
    pub(crate) no_headers: bool,
    pub(crate) with_namespace: bool,
    /// `deployment.apps`, before each name.
    pub(crate) kind: Option<String>,
    pub(crate) label_columns: Vec<String>,
    pub(crate) show_labels: bool,
    /// The kind of watch event, before each row.
    pub(crate) with_events: bool,
    /// The columns of the last table that had some.
    pub(crate) columns: Vec<Column>,
    pub(crate) has_header: bool,
}

impl TablePrinter {
    /// The lines of a table, not yet aligned. A later table of the same watch has no columns of its own.
    pub(crate) fn lines(&mut self, table: &Table, event: &str) -> String {
        if let Some(columns) = &table.columns {
            self.columns = columns.clone();
        }
        let shown = |at: usize| self.columns.get(at).is_none_or(|column| self.wide || column.priority == 0);
        let mut out = String::new();
        if !self.no_headers && !self.has_header && !self.columns.is_empty() {
            let mut cells: Vec<String> = Vec::new();
            cells.extend(self.with_events.then(|| "EVENT".to_string()));
            cells.extend(self.with_namespace.then(|| "NAMESPACE".to_string()));
            let names = self.columns.iter().enumerate().filter(|(at, _)| shown(*at));
            cells.extend(names.map(|(_, column)| column.name.to_uppercase()));
            cells.extend(
                self.label_columns.iter().map(|label| label.rsplit('/').next().unwrap_or_default().to_uppercase()),
            );
            cells.extend(self.show_labels.then(|| "LABELS".to_string()));
            out.push_str(&cells.join("\t"));
            out.push('\n');
            self.has_header = true;
        }
        for row in table.rows.iter().flatten() {
            let mut first = true;
            let mut push = |text: &str, out: &mut String| {
                if !std::mem::take(&mut first) {
                    out.push('\t');
                }
                out.push_str(text);
            };
            if self.with_events {
                push(event, &mut out);
            }
            if self.with_namespace {
                push(json::text(&row.object, "metadata.namespace"), &mut out);
            }
            for (at, value) in row.cells.iter().enumerate().filter(|(at, _)| shown(*at)) {
                let text = cell(value);
                match &self.kind {
                    Some(kind) if at == 0 => push(&format!("{kind}/{text}"), &mut out),
                    _ => push(&text, &mut out),
                }
            }
            for label in &self.label_columns {
                let value = json::at(&row.object, "metadata.labels").get(label.as_str()).and_then(Value::as_str);
                push(value.unwrap_or_default(), &mut out);
            }
            if self.show_labels {
                push(&labels(&row.object), &mut out);
            }
            out.push('\n');
        }
        out
    }
}

/// `app=web,tier=frontend`, or `<none>`.
pub(crate) fn labels(object: &Value) -> String {
    let all: Vec<String> =
        json::entries(object, "metadata.labels").map(|(key, value)| format!("{key}={}", json::plain(value))).collect();
    if all.is_empty() { "<none>".into() } else { all.join(",") }
}

/// A cell up to its first line break.
fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => match text.find(['\n', '\r', '\u{c}']) {
            Some(end) => Cow::Owned(format!("{}...", &text[..end])),
            None => Cow::Borrowed(text),
        },
        other => Cow::Owned(crate::go::plain(other)),
    }
}
