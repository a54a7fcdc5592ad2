//! The picture: a function of what is seen and what is chosen. Nothing here knows a clock or a terminal.

mod head;
mod lists;
mod over;
mod targets;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};

use super::snapshot::Snapshot;
use super::ui::{Overlay, Pane, Ui};
use crate::say::count;

/// Draws the whole view.
pub fn draw(frame: &mut Frame, seen: &Snapshot, ui: &Ui) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("The run goes on. Its view needs {} x {} characters.", LEAST.0, LEAST.1);
        frame.render_widget(Paragraph::new(text).wrap(ratatui::widgets::Wrap { trim: true }), area);
        return;
    }
    let areas = Areas::of(area, seen);
    head::draw(frame, areas.head, seen);
    targets::draw(frame, areas.targets, seen, ui);
    lists::running(frame, areas.running, seen, ui);
    lists::log(frame, areas.log, seen, ui);
    foot(frame, areas.foot, seen, ui);
    match ui.over {
        Overlay::Nothing => {}
        Overlay::Help => over::help(frame, area),
        Overlay::Detail => over::detail(frame, area, seen, ui),
        Overlay::Pause => over::pause(frame, area, seen),
    }
}

/// The messages that there is room for.
pub fn log_rows(area: Rect, seen: &Snapshot) -> usize {
    usize::from(Areas::of(area, seen).log.height.saturating_sub(2))
}

/// Below this many columns and rows nothing can be read.
const LEAST: (u16, u16) = (40, 16);

/// From so many columns on there is room for more.
const WIDE: u16 = 120;

struct Areas {
    head: Rect,
    targets: Rect,
    running: Rect,
    log: Rect,
    foot: Rect,
}

impl Areas {
    fn of(area: Rect, seen: &Snapshot) -> Areas {
        // Borders and the heading, and at least one row; at most a third of the screen.
        let rows = (seen.targets.len().max(1) as u16).saturating_add(3).min((area.height / 3).max(4));
        let parts =
            [Constraint::Length(head::rows(seen)), Constraint::Length(rows), Constraint::Min(0), Constraint::Length(1)];
        let [head, targets, rest, foot] = Layout::vertical(parts).areas(area);
        let [running, log] = if area.width >= WIDE {
            Layout::horizontal([Constraint::Percentage(45), Constraint::Percentage(55)]).areas(rest)
        } else {
            Layout::vertical([Constraint::Percentage(45), Constraint::Percentage(55)]).areas(rest)
        };
        Areas { head, targets, running, log, foot }
    }
}

fn foot(frame: &mut Frame, area: Rect, seen: &Snapshot, ui: &Ui) {
    let line = match (&seen.stopping, &seen.note, ui.over) {
        (Some(why), ..) => {
            let calls = count(seen.sum.in_flight() as usize, "call");
            let text = format!(" Stopping ({calls} in flight; q leaves at once): {why}.");
            Line::styled(text, Style::new().fg(Color::Black).bg(Color::Yellow))
        }
        (None, Some(note), _) => Line::styled(format!(" {note}"), ALARM),
        (None, None, Overlay::Detail) => Line::from(" Esc back   up, down another target   p pause   ? help"),
        (None, None, _) => Line::from(" p pause   q stop   Tab next pane   arrows move   Enter detail   ? help"),
    };
    frame.render_widget(line, area);
}

const ALARM: Style = Style::new().fg(Color::Red);
const WARN: Style = Style::new().fg(Color::Yellow);
const GOOD: Style = Style::new().fg(Color::Green);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// A frame around a pane; the one where the arrows act stands out.
fn pane(title: String, active: bool) -> Block<'static> {
    let block = Block::bordered().title(title);
    if active { block.border_type(BorderType::Thick).border_style(BOLD) } else { block }
}

/// A number that is worth a colour unless it is zero.
fn counted(what: &str, number: usize, style: Style) -> Span<'static> {
    let text = format!("{number} {what}");
    if number == 0 { Span::raw(text) } else { Span::styled(text, style) }
}

impl Ui {
    /// Whether the arrows act there.
    fn is_in(&self, pane: Pane) -> bool {
        self.over == Overlay::Nothing && self.pane == pane
    }
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
