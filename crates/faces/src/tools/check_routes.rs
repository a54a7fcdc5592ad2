//! `check_routes`: what users feel, route by route, against what they were promised.

use world::View;
use world::telemetry::health::RouteView;

use crate::args::ToolArgs;
use crate::learn::{ReplyNotes, ReplyReader, ShownReply, columns, share};
use crate::param::Param;
use crate::reply::{Fact, FactKind, Reply};
use crate::sheet::{Sheet, behind};
use crate::tool::{Run, Tool};

/// The tool.
pub struct CheckRoutes;

impl Tool for CheckRoutes {
    fn name(&self) -> &'static str {
        "check_routes"
    }

    fn signature(&self) -> &'static str {
        "check_routes()"
    }

    fn about(&self) -> &'static str {
        "how each route stands against its objective over the last five minutes"
    }

    fn params(&self) -> &'static [Param] {
        &[]
    }

    fn run(&self) -> Run {
        Run::Look(look)
    }

    fn reader(&self) -> Option<&'static ReplyReader> {
        Some(&READER)
    }
}

/// Of a place with more routes than this only those are shown that are worst off.
const MOST: usize = 100;

fn look(view: View<'_>, _: &ToolArgs) -> Reply {
    let mut routes = view.routes();
    let all = routes.len();
    if all > MOST {
        let burnt = |route: &RouteView| (route.failed + route.slow) / route.allowed;
        routes.sort_by(|a, b| burnt(b).total_cmp(&burnt(a)));
        routes.truncate(MOST);
    }
    let mut sheet = Sheet::new(128 + routes.len() * 96);
    sheet.put("routes at ").time(view.now()).put(", last 5 min");
    if all > MOST {
        sheet.put("; those that are worst off, ").whole(MOST as u64).put(" of ").whole(all as u64);
    }
    sheet.line();
    let at = behind(18, routes.iter().map(|route| &*route.name));
    sheet.put("route").column(at).put("rate").column(at + 10).put("failed").column(at + 20).put("slow");
    sheet.column(at + 30).put("allowed").column(at + 40).put("p95").line();
    let mut facts = Vec::with_capacity(routes.len());
    for route in &routes {
        sheet.put(&route.name).column(at).figure(route.rate).put("/s").column(at + 10).percent(route.failed);
        sheet.column(at + 20).percent(route.slow).column(at + 30).percent(route.allowed);
        sheet.column(at + 40).figure(route.p95_ms).put("ms").line();
        let out = route.failed + route.slow > route.allowed;
        facts.push(Fact::new(FactKind::Status, &route.app, route.name.to_string(), out));
    }
    Reply::show(sheet.done(), facts)
}

/// The worst of what users feel, and which routes can be traced.
static READER: ReplyReader = ReplyReader {
    service: &[],
    incident: &["routes:worst_failed_share", "routes:worst_slow_share", "routes:out_of_objective"],
    read,
};

fn read(shown: &ShownReply<'_>, notes: &mut dyn ReplyNotes) {
    let (mut worst_failed, mut worst_slow, mut out, mut all) = (0.0f64, 0.0f64, 0.0, 0.0);
    for line in shown.text.lines().skip(2) {
        let mut cells = columns(line);
        let Some(name) = cells.next() else { continue };
        notes.show("route", name);
        let [_, failed, slow, allowed] = [(); 4].map(|()| cells.next().and_then(share).unwrap_or(0.0));
        (worst_failed, worst_slow) = (worst_failed.max(failed), worst_slow.max(slow));
        out += f64::from(u8::from(failed + slow > allowed));
        all += 1.0;
    }
    notes.set("routes:worst_failed_share", worst_failed);
    notes.set("routes:worst_slow_share", worst_slow);
    notes.set("routes:out_of_objective", out / f64::max(all, 1.0));
}
