//! A small writer of SVG. Each element carries the colours of light paper as attributes and a class
//! beside them: a file stands for itself, and a page's style sheet can turn the same drawing dark.

use std::fmt::Write as _;

use super::palette::{Ink, MarkShape, Weave};
use crate::tables::guard::markup;

/// Fonts that every system has one of.
const FONTS: &str = "system-ui, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', 'DejaVu Sans', Arial, sans-serif";

/// A drawing that grows.
pub(super) struct Svg {
    id: String,
    weaves: Vec<(Weave, Ink)>,
    body: String,
}

/// Where a text begins, from its point.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub size: f64,
    pub bold: bool,
    pub ink: Ink,
    pub anchor: Anchor,
    /// Degrees, around its point.
    pub turn: f64,
}

impl Style {
    pub(super) const fn new(size: f64, ink: Ink, anchor: Anchor) -> Style {
        Style { size, bold: false, ink, anchor, turn: 0.0 }
    }
}

impl Svg {
    pub(super) fn new(id: &str) -> Svg {
        Svg { id: id.to_owned(), weaves: Vec::new(), body: String::new() }
    }

    /// A box without an outline.
    pub(super) fn rect(&mut self, (x, y, w, h): (f64, f64, f64, f64), ink: Ink, opacity: f64) {
        let opacity = if opacity < 1.0 { format!(" fill-opacity=\"{}\"", n(opacity)) } else { String::new() };
        self.add(&format!("<rect {}{}{opacity}/>", place(x, y, w, h), ink.fill()));
    }

    /// An outline.
    pub(super) fn frame(&mut self, (x, y, w, h): (f64, f64, f64, f64), ink: Ink, dashes: &str) {
        let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.add(&format!("<rect {} fill=\"none\"{} stroke-width=\"1\"{dashes}/>", place(x, y, w, h), ink.stroke()));
    }

    /// A box with colour, weave and an outline, so that neighbours differ without colour too.
    pub(super) fn woven(&mut self, (x, y, w, h): (f64, f64, f64, f64), ink: Ink, weave: Weave) {
        self.rect((x, y, w, h), ink, 1.0);
        if weave != Weave::Plain {
            let name = self.weave(weave, Ink::Ground);
            self.add(&format!("<rect {} fill=\"url(#{name})\"/>", place(x, y, w, h)));
        }
        self.frame((x, y, w, h), Ink::Ground, "");
    }

