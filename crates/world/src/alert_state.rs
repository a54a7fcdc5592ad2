//! How an alert rule stands, and what it makes of a scrape.

use crate::blueprint::{AlertInfo, Blueprint, RouteInfo, Watch};
use crate::time::{Span, Time};

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
    pub fn watch(&mut self, info: &AlertInfo, now: Time, (value, bad): (f64, bool)) -> bool {
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
    /// What it watches, and whether that is bad: by the cells of a row, of which the service is known, and the share of a service's instances that run.
    pub(crate) fn look<'r>(
        &self,
        plan: &Blueprint,
        cell: impl Fn(usize, usize) -> f32,
        counted: impl Fn(&RouteInfo) -> &'r [f32],
        up: impl Fn(usize) -> f64,
    ) -> (f64, bool) {
        let wrong = |route: &RouteInfo| {
            let cells = counted(route);
            f64::from(cells[1] + cells[2]) / f64::from(cells[0]).max(1e-9)
        };
        match &self.watches {
            Watch::Metric(service, column, rule) => {
                let value = column.map_or_else(|| up(*service), |column| f64::from(cell(*service, column)));
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
