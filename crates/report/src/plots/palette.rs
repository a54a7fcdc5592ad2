//! Colours, shapes and weaves. The hues are those of Okabe and Ito (2008), which people with any
//! common kind of colour blindness tell apart, with a darker yellow that is seen on white; a shape, a dash or a weave always
//! says the same again.

/// What a thing is drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// Words and axes.
    Text,
    /// Words that are not read first, and hatches.
    Faint,
    /// Grid lines.
    Line,
    /// The paper.
    Ground,
    /// Words on a strong colour.
    OnHue,
    /// One of the hues: agents.
    Hue(usize),
    /// One of the pale colours: parts of a bar, such as kinds of failure.
    Part(usize),
}

/// The hues, as light paper wants them.
pub(super) const HUES: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f98", "#a39400"];

/// The colours of parts: Tol's light scheme, made for areas and safe for the colour-blind. Pale, so that no part is taken
/// for an agent. The viewer has the same for kinds of failure.
pub(super) const PARTS: [&str; 8] =
    ["#44bb99", "#ee8866", "#ffaabb", "#eedd88", "#77aadd", "#99ddff", "#bbcc33", "#aaaa00"];

/// A hue that stands for no agent and no category: shares of success.
pub(super) const BLUE: Ink = Ink::Hue(0);

impl Ink {
    fn class(self) -> (String, &'static str) {
        match self {
            Ink::Text => ("text".into(), "#1b1f24"),
            Ink::Faint => ("faint".into(), "#57606a"),
            Ink::Line => ("line".into(), "#d5dae0"),
            Ink::Ground => ("ground".into(), "#ffffff"),
            Ink::OnHue => ("onhue".into(), "#ffffff"),
            Ink::Hue(at) => (format!("h{}", at % HUES.len()), HUES[at % HUES.len()]),
            Ink::Part(at) => (format!("k{}", at % PARTS.len()), PARTS[at % PARTS.len()]),
        }
    }

    pub(super) fn fill(self) -> String {
        let (class, colour) = self.class();
        format!(" class=\"f-{class}\" fill=\"{colour}\"")
    }

    pub(super) fn stroke(self) -> String {
        let (class, colour) = self.class();
        // An element has one class attribute: a style sheet finds strokes by this one of their own.
        format!(" data-s=\"{class}\" stroke=\"{colour}\"")
    }
}

/// A mark's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkShape {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
    Cross,
}

impl MarkShape {
    const ALL: [MarkShape; 6] =
        [MarkShape::Circle, MarkShape::Square, MarkShape::Diamond, MarkShape::Up, MarkShape::Down, MarkShape::Cross];

    /// The shape of an agent; eight hues and six shapes repeat together only after 24.
    pub(super) fn of(at: usize) -> MarkShape {
        MarkShape::ALL[at % MarkShape::ALL.len()]
    }

    pub(super) fn way(self, x: f64, y: f64, r: f64) -> String {
        let at = |points: &[(f64, f64)]| -> String {
            let steps: Vec<String> =
                points.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx * r, y + dy * r)).collect();
            format!("M{}Z", steps.join("L"))
        };
        match self {
            MarkShape::Circle => format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", x - r, d = 2.0 * r),
            MarkShape::Square => at(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            MarkShape::Diamond => at(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            MarkShape::Up => at(&[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)]),
            MarkShape::Down => at(&[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)]),
            MarkShape::Cross => {
                let (a, b) = (0.42, 1.15);
                at(&[
                    (-a, -b),
                    (a, -b),
                    (a, -a),
                    (b, -a),
                    (b, a),
                    (a, a),
                    (a, b),
                    (-a, b),
                    (-a, a),
                    (-b, a),
                    (-b, -a),
                    (-a, -a),
                ])
            }
        }
    }
}

/// The dashes of a line.
pub(super) fn dashes(at: usize) -> &'static str {
    ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 4"][at % 6]
}

/// What covers an area besides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weave {
    Plain,
    Rising,
    Dots,
    Falling,
    Level,
    Upright,
    Crossed,
    /// Kept for episodes that do not count.
    Hatch,
}

impl Weave {
    const ALL: [Weave; 7] =
        [Weave::Plain, Weave::Rising, Weave::Dots, Weave::Falling, Weave::Level, Weave::Upright, Weave::Crossed];

    /// The weave of a category.
    pub(super) fn of(at: usize) -> Weave {
        Weave::ALL[at % Weave::ALL.len()]
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Weave::Plain => "plain",
            Weave::Rising => "rising",
            Weave::Dots => "dots",
            Weave::Falling => "falling",
            Weave::Level => "level",
            Weave::Upright => "upright",
            Weave::Crossed => "crossed",
            Weave::Hatch => "hatch",
        }
    }

    /// Its lines in a tile of eight by eight.
    pub(super) fn way(self) -> &'static str {
        match self {
            Weave::Plain => "",
            Weave::Rising => "M-2 10L10 -2M-2 2L2 -2M6 10L10 6",
            Weave::Hatch => "M-1 5L5 -1M-1 9L9 -1M3 9L9 3",
            Weave::Falling => "M-2 -2L10 10M6 -2L10 2M-2 6L2 10",
            Weave::Dots => "M1.5 2h1.4M5.5 6h1.4",
            Weave::Level => "M0 4h8",
            Weave::Upright => "M4 0v8",
            Weave::Crossed => "M0 4h8M4 0v8",
        }
    }
}
