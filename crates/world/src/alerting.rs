//! The alert rules, which look at every scrape. Those that page look at once until something has paged; what else holds is worked
//! out where somebody asks.

use crate::blueprint::{AlertInfo, Blueprint, RouteInfo, Watch};
use crate::time::{Span, Time};
use crate::world::{Page, World};

/// An objective burns when more than this multiple of what is allowed goes wrong...
const BURN: f64 = 4.0;
/// ... or any objective of an application that pages as a whole, which is watched more closely; ...
const APP_BURN: f64 = 2.5;
/// ... for so long.
const BURN_HOLD: Span = Span::secs(105);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AlertState {
    /// Since when its condition holds; `None` while it does not.
    pub pending: Option<Time>,
    /// Since when it fires.
    pub firing: Option<Time>,
    /// The value for which its condition last held.
    pub value: f64,
    pub silenced: bool,
}

/// How many of the latest rows rules have not looked at yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unwatched {
    pub paging: usize,
    pub others: usize,
}

impl AlertState {
    /// Goes on with the value of another scrape and whether that is bad; says whether it begins to fire.
    fn watch(&mut self, info: &AlertInfo, now: Time, (value, bad): (f64, bool)) -> bool {
        if !bad {
            // Of a scrape that was lost nothing is known.
            if self.pending.is_some() && !value.is_nan() {
                (self.pending, self.firing) = (None, None);
            }
            return false;
        }
        self.value = value;
        let hold = match &info.watches {
            Watch::Metric(_, _, rule) => Span::secs(rule.hold),
            Watch::Burn(_) | Watch::AppBurn(_) => BURN_HOLD,
        };
        let since = *self.pending.get_or_insert(now);
        let fires = self.firing.is_none() && now.since(since) >= hold;
        if fires {
            self.firing = Some(now);
        }
        fires
    }
}

impl AlertInfo {
    /// What it watches, and whether that is bad: by the cells of a row and the share of a service's instances that run.
    fn look<'r>(
        &self,
        plan: &Blueprint,
        cell: impl Fn(usize) -> f32,
        counted: impl Fn(&RouteInfo) -> &'r [f32],
        up: impl Fn(usize) -> f64,
    ) -> (f64, bool) {
        let wrong = |route: &RouteInfo| {
            let cells = counted(route);
            f64::from(cells[1] + cells[2]) / f64::from(cells[0]).max(1e-9)
        };
        match &self.watches {
            Watch::Metric(service, column, rule) => {
                let value = column.map_or_else(|| up(*service), |column| f64::from(cell(column)));
                (value, if rule.above { value > rule.threshold } else { value < rule.threshold })
            }
            Watch::Burn(route) => {
                let route = &plan.routes[*route];
                let wrong = wrong(route);
                (wrong, wrong > BURN * route.allowed)
            }
            Watch::AppBurn(routes) => {
                let burn = |route: &usize| wrong(&plan.routes[*route]) / plan.routes[*route].allowed;
                let worst = routes.iter().map(burn).fold(0.0, f64::max);
                (worst, worst > APP_BURN)
            }
        }
    }
}

impl World {
    /// Lets the rules look at the row that is being scraped: all of them, or only those that page.
    pub(crate) fn watch(&mut self, all: bool) {
        let plan = self.plan.clone();
        if !all {
            plan.paging.iter().for_each(|at| self.watch_rule(&plan, *at));
            return;
        }
        for (at, glance) in plan.glances.iter().enumerate() {
            // Most rules hold and held before.
            if glance.may_be_bad(&self.row) || self.alerts[at].pending.is_some() {
                self.watch_rule(&plan, at);
            }
        }
    }

    fn watch_rule(&mut self, plan: &Blueprint, at: usize) {
        let info = &plan.alerts[at];
        let (row, fleet) = (&self.row, &self.fleet);
        let seen = info.look(plan, |column| row[column], |route| &row[route.columns.clone()], |s| fleet.up(s));
        let state = &mut self.alerts[at];
        if state.watch(info, self.now, seen) && info.pages && self.page.is_none() && !state.silenced {
            self.page = Some(Page { time: self.now, alert: at, value: seen.0 });
        }
    }

    /// How a rule stands, with the rows that it has not looked at yet.
    pub(crate) fn alert(&self, at: usize) -> AlertState {
        let (plan, info, mut state) = (&*self.plan, &self.plan.alerts[at], self.alerts[at]);
        let behind = if info.pages { self.unwatched.paging } else { self.unwatched.others };
        if behind == 0 {
            return state;
        }
        // A rule that holds forgets what was before, and most hold in the latest row.
        let mut left: Vec<(Time, (f64, bool))> = Vec::new();
        for row in self.history.newest_first(Time(0), self.now).take(behind) {
            let up = |service| row.up(service).unwrap_or(1.0);
            let (value, bad) =
                info.look(plan, |column| row.cell(column), |route| row.counted(route.columns.clone()), up);
            if !bad && !value.is_nan() {
                (state.pending, state.firing) = (None, None);
                break;
            }
            left.push((row.time, (value, bad)));
        }
        for (time, seen) in left.into_iter().rev() {
            state.watch(info, time, seen);
        }
        state
    }

    /// Lets the rules look at all rows that they have not looked at yet: all rules, or only those that page.
    pub(crate) fn catch_up_with_alerts(&mut self, all: bool) {
        let plan = self.plan.clone();
        if self.unwatched.paging > 0 {
            plan.paging.iter().for_each(|at| self.alerts[*at] = self.alert(*at));
        }
        self.unwatched.paging = 0;
        if all && self.unwatched.others > 0 {
            let others = (0..plan.alerts.len()).filter(|at| !plan.alerts[*at].pages);
            others.for_each(|at| self.alerts[at] = self.alert(at));
            self.unwatched.others = 0;
        }
    }
}
