//! The episodes being played, and the messages.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::targets::fitted;
use super::{DIM, pane};
use crate::sweeping::live::LiveEvent;
use crate::sweeping::screen::snapshot::Snapshot;
use crate::sweeping::screen::ui::{Pane, Ui};
use crate::sweeping::ticker::time;

/// The width of an age.
const AGE: usize = 9;

/// Draws the episodes being played.
pub fn running(frame: &mut Frame, area: Rect, seen: &Snapshot, ui: &Ui) {
    let room = usize::from(area.height.saturating_sub(2));
    let from = ui.running.min(seen.running.len().saturating_sub(room));
    let wide = usize::from(area.width.saturating_sub(2));
    let shown = seen.running.iter().skip(from).take(room);
    let lines: Vec<Line> = shown.map(|(key, age)| episode(key, time(*age), wide)).collect();
    let block = pane(format!(" Running ({}) ", seen.running.len()), ui.is_in(Pane::Running));
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// Draws the messages, the newest last.
pub fn log(frame: &mut Frame, area: Rect, seen: &Snapshot, ui: &Ui) {
    let room = u64::from(area.height.saturating_sub(2));
    let first = seen.first();
    let end = ui.log.unwrap_or(seen.said).max(first + room).min(seen.said);
    let shown = seen.tail.iter().take((end - first) as usize).skip((end - first).saturating_sub(room) as usize);
    let lines: Vec<Line> = shown.map(|said| message(said, ui.aside)).collect();
    let title = match seen.said - end {
        0 => " Log ".to_string(),
        newer => format!(" Log ({newer} newer, End follows) "),
    };
    frame.render_widget(Paragraph::new(lines).block(pane(title, ui.is_in(Pane::Log))), area);
}

/// An episode and its age, in a line of that width: a long name leaves room for the task.
pub fn episode(key: &str, age: String, wide: usize) -> Line<'static> {
    let key = fitted(key, wide.saturating_sub(AGE + 2));
    Line::from(vec![Span::styled(format!("{age:>AGE$}"), DIM), Span::raw(format!("  {key}"))])
}

/// A message, moved to the left.
pub fn message(said: &LiveEvent, aside: u16) -> Line<'static> {
    let text: String = said.text.chars().skip(usize::from(aside)).collect();
    Line::from(vec![Span::styled(said.at.to_string(), DIM), Span::raw(format!(" {text}"))])
}
