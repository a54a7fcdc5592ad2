//! What lies over the view: the keys, a target in detail, the question before a pause.

use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Wrap};

use super::lists::{episode, message};
use super::targets::latency;
use super::{BOLD, DIM, WARN};
use crate::say::count;
use crate::sweeping::live::Traffic;
use crate::sweeping::screen::snapshot::Snapshot;
use crate::sweeping::screen::ui::Ui;
use crate::sweeping::ticker::{short, time};

const KEYS: &[(&str, &str)] = &[
    ("p", "pause: stop before the next step; the same command goes on"),
    ("q, Ctrl-C", "the same at once, as an interruption; again leaves at once"),
    ("Tab", "the next pane"),
    ("arrows, j, k", "select a target, move through a list"),
    ("left, right", "move the log sideways"),
    ("PgUp, PgDn", "by a page"),
    ("Home, End", "the first, the last; the log follows again"),
    ("Enter", "all about the selected target"),
    ("Esc", "close what lies over the view"),
    ("?", "this help"),
];

/// Draws the keys.
pub fn help(frame: &mut Frame, area: Rect) {
    let line = |(key, what): &(&str, &str)| {
        Line::from(vec![Span::styled(format!(" {key:<13}"), BOLD), Span::raw(what.to_string())])
    };
    let mut lines: Vec<Line> = KEYS.iter().map(line).collect();
    let meaning = " missing: ended on the provider, in no rate. failed: could not be played.";
    lines.extend([Line::default(), Line::styled(meaning, DIM)]);
    let inner = sheet(frame, area, (78, lines.len() as u16 + 2), " Keys ");
    frame.render_widget(Paragraph::new(lines), inner);
}

/// Asks whether to pause.
pub fn pause(frame: &mut Frame, area: Rect, seen: &Snapshot) {
    let running = count(seen.running.len(), "episode");
    let lines = vec![
        Line::from(format!("Stop before the next step? {running} will be left begun.")),
        Line::from("Nothing is lost: the same command goes on where this stopped,"),
        Line::from("and no answer is paid twice."),
        Line::default(),
        Line::styled("y pause    n go on playing", BOLD),
    ];
    let inner = sheet(frame, area, (68, 7), " Pause ");
    frame.render_widget(Paragraph::new(lines), inner);
}

/// Draws all that is known of the selected target: facts, the oldest of its episodes, and what the log says of it.
pub fn detail(frame: &mut Frame, area: Rect, seen: &Snapshot, ui: &Ui) {
    let Some((name, traffic)) = seen.targets.get(ui.selected(seen)) else { return };
    let inner = sheet(frame, area, (area.width.saturating_sub(4), area.height.saturating_sub(2)), &format!(" {name} "));
    let (mark, start) = (format!("@{name}/"), format!("{name}: "));
    let running: Vec<_> = seen.running.iter().filter(|(key, _)| key.contains(&mark)).collect();
    let said = seen.tail.iter().rev().filter(|said| said.text.contains(&mark) || said.text.starts_with(&start));
    let mut lines = facts(traffic);
    lines.push(Line::styled(format!("{} running, the oldest first", count(running.len(), "episode")), BOLD));
    // Lines break here, so that names are whole.
    let some = running.iter().take(usize::from(inner.height / 5));
    lines.extend(some.map(|(key, age)| episode(key, time(*age), usize::MAX)));
    lines.push(Line::styled("Log, the newest first", BOLD));
    lines.extend(said.take(usize::from(inner.height)).map(|said| message(said, 0)));
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
}

fn facts(traffic: &Traffic) -> Vec<Line<'static>> {
    let Traffic { calls, answered, remembered, usage, cost, episodes, successes, missing, .. } = traffic;
    let none = || "none".to_string();
    let failed = if traffic.faults.is_empty() { none() } else { traffic.by_fault() };
    let trouble = traffic.trouble.as_deref().map_or_else(none, str::to_string);
    let (mean, slowest) = (latency(traffic.mean()), latency(traffic.mean().map(|_| traffic.slowest)));
    let tokens = [usage.input, usage.cached, usage.output, usage.reasoning].map(short);
    let [input, cached, output, reasoning] = &tokens;
    let plain = Style::new();
    let loud = if traffic.faults.is_empty() { plain } else { WARN };
    let per = if *episodes == 0 { String::new() } else { format!(", ${:.4} per episode", cost / *episodes as f64) };
    vec![
        fact("episodes", format!("{episodes} played, {missing} missing, successes: {successes}"), plain),
        fact("calls", format!("{calls}, {answered} answered, {} in flight", traffic.in_flight()), plain),
        fact("from recording", remembered.to_string(), plain),
        fact("latency", format!("{mean} mean, {slowest} slowest"), plain),
        fact("tokens", format!("{input} in ({cached} cached), {output} out ({reasoning} reasoning)"), plain),
        fact("cost", format!("${cost:.4}{per}"), plain),
        fact("failed calls", failed, loud),
        fact("last trouble", trouble, loud),
        Line::default(),
    ]
}

fn fact(what: &str, text: String, style: Style) -> Line<'static> {
    Line::from(vec![Span::styled(format!("{what:<16}"), DIM), Span::styled(text, style)])
}

/// An empty sheet in the middle, with a frame; what is inside of it.
fn sheet(frame: &mut Frame, area: Rect, (width, height): (u16, u16), title: &str) -> Rect {
    let place = area.centered(Constraint::Length(width.min(area.width)), Constraint::Length(height.min(area.height)));
    let block = Block::bordered().border_type(BorderType::Double).title(title.to_string());
    let inner = block.inner(place);
    frame.render_widget(Clear, place);
    frame.render_widget(block, place);
    inner
}
