//! A grid of tasks and agents. Success is shades of one colour with the count written in; episodes
//! whose provider failed are hatched, and what was not played is blank.

use super::chart::{Chart, Drawn, Label, Paper, TOP};
use super::palette::{BLUE, Ink, MarkShape};
use super::svg::{Anchor, Style, Svg, fitted, width};

/// So many rows can be named.
const NAMED: usize = 80;

/// So many rows can be seen at all.
pub(super) const MOST: usize = 400;

/// The height of a line of the list of agents.
const LINE: f64 = 18.0;

/// The room of a task's name above its cells.
const ABOVE: f64 = 17.0;

/// One cell.
#[derive(Clone, Copy, Default)]
pub(super) struct GridCell {
    pub counted: u32,
    pub successes: u32,
    pub provider_failures: u32,
}

/// What a cell leads to: its episodes in the viewer.
pub(super) type CellLink<'a> = &'a dyn Fn(usize, &str) -> String;

/// Rows of tasks under a heading.
pub(super) struct TaskBand<'a> {
    pub name: &'a str,
    pub rows: Vec<(&'a str, Vec<GridCell>)>,
}

/// Draws the bands one below the other.
pub(super) fn grid(
    id: &'static str,
    (title, words): (&str, &str),
    agents: &[Label],
    bands: &[TaskBand<'_>],
    link: CellLink<'_>,
) -> Chart {
    Chart::new(id, title, words, |svg, paper| on(svg, paper, agents, bands, link))
}

fn on(mut svg: Svg, paper: Paper, agents: &[Label], bands: &[TaskBand<'_>], link: CellLink<'_>) -> Drawn {
    let count: usize = bands.iter().map(|band| band.rows.len()).sum();
    let look = GridSizes::of(paper, agents, bands, count);
    let mut y = heads(&mut svg, agents, &look);
    let mut left = MOST;
    for band in bands {
        let style = Style { bold: true, ..Style::new(12.0, Ink::Faint, Anchor::Start) };
        svg.text((16.0, y + 13.0), band.name, style);
        y += if look.stacked { 34.0 } else { 20.0 };
        if look.listed {
            marks(&mut svg, agents, &look, y - 7.0);
        }
        for (task, tallies) in band.rows.iter().take(left) {
            row(&mut svg, (task, tallies), agents, &look, y, link);
            y += look.row;
        }
        left = left.saturating_sub(band.rows.len());
        y += 4.0;
    }
    let end = key(&mut svg, paper, y + 20.0);
    (svg, look.width(agents.len()).max(paper.width()), end + 20.0)
}

/// The sizes of a grid.
struct GridSizes {
    names: f64,
    cell: f64,
    row: f64,
    head: f64,
    /// How far the last name reaches beyond the last column.
    tail: f64,
    turned: bool,
    /// Names of agents stand in a list above, and marks alone over their columns: slim paper has no room for more.
    listed: bool,
    /// The room of a turned name.
    most: f64,
    named: bool,
    /// Names of tasks stand above their cells: beside them slim paper has no room for so many agents.
    stacked: bool,
    /// Cells that are too small for a finger say nothing and lead nowhere.
    mute: bool,
}

impl GridSizes {
    fn of(paper: Paper, agents: &[Label], bands: &[TaskBand<'_>], count: usize) -> GridSizes {
        let (named, listed, columns) = (count <= NAMED, paper == Paper::Slim, agents.len().max(1) as f64);
        let tasks = bands.iter().flat_map(|band| &band.rows).map(|row| width(row.0, 12.0));
        let least = paper.pick(40.0, 26.0);
        // On slim paper tasks get what the columns leave.
        let left = paper.width() - 46.0 - least * columns;
        let stacked = named && listed && left < 150.0;
        let names = match (named, stacked) {
            (true, false) => tasks.fold(60.0, f64::max).min(paper.pick(330.0, left.min(230.0))) + 14.0,
            (true, true) => 0.0,
            _ => paper.pick(90.0, 20.0),
        };
        let least = if stacked || listed && !named { 8.0 } else { least };
        let most = 210.0;
        let longest = agents.iter().map(|agent| width(&agent.text, 12.0)).fold(0.0, f64::max).min(most);
        let cell = ((paper.width() - 32.0 - names) / columns).clamp(least, 110.0);
        // Names that do not fit above their column are turned.
        let turned = !listed && longest + 22.0 > cell;
        let head = match (listed, turned) {
            (true, _) => 8.0 + LINE * agents.len() as f64,
            (_, true) => 24.0 + longest * 0.5,
            _ => 26.0,
        };
        let tail = if turned { (longest * 0.87 + 16.0 - cell / 2.0).max(0.0) } else { 0.0 };
        GridSizes {
            names,
            cell,
            row: if stacked {
                ABOVE + 22.0
            } else if named {
                19.0
            } else {
                6.0
            },
            head,
            tail,
            turned,
            listed,
            named,
            stacked,
            most,
            mute: !named && paper == Paper::Slim,
        }
    }

    fn width(&self, agents: usize) -> f64 {
        32.0 + self.names + self.cell * agents as f64 + self.tail
    }

    fn left(&self, at: usize) -> f64 {
        16.0 + self.names + self.cell * at as f64
    }
}

fn heads(svg: &mut Svg, agents: &[Label], look: &GridSizes) -> f64 {
    let bottom = TOP + look.head;
    for (at, agent) in agents.iter().enumerate() {
        if look.listed {
            listed(svg, at, agent);
            continue;
        }
        let turned = look.turned;
        let middle = look.left(at) + look.cell / 2.0;
        let x = if turned { middle } else { look.left(at) + 10.0 };
        svg.mark((x, bottom - 9.0), MarkShape::of(agent.look), 4.5, Ink::Hue(agent.look), agent.hollow);
        let text = fitted(&agent.text, 12.0, if turned { look.most } else { look.cell - 18.0 });
        let style = Style { turn: if turned { -30.0 } else { 0.0 }, ..Style::new(12.0, Ink::Text, Anchor::Start) };
        let place = if turned { (x + 7.0, bottom - 15.0) } else { (x + 9.0, bottom - 5.0) };
        svg.told(&agent.text, |svg| svg.text(place, &text, style));
    }
    bottom
}

/// An agent in the list.
fn listed(svg: &mut Svg, at: usize, agent: &Label) {
    let y = TOP + 8.0 + LINE * at as f64;
    svg.mark((22.0, y), MarkShape::of(agent.look), 4.5, Ink::Hue(agent.look), agent.hollow);
    let text = fitted(&agent.text, 12.0, Paper::Slim.width() - 84.0);
    svg.told(&agent.text, |svg| svg.text((34.0, y + 4.0), &text, Style::new(12.0, Ink::Text, Anchor::Start)));
}

/// The marks of the listed agents over their columns, for every band again: the list is soon out of sight.
fn marks(svg: &mut Svg, agents: &[Label], look: &GridSizes, y: f64) {
    for (at, agent) in agents.iter().enumerate() {
        let size = (look.cell / 3.0).min(4.5);
        svg.mark(
            (look.left(at) + look.cell / 2.0, y),
            MarkShape::of(agent.look),
            size,
            Ink::Hue(agent.look),
            agent.hollow,
        );
    }
}

fn row(
    svg: &mut Svg,
    (task, tallies): (&str, &[GridCell]),
    agents: &[Label],
    look: &GridSizes,
    y: f64,
    link: CellLink<'_>,
) {
    let above = if look.stacked { ABOVE } else { 0.0 };
    if look.stacked {
        let text = fitted(task, 12.0, Paper::Slim.width() - 32.0);
        svg.told(task, |svg| svg.text((16.0, y + 12.0), &text, Style::new(12.0, Ink::Text, Anchor::Start)));
    } else if look.named {
        let text = fitted(task, 12.0, look.names - 10.0);
        let style = Style::new(12.0, Ink::Text, Anchor::End);
        svg.told(task, |svg| svg.text((16.0 + look.names - 8.0, y + 13.5), &text, style));
    }
    for (at, (tally, agent)) in tallies.iter().zip(agents).enumerate() {
        let place =
            (look.left(at) + 1.0, y + above + 0.5, look.cell - 2.0, if look.stacked { 18.0 } else { look.row - 1.0 });
        let words = format!("{}, {task}: {}", agent.text, told(tally));
        if look.mute {
            cell(svg, tally, place, look.named);
        } else if tally.counted + tally.provider_failures == 0 {
            svg.told(&words, |svg| cell(svg, tally, place, look.named));
        } else {
            svg.leads(&link(at, task), &words, |svg| cell(svg, tally, place, look.named));
        }
    }
}

fn told(tally: &GridCell) -> String {
    match (tally.counted, tally.provider_failures) {
        (0, 0) => "not played".to_owned(),
        (0, failed) => format!("the provider failed in all {failed}; nothing is known of the agent"),
        (counted, 0) => format!("{} of {counted} resolved", tally.successes),
        (counted, failed) => {
            format!("{} of {counted} resolved; {failed} not counted, the provider failed", tally.successes)
        }
    }
}

fn cell(svg: &mut Svg, tally: &GridCell, (x, y, w, h): (f64, f64, f64, f64), named: bool) {
    let all = tally.counted + tally.provider_failures;
    if all == 0 {
        return svg.frame((x, y, w, h), Ink::Line, "2 3");
    }
    let known = w * f64::from(tally.counted) / f64::from(all);
    if known < w {
        svg.hatched((x + known, y, w - known, h));
    }
    if tally.counted > 0 {
        let share = f64::from(tally.successes) / f64::from(tally.counted);
        svg.rect((x, y, known, h), BLUE, 0.06 + 0.94 * share);
        svg.frame((x, y, known, h), Ink::Line, "");
        let text = format!("{}/{}", tally.successes, tally.counted);
        if named && width(&text, 11.0) < known - 2.0 {
            let ink = if share > 0.65 { Ink::OnHue } else { Ink::Text };
            svg.text((x + known / 2.0, y + h / 2.0 + 4.0), &text, Style::new(11.0, ink, Anchor::Middle));
        }
    }
}

/// What the cells mean; gives where it ends.
fn key(svg: &mut Svg, paper: Paper, top: f64) -> f64 {
    let sample = |counted, successes, provider_failures| GridCell { counted, successes, provider_failures };
    let samples = [
        ("all resolved", sample(5, 5, 0)),
        ("some", sample(5, 2, 0)),
        ("none", sample(5, 0, 0)),
        ("provider failed: not counted", sample(0, 0, 5)),
        ("partly", sample(2, 1, 3)),
        ("not played", sample(0, 0, 0)),
    ];
    let (mut x, mut y) = (16.0, top);
    for (name, tally) in samples {
        let room = 52.0 + width(name, 12.0);
        if paper == Paper::Slim && x + room > paper.width() {
            (x, y) = (16.0, y + 22.0);
        }
        // Without a number: that of a sample says nothing about this run.
        cell(svg, &tally, (x, y - 9.0, 34.0, 16.0), false);
        svg.text((x + 40.0, y + 3.5), name, Style::new(12.0, Ink::Faint, Anchor::Start));
        x += room;
    }
    y
}
