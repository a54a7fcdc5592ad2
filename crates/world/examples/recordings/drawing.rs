//! Recordings and worlds side by side, as a picture.

use std::fmt::Write;

use super::{Compared, Sample, steps};

const COLUMNS: usize = 2;
/// Width and height of a panel with its margins, and of its plot.
const PANEL: (f64, f64) = (460.0, 190.0);
const PLOT: (f64, f64) = (390.0, 120.0);

/// One panel for each recording: answered and failed per second, recorded thin and the world's thick.
pub fn draw(pairs: &[&Compared]) -> String {
    let rows = pairs.len().div_ceil(COLUMNS);
    let (width, height) = (PANEL.0 * COLUMNS as f64 + 20.0, PANEL.1 * rows as f64 + 50.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let mut key = 20.0;
    for (text, colour, thick) in [
        ("answered/s, recorded", "#1d5fa8", 1.2),
        ("answered/s, world", "#1d5fa8", 3.5),
        ("failed/s, recorded", "#b3361f", 1.2),
        ("failed/s, world", "#b3361f", 3.5),
    ] {
        let fade = if thick > 2.0 { 0.45 } else { 1.0 };
        writeln!(
            svg,
            "<path d=\"M{key} 20h26\" stroke=\"{colour}\" stroke-width=\"{thick}\" stroke-opacity=\"{fade}\"/>\
             <text x=\"{}\" y=\"24\" fill=\"#222222\">{text}</text>",
            key + 32.0
        )
        .expect("text");
        key += 185.0;
    }
    for (at, pair) in pairs.iter().enumerate() {
        let (x, y) = ((at % COLUMNS) as f64 * PANEL.0 + 45.0, (at / COLUMNS) as f64 * PANEL.1 + 65.0);
        writeln!(svg, "<g transform=\"translate({x} {y})\">").expect("text");
        panel(&mut svg, pair);
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

fn panel(svg: &mut String, (recording, [theirs, ours, _]): &Compared) {
    let ours = &steps(ours);
    let of = |samples: &[Sample]| samples.iter().map(|s| s.answered.max(s.failed)).fold(0.0, f64::max);
    let top = (of(theirs).max(of(ours)) / 20.0).ceil() * 20.0;
    let end = recording.seconds as f64;
    let (across, up) = (|second: f64| second / end * PLOT.0, |rate: f64| PLOT.1 - rate / top * PLOT.1);
    writeln!(svg, "<text y=\"-8\" font-weight=\"bold\" fill=\"#222222\">{}</text>", recording.name).expect("text");
    for (second, _) in recording.turns {
        let x = across(*second as f64);
        writeln!(svg, "<path d=\"M{x:.1} 0V{}\" stroke=\"#999999\" stroke-dasharray=\"3 3\"/>", PLOT.1).expect("text");
    }
    for rate in [0.0, top / 2.0, top] {
        let y = up(rate);
        writeln!(svg, "<path d=\"M0 {y:.1}H{}\" stroke=\"#dddddd\"/>", PLOT.0).expect("text");
        writeln!(svg, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555555\">{rate:.0}</text>", y + 4.0)
            .expect("text");
    }
    let mut second = 0.0;
    while second <= end {
        let (x, y) = (across(second), PLOT.1 + 16.0);
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#555555\">{second:.0} s</text>")
            .expect("text");
        second += 25.0;
    }
    for (samples, thick, fade) in [(ours, 3.5, 0.45), (theirs, 1.2, 1.0)] {
        for (colour, value) in [("#b3361f", (|s: &Sample| s.failed) as fn(&Sample) -> f64), ("#1d5fa8", |s| s.answered)]
        {
            let inside = samples.iter().filter(|s| s.from < end);
            let steps = inside.map(|s| (across(s.from), across(s.to.min(end)), up(value(s))));
            let path: String = steps.map(|(from, to, y)| format!("L{from:.1} {y:.1}H{to:.1}")).collect();
            let path = path.replacen('L', "M", 1);
            writeln!(
                svg,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\" stroke-opacity=\"{fade}\"/>"
            )
            .expect("text");
        }
    }
}
