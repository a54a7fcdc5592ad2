//! Curves that rise in steps: what share had come to something by when.

use super::chart::{Chart, Drawn, Label, Paper, TOP};
use super::palette::{Ink, MarkShape, dashes};
use super::panels::SLIM_NAMES;
use super::scale::{Axis, PARTS};
use super::scatter::{ROW, listed};
use super::svg::{Anchor, Style, Svg, fitted, width};

const HEIGHT: f64 = 400.0;
const SIZE: f64 = 12.0;

/// One curve: when each of its steps comes, sorted, and how high one step is.
pub(super) struct Curve<'a> {
    pub label: &'a Label,
    pub times: &'a [f64],
    pub step: f64,
}

/// Draws the curves, with their names at the right end.
pub(super) fn steps(id: &'static str, title: &str, words: &str, (x, y): (&Axis, &Axis), curves: &[Curve<'_>]) -> Chart {
    Chart::new(id, title, words, |svg, paper| on(svg, paper, (x, y), curves))
}

fn on(mut svg: Svg, paper: Paper, (x, y): (&Axis, &Axis), curves: &[Curve<'_>]) -> Drawn {
    let widest = curves.iter().map(|curve| width(&curve.label.text, SIZE)).fold(40.0, f64::max);
    // Names that would be cut on a telephone stand below the curves, in full.
    let below = paper == Paper::Slim && widest > SLIM_NAMES;
    let names = if below { 30.0 } else { widest.min(230.0) + 30.0 };
    let left = paper.pick(74.0, 60.0);
    let (right, top, bottom) = (paper.width() - paper.pick(16.0, 0.0) - names, TOP + 14.0, TOP + HEIGHT - 52.0);
    super::panels::axis(&mut svg, x, (left, right), (top, bottom));
    for tick in y.ticks(PARTS) {
        let at = y.at(tick, bottom, top);
        svg.line((left, at), (right, at), if tick == 0.0 { Ink::Faint } else { Ink::Line }, 1.0);
        svg.text((left - 8.0, at + 4.0), &y.tick(tick), Style::new(11.0, Ink::Faint, Anchor::End));
    }
    let style = Style { turn: -90.0, ..Style::new(SIZE, Ink::Faint, Anchor::Middle) };
    svg.text((paper.pick(22.0, 14.0), (top + bottom) / 2.0), &y.label, style);
    let mut ends = Vec::new();
    for curve in curves {
        let points = way(curve, |time| x.at(time, left, right), |share| y.at(share, bottom, top), right);
        let end = points.last().copied().unwrap_or((left, bottom));
        svg.path(&points, Ink::Hue(curve.label.look), dashes(curve.label.look));
        ends.push(end.1);
    }
    for (curve, (end, at)) in curves.iter().zip(ends.iter().zip(apart(&ends, 17.0, (top, bottom + 8.0)))) {
        let label = curve.label;
        svg.line((right, *end), (right + 8.0, at), Ink::Hue(label.look), 1.0);
        svg.mark((right + 14.0, at), MarkShape::of(label.look), 4.5, Ink::Hue(label.look), label.hollow);
        if !below {
            let text = fitted(&label.text, SIZE, names - 30.0);
            let style = Style::new(SIZE, Ink::Text, Anchor::Start);
            svg.told(&label.text, |svg| svg.text((right + 23.0, at + 4.0), &text, style));
        }
    }
    if below {
        let labels = curves.iter().map(|curve| curve.label);
        listed(&mut svg, (left - 30.0, TOP + HEIGHT + 6.0), right - left + 30.0, labels);
    }
    let list = if below { curves.len() as f64 * ROW } else { 0.0 };
    (svg, paper.width(), TOP + HEIGHT + list)
}

/// The corners of a curve. Places that fall on the same point of the paper are drawn once.
fn way(curve: &Curve<'_>, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64, right: f64) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = vec![(x(0.0), y(0.0))];
    for (at, time) in curve.times.iter().enumerate() {
        let (across, up) = (x(*time), y((at + 1) as f64 * curve.step));
        let last = points[points.len() - 1];
        if across - last.0 > 0.4 {
            points.push((across, last.1));
            points.push((across, up));
        } else if let Some(last) = points.last_mut() {
            last.1 = up;
        }
    }
    let last = points[points.len() - 1];
    points.push((right, last.1));
    points
}

/// Moves places apart until each has room, in the order in which they are.
fn apart(places: &[f64], room: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
    let mut moved = places.to_vec();
    let mut next = top;
    for at in &order {
        moved[*at] = moved[*at].max(next);
        next = moved[*at] + room;
    }
    let mut next = bottom;
    for at in order.iter().rev() {
        moved[*at] = moved[*at].min(next);
        next = moved[*at] - room;
    }
    moved
}
