//! A finished chart: a drawing with its title and its words for those who cannot see it.

use super::palette::Ink;
use super::svg::{Anchor, Style, Svg, n};
use crate::tables::guard::markup;

/// All charts are this wide; pages scale them.
pub(super) const WIDTH: f64 = 760.0;

/// Above this, charts have their title.
pub(super) const TOP: f64 = 40.0;

/// A finished chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// A name for files and anchors.
    pub id: &'static str,
    /// What it shows.
    pub title: String,
    /// The same in words, with the numbers.
    pub words: String,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    drawing: String,
}

impl Chart {
    pub(super) fn new(id: &'static str, title: &str, words: &str, (width, height): (f64, f64), drawing: Svg) -> Chart {
        Chart { id, title: title.to_owned(), words: words.to_owned(), width, height, drawing: drawing.finish() }
    }

    /// The chart as a file of its own, on white paper.
    pub fn file(&self) -> String {
        let (w, h) = (n(self.width), n(self.height));
        let mut head = Svg::new(self.id);
        head.rect((0.0, 0.0, self.width, self.height), Ink::Ground, 1.0);
        let style = Style { bold: true, ..Style::new(16.0, Ink::Text, Anchor::Start) };
        head.text((16.0, 24.0), &self.title, style);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" {}\n{}{}{}</svg>\n",
            self.named(),
            self.alternative(),
            head.finish(),
            self.drawing
        )
    }

    /// The chart as part of a page that gives it its title and its colours.
    pub fn inline(&self) -> String {
        let (w, h) = (n(self.width), n(self.height - TOP));
        format!("<svg viewBox=\"0 {} {w} {h}\" {}\n{}{}</svg>", n(TOP), self.named(), self.alternative(), self.drawing)
    }

    fn named(&self) -> String {
        format!("role=\"img\" aria-labelledby=\"{0}-title {0}-words\">", self.id)
    }

    fn alternative(&self) -> String {
        let (title, words) = (markup(&self.title), markup(&self.words));
        format!("<title id=\"{0}-title\">{title}</title>\n<desc id=\"{0}-words\">{words}</desc>\n", self.id)
    }
}

/// The name of a row, and how its agent is marked in all charts.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub text: String,
    /// The number of its hue, shape and dashes.
    pub look: usize,
    /// Not ranked: its marks are hollow.
    pub hollow: bool,
}
