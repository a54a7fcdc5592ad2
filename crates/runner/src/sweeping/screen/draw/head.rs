//! The top of the view: what runs, how far it is, what it cost and what went wrong.

use agents::client::{Caps, Spent};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Gauge;

use super::{ALARM, BOLD, DIM, GOOD, WARN, counted};
use crate::sweeping::live::Traffic;
use crate::sweeping::screen::snapshot::Snapshot;
use crate::sweeping::ticker::{short, time};

/// Rows of the top: one more where there are caps, which are too much to be cut off at the end of another line.
pub fn rows(seen: &Snapshot) -> u16 {
    6 + u16::from(!capped(&seen.caps).is_empty())
}

/// Draws it.
pub fn draw(frame: &mut Frame, area: Rect, seen: &Snapshot) {
    let rows = Layout::vertical(vec![Constraint::Length(1); usize::from(rows(seen))]).split(area);
    let left = seen
        .left
        .filter(|_| seen.stopping.is_none())
        .map_or(String::new(), |left| format!(", about {} left", time(left)));
    let clock = format!("{}{left} ", time(seen.elapsed));
    let [what, when] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(clock.len() as u16)]).areas(rows[0]);
    frame.render_widget(Line::styled(format!(" {}", seen.what), BOLD), what);
    frame.render_widget(Line::from(clock), when);
    frame.render_widget(Line::styled(format!(" {}", seen.folder.display()), DIM), rows[1]);
    frame.render_widget(gauge(seen), rows[2]);
    frame.render_widget(counts(seen), rows[3]);
    frame.render_widget(Line::from(format!(" {}", spend(seen))), rows[4]);
    frame.render_widget(errors(&seen.sum), rows[5]);
    if let Some(last) = rows.get(6) {
        frame.render_widget(Line::from(format!(" caps: {}", capped(&seen.caps).join(", "))), *last);
    }
}

fn gauge(seen: &Snapshot) -> Gauge<'static> {
    let part = if seen.all == 0 { 0.0 } else { (seen.over() as f64 / seen.all as f64).min(1.0) };
    let label = format!("{} of {} episodes, {:.0} %", seen.over(), seen.all, (part * 100.0).floor());
    Gauge::default().gauge_style(GOOD).use_unicode(true).ratio(part).label(label)
}

fn counts(seen: &Snapshot) -> Line<'static> {
    let parts = [
        Span::raw(format!("{} played (successes: {})", seen.done, seen.successes)),
        Span::raw(format!("{} found finished", seen.skipped)),
        Span::raw(format!("{} running", seen.running.len())),
        counted("missing", seen.missing, WARN),
        counted("failed", seen.failed, ALARM),
    ];
    let mut line = Line::from(" ");
    for (i, part) in parts.into_iter().enumerate() {
        line.push_span(if i > 0 { ", " } else { "" });
        line.push_span(part);
    }
    line
}

fn spend(seen: &Snapshot) -> String {
    let Traffic { calls, remembered, usage, cost, .. } = seen.sum;
    let known = if remembered == 0 { String::new() } else { format!(" and {remembered} from the recording") };
    let flight = seen.sum.in_flight();
    let (input, output) = (short(usage.input), short(usage.output));
    format!("{calls} calls{known}, {flight} in flight; {input} tokens in, {output} out; ${cost:.2}")
}

/// How much of each cap is used, by earlier parts of the run too.
fn capped((caps, used): &(Caps, Spent)) -> Vec<String> {
    let cost = caps.cost.map(|cap| format!("${:.2} of ${cap:.2}", used.cost));
    let tokens = caps.tokens.map(|cap| format!("{} of {} tokens", short(used.usage.total()), short(cap)));
    let calls = caps.calls.map(|cap| format!("{} of {cap} calls", used.calls + used.remembered));
    [cost, tokens, calls].into_iter().flatten().collect()
}

fn errors(sum: &Traffic) -> Line<'static> {
    match sum.failures() {
        0 => Line::styled(" no call failed", DIM),
        n => Line::styled(format!(" {n} calls failed: {}", sum.by_fault()), WARN),
    }
}

impl Traffic {
    /// `12 rate_limit, 3 timeout`, the most frequent first.
    pub fn by_fault(&self) -> String {
        let mut faults: Vec<_> = self.faults.iter().collect();
        faults.sort_by(|a, b| b.1.cmp(a.1));
        let faults: Vec<String> = faults.into_iter().map(|(fault, count)| format!("{count} {fault}")).collect();
        faults.join(", ")
    }
}
