//! Every figure of a small fixed run, as a file that a person can open and look at.

use std::path::Path;

use expect_test::expect_file;

use crate::page::{Report, stage};

#[test]
fn figures_are_drawn_like_this() {
    let report = Report::of(&[stage::source()], 1).expect("it is a run");
    assert_eq!(report.figures.len(), super::FIGURES.len(), "this run shows every figure");
    for figure in &report.figures {
        let place = Path::new("snapshots").join(format!("{}.svg", figure.id));
        expect_file![place].assert_eq(&figure.chart.file());
    }
}

#[test]
fn each_figure_can_be_read_without_eyes_and_without_colour() {
    for figure in Report::of(&[stage::source()], 1).expect("it is a run").figures {
        let svg = figure.chart.file();
        assert!(svg.contains("role=\"img\"") && svg.contains("<desc"), "{}: no words", figure.id);
        assert!(figure.chart.words.contains("steady"), "{}: the words name the agents", figure.id);
        assert!(!figure.table.rows.is_empty(), "{}: no table", figure.id);
        let units = ["marks, 0 to 100", "share", "minutes", "requests per episode", "dollars", "not played"];
        assert!(units.iter().any(|unit| svg.contains(unit)), "{}: no unit", figure.id);
    }
}

#[test]
fn a_provider_that_failed_has_no_colour() {
    let report = Report::of(&[stage::troubled()], 1).expect("it is a run");
    let svg = |id: &str| report.figures.iter().find(|figure| figure.id == id).map(|figure| figure.chart.file());
    // Nothing failed but the provider, so no colour of a failure may appear at all.
    let failures = svg("failures").expect("the figure is there");
    let (legend, bars) = failures.split_at(failures.find("<g><title>steady").expect("the first row"));
    assert!(legend.contains("Provider failed (not counted)"));
    let coloured: Vec<&str> =
        bars.lines().filter(|line| line.starts_with("<rect") && line.contains("class=\"f-k")).collect();
    assert_eq!(coloured.len(), 2, "one bar of success for each agent: {coloured:?}");
    assert!(coloured.iter().all(|line| line.contains("f-k0")), "{coloured:?}");
    assert_eq!(bars.matches("class=\"provider\"").count(), 1, "one hatched part");
    // In the grid two tasks are hatched whole and two in part; none is a task without success.
    let grid = svg("heatmap").expect("the figure is there");
    let cells = &grid[..grid.find("all resolved").expect("the key")];
    let cells = &cells[..cells.rfind("<rect").expect("the key's first cell")];
    assert_eq!(cells.matches("class=\"provider\"").count(), 4);
    assert!(!cells.contains("fill-opacity=\"0.06\""), "no cell says that a counted episode failed");
}

#[test]
fn each_figure_is_drawn_for_telephones_too() {
    for figure in Report::of(&[stage::source()], 1).expect("it is a run").figures {
        let page = figure.chart.inline();
        let (broad, slim) = page.split_once("<svg class=\"slim\"").expect("it is drawn twice");
        let width = |svg: &str| -> f64 {
            let sizes = svg.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next());
            sizes.and_then(|sizes| sizes.split(' ').nth(2)?.parse().ok()).expect("it has a size")
        };
        assert_eq!((width(broad), width(slim)), (760.0, 380.0), "{}", figure.id);
        let places = slim.split(" x=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        assert!(places.clone().count() > 0 && places.clone().all(|x| x <= 380.0), "{}: beyond the paper", figure.id);
        assert!(!slim.contains(&format!("id=\"{}-title\"", figure.id)), "{}: its words are there once", figure.id);
    }
}

/// Twelve agents whose names begin and end alike: cut in the middle, they could not be told apart on a telephone.
#[test]
fn long_names_are_whole_on_telephones_and_inside_the_paper() {
    let name = |at: usize| format!("react@provider/organisation-{at:02}-of-a-model");
    let run = stage::of_agents(&(0..12).map(name).collect::<Vec<String>>());
    for figure in &Report::of(&[run], 1).expect("it is a run").figures {
        let page = figure.chart.inline();
        let (_, slim) = page.split_once("<svg class=\"slim\"").expect("it is drawn twice");
        for at in 0..12 {
            assert!(slim.contains(&format!(">{}</text>", name(at))), "{}: {} is cut", figure.id, name(at));
        }
        assert!(!slim.contains('\u{2026}'), "{}: something is cut", figure.id);
        assert!(!slim.starts_with(" width="), "{}: it is pushed sideways", figure.id);
        for (end, text) in ends(slim) {
            assert!(end <= 381.0, "{}: {text} reaches to {end}", figure.id);
        }
    }
}

/// Where the texts of a drawing end that are not turned, by the widths that it was laid out with.
fn ends(svg: &str) -> Vec<(f64, String)> {
    let attribute =
        |text: &str, name: &str| Some(text.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.to_owned());
    let end = |part: &str| {
        let (head, text) = part.split_once('>')?;
        let (x, size) =
            (attribute(head, "x")?.parse::<f64>().ok()?, attribute(head, "font-size")?.parse::<f64>().ok()?);
        let text = text.split("</text>").next()?.to_owned();
        let width = super::svg::width(&text, size);
        let after = match attribute(head, "text-anchor").as_deref() {
            Some("end") => 0.0,
            Some("middle") => width / 2.0,
            _ => width,
        };
        (!head.contains("rotate")).then_some((x + after, text))
    };
    svg.split("<text").skip(1).filter_map(end).collect()
}
