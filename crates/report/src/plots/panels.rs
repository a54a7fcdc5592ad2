//! Rows of estimates with their intervals, in one or more panels side by side: the forest plot.

use super::chart::{Chart, Drawn, Label, Paper, TOP};
use super::palette::{Ink, MarkShape};
use super::scale::{Axis, PARTS};
use super::svg::{Anchor, Style, Svg, fitted, width};
use crate::tables::Estimate;

const ROW: f64 = 30.0;
const GAP: f64 = 22.0;
const SMALL: f64 = 12.0;

/// The room for names beside their rows on slim paper.
pub(super) const SLIM_NAMES: f64 = 110.0;

/// How far a row reaches down for a name of its own line.
const NAME_LINE: f64 = 18.0;

/// One panel: an axis and a mark for each row.
pub(super) struct Panel {
    pub title: String,
    pub axis: Axis,
    pub marks: Vec<Mark>,
}

/// What stands in a row of a panel.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    /// Nothing if there was nothing to measure.
    pub estimate: Option<Estimate>,
    /// Something to compare with, such as the same without any action.
    pub reference: Option<f64>,
}

impl Mark {
    pub(super) fn of(estimate: Option<Estimate>) -> Mark {
        Mark { estimate, reference: None }
    }
}

/// Draws the rows; `key` says what a reference is. Four panels stand two by two, on slim paper all one below the other.
pub(super) fn panels(id: &'static str, title: &str, words: &str, rows: &[Label], panels: &[Panel], key: &str) -> Chart {
    Chart::new(id, title, words, |svg, paper| on(svg, paper, rows, panels, key))
}

fn on(mut svg: Svg, paper: Paper, rows: &[Label], panels: &[Panel], key: &str) -> Drawn {
    let across = paper.pick(if panels.len() == 4 { 2 } else { panels.len().max(1) }, 1);
    let mut y = TOP;
    for some in panels.chunks(across) {
        y = line(&mut svg, paper, rows, some, y) + 44.0;
    }
    if !key.is_empty() {
        reference_mark(&mut svg, (26.0, y + 3.0));
        svg.text((38.0, y + 7.0), key, Style::new(SMALL, Ink::Faint, Anchor::Start));
        y += 18.0;
    }
    (svg, paper.width(), y + 4.0)
}

/// Panels side by side, with the names of their rows; gives where the rows end.
fn line(svg: &mut Svg, paper: Paper, rows: &[Label], panels: &[Panel], y: f64) -> f64 {
    let count = panels.len() as f64;
    let top = y + 30.0;
    let places = Rows::of(rows, paper, if panels.len() > 2 { 200.0 } else { 290.0 }, top);
    let each = (paper.width() - 32.0 - places.names - GAP * count) / count;
    places.draw(svg, paper, rows);
    for (at, panel) in panels.iter().enumerate() {
        let left = 16.0 + places.names + GAP + at as f64 * (each + GAP);
        draw(svg, panel, rows, &places, (left, each));
    }
    places.bottom(rows)
}

/// Where rows stand, and their names: beside them, or on slim paper with a name that has no room there, each on a line of its own
/// above its row. Names that are cut on a telephone cannot be told apart.
pub(super) struct Rows {
    top: f64,
    /// How far the names push the rows to the right.
    pub names: f64,
    above: bool,
}

impl Rows {
    /// Rows below `top`; on broad paper the names beside them have room up to `most`.
    pub(super) fn of(rows: &[Label], paper: Paper, most: f64, top: f64) -> Rows {
        let widest = rows.iter().map(|row| width(&row.text, 13.0)).fold(60.0, f64::max);
        let above = paper == Paper::Slim && widest > SLIM_NAMES;
        Rows { top, names: if above { 0.0 } else { widest.min(most) + 24.0 }, above }
    }

    const fn height(&self) -> f64 {
        if self.above { ROW + NAME_LINE } else { ROW }
    }

    pub(super) const fn top(&self) -> f64 {
        self.top
    }

    /// Where the last row ends.
    pub(super) fn bottom(&self, rows: &[Label]) -> f64 {
        self.top + self.height() * rows.len() as f64
    }

    /// The middle of what a row shows.
    pub(super) fn middle(&self, at: usize) -> f64 {
        self.top + self.height() * (at + 1) as f64 - ROW / 2.0
    }

