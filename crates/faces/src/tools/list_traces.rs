//! `list_traces`: a few requests of a route, call by call.

use world::View;
use world::telemetry::traces::TraceSpan;

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply};
use crate::param::Param;
use crate::params::{ROUTE, Whole};
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::Sheet;
use crate::tool::{Run, Tool};

/// The tool.
pub struct ListTraces;

impl Tool for ListTraces {
    fn name(&self) -> &'static str {
        "list_traces"
    }

    fn signature(&self) -> &'static str {
        "list_traces(route[, count])"
    }

    fn about(&self) -> &'static str {
        "a few sampled requests of a route: each call with its time and its error"
    }

    fn params(&self) -> &'static [Param] {
        const { &[Param::needed("route", ROUTE), Param::optional("count", &Whole { min: 1, max: 10 })] }
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

fn look(view: View<'_>, args: &ToolArgs) -> Reply {
    let traces = view.traces(args.route(), args.whole("count", 3) as usize);
    let mut sheet = Sheet::new(1024);
    sheet.put("traces of ").put(args.text("route")).put(" at ").time(view.now()).line();
    let mut facts: Vec<Fact> = Vec::new();
    let spans = traces.iter().flat_map(|trace| &trace.spans);
    let width = |span: &TraceSpan| 5 + 2 * span.depth + view.name(span.service).len() + span.op.len();
    let at = spans.map(width).fold(52, usize::max);
    for trace in &traces {
        sheet.put("trace ").put(&trace.id).line();
        for span in &trace.spans {
            let service = view.name(span.service);
            sheet.column(2 + 2 * span.depth).put(service).put(" ").put(&span.op).column(at).figure(span.ms).put("ms");
            if let Some(error) = span.error {
                sheet.put("  ").put(error);
            }
            sheet.line();
            let fact = Fact::new(FactKind::Trace, service, span.op.to_string(), span.error.is_some());
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    Reply::show(sheet.done(), facts)
}

/// Where steps of requests failed; such a step says so in the text.
static READER: ReplyReader = ReplyReader { service: &["traces:errors"], incident: &[], read };

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    (0..notes.services()).for_each(|service| notes.put(service, "traces:errors", 0.0));
    for fact in shown.facts.iter().filter(|fact| fact.kind == FactKind::Trace && fact.telling) {
        if let Some(service) = notes.find(&fact.service) {
            notes.add(service, "traces:errors", 0.25);
        }
    }
}
