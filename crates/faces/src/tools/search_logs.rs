//! `search_logs`: log lines by level, text and time.

use std::fmt::Write;

use world::services::Level;
use world::telemetry::logs::LogQuery;
use world::{Span, View};

use crate::args::ToolArgs;
use crate::learn::{Choices, OneOf, ReplyReader};
use crate::param::Param;
use crate::params::{LEVEL, SERVICE, WORDS, Whole, read_level};
use crate::reply::Reply;
use crate::sheet::Sheet;
use crate::tool::{Run, Tool};

use super::inspect_logs::{facts, write_lines};

/// The tool.
pub struct SearchLogs;

impl Tool for SearchLogs {
    fn name(&self) -> &'static str {
        "search_logs"
    }

    fn signature(&self) -> &'static str {
        "search_logs(service[, level][, text][, minutes])"
    }

    fn about(&self) -> &'static str {
        "log lines at least as loud as a level (info, warn, error) that contain a text, of the last minutes"
    }

    fn params(&self) -> &'static [Param] {
        const MINUTES: &Whole = &Whole { min: 1, max: 120 };
        const {
            &[
                SERVICE,
                Param::optional("level", LEVEL),
                Param::optional("text", WORDS),
                Param::optional("minutes", MINUTES),
            ]
        }
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&super::inspect_logs::READER)
    }

    fn choices(&self) -> &'static dyn Choices {
        &OneOf { what: "level", of: &["warn", "error"] }
    }
}

/// At most so many lines, the latest.
const MOST: usize = 30;

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let (service, now, minutes) = (args.service(), view.now(), args.whole("minutes", 15));
    let level = args.get("level").and_then(read_level).unwrap_or(Level::Info);
    let text = args.text("text");
    let from = now.back(Span::mins(minutes));
    let query = LogQuery { level, text, from, to: now, limit: MOST };
    let (name, lines) = (view.name(service), view.logs(service, &query));
    let mut sheet = Sheet::new(96 + lines.len() * 140);
    let _ = write!(sheet, "{name} logs at {now}, level {} and up, last {minutes} min", level.text());
    if !text.is_empty() {
        let _ = write!(sheet, ", with `{text}`");
    }
    if lines.len() == MOST {
        let _ = write!(sheet, "; the latest {MOST}");
    }
    sheet.line();
    write_lines(&mut sheet, &lines);
    Reply::show(sheet.done(), facts(name, &lines))
}
