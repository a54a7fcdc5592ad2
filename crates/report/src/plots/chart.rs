//! A finished chart: a drawing with its title and its words for those who cannot see it.

use super::palette::Ink;
use super::svg::{Anchor, Style, Svg, n};
use crate::tables::guard::markup;

/// What a chart is drawn on. Files and broad pages have one width, telephones another: a drawing that is only made smaller could
/// not be read there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Paper {
    Broad,
    Slim,
}

impl Paper {
    /// How wide it is; pages scale it a little.
    pub(super) const fn width(self) -> f64 {
        match self {
            Paper::Broad => 760.0,
            Paper::Slim => 380.0,
        }
    }

    /// One of two measures.
    pub(super) const fn pick<T: Copy>(self, broad: T, slim: T) -> T {
        match self {
            Paper::Broad => broad,
            Paper::Slim => slim,
        }
    }
}

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
    /// The same for telephones, as it stands in a page.
    slim: String,
}

/// A drawing, its width and its height.
pub(super) type Drawn = (Svg, f64, f64);

impl Chart {
    /// Draws a chart on both kinds of paper.
    pub(super) fn new(id: &'static str, title: &str, words: &str, draw: impl Fn(Svg, Paper) -> Drawn) -> Chart {
        let (drawing, width, height) = draw(Svg::new(id), Paper::Broad);
        let slim = slim(id, draw(Svg::new(&format!("{id}-slim")), Paper::Slim));
        let (title, words) = (title.to_owned(), words.to_owned());
        Chart { id, title, words, width, height, drawing: drawing.finish(), slim }
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

    /// The chart as part of a page that gives it its title and its colours, twice: the page shows the one that it has room for.
    pub fn inline(&self) -> String {
        let (w, h) = (n(self.width), n(self.height - TOP));
        let (named, words) = (self.named(), self.alternative());
        format!(
            "<svg class=\"broad\" viewBox=\"0 {} {w} {h}\" {named}\n{words}{}</svg>\n{}",
            n(TOP),
            self.drawing,
            self.slim
        )
    }

    fn named(&self) -> String {
        format!("role=\"img\" aria-labelledby=\"{0}-title {0}-words\">", self.id)
    }

    fn alternative(&self) -> String {
        let (title, words) = (markup(&self.title), markup(&self.words));
        format!("<title id=\"{0}-title\">{title}</title>\n<desc id=\"{0}-words\">{words}</desc>\n", self.id)
    }
}

/// What is wider than the paper keeps its size and is pushed sideways. It shares its words with the broad one.
fn slim(id: &str, (drawing, width, height): Drawn) -> String {
    let (w, h) = (n(width), n(height - TOP));
    let size = if width > Paper::Slim.width() + 0.5 { format!(" width=\"{w}\"") } else { String::new() };
    format!(
        "<svg class=\"slim\"{size} viewBox=\"0 {} {w} {h}\" role=\"img\" aria-labelledby=\"{id}-title {id}-words\">\n{}</svg>",
        n(TOP),
        drawing.finish()
    )
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
