//! The alert rules, which look at every scrape. Those that page look at once until something has paged; what else holds is worked
//! out where it is asked for.

use crate::alert_state::AlertState;
use crate::blueprint::Blueprint;
use crate::time::Time;
use crate::world::{Page, World};

impl World {
    /// Lets the rules look at the row that is being scraped: all of them, or only those that page.
    pub(crate) fn watch(&mut self, all: bool) {
        let plan = self.plan.clone();
        match all {
            true => (0..plan.glances.len()).for_each(|at| self.glance_at_rule(&plan, at)),
            false => plan.paging.iter().for_each(|at| self.glance_at_rule(&plan, *at)),
        }
    }

    /// Most rules hold and held before.
    #[inline]
    fn glance_at_rule(&mut self, plan: &Blueprint, at: usize) {
        if plan.glances[at].may_be_bad(&self.row) || self.alerts[at].pending.is_some() {
            self.watch_rule(plan, at);
        }
    }

    fn watch_rule(&mut self, plan: &Blueprint, at: usize) {
        let info = &plan.alerts[at];
        let (row, fleet) = (&self.row, &self.fleet);
        let seen = info.look(plan, |_, column| row[column], |route| &row[route.columns.clone()], |s| fleet.up(s));
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
            let (value, bad) = info.look(
                plan,
                |service, column| row.cell_of(service, column),
                |route| row.counted(route.columns.clone()),
                up,
            );
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
