//! The calls that a server answers and makes, laid out for the inner loop.

use std::ops::Range;

use crate::blueprint::Blueprint;
use crate::release::Build;
use crate::rng::Seed;
use crate::services::{ModelSetup, Role};

/// The calls of the service and what each of them calls in turn, laid out for the inner loop.
pub(super) struct CallTable {
    pub pages: Vec<AnsweredCall>,
    pub children: Vec<Child>,
    /// Whether it calls servers of its own kind.
    pub chained: bool,
    /// One call of each server of its own kind that calls it.
    pub callers: Vec<usize>,
}

/// One call that the service answers.
pub(super) struct AnsweredCall {
    pub call: usize,
    /// Own work, in seconds, and its variation.
    pub work: f64,
    pub spread: f64,
    /// Whether it changes data somewhere.
    pub writes: bool,
    pub children: Range<usize>,
    /// How long those who ask wait, in seconds, where they are users: inside others cut a call off by themselves.
    pub patience: f64,
    /// How often its code fails, as a multiple of what is usual for the service: no two pages have the same bugs.
    pub bugs: f64,
    /// About how often it is called per second, as a weight.
    pub usual: f64,
}

/// One call that the service makes.
pub(super) struct Child {
    pub call: usize,
    pub service: usize,
    pub role: Role,
    pub times: f64,
    pub write: bool,
    /// The lines about its kind, if it lends any.
    pub lines: Option<usize>,
    /// Whether it is made only when the lookup before it found nothing.
    pub on_miss: bool,
    /// Whether it is answered by a server of the same kind, in any case.
    pub chained: bool,
}

impl CallTable {
    pub fn of(setup: &ModelSetup<'_>) -> CallTable {
        let plan = setup.plan;
        let mut table = CallTable { pages: Vec::new(), children: Vec::new(), chained: false, callers: Vec::new() };
        let mut callers = std::collections::BTreeMap::new();
        let own = |service: usize| plan.services[service].kind.name() == "web";
        for &call in &plan.services[setup.me].calls {
            let (info, first) = (&plan.calls[call], table.children.len());
            table.children.extend(info.children.iter().map(|&c| {
                let child = &plan.calls[c];
                let on_miss = child.miss_of.is_some();
                let (write, kind) = (child.op.write, plan.services[child.service].kind.name());
                let lines = plan.services[setup.me].borrowed.iter().position(|b| b.kind.name() == kind);
                let (service, role, times) = (child.service, child.role, child.times);
                let chained = role == Role::Answer && own(service) && !on_miss;
                Child { call: c, service, role, times, write, lines, on_miss, chained }
            }));
            let children = first..table.children.len();
            let writes = table.children[children.clone()].iter().any(|c| c.write);
            let (work, spread) = (info.op.work_ms / 1000.0, info.op.spread);
            let edge = info.parent.is_none_or(|p| plan.services[plan.calls[p].service].kind.tier() == 0);
            let patience = if edge { plan.routes[info.route].patience } else { f64::INFINITY };
            let bugs = Seed(0).stream(&info.op.name).at(0).between(0.4, 1.6);
            let usual = 1e-6 + plan.routes[info.route].rps * times_of(plan, call);
            table.pages.push(AnsweredCall { call, work, spread, writes, children, patience, bugs, usual });
            if let Some(parent) = info.parent.map(|p| plan.calls[p].service).filter(|&p| own(p)) {
                callers.entry(parent).or_insert(call);
            }
        }
        table.chained = table.children.iter().any(|c| c.chained);
        table.callers = callers.into_values().collect();
        table
    }

    /// The share of a page's requests that a build fails: what it fails of all of them, some pages more and others less, so that in all it
    /// is as many.
    #[cold]
    pub fn broken(&self, build: &Build, page: &AnsweredCall) -> f64 {
        let draws = Seed(build.flaw).stream("broken pages");
        let lean = |page: &AnsweredCall| draws.at(page.call as u64).signed();
        let all: f64 = self.pages.iter().map(|page| page.usual).sum();
        let mean = self.pages.iter().map(|page| page.usual * lean(page)).sum::<f64>() / all;
        let most = self.pages.iter().map(|page| (lean(page) - mean).abs()).fold(1.0, f64::max);
        build.errors + build.errors.min(1.0 - build.errors) * (lean(page) - mean) / most
    }
}

/// How often a call is made for each request of its route, at most.
fn times_of(plan: &Blueprint, call: usize) -> f64 {
    let info = &plan.calls[call];
    info.times * info.parent.map_or(1.0, |parent| times_of(plan, parent))
}
