//! Logs: rendered when read from the counted events of each scrape. The same scrape always renders
//! the same lines, whoever looks and however often.

use std::fmt::Write;

use crate::history::Row;
use crate::operator::View;
use crate::rng::Stream;
use crate::services::{Level, Template};
use crate::time::{Span, Time};

/// What to look for.
#[derive(Clone, Debug)]
pub struct LogQuery<'a> {
    /// Only lines at least this loud.
    pub level: Level,
    /// Only lines that contain this, whatever the case.
    pub text: &'a str,
    /// Only lines after this time.
    pub from: Time,
    /// Only lines up to this time.
    pub to: Time,
    /// At most so many lines, the latest.
    pub limit: usize,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// When it was written.
    pub time: Time,
    /// How loud it is.
    pub level: Level,
    /// What it says.
    pub text: String,
    /// The name of its template.
    pub template: &'static str,
    /// Whether a healthy service prints it too.
    pub chatter: bool,
}

/// At most so many lines of one template are kept from one scrape: the store samples what repeats.
const PER_SCRAPE: u64 = 3;
/// At most so many lines of one template are in a sample.
const PER_TEMPLATE: u64 = 4;

impl View<'_> {
    /// Lines that match, oldest first.
    pub fn logs(self, service: usize, query: &LogQuery<'_>) -> Vec<LogLine> {
        let world = self.world;
        let info = &world.plan.services[service];
        let stream = world.seed.stream("logs").sub(service as u64);
        let needle = query.text.to_ascii_lowercase();
        let readable = Time(query.to.0.min(world.now.back(world.noise.log_delay()).0));
        let mut lines: Vec<LogLine> = Vec::with_capacity(query.limit);
        for row in world.history.newest_first(query.from, readable) {
            let first = lines.len();
            let counts = &row.cells[info.events.clone()];
            for (at, template) in info.kind.logs().iter().enumerate() {
                if template.level < query.level {
                    continue;
                }
                let stream = stream.sub(row.time.0).sub(at as u64);
                for k in 0..kept(counts[at], stream) {
                    let line = self.line(service, template, row, stream.sub(k));
                    if needle.is_empty() || line.text.to_ascii_lowercase().contains(&needle) {
                        lines.push(line);
                    }
                }
            }
            lines[first..].sort_by_key(|l| std::cmp::Reverse(l.time));
            if lines.len() >= query.limit {
                break;
            }
        }
        lines.truncate(query.limit);
        lines.reverse();
        lines
    }

    /// A sample of the lines after `from`, oldest first: the latest, at most `loud` from warnings up and
    /// `quiet` others. A flood of one line does not hide the others: each template has a few places.
    pub fn log_sample(self, service: usize, from: Time, loud: usize, quiet: usize) -> Vec<LogLine> {
        let (world, info) = (self.world, &self.world.plan.services[service]);
        let (templates, stream) = (info.kind.logs(), world.seed.stream("logs").sub(service as u64));
        let mut places = [quiet, loud];
        let mut taken = vec![0u64; templates.len()];
        let mut picks: Vec<(Time, usize, Row<'_>, Stream)> = Vec::with_capacity(loud + quiet);
        for row in world.history.newest_first(from, world.now.back(world.noise.log_delay())) {
            let counts = &row.cells[info.events.clone()];
            for k in 0..PER_SCRAPE {
                for (at, template) in templates.iter().enumerate().filter(|(at, _)| counts[*at] > 0.0) {
                    let left = &mut places[usize::from(template.level >= Level::Warn)];
                    let stream = stream.sub(row.time.0).sub(at as u64);
                    if *left == 0 || taken[at] == PER_TEMPLATE || k >= kept(counts[at], stream) {
                        continue;
                    }
                    (*left, taken[at]) = (*left - 1, taken[at] + 1);
                    picks.push((written(row, stream.sub(k)), at, row, stream.sub(k)));
                }
            }
            if places == [0, 0] {
                break;
            }
        }
        picks.sort_by_key(|pick| pick.0);
        picks.into_iter().map(|(_, at, row, draws)| self.line(service, &templates[at], row, draws)).collect()
    }

    fn line(self, service: usize, template: &Template, row: Row<'_>, draws: Stream) -> LogLine {
        let time = written(row, draws);
        let mut text = String::with_capacity(template.text.len() + 24);
        self.fill(service, template.text, draws, &mut text);
        LogLine { time, level: template.level, text, template: template.name, chatter: template.chatter }
    }

    fn fill(self, service: usize, pattern: &str, draws: Stream, out: &mut String) {
        let mut rest = pattern;
        let mut slot = 1;
        while let Some(open) = rest.find('{') {
            let close = open + rest[open..].find('}').expect("templates close their braces");
            out.push_str(&rest[..open]);
            self.field(service, &rest[open + 1..close], draws.at(slot), out);
            rest = &rest[close + 1..];
            slot += 1;
        }
        out.push_str(rest);
    }

    fn field(self, service: usize, name: &str, draw: crate::rng::Draw, out: &mut String) {
        let world = self.world;
        let info = &world.plan.services[service];
        let wrote = match name {
            "id" => write!(out, "{:08x}", draw.bits() as u32),
            "user" => write!(out, "{}", 10_000 + draw.below(80_000)),
            "ip" => write!(out, "10.{}.{}.{}", 20 + draw.below(8), draw.below(256), 1 + draw.below(254)),
            "instance" => write!(out, "{}-{}", info.name, 1 + draw.below(info.instances.len() as u64)),
            _ if name.starts_with("dep:") => {
                let kind = &name[4..];
                let dep = info.depends_on.iter().map(|&d| &world.plan.services[d]).find(|d| d.kind.name() == kind);
                out.push_str(dep.map_or("upstream", |d| &*d.host));
                Ok(())
            }
            _ if name.contains("..") => {
                let (low, high) = name.split_once("..").expect("a range");
                let number = |t: &str| t.parse::<u64>().expect("templates have whole numbers in ranges");
                write!(out, "{}", number(low) + draw.below(number(high) - number(low) + 1))
            }
            _ if name.contains('|') => {
                out.push_str(name.split('|').nth(draw.below(1 + name.matches('|').count() as u64) as usize).unwrap_or(""));
                Ok(())
            }
            _ => {
                let key = info.kind.keys().iter().position(|k| k.name == name);
                let at = key.unwrap_or_else(|| panic!("template field {{{name}}} is no key of {}", info.kind.name()));
                write!(out, "{}", world.settings[service][at].running)
            }
        };
        wrote.expect("a string takes everything");
    }
}

/// When a line was written: some time between two scrapes.
fn written(row: Row<'_>, draws: Stream) -> Time {
    row.time.back(Span(draws.at(0).below(15_000)))
}

/// How many lines of a template a scrape keeps: a fraction of an event is one with that chance.
fn kept(count: f32, stream: Stream) -> u64 {
    if count.is_nan() || count <= 0.0 {
        return 0;
    }
    let whole = count as u64;
    let part = u64::from(stream.at(u64::MAX).chance(f64::from(count) - whole as f64));
    (whole + part).min(PER_SCRAPE)
}
