//! `inspect_logs`: a sample of what a service wrote lately, loud and quiet lines side by side.

use std::sync::Arc;

use world::services::Level;
use world::telemetry::logs::LogLine;
use world::{Span, View};

use crate::args::Args;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Param, Run, SERVICE, Tool};

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
}

/// How far back the sample goes, and how many lines of each sort it has at most.
const WINDOW: Span = Span::mins(10);
const LOUD: usize = 9;
const QUIET: usize = 6;

fn look(view: View<'_>, args: &Args) -> Reply {
    let (service, now) = (args.service(), view.now());
    let lines = view.log_sample(service, now.back(WINDOW), LOUD, QUIET);
    let name = view.name(service);
    let mut sheet = Sheet::new(96 + lines.len() * 140);
    sheet.put(name).put(" logs at ").time(now).put(", a sample of the last 10 min").line();
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
