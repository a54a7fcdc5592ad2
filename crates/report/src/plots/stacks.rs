//! One bar per row, made of parts: each part has a colour and a weave of its own, told in the legend.

use super::chart::{Chart, Drawn, Label, Paper, TOP};
use super::palette::{Ink, Weave};
use super::panels::{Rows, axis};
use super::scale::Axis;
use super::svg::{Anchor, Style, Svg, width};

const BAR: f64 = 20.0;

/// A part that all bars have.
pub(super) struct BarPart {
    pub name: String,
    /// Its colour and weave; `None` for episodes that do not count, which are hatched.
    pub look: Option<usize>,
}

/// What to draw.
pub(super) struct Stacks<'a> {
    pub id: &'static str,
    pub title: &'a str,
    pub words: &'a str,
    pub rows: &'a [Label],
    pub parts: &'a [BarPart],
    /// For each row a value for each part.
    pub values: &'a [Vec<f64>],
    /// What stands at the end of each bar.
    pub ends: &'a [String],
    pub axis: Axis,
}

/// Draws the bars.
pub(super) fn stacks(what: &Stacks<'_>) -> Chart {
    Chart::new(what.id, what.title, what.words, |svg, paper| on(svg, paper, what))
}

fn on(mut svg: Svg, paper: Paper, what: &Stacks<'_>) -> Drawn {
    let top = legend(&mut svg, paper, what.parts, TOP + 12.0) + 14.0;
    let places = Rows::of(what.rows, paper, 290.0, top);
    let bottom = places.bottom(what.rows);
    let room = what.ends.iter().map(|end| width(end, 12.0)).fold(0.0, f64::max) + 12.0;
    let (from, to) = (16.0 + places.names + 16.0, paper.width() - 16.0 - room);
    places.draw(&mut svg, paper, what.rows);
    axis(&mut svg, &what.axis, (from, to), (top, bottom));
    for (at, (row, values)) in what.rows.iter().zip(what.values).enumerate() {
        let middle = places.middle(at);
        bar(&mut svg, what, values, (from, to, middle - BAR / 2.0), &row.text);
        if let Some(end) = what.ends.get(at) {
            let place = (paper.width() - 16.0, middle + 4.0);
            svg.text(place, end, Style::new(12.0, Ink::Text, Anchor::End));
        }
    }
    (svg, paper.width(), bottom + 48.0)
}

fn bar(svg: &mut Svg, what: &Stacks<'_>, values: &[f64], (from, to, y): (f64, f64, f64), row: &str) {
    let mut sum = 0.0;
    for (part, value) in what.parts.iter().zip(values).filter(|(_, value)| **value > 0.0) {
        let (start, end) = (what.axis.at(sum, from, to), what.axis.at(sum + value, from, to));
        sum += value;
        let place = (start, y, end - start, BAR);
        let text = what.axis.form.show(*value);
        svg.told(&format!("{row}: {} {text}", part.name), |svg| {
            match part.look {
                Some(look) => svg.woven(place, Ink::Part(look), Weave::of(look)),
                None => svg.hatched(place),
            }
            inside(svg, &text, place);
        });
    }
}

/// The value, on a piece of paper of its own, if there is room for it.
fn inside(svg: &mut Svg, text: &str, (x, y, w, h): (f64, f64, f64, f64)) {
    let room = width(text, 11.0) + 8.0;
    if w < room + 6.0 {
        return;
    }
    let middle = x + w / 2.0;
    svg.rect((middle - room / 2.0, y + 3.0, room, h - 6.0), Ink::Ground, 0.92);
    svg.text((middle, y + h / 2.0 + 4.0), text, Style::new(11.0, Ink::Text, Anchor::Middle));
}

/// The parts by name, in as many lines as they need; gives where it ends.
fn legend(svg: &mut Svg, paper: Paper, parts: &[BarPart], top: f64) -> f64 {
    let (mut x, mut y) = (16.0, top);
    for part in parts {
        let room = 18.0 + width(&part.name, 12.0) + 18.0;
        if x + room > paper.width() - 8.0 && x > 16.0 {
            (x, y) = (16.0, y + 20.0);
        }
        match part.look {
            Some(look) => svg.woven((x, y - 7.0, 14.0, 14.0), Ink::Part(look), Weave::of(look)),
            None => svg.hatched((x, y - 7.0, 14.0, 14.0)),
        }
        svg.text((x + 19.0, y + 4.0), &part.name, Style::new(12.0, Ink::Text, Anchor::Start));
        x += room;
    }
    y + 12.0
}
