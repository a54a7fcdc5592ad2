//! `list_changes`: who changed what, and when.

use std::fmt::Write;

use world::{Span, View};

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply, columns};
use crate::param::Param;
use crate::params::Whole;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::{Sheet, behind};
use crate::tool::{Run, Tool};

/// The tool.
pub struct ListChanges;

impl Tool for ListChanges {
    fn name(&self) -> &'static str {
        "list_changes"
    }

    fn signature(&self) -> &'static str {
        "list_changes([minutes])"
    }

    fn about(&self) -> &'static str {
        "deploys, configuration pushes and restarts of the last minutes (usually eight hours), with their ids"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::optional("minutes", &Whole { min: 1, max: 1440 })] }
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

/// How many minutes are shown where no number is given: a shift.
const USUAL: u64 = 480;

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let (now, minutes) = (view.now(), args.whole("minutes", USUAL));
    let from = now.back(Span::mins(minutes));
    let mut sheet = Sheet::new(512);
    let _ = write!(sheet, "changes at {now}, last {minutes} min");
    sheet.line();
    // The history is in the order of writing; people read it in the order of happening.
    let mut changes: Vec<_> = view.changes().filter(|c| c.time >= from).collect();
    changes.sort_by_key(|c| c.time);
    let author = 17 + behind(17, changes.iter().map(|change| &**view.name(change.service)));
    let what = author + behind(15, changes.iter().map(|change| change.author));
    if changes.is_empty() {
        sheet.put("no changes").line();
    } else {
        sheet
            .put("id")
            .column(7)
            .put("time")
            .column(17)
            .put("service")
            .column(author)
            .put("author")
            .column(what)
            .put("change")
            .line();
    }
    let mut facts = Vec::with_capacity(changes.len());
    for change in changes {
        let service = view.name(change.service);
        sheet.whole(u64::from(change.id)).column(7).time(change.time).column(17).put(service).column(author);
        sheet.put(change.author).column(what).put(change.summary);
        let state = match (change.reverted, change.can_be_rolled_back) {
            (true, _) => " (rolled back)",
            (false, true) => "",
            (false, false) => " (cannot be rolled back)",
        };
        sheet.put(state).line();
        facts.push(Fact::new(FactKind::Change, service, change.id.to_string(), !change.by_operator));
    }
    Reply::show(sheet.done(), facts)
}

/// How much was changed and where, and what can be taken back.
static READER: ReplyReader =
    ReplyReader { service: &["changes:count", "changes:is_latest"], incident: &["changes:shown"], read };

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    for service in 0..notes.services() {
        notes.put(service, "changes:count", 0.0);
        notes.put(service, "changes:is_latest", 0.0);
    }
    let (mut count, mut last) = (0.0, None);
    for line in shown.text.lines().skip(2) {
        let mut cells = columns(line);
        let (Some(id), Some(_), Some(name)) = (cells.next(), cells.next(), cells.next()) else { continue };
        notes.show("change", id);
        count += 1.0;
        if let Some(service) = notes.find(name) {
            notes.add(service, "changes:count", 0.1);
            last = Some(service);
        }
    }
    if let Some(service) = last {
        notes.put(service, "changes:is_latest", 1.0);
    }
    notes.set("changes:shown", count / 20.0);
}
