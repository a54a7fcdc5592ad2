//! Alerts as they are read.

use std::sync::Arc;

use crate::blueprint::Watch;
use crate::operator::View;
use crate::time::Time;
use crate::world::Page;

/// One alert that fires or soon will.
#[derive(Clone, Debug, PartialEq)]
pub struct AlertView {
    /// `service/rule`.
    pub name: Arc<str>,
    /// The service, or for an objective the application's route.
    pub owner: Arc<str>,
    /// Since when it fires; `None` while it is only pending.
    pub firing: Option<Time>,
    /// Whether it pages or opens a ticket.
    pub pages: bool,
    /// Whether it was silenced.
    pub silenced: bool,
    /// What it says, with the current value.
    pub text: String,
}

impl View<'_> {
    /// Alerts whose condition holds, in the order of the rules.
    pub fn alerts(self) -> Vec<AlertView> {
        let world = self.world;
        let states = (0..world.alerts.len()).map(|at| (at, world.alert(at)));
        let active = states.filter(|(_, s)| s.pending.is_some());
        let view = active.map(|(at, state)| AlertView {
            name: world.plan.alerts[at].name().into(),
            owner: self.alert_owner(at),
            firing: state.firing,
            pages: world.plan.alerts[at].pages,
            silenced: state.silenced,
            text: self.alert_text(at, state.value),
        });
        view.collect()
    }

    /// The index of the alert of that name.
    pub fn alert(self, name: &str) -> Option<usize> {
        self.world.plan.alerts.iter().position(|a| a.is_called(name))
    }

    /// The service (or the route's application entry) that an alert is about.
    pub fn alert_owner(self, alert: usize) -> Arc<str> {
        match &self.world.plan.alerts[alert].watches {
            Watch::Metric(service, ..) => self.world.plan.services[*service].name.clone(),
            Watch::Burn(route) => self.world.plan.routes[*route].name.clone(),
            Watch::AppBurn(routes) => self.world.plan.routes[routes[0]].app.clone(),
        }
    }

    /// The page as the pager shows it.
    pub fn page_text(self, page: Page) -> String {
        let info = &self.world.plan.alerts[page.alert];
        format!("{}: {}", info.name(), self.rule_text(page.alert))
    }

    /// What a rule says when it pages. It gives no value: how bad it is has to be looked at.
    fn rule_text(self, alert: usize) -> String {
        let plan = &self.world.plan;
        match &plan.alerts[alert].watches {
            Watch::Metric(service, None, _) => {
                format!("instances of {} do not answer their probe", plan.services[*service].name)
            }
            Watch::Metric(service, Some(_), rule) => {
                let than = if rule.above { "above" } else { "below" };
                format!("{} of {} is {than} its limit", rule.metric, plan.services[*service].name)
            }
            Watch::Burn(route) => {
                format!("more {} requests fail or are slow than the objective allows", plan.routes[*route].name)
            }
            Watch::AppBurn(routes) => {
                format!("more requests to {} fail or are slow than an objective allows", plan.routes[routes[0]].app)
            }
        }
    }

    fn alert_text(self, alert: usize, value: f64) -> String {
        match &self.world.plan.alerts[alert].watches {
            Watch::Metric(service, None, _) => {
                let info = &self.world.plan.services[*service];
                let all = self.world.fleet.of(*service).len() as f64;
                format!("{} of {} instances of {} answer their probe", (value * all).round(), all, info.name)
            }
            Watch::Metric(service, Some(_), rule) => {
                let info = &self.world.plan.services[*service];
                let unit = info.kind.metrics().iter().find(|m| m.name == rule.metric).map_or("", |m| m.unit.text());
                let than = if rule.above { "above" } else { "below" };
                let (value, limit) = (Figure(value), Figure(rule.threshold));
                format!("{} of {} is {value}{unit}, {than} {limit}{unit} for {} s", rule.metric, info.name, rule.hold)
            }
            Watch::Burn(route) => {
                let route = &self.world.plan.routes[*route];
                let (now, may) = (Figure(value * 100.0), Figure(route.allowed * 100.0));
                format!("{now}% of {} requests fail or are slow; the objective allows {may}%", route.name)
            }
            Watch::AppBurn(routes) => {
                let app = &self.world.plan.routes[routes[0]].app;
                format!("of requests to {app} {} times as many fail or are slow as an objective allows", Figure(value))
            }
        }
    }
}

/// A number with about three figures.
pub struct Figure(pub f64);

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let v = self.0;
        match v.abs() {
            a if a >= 100.0 => write!(f, "{v:.0}"),
            a if a >= 10.0 => write!(f, "{v:.1}"),
            a if a >= 1.0 => write!(f, "{v:.2}"),
            a if a < 0.00005 => f.write_str("0"),
            a if a < 0.01 => write!(f, "{v:.4}"),
            _ => write!(f, "{v:.3}"),
        }
    }
}