    /// The marks and names of the rows; every other row is shaded, to lead the eye.
    pub(super) fn draw(&self, svg: &mut Svg, paper: Paper, rows: &[Label]) {
        for at in (0..rows.len()).step_by(2) {
            let place = (8.0, self.top + self.height() * at as f64, paper.width() - 16.0, self.height());
            svg.rect(place, Ink::Line, 0.25);
        }
        let room = if self.above { paper.width() - 32.0 } else { self.names };
        for (at, row) in rows.iter().enumerate() {
            name(svg, row, (16.0, self.middle(at) - if self.above { ROW / 2.0 + 4.0 } else { 0.0 }), room);
        }
    }
}

/// The mark and the name of a row.
fn name(svg: &mut Svg, row: &Label, (x, y): (f64, f64), room: f64) {
    svg.mark((x + 8.0, y), MarkShape::of(row.look), 5.0, Ink::Hue(row.look), row.hollow);
    let text = fitted(&row.text, 13.0, room - 22.0);
    svg.told(&row.text, |svg| svg.text((x + 22.0, y + 4.5), &text, Style::new(13.0, Ink::Text, Anchor::Start)));
}

fn draw(svg: &mut Svg, panel: &Panel, rows: &[Label], places: &Rows, (left, each): (f64, f64)) {
    let (top, bottom) = (places.top(), places.bottom(rows));
    let texts: Vec<String> = panel.marks.iter().map(|mark| shown(panel, mark)).collect();
    let room = texts.iter().map(|text| width(text, SMALL)).fold(20.0, f64::max);
    let (from, to) = (left, left + each - room - 18.0);
    let head = Style { bold: true, ..Style::new(SMALL, Ink::Text, Anchor::Start) };
    svg.text((from, top - 12.0), &fitted(&panel.title, SMALL, each), head);
    axis(svg, &panel.axis, (from, to), (top, bottom));
    for (at, (mark, row)) in panel.marks.iter().zip(rows).enumerate() {
        let y = places.middle(at);
        svg.told(&format!("{}: {} {}", row.text, panel.title, texts[at]), |svg| {
            one(svg, &panel.axis, mark, row, (from, to, y));
            svg.text((left + each, y + 4.0), &texts[at], Style::new(SMALL, Ink::Text, Anchor::End));
        });
    }
}

/// A bar across the row: no agent is marked like that.
fn reference_mark(svg: &mut Svg, (x, y): (f64, f64)) {
    svg.line((x, y - 8.0), (x, y + 8.0), Ink::Faint, 3.0);
}

fn shown(panel: &Panel, mark: &Mark) -> String {
    mark.estimate.map_or("\u{2013}".to_owned(), |estimate| panel.axis.form.show(estimate.value))
}

fn one(svg: &mut Svg, axis: &Axis, mark: &Mark, row: &Label, (from, to, y): (f64, f64, f64)) {
    let ink = Ink::Hue(row.look);
    if let Some(reference) = mark.reference {
        reference_mark(svg, (axis.at(reference, from, to), y));
    }
    let Some(estimate) = mark.estimate else { return };
    if let Some((low, high)) = estimate.interval {
        let (low, high) = (axis.at(low, from, to), axis.at(high, from, to));
        svg.line((low, y), (high, y), ink, 2.0);
        svg.line((low, y - 4.0), (low, y + 4.0), ink, 2.0);
        svg.line((high, y - 4.0), (high, y + 4.0), ink, 2.0);
    }
    svg.mark((axis.at(estimate.value, from, to), y), MarkShape::of(row.look), 5.5, ink, row.hollow);
}

/// Grid lines, ticks and the label below.
pub(super) fn axis(svg: &mut Svg, axis: &Axis, (from, to): (f64, f64), (top, bottom): (f64, f64)) {
    let widest = axis.ticks(PARTS).iter().map(|tick| width(&axis.tick(*tick), 11.0)).fold(0.0, f64::max);
    let parts = ((to - from) / (widest + 8.0)).floor().clamp(1.0, PARTS as f64) as usize;
    for tick in axis.ticks(parts.max(2)) {
        let x = axis.at(tick, from, to);
        let ink = if tick.abs() < 1e-12 { Ink::Faint } else { Ink::Line };
        svg.line((x, top), (x, bottom), ink, 1.0);
    }
    for tick in axis.ticks(parts) {
        let x = axis.at(tick, from, to);
        svg.text((x, bottom + 15.0), &axis.tick(tick), Style::new(11.0, Ink::Faint, Anchor::Middle));
    }
    // In the middle of the axis, but not beyond the numbers at its right.
    let middle = ((from + to) / 2.0).min(to + 60.0 - width(&axis.label, SMALL) / 2.0);
    svg.text((middle, bottom + 33.0), &axis.label, Style::new(SMALL, Ink::Faint, Anchor::Middle));
}
