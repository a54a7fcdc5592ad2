//! Logs: rendered when read from the counted events of each scrape. The same scrape always renders
//! the same lines for every look.

use crate::fleet::{Instance, InstanceId};
use crate::history::Row;
use crate::operator::View;
use crate::platform::printed;
use crate::rng::{Draw, Stream};
use crate::services::{Level, Template};
use crate::settings::RevisionId;
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
    /// The instance that wrote it; `None` for a service that has none.
    pub instance: Option<InstanceId>,
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
const PER_SAMPLE: usize = 4;

impl<'w> View<'w> {
    /// Lines that match, oldest first.
    pub fn logs(self, service: usize, query: &LogQuery<'_>) -> Vec<LogLine> {
        let world = self.world;
        let info = &world.plan.services[service];
        let stream = world.seed.stream("logs").within(service as u64);
        let needle = query.text.to_ascii_lowercase();
        let readable = Time(query.to.0.min(world.now.back(world.log_delay(service)).0));
        let mut lines: Vec<LogLine> = Vec::with_capacity(query.limit);
        for row in world.history.newest_first(query.from, readable) {
            let first = lines.len();
            let counts = &row.cells[info.events.clone()];
            for (at, template) in info.templates().enumerate() {
                if template.level < query.level {
                    continue;
                }
                let stream = stream.within(row.time.0).within(at as u64);
                for k in 0..kept(printed(counts, at), stream) {
                    let line = self.line(service, at, row, stream.within(k));
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

    /// A sample of the lines after `from`, oldest first: at most `loud` that only a troubled service
    /// prints, and `quiet` others. A flood of one line hides nothing else: each template has one place
    /// per scrape and a few in all.
    pub fn log_sample(self, service: usize, from: Time, loud: usize, quiet: usize) -> Vec<LogLine> {
        let (world, info) = (self.world, &self.world.plan.services[service]);
        let stream = world.seed.stream("logs").within(service as u64);
        let mut places = [quiet, loud];
        let mut taken = vec![0; info.templates().count()];
        let mut picks: Vec<(Time, usize, Row<'_>, Stream)> = Vec::with_capacity(loud + quiet);
        for row in world.history.newest_first(from, world.now.back(world.log_delay(service))) {
            let counts = &row.cells[info.events.clone()];
            for (at, template) in info.templates().enumerate() {
                let left = &mut places[usize::from(template.level >= Level::Warn && !template.chatter)];
                let count = printed(counts, at);
                if count <= 0.0 || *left == 0 || taken[at] == PER_SAMPLE {
                    continue;
                }
                let stream = stream.within(row.time.0).within(at as u64);
                if kept(count, stream) > 0 {
                    (*left, taken[at]) = (*left - 1, taken[at] + 1);
                    picks.push((written(row, stream.within(0)), at, row, stream.within(0)));
                }
            }
            if places == [0, 0] {
                break;
            }
        }
        picks.sort_by_key(|pick| pick.0);
        picks.into_iter().map(|(_, at, row, draws)| self.line(service, at, row, draws)).collect()
    }

    fn line(self, service: usize, template: usize, row: Row<'_>, draws: Stream) -> LogLine {
        let info = &self.world.plan.services[service];
        let time = written(row, draws);
        let line = self.world.plan.line(service, template);
        let instance = self.busy_instance(service, draws.at(line.instance_slot()));
        let revision = instance.map_or(RevisionId::TEMPLATE, |i| i.revision);
        let value = |key: usize| self.world.settings[service].at(revision, key, time);
        let text = line.render(draws, value, instance.map_or(0, |i| i.ordinal));
        let &Template { name, level, chatter, .. } =
            info.templates().nth(template).expect("a template of this service");
        LogLine { time, level, instance: instance.map(|i| i.id), text, template: name, chatter }
    }

    /// An instance that could have written a line: one that gets traffic, if any does.
    fn busy_instance(self, service: usize, draw: Draw) -> Option<&'w Instance> {
        let fleet = self.world.fleet.of(service);
        let mut left = draw.unit() * fleet.iter().map(|i| i.share).sum::<f64>();
        let past = |i: &&Instance| {
            left -= i.share;
            left < 0.0
        };
        fleet.iter().find(past).or_else(|| fleet.get(draw.below(fleet.len() as u64) as usize))
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