    /// A box that holds no result: hatched, in no colour of a result.
    pub(super) fn hatched(&mut self, (x, y, w, h): (f64, f64, f64, f64)) {
        let name = self.weave(Weave::Hatch, Ink::Faint);
        self.add(&format!("<rect class=\"provider\" {} fill=\"url(#{name})\"/>", place(x, y, w, h)));
        self.frame((x, y, w, h), Ink::Line, "");
    }

    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), ink: Ink, width: f64) {
        let (x1, y1, x2, y2) = (n(x1), n(y1), n(x2), n(y2));
        let width = n(width);
        self.add(&format!("<path d=\"M{x1} {y1}L{x2} {y2}\" fill=\"none\"{} stroke-width=\"{width}\"/>", ink.stroke()));
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], ink: Ink, dashes: &str) {
        let steps: Vec<String> = points.iter().map(|(x, y)| format!("{} {}", n(*x), n(*y))).collect();
        let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        let way = steps.join("L");
        let look = format!("stroke-width=\"2\" stroke-linejoin=\"round\"{dashes}");
        self.add(&format!("<path d=\"M{way}\" fill=\"none\"{} {look}/>", ink.stroke()));
    }

    /// A mark; hollow ones stand for what is not ranked or only a reference.
    pub(super) fn mark(&mut self, (x, y): (f64, f64), shape: MarkShape, size: f64, ink: Ink, hollow: bool) {
        let way = shape.way(x, y, size);
        let fill = if hollow { Ink::Ground.fill() } else { ink.fill() };
        let rim = if hollow { ink.stroke() } else { Ink::Ground.stroke() };
        let width = if hollow { "2" } else { "1" };
        self.add(&format!("<path d=\"{way}\"{fill}{rim} stroke-width=\"{width}\"/>"));
    }

    pub(super) fn text(&mut self, place: (f64, f64), text: &str, style: Style) {
        self.write(place, text, style, "");
    }

    /// A text that stays readable on top of lines.
    pub(super) fn haloed(&mut self, place: (f64, f64), text: &str, style: Style) {
        let halo =
            format!("{} stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"", Ink::Ground.stroke());
        self.write(place, text, style, &halo);
    }

    fn write(&mut self, (x, y): (f64, f64), text: &str, style: Style, more: &str) {
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if style.bold { " font-weight=\"600\"" } else { "" };
        let turned = || format!(" transform=\"rotate({} {} {})\"", n(style.turn), n(x), n(y));
        let turn = if style.turn == 0.0 { String::new() } else { turned() };
        let look = format!("font-size=\"{}\"{anchor}{weight}{turn}{}{more}", n(style.size), style.ink.fill());
        self.add(&format!("<text x=\"{}\" y=\"{}\" {look}>{}</text>", n(x), n(y), markup(text)));
    }

    /// What a pointer that rests on the elements drawn by `draw` is told.
    pub(super) fn told(&mut self, text: &str, draw: impl FnOnce(&mut Svg)) {
        self.add(&format!("<g><title>{}</title>", markup(text)));
        draw(self);
        self.add("</g>");
    }

    /// The same, and a click leads there.
    pub(super) fn leads(&mut self, address: &str, text: &str, draw: impl FnOnce(&mut Svg)) {
        self.add(&format!("<a href=\"{}\" target=\"_blank\" rel=\"noopener\">", markup(address)));
        self.told(text, draw);
        self.add("</a>");
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    fn weave(&mut self, weave: Weave, ink: Ink) -> String {
        if !self.weaves.contains(&(weave, ink)) {
            self.weaves.push((weave, ink));
        }
        weave_name(&self.id, weave)
    }

    /// What stands inside the `svg` element.
    pub(super) fn finish(self) -> String {
        let mut defs = String::new();
        for (weave, ink) in &self.weaves {
            let name = weave_name(&self.id, *weave);
            let lines = weave.way();
            let _ = writeln!(
                defs,
                "<pattern id=\"{name}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"{lines}\" \
                 fill=\"none\"{} stroke-width=\"1.6\" stroke-opacity=\"0.75\"/></pattern>",
                ink.stroke()
            );
        }
        let defs = if defs.is_empty() { defs } else { format!("<defs>\n{defs}</defs>\n") };
        format!("{defs}<g font-family=\"{FONTS}\">\n{}</g>\n", self.body)
    }
}

fn weave_name(id: &str, weave: Weave) -> String {
    format!("{id}-{}", weave.name())
}

fn place(x: f64, y: f64, w: f64, h: f64) -> String {
    format!("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", n(x), n(y), n(w.max(0.0)), n(h.max(0.0)))
}

/// A coordinate: two decimals at most, so that files are small and the same on every machine.
pub(super) fn n(value: f64) -> String {
    let text = format!("{:.2}", value + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Roughly how wide a text is: enough to keep labels apart.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | 'I' | ' ' | '\u{a0}' => 0.32,
            'f' | 't' | 'r' | '-' | '(' | ')' | '[' | ']' | '/' => 0.4,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
            'A'..='Z' => 0.7,
            _ if c.is_ascii() => 0.58,
            _ => 0.9,
        })
        .sum();
    ems * size
}

/// A text cut to a width, in its middle: the ends are what tells names apart.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let (mut head, mut tail) = (String::new(), String::new());
    let (mut front, mut back) = (text.chars(), text.chars().rev());
    while width(&head, size) + width(&tail, size) + size * 2.5 <= room {
        head.extend(front.next());
        tail.extend(back.next());
    }
    head + "\u{2026}" + &tail.chars().rev().collect::<String>()
}
