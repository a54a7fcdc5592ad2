//! The table of targets: one row for each model that is called.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Paragraph, Row, Table, TableState};

use super::{BOLD, DIM, WARN, WIDE, pane};
use crate::sweeping::live::Traffic;
use crate::sweeping::screen::snapshot::Snapshot;
use crate::sweeping::screen::ui::{Pane, Ui};
use crate::sweeping::ticker::short;

/// A column: its heading, its width, what is in it, and whether only a wide screen has it.
struct Column {
    head: &'static str,
    width: Constraint,
    text: fn(&str, &Traffic) -> String,
    wide: bool,
}

const COLUMNS: &[Column] = &[
    Column { head: "target", width: Constraint::Fill(3), text: |name, _| name.to_string(), wide: false },
    Column { head: "calls", width: Constraint::Length(7), text: |_, t| short(t.calls), wide: false },
    Column { head: "answered", width: Constraint::Length(8), text: |_, t| short(t.answered), wide: false },
    Column { head: "failed", width: Constraint::Length(7), text: |_, t| short(t.failures()), wide: false },
    Column { head: "mean", width: Constraint::Length(7), text: |_, t| latency(t.mean()), wide: false },
    Column { head: "tokens", width: Constraint::Length(8), text: |_, t| short(t.usage.total()), wide: false },
    Column { head: "cost", width: Constraint::Length(8), text: |_, t| format!("${:.2}", t.cost), wide: false },
    Column { head: "failures", width: Constraint::Fill(3), text: |_, t| t.by_fault(), wide: true },
    Column { head: "last trouble", width: Constraint::Fill(4), text: |_, t| trouble(t), wide: true },
];

/// Draws it.
pub fn draw(frame: &mut Frame, area: Rect, seen: &Snapshot, ui: &Ui) {
    let block = pane(format!(" Targets ({}) ", seen.targets.len()), ui.is_in(Pane::Targets));
    if seen.targets.is_empty() {
        let text = Line::styled("no calls yet; agents without a model call no provider", DIM);
        frame.render_widget(Paragraph::new(text).block(block), area);
        return;
    }
    let columns: Vec<&Column> = COLUMNS.iter().filter(|column| !column.wide || area.width >= WIDE).collect();
    let head = Row::new(columns.iter().map(|column| cell(column, column.head.to_string()))).style(DIM);
    let room = room(&columns, area.width.saturating_sub(2));
    let rows = seen.targets.iter().map(|(name, traffic)| {
        let name = fitted(name, room);
        let cells = columns.iter().map(|column| cell(column, (column.text)(&name, traffic)));
        Row::new(cells).style(if traffic.faults.is_empty() { BOLD.remove_modifier(Modifier::BOLD) } else { WARN })
    });
    let table = Table::new(rows, columns.iter().map(|column| column.width))
        .header(head)
        .row_highlight_style(Modifier::REVERSED)
        .column_spacing(1)
        .block(block);
    let mut state = TableState::new().with_selected(ui.selected(seen));
    frame.render_stateful_widget(table, area, &mut state);
}

/// The room of the first column: its share of what the numbers and the gaps leave.
fn room(columns: &[&Column], width: u16) -> usize {
    let length = |column: &&Column| if let Constraint::Length(length) = column.width { length } else { 0 };
    let share = |column: &&Column| if let Constraint::Fill(share) = column.width { share } else { 0 };
    let taken: u16 = columns.iter().map(length).sum::<u16>() + columns.len().saturating_sub(1) as u16;
    let shares: u16 = columns.iter().map(share).sum();
    usize::from(width.saturating_sub(taken) * columns.first().map_or(0, share) / shares.max(1))
}

/// A name cut in its middle: the ends are what tells names apart.
pub(super) fn fitted(name: &str, room: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= room {
        return name.to_owned();
    }
    let kept = room.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    letters[..head].iter().chain(['\u{2026}'].iter()).chain(&letters[letters.len() - tail..]).collect()
}

/// Numbers stand at the right of their column, texts at the left.
fn cell(column: &Column, text: String) -> Cell<'static> {
    let text = Text::from(text);
    Cell::from(if matches!(column.width, Constraint::Length(_)) { text.right_aligned() } else { text })
}

fn trouble(traffic: &Traffic) -> String {
    traffic.trouble.as_deref().unwrap_or_default().to_string()
}

/// `0.31 s`, or nothing.
pub fn latency(span: Option<Duration>) -> String {
    span.map_or(String::new(), |span| format!("{:.2} s", span.as_secs_f64()))
}
