//! Points with intervals and their names beside them.

use super::chart::{Chart, Drawn, Label, Paper, TOP};
use super::palette::{Ink, MarkShape};
use super::panels::SLIM_NAMES;
use super::scale::{Axis, PARTS};
use super::svg::{Anchor, Style, Svg, fitted, width};
use crate::tables::Estimate;

const HEIGHT: f64 = 400.0;
const SIZE: f64 = 12.0;

/// So many names find room beside their points; more stand in a list at the right, each with its mark.
const NAMED_IN_PLACE: usize = 6;
/// The height of a line of such a list.
pub(super) const ROW: f64 = 18.0;

/// One point.
pub(super) struct Point<'a> {
    pub label: &'a Label,
    pub x: Estimate,
    pub y: Estimate,
}

/// Draws the points.
pub(super) fn scatter(
    id: &'static str,
    title: &str,
    words: &str,
    (x, y): (&Axis, &Axis),
    points: &[Point<'_>],
) -> Chart {
    Chart::new(id, title, words, |svg, paper| on(svg, paper, (x, y), points))
}

fn on(mut svg: Svg, paper: Paper, (x, y): (&Axis, &Axis), points: &[Point<'_>]) -> Drawn {
    let widest = points.iter().map(|point| width(&point.label.text, SIZE)).fold(0.0, f64::max);
    let listing = points.len() > NAMED_IN_PLACE || (paper == Paper::Slim && widest > SLIM_NAMES);
    let list = points.len() as f64 * ROW;
    let height = paper.pick(if listing { HEIGHT.max(list + 66.0) } else { HEIGHT }, HEIGHT - 60.0);
    let right = paper.width() - paper.pick(if listing { 24.0 + list_width(points) } else { 24.0 }, 20.0);
    let field = Field { left: paper.pick(74.0, 60.0), right, top: TOP + 14.0, bottom: TOP + height - 52.0 };
    frame(&mut svg, &field, x, y);
    let style = Style { turn: -90.0, ..Style::new(SIZE, Ink::Faint, Anchor::Middle) };
    svg.text((paper.pick(22.0, 14.0), (field.top + field.bottom) / 2.0), &y.label, style);
    for point in points {
        svg.told(&told(point, x, y), |svg| draw(svg, &field, x, y, point));
    }
    let below = TOP + height + 6.0;
    let labels = points.iter().map(|point| point.label);
    match (listing, paper) {
        (true, Paper::Broad) => listed(&mut svg, (field.right + 26.0, field.top + 8.0), LISTED, labels),
        (true, Paper::Slim) => listed(&mut svg, (field.left - 30.0, below), field.right - field.left + 30.0, labels),
        (false, _) => names(&mut svg, &field, x, y, points),
    }
    (svg, paper.width(), TOP + height + paper.pick(0.0, if listing { list } else { 0.0 }))
}

/// The most room that a name has in a list beside the drawing.
const LISTED: f64 = 250.0;

/// The room that a list of all names takes.
fn list_width(points: &[Point<'_>]) -> f64 {
    let longest = points.iter().map(|point| width(&fitted(&point.label.text, SIZE, LISTED), SIZE)).fold(0.0, f64::max);
    longest + 44.0
}

/// All names, in the order of the points: at the right, or below on slim paper.
pub(super) fn listed<'a>(svg: &mut Svg, (x, top): (f64, f64), room: f64, labels: impl Iterator<Item = &'a Label>) {
    for (row, label) in labels.enumerate() {
        let y = top + row as f64 * ROW;
        svg.mark((x, y), MarkShape::of(label.look), 5.0, Ink::Hue(label.look), label.hollow);
        let text = fitted(&label.text, SIZE, room);
        let style = Style::new(SIZE, Ink::Text, Anchor::Start);
        svg.told(&label.text, |svg| svg.text((x + 12.0, y + 4.0), &text, style));
    }
}

struct Field {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Field {
    fn at(&self, x: &Axis, y: &Axis, point: (f64, f64)) -> (f64, f64) {
        (x.at(point.0, self.left, self.right), y.at(point.1, self.bottom, self.top))
    }
}

fn frame(svg: &mut Svg, field: &Field, x: &Axis, y: &Axis) {
    super::panels::axis(svg, x, (field.left, field.right), (field.top, field.bottom));
    for tick in y.ticks(PARTS) {
        let at = y.at(tick, field.bottom, field.top);
        let ink = if tick.abs() < 1e-12 { Ink::Faint } else { Ink::Line };
        svg.line((field.left, at), (field.right, at), ink, 1.0);
        svg.text((field.left - 8.0, at + 4.0), &y.tick(tick), Style::new(11.0, Ink::Faint, Anchor::End));
    }
}

fn told(point: &Point<'_>, x: &Axis, y: &Axis) -> String {
    let (across, up) = (x.form.show(point.x.value), y.form.show(point.y.value));
    format!("{}: {} {across}, {} {up}", point.label.text, x.label, y.label)
}

fn draw(svg: &mut Svg, field: &Field, x: &Axis, y: &Axis, point: &Point<'_>) {
    let ink = Ink::Hue(point.label.look);
    let place = |a: f64, b: f64| field.at(x, y, (a, b));
    if let Some((low, high)) = point.x.interval {
        svg.line(place(low, point.y.value), place(high, point.y.value), ink, 1.5);
    }
    if let Some((low, high)) = point.y.interval {
        svg.line(place(point.x.value, low), place(point.x.value, high), ink, 1.5);
    }
    svg.mark(place(point.x.value, point.y.value), MarkShape::of(point.label.look), 6.5, ink, point.label.hollow);
}

/// A box on paper: left, top, right, bottom.
type Area = (f64, f64, f64, f64);

/// Each name goes where it covers least: right, left, above or below its point.
fn names(svg: &mut Svg, field: &Field, x: &Axis, y: &Axis, points: &[Point<'_>]) {
    let at = |point: &Point<'_>| field.at(x, y, (point.x.value, point.y.value));
    let mut taken: Vec<Area> = points.iter().map(at).map(|(x, y)| (x - 8.0, y - 8.0, x + 8.0, y + 8.0)).collect();
    taken.extend(points.iter().flat_map(|point| bars(field, x, y, point)));
    for point in points {
        let (px, py) = at(point);
        let text = fitted(&point.label.text, SIZE, (field.right - field.left).min(480.0) / 2.0);
        let w = width(&text, SIZE);
        let near = [
            (11.0, 4.0),
            (-11.0 - w, 4.0),
            (-w / 2.0, -13.0),
            (-w / 2.0, 22.0),
            (11.0, -10.0),
            (11.0, 18.0),
            (-11.0 - w, -10.0),
            (-11.0 - w, 18.0),
        ];
        let away = |(dx, dy): (f64, f64)| (dx, if dy < 4.0 { dy - 16.0 } else { dy + 16.0 });
        let (far, further) = (near.map(away), near.map(away).map(away));
        let area = |(dx, dy): (f64, f64)| (px + dx, py + dy - 11.0, px + dx + w, py + dy + 3.0);
        let cost = |place: &(f64, f64)| -> f64 {
            let own = area(*place);
            let outside = (field.left - own.0).max(0.0)
                + (own.2 - field.right).max(0.0)
                + (field.top - own.1).max(0.0)
                + (own.3 - field.bottom).max(0.0);
            taken.iter().map(|other| overlap(own, *other)).sum::<f64>() + outside * 400.0
        };
        let best = near
            .iter()
            .chain(&far)
            .chain(&further)
            .copied()
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
            .unwrap_or(near[0]);
        taken.push(area(best));
        svg.haloed((px + best.0, py + best.1), &text, Style::new(SIZE, Ink::Text, Anchor::Start));
    }
}

/// The places of a point's intervals.
fn bars(field: &Field, x: &Axis, y: &Axis, point: &Point<'_>) -> Vec<Area> {
    let (px, py) = field.at(x, y, (point.x.value, point.y.value));
    let across = point.x.interval.map(|(low, high)| {
        (x.at(low, field.left, field.right), py - 1.5, x.at(high, field.left, field.right), py + 1.5)
    });
    let up = point.y.interval.map(|(low, high)| {
        (px - 1.5, y.at(high, field.bottom, field.top), px + 1.5, y.at(low, field.bottom, field.top))
    });
    across.into_iter().chain(up).collect()
}

fn overlap(a: Area, b: Area) -> f64 {
    (a.2.min(b.2) - a.0.max(b.0)).max(0.0) * (a.3.min(b.3) - a.1.max(b.1)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Form;

    #[test]
    fn twelve_agents_in_one_place_can_all_be_read() {
        let label = |look| Label { text: format!("agent-{look}"), look, hollow: false };
        let labels: Vec<Label> = (0..12).map(label).collect();
        let estimate = || Estimate { value: 0.0, interval: None };
        let points: Vec<Point<'_>> = labels.iter().map(|label| Point { label, x: estimate(), y: estimate() }).collect();
        let (x, y) = (Axis::shares("seen"), Axis::around("steps", Form::Decimals(1), [1.0]));
        let svg = scatter("crowd", "Crowd", "", (&x, &y), &points).file();
        let heights: std::collections::BTreeSet<&str> = (0..12)
            .map(|look| {
                let end = svg.find(&format!(">agent-{look}</text>")).expect("its name is shown");
                let text = &svg[svg[..end].rfind("<text").expect("a text")..end];
                text.split(" y=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("it has a place")
            })
            .collect();
        assert_eq!(heights.len(), 12, "each name has a line of its own");
    }
}
