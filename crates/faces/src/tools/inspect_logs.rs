//! `inspect_logs`: a sample of what a service wrote lately, loud and quiet lines side by side.

use std::fmt::Write;
use std::sync::Arc;

use world::services::Level;
use world::telemetry::logs::LogLine;
use world::{Span, View};

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply};
use crate::param::Param;
use crate::params::SERVICE;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Glance, Run, Tool};

/// The tool.
pub struct InspectLogs;

impl Tool for InspectLogs {
    fn name(&self) -> &'static str {
        "inspect_logs"
    }

    fn signature(&self) -> &'static str {
        "inspect_logs(service)"
    }

    fn about(&self) -> &'static str {
        "a sample of a service's log lines of the last ten minutes"
    }

    fn params(&self) -> &'static [Param] {
        &[SERVICE]
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    /// Lines are sampled from the newest on, so those after some time are in the whole sample, too. Those that a healthy service
    /// prints tell nothing.
    fn glance(&self) -> Option<Glance> {
        Some(|view, args, since| {
            let (service, from) = (args.service(), since.max(view.now().back(WINDOW)));
            facts(view.name(service), &view.log_sample(service, from, LOUD, 0))
        })
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

/// How far back the sample goes, and how many lines of each sort it has at most.
const WINDOW: Span = Span::mins(10);
const LOUD: usize = 9;
const QUIET: usize = 6;

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let (service, now) = (args.service(), view.now());
    let lines = view.log_sample(service, now.back(WINDOW), LOUD, QUIET);
    let name = view.name(service);
    let mut sheet = Sheet::new(96 + lines.len() * 140);
    let [info, warn, error] = view.log_counts(service, now.back(WINDOW));
    sheet.put(name).put(" logs at ").time(now).put(", a sample of the last 10 min; in all ");
    let _ = write!(sheet, "{info} INFO, {warn} WARN, {error} ERROR");
    sheet.line();
    write_lines(&mut sheet, &lines);
    Reply::show(sheet.done(), facts(name, &lines))
}

/// One line each: time, level, text.
pub(super) fn write_lines(sheet: &mut Sheet, lines: &[LogLine]) {
    if lines.is_empty() {
        sheet.put("no lines").line();
    }
    for line in lines {
        let level = match line.level {
            Level::Info => " INFO  ",
            Level::Warn => " WARN  ",
            Level::Error => " ERROR ",
        };
        sheet.time(line.time).put(level).put(&line.text).line();
    }
}

/// One fact per template: the same line ten times says no more than once.
pub(super) fn facts(service: &Arc<str>, lines: &[LogLine]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if lines[..at].iter().all(|earlier| earlier.template != line.template) {
            let telling = line.level >= Level::Warn && !line.chatter;
            facts.push(Fact::new(FactKind::Logs, service, line.template, telling));
        }
    }
    facts
}

/// How many lines of each level were shown, and which sorts of lines.
pub(super) static READER: ReplyReader = ReplyReader {
    service: &["seen:logs", "logs:info_lines", "logs:warn_lines", "logs:error_lines"],
    incident: &[],
    read,
};

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    const FULL: f64 = 15.0;
    let Some(service) = shown.service else { return };
    let mut counts = [0.0; 3];
    for line in shown.text.lines().skip(1) {
        // The time of day stands before the level.
        match line.as_bytes().get(9) {
            Some(b'I') => counts[0] += 1.0,
            Some(b'W') => counts[1] += 1.0,
            Some(b'E') => counts[2] += 1.0,
            _ => {}
        }
    }
    notes.put(service, "seen:logs", shown.when);
    for (name, count) in ["logs:info_lines", "logs:warn_lines", "logs:error_lines"].into_iter().zip(counts) {
        notes.put(service, name, count / FULL);
    }
    let logs = shown.facts.iter().filter(|fact| fact.kind == FactKind::Logs);
    notes.templates(service, &mut logs.map(|fact| &*fact.item));
}
